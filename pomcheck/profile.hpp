// Profiles of a POM, and the environment that decides which are active.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pomcheck/pom.hpp"

namespace rowgate::pomcheck {

// A POM's meaning depends on the machine that reads it. Answers must not: the environment is
// pinned, printed with every answer, and never taken from the process.
struct ModelEnvironment {
  std::string os_name = "linux";  // lower case, as Maven compares it
  std::string os_arch = "amd64";
  std::string os_version = "6.1";
  // java.version, java.specification.version, os.name, …, and "env.X" for environment variables.
  std::map<std::string, std::string, std::less<>> system_properties;
  std::map<std::string, std::string, std::less<>> user_properties;  // as with -Dname=value
  std::set<std::string, std::less<>> existing_files;                // for file activation

  // "JDK 17, linux amd64", then the properties that were given.
  std::string describe() const;
};

// `jdk` is "8", "17", "17.0.2", "1.8.0_392"; `os` is linux, mac or windows.
// Errors: usage.
Result<ModelEnvironment> pinned_environment(std::string_view jdk = "17",
                                            std::string_view os = "linux");

// The profiles of one POM that are active, in its order. A profile that is active by default is so
// only when no other of the same POM is. What cannot be evaluated counts as inactive and is said in
// `problems`.
std::vector<const Profile*> active_profiles(const std::vector<Profile>& profiles,
                                            const ModelEnvironment& environment,
                                            const Properties& project_properties,
                                            std::vector<std::string>& problems);

// Puts a profile's values over the model's: properties and equal dependencies are replaced where
// they stand, others come last.
void inject_profile(ModelPart& model, const ModelPart& profile);

}  // namespace rowgate::pomcheck
