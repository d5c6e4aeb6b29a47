#include "jarscan/capabilities.hpp"

#include "jar_support.hpp"

using namespace rowgate;
using namespace rowgate::jarscan;
using namespace rowgate::test;

namespace {

using Names = std::vector<std::string>;

const std::string kCatalog = "org/apache/spark/sql/connector/catalog/";
const std::string kRowLevel = kCatalog + "SupportsRowLevelOperations";

CapabilityReport analysed(const std::vector<ClassSpec>& classes,
                          const std::vector<ClassSpec>& class_path = {}) {
  JarFolder folder;
  const auto connector = folder.add("connector.jar", jar_of(classes));
  const auto result = scan({connector}, {}, RunContext::quiet());
  REQUIRE(result);
  CHECK(result->findings.empty());
  if (class_path.empty()) return analyse_capabilities(*result, {});
  return analyse_capabilities(*result,
                              class_path_of({folder.add("spark.jar", jar_of(class_path))}));
}

Names checks(const CapabilityReport& report) {
  Names ids;
  for (const auto& finding : report.findings) ids.push_back(finding.check_id);
  return ids;
}

ClassSpec spark_interface(const std::string& name, const Names& interfaces = {}) {
  return {kCatalog + name, "java/lang/Object", interfaces, kInterfaceAccess};
}

}  // namespace

TEST_CASE("the catalogue is consistent") {
  for (const Capability& row : capability_catalogue()) {
    CAPTURE(row.internal_name);
    CHECK(row.internal_name.ends_with(row.id));
    CHECK(find_capability(row.internal_name) == capability_index(row.id));
    CHECK_FALSE(row.purpose.empty());
    CHECK_FALSE(row.purpose.ends_with('.'));
  }
  CHECK_FALSE(find_capability("org/apache/spark/sql/connector/catalog/"));
  CHECK_FALSE(find_capability("p/Table"));
}

TEST_CASE("named, direct, inherited, concrete") {
  const CapabilityReport report =
      analysed({{"p/Base", "java/lang/Object", {kRowLevel}, kAbstractAccess},
                {"p/Table", "p/Base"},
                {"p/Mixin", "java/lang/Object", {kRowLevel}, kInterfaceAccess},
                {"p/Other", "lib/Parent", {"p/Mixin"}},
                {"p/Caller", "java/lang/Object", {}, 0x0021, {kRowLevel}}});
  const CapabilityUse& use = report.jars.at(0).use("SupportsRowLevelOperations");
  CHECK(use.naming == Names{"p/Base", "p/Caller", "p/Mixin"});
  CHECK(use.direct == Names{"p/Base", "p/Mixin"});
  CHECK(use.implementors == Names{"p/Base", "p/Mixin", "p/Other", "p/Table"});
  CHECK(use.concrete == Names{"p/Other", "p/Table"});
  // By the catalogue, without a Spark jar: the interface extends Table.
  CHECK(report.jars[0].use("Table").concrete == Names{"p/Other", "p/Table"});
  REQUIRE(report.jars[0].missing.size() == 1);
  CHECK(report.jars[0].missing[0].name == "lib/Parent");
  CHECK(report.jars[0].missing[0].needed_by == Names{"p/Other"});
  CHECK(report.jars[0].gate.outcome == GateOutcome::passes);
  CHECK(report.jars[0].gate.because == Names{"p/Other", "p/Table"});
  CHECK(checks(report).empty());
}

TEST_CASE("Spark's own jars name the interface and implement nothing") {
  const CapabilityReport report =
      analysed({spark_interface("Table"),
                spark_interface("SupportsRowLevelOperations", {kCatalog + "Table"}),
                {"org/apache/spark/sql/Rule", "java/lang/Object", {}, 0x0021, {kRowLevel}}});
  const CapabilityUse& use = report.jars.at(0).use("SupportsRowLevelOperations");
  CHECK(use.naming == Names{"org/apache/spark/sql/Rule"});
  CHECK(use.direct.empty());
  CHECK(use.implementors.empty());
  CHECK(report.jars[0].gate.outcome == GateOutcome::not_applicable);
}

