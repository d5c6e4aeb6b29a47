// Everything that a run is given, as one name: options, inputs, this very program.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tools/inputs.hpp"
#include "tools/link_section.hpp"
#include "tools/repositories.hpp"

namespace rowgate::tools {

class RunKey {
 public:
  // Begins with the command, the working directory, rowgate's version and the program file's stamp:
  // another build may judge otherwise.
  explicit RunKey(std::string_view command);

  void add(std::string_view name, std::string_view value);
  // A file by its stamp, a folder by those of all files in it, or that there is nothing.
  void add_path(const std::filesystem::path& path);

  // The connectors with their files' stamps.
  void add(const Inputs& inputs);
  // The repositories, by their places, and what POM profiles see.
  void add(const Maven& maven);
  // How linkage is judged, and by which JDK.
  void add(const LinkSettings& settings);

  // Lower-case hexadecimal; nullopt when something that was added cannot be looked at.
  std::optional<std::string> digest() const;

 private:
  std::string text_;
  bool complete_ = true;
};

}  // namespace rowgate::tools
