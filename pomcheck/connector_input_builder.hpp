// Collects what the readers of connector_input.hpp find.
#pragma once

#include <string>
#include <string_view>

#include "pomcheck/connector_input.hpp"

namespace rowgate::pomcheck {

class InputBuilder {
 public:
  ConnectorInput& input() { return input_; }

  void connector(Coordinate coordinate, const InputPlace& place);
  void jar(std::string_view path, const InputPlace& place);
  void exclusion(std::string_view group_and_artifact, const InputPlace& place);
  void problem(const InputPlace& place, std::string message);

  // A dependency of a build: a connector, Spark itself (whose version is noted), or another
  // library.
  void build_dependency(Coordinate coordinate, const InputPlace& place);

 private:
  ConnectorInput input_;
};

// Build files are programs; only what stands in them plainly is read. A coordinate with a variable
// that is not set to a plain text in the same file is a problem that names the line.
void read_sbt(std::string_view text, const std::string& name, InputBuilder& builder);
void read_gradle(std::string_view text, const std::string& name, InputBuilder& builder);
void read_requirements(std::string_view text, const std::string& name, InputBuilder& builder);

}  // namespace rowgate::pomcheck
