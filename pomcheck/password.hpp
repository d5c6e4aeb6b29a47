// Passwords in settings.xml that `mvn --encrypt-password` made.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "pomcheck/settings.hpp"

namespace rowgate::pomcheck {

// Holds "{…}" with neither brace escaped by a backslash; what stands around it is a remark.
bool is_encrypted(std::string_view text);

// The plain password. Errors: usage (wrong master password, damaged text), unsupported (Maven 4's
// "{[name=…]…}"). No error quotes the text or the result.
Result<std::string> decrypt_password(std::string_view text, std::string_view master_password);

// The decrypted master password of settings-security.xml, through its <relocation> if it has one.
// Errors: usage (no file, no master), malformed, io.
Result<std::string> read_master_password(const std::filesystem::path& settings_security,
                                         const SettingsVariables& variables);

}  // namespace rowgate::pomcheck
