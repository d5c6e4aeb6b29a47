// Writes what the linkage check says about every reference of some worlds, for Referee.java to
// compare with the JVM. The file's format is described there.
//
//   link_referee OUT JDK corpus FOLDER            the generated corpus, as test_link built it
//   link_referee OUT JDK world LABEL SPARK_FOLDER CONNECTOR.jar...
#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <set>

#include "base/files.hpp"
#include "base/text.hpp"
#include "jarscan/jdk_image.hpp"
#include "jarscan/link_judge.hpp"

namespace fs = std::filesystem;
using namespace rowgate;
using namespace rowgate::jarscan;

namespace {

std::string out;

const char* kind_name(RefKind kind) {
  constexpr const char* kNames[] = {"class_use",        "instantiate",       "get_field",
                                    "get_static",       "put_field",         "put_static",
                                    "invoke_virtual",   "invoke_special",    "invoke_static",
                                    "invoke_interface", "invoke_constructor"};
  return kNames[static_cast<unsigned>(kind)];
}

Result<std::shared_ptr<const ClassIndex>> open_all(const std::vector<fs::path>& paths) {
  std::vector<ClassPathJar> jars;
  for (const fs::path& path : paths) {
    ROWGATE_TRY(auto jar, JarFile::open(path));
    jars.push_back({std::move(jar), {}});
  }
  return std::make_shared<ClassIndex>(ClassIndex::build(std::move(jars), {}, RunContext::quiet()));
}

std::string joined(const std::vector<fs::path>& paths) {
  std::vector<std::string> names;
  for (const fs::path& path : paths) names.push_back(fs::absolute(path).string());
  return base::join(names, ":");
}

// Class.getMethods shows public methods only.
bool is_public(ClassWorld& world, const LinkBreak& found) {
  const ResolvedClass* holder = world.load(found.culprit, LoaderKind::child);
  if (holder == nullptr) return false;
  for (const MemberDecl& method : holder->decl->methods)
    if (fmt::format("{}{}", method.name, method.descriptor) == found.member)
      return method.is(access::kPublic);
  return false;
}

void write_class(const LinkUnit& unit, std::uint32_t number, const Judgement& judgement,
                 ClassWorld& world) {
  const UnitClass& type = unit.classes[number];
  std::string loading = "OK", linking = "OK";
  std::map<std::uint32_t, LinkProblem> broken;
  std::set<std::string> unimplemented;
  for (const LinkBreak& found : judgement.breaks) {
    if (found.user != number) continue;
    if (found.place == BreakPlace::loading) loading = jvm_error(found.problem);
    if (found.place == BreakPlace::linking && linking == "OK") linking = jvm_error(found.problem);
    if (found.place == BreakPlace::reference && found.problem != LinkProblem::interface_lost)
      broken.emplace(found.index, found.problem);
    const bool lacks = found.problem == LinkProblem::unimplemented ||
                       found.problem == LinkProblem::implemented_inaccessibly;
    if (found.place == BreakPlace::implementation && lacks && is_public(world, found)) {
      const std::size_t open = found.member.find('(');
      unimplemented.insert(found.member.substr(0, open) + "\t" + found.member.substr(open));
    }
  }
  std::string types;
  for (const MemberDecl& method : type.decl->methods)
    if (method.name == "<init>")
      for_each_class(method.descriptor,
                     [&](std::string_view name) { types += fmt::format("{},", name); });
  if (!types.empty()) types.pop_back();
  out += fmt::format("C\t{}\t{}\t{}\t{}\n", type.decl->name, loading, linking, types);
  for (std::uint32_t i = 0; i < type.refs.size(); ++i) {
    const Reference& ref = unit.reference(type.refs[i]);
    const auto problem = broken.find(i);
    const bool interface = ref.interface_constant || ref.kind == RefKind::invoke_interface;
    out += fmt::format("R\t{}\t{}\t{}\t{}\t{}\t{}\n", kind_name(ref.kind), interface ? 1 : 0,
                       ref.owner, ref.name, ref.descriptor,
                       problem == broken.end() ? "OK" : jvm_error(problem->second));
  }
  for (const std::string& method : unimplemented) out += fmt::format("A\t{}\n", method);
}

Result<void> write_world(const std::string& label, LoadingOrder order,
                         const std::vector<fs::path>& spark,
                         const std::vector<fs::path>& connectors,
                         std::shared_ptr<const JdkImage> image) {
  ROWGATE_TRY(auto parent_index, open_all(spark));
  ROWGATE_TRY(auto child_index, open_all(connectors));
  const auto unit = read_link_unit(child_index, RunContext::quiet());
  JdkProvider jdk(std::move(image));
  JarProvider parent(parent_index);
  UnitProvider child(unit);
  ClassWorld world({&jdk, &parent, &child, order});
  const Judgement judgement = judge(*unit, world, RunContext::quiet());
  out += fmt::format("W\t{}\t{}\t{}\t{}\n", label,
                     order == LoadingOrder::one_loader ? "one_loader" : "parent_first",
                     joined(spark), joined(connectors));
  for (std::uint32_t i = 0; i < unit->classes.size(); ++i)
    if (!judgement.shadowed[i]) write_class(*unit, i, judgement, world);
  return {};
}

Result<void> write_corpus(const fs::path& folder, const std::shared_ptr<const JdkImage>& image) {
  ROWGATE_TRY(const auto files, base::list_files(folder, "loaders"));
  for (const fs::path& file : files) {
    const fs::path home = file.parent_path();
    ROWGATE_TRY(const std::string loaders, base::read_file(file));
    if (loaders == "child-first") continue;  // the referee has no such loader
    const LoadingOrder order =
        loaders == "one" ? LoadingOrder::one_loader : LoadingOrder::parent_first;
    for (const char* side : {"old", "new"})
      ROWGATE_CHECK(write_world(home.filename().string() + "/" + side, order,
                                {home / (std::string(side) + ".jar")}, {home / "client.jar"},
                                image));
  }
  return {};
}

Result<void> run(const std::vector<std::string>& arguments) {
  ROWGATE_TRY(const auto image, JdkImage::open(arguments[1]));
  if (arguments[2] == "corpus") {
    ROWGATE_CHECK(write_corpus(arguments[3], image));
  } else {
    ROWGATE_TRY(auto spark, base::list_files(arguments[4], ".jar"));
    std::erase_if(spark, [&](const fs::path& jar) {
      return jar.lexically_relative(arguments[4]).has_parent_path();
    });
    ROWGATE_CHECK(write_world(arguments[3], LoadingOrder::parent_first, spark,
                              {arguments.begin() + 5, arguments.end()}, image));
  }
  return base::write_file_atomically(arguments[0], out);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool corpus = arguments.size() == 4 && arguments[2] == "corpus";
  if (!corpus && (arguments.size() < 6 || arguments[2] != "world")) {
    std::fprintf(stderr,
                 "usage: link_referee OUT JDK corpus FOLDER\n"
                 "       link_referee OUT JDK world LABEL SPARK_FOLDER CONNECTOR.jar...\n");
    return 2;
  }
  if (const auto written = run(arguments); !written) {
    std::fprintf(stderr, "%s\n", written.error().to_string().c_str());
    return 3;
  }
  return 0;
}