TEST_CASE("an ancestor in Spark's jars decides") {
  const std::vector<ClassSpec> connector = {
      {"p/FileTable", "org/apache/spark/sql/execution/datasources/v2/FileTable"}};
  const CapabilityReport alone = analysed(connector);
  CHECK(alone.jars.at(0).gate.outcome == GateOutcome::undecidable);
  CHECK(alone.jars[0].gate.because ==
        Names{"org/apache/spark/sql/execution/datasources/v2/FileTable"});
  CHECK(checks(alone) == Names{"RG1102"});
  CHECK(alone.findings[0].severity == base::Severity::undecidable);
  CHECK(alone.findings[0].evidence ==
        Names{"org.apache.spark.sql.execution.datasources.v2.FileTable"});

  const CapabilityReport refused =
      analysed(connector, {{"org/apache/spark/sql/execution/datasources/v2/FileTable",
                            "java/lang/Object",
                            {kCatalog + "Table", kCatalog + "SupportsWrite"},
                            kAbstractAccess},
                           spark_interface("Table"),
                           spark_interface("SupportsWrite", {kCatalog + "Table"})});
  CHECK(refused.jars.at(0).gate.outcome == GateOutcome::refused);
  CHECK(refused.jars[0].gate.tables == Names{"p/FileTable"});
  CHECK(refused.jars[0].use("SupportsWrite").implementors == Names{"p/FileTable"});
  CHECK(refused.jars[0].use("SupportsWrite").direct.empty());
  CHECK(checks(refused) == Names{"RG1101"});
}

TEST_CASE(
    "a connector that runs MERGE in its own way is refused, and the verdict says how it does") {
  ClassBuilder extension("p/Extension");
  extension.version(52);
  extension.class_("org/apache/spark/sql/SparkSessionExtensions");
  extension.method(0x0401, "apply", "(Lorg/apache/spark/sql/SparkSessionExtensions;)V");
  ZipBuilder builder = jar_of(
      {{"p/TableV2", "java/lang/Object", {kCatalog + "Table", kCatalog + "V2TableWithV1Fallback"}},
       {"p/MergeRule",
        "java/lang/Object",
        {},
        0x0021,
        {"org/apache/spark/sql/catalyst/plans/logical/MergeIntoTable"}}});
  builder.add("p/Extension.class", extension.build());
  JarFolder folder;
  const auto path = folder.add("connector.jar", builder);
  const auto result = scan({path}, {}, RunContext::quiet());
  REQUIRE(result);
  const CapabilityReport report = analyse_capabilities(*result, {});
  const GateVerdict& gate = report.jars.at(0).gate;
  CHECK(gate.outcome == GateOutcome::refused);
  CHECK(gate.reason == GateReason::v2_without_it);
  CHECK(gate.v1_fallback == Names{"p/TableV2"});
  CHECK(gate.extensions == Names{"p/Extension"});
  CHECK(gate.merge_rules == Names{"p/MergeRule"});
  CHECK(gate.sentence ==
        "Auto CDC refuses it: none of its 1 table classes (TableV2) implements "
        "SupportsRowLevelOperations; it runs MERGE by analyzer rules of its own (Extension), which "
        "the gate does not ask for; TableV2 falls back to data source v1");
  CHECK(checks(report) == Names{"RG1101", "RG1103", "RG1104"});
  CHECK(report.findings[0].symbol ==
        "org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations");
  CHECK(report.findings[0].evidence == Names{"p.TableV2"});
}

TEST_CASE("a data source v1, and a library") {
  const CapabilityReport v1 = analysed(
      {{"p/DefaultSource", "java/lang/Object", {"org/apache/spark/sql/sources/RelationProvider"}}});
  CHECK(v1.jars.at(0).gate.outcome == GateOutcome::refused);
  CHECK(v1.jars[0].gate.reason == GateReason::v1_only);
  CHECK(checks(v1) == Names{"RG1101"});
  const CapabilityReport library = analysed({{"p/Util"}, {"p/Codec", "org/apache/hadoop/io/Base"}});
  CHECK(library.jars.at(0).gate.outcome == GateOutcome::not_applicable);
  CHECK(checks(library).empty());
}

TEST_CASE("near-misses: what must not make a verdict undecidable, and what must") {
  // An unknown library type behind a class that has nothing to do with tables.
  const std::vector<ClassSpec> table = {{"p/T", "java/lang/Object", {kCatalog + "Table"}}};
  std::vector<ClassSpec> unrelated = table;
  unrelated.push_back({"p/Codec", "org/apache/hadoop/io/Base"});
  CHECK(analysed(unrelated).jars.at(0).gate.outcome == GateOutcome::refused);
  // The same type behind a table.
  std::vector<ClassSpec> related = table;
  related.push_back({"p/U", "lib/BaseTable", {kCatalog + "Table"}});
  const CapabilityReport report = analysed(related);
  CHECK(report.jars.at(0).gate.outcome == GateOutcome::undecidable);
  CHECK(report.jars[0].gate.because == Names{"lib/BaseTable"});
  // An interface of unknown descent is no table of the connector's.
  std::vector<ClassSpec> interface = table;
  interface.push_back({"p/I", "java/lang/Object", {"lib/X", kCatalog + "Table"}, kInterfaceAccess});
  CHECK(analysed(interface).jars.at(0).gate.outcome == GateOutcome::refused);
}

TEST_CASE("an abstract table alone does not pass") {
  const CapabilityReport report =
      analysed({{"p/Base", "java/lang/Object", {kRowLevel}, kAbstractAccess},
                {"p/Source", "java/lang/Object", {kCatalog + "TableProvider"}}});
  CHECK(report.jars.at(0).gate.outcome == GateOutcome::refused);
}

TEST_CASE("supertypes may stand in another scanned jar") {
  JarFolder folder;
  const auto a = folder.add("a.jar", jar_of({{"p/T", "q/Base"}}));
  const auto b =
      folder.add("b.jar", jar_of({{"q/Base", "java/lang/Object", {kRowLevel}, kAbstractAccess}}));
  const auto result = scan({a, b}, {}, RunContext::quiet());
  REQUIRE(result);
  const CapabilityReport report = analyse_capabilities(*result, {});
  CHECK(report.jars.at(0).gate.outcome == GateOutcome::passes);
  CHECK(report.jars.at(1).gate.outcome == GateOutcome::not_applicable);
}

TEST_CASE("a class that is its own supertype is a finding") {
  CHECK(checks(analysed({{"p/A", "p/B"}, {"p/B", "p/A"}})) == Names{"RG1008", "RG1008"});
}

TEST_CASE(
    "a class that Spark has under the same name is Spark's, and the connector's copy is unused") {
  const CapabilityReport report = analysed(
      {{"p/Copied", "java/lang/Object", {kRowLevel}}, {"p/Own", "java/lang/Object", {}}},
      {{"p/Copied", "java/lang/Object", {}}, spark_interface("SupportsRowLevelOperations")});
  CHECK(report.jars.at(0).shadowed == 1);
  CHECK(report.jars[0].use("SupportsRowLevelOperations").naming.empty());
  CHECK(report.jars[0].gate.outcome == GateOutcome::not_applicable);
}

TEST_CASE("what a class file that cannot be read would implement is unknown") {
  JarCapabilities jar;
  jar.uses.resize(capability_catalogue().size());
  CHECK(judge_gate(jar, {}).outcome == GateOutcome::not_applicable);
  jar.unread = 1;
  CHECK(judge_gate(jar, {}).outcome == GateOutcome::undecidable);
  CHECK(judge_gate(jar, {}).reason == GateReason::unread_classes);
  jar.uses[capability_index("SupportsRowLevelOperations")].concrete = {"p/T"};
  CHECK(judge_gate(jar, {}).outcome == GateOutcome::passes);  // what was read suffices
}
