#include "base/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace rowgate::base {
namespace {

// One row a check, sorted by id. An id is never reused: a retired check keeps its row.
constexpr Check kChecks[] = {
    // --- RG10xx: reading jars and class files -------------------------------------------------
    {"RG1001", Severity::error, "jar cannot be read",
     "The file is not a readable zip archive, so nothing of it was scanned.",
     "Fetch the jar again and compare its checksum with the repository's.",
     "APPNOTE.TXT 6.3, central directory"},
    {"RG1002", Severity::warning, "entry cannot be read",
     "One entry of the jar is damaged, encrypted or of an unknown compression method. The rest was "
     "scanned; what this entry holds is unknown.",
     "Fetch the jar again; an encrypted entry cannot be loaded by a JVM either.", ""},
    {"RG1003", Severity::warning, "class file is malformed",
     "A class file breaks the class-file format. The JVM would refuse it with ClassFormatError; "
     "what "
     "it implements and refers to is unknown.",
     "Rebuild or fetch the jar again.", "JVMS 4"},
    {"RG1004", Severity::note, "duplicate entry",
     "The jar holds several entries of the same name. The JVM's loader takes the last of the "
     "central "
     "directory's order, and so does this scan.",
     "Check how the jar was merged: an overwritten META-INF/services file loses providers.", ""},
    {"RG1005", Severity::warning, "nothing to scan", "The input holds no class files.",
     "Check that the path or coordinate names a jar with code, not sources, javadoc or a POM.", ""},
    {"RG1006", Severity::warning, "local header disagrees",
     "An entry's local header carries another name than the central directory. The JVM goes by the "
     "directory, and so does this scan; tools that read the jar as a stream see another file.",
     "Find out how the jar was made: honest tools do not write this.",
     "APPNOTE.TXT 6.3, 4.3.7 and 4.3.12"},
    {"RG1007", Severity::warning, "class stands in the wrong place",
     "A class file holds a class of another name than its path, and no folder explains the "
     "difference. A class loader that follows the path refuses it with NoClassDefFoundError.",
     "Rebuild the jar; relocation has probably renamed only one of the two.", "JVMS 5.3.5"},
    {"RG1008", Severity::warning, "class is its own supertype",
     "The supertypes of a class form a circle. The JVM refuses it with ClassCircularityError.",
     "Rebuild the jar from one consistent set of sources.", "JVMS 5.3.5"},
    // --- RG11xx: capabilities -----------------------------------------------------------------
    {"RG1101", Severity::error, "Auto CDC refuses this connector",
     "Spark 4.2's Auto CDC accepts a target only if its table class implements "
     "SupportsRowLevelOperations. No class of this connector does, so the pipeline stops with "
     "AUTOCDC_TARGET_DOES_NOT_SUPPORT_MERGE, whether or not the connector can run MERGE by rules "
     "of "
     "its own.",
     "Keep this table on a MERGE written by hand (see `rowgate replay` for one that is right), or "
     "move it to a connector that implements the interface and links with your Spark.",
     "org.apache.spark.sql.connector.catalog.SupportsRowLevelOperations"},
    {"RG1102", Severity::undecidable, "gate verdict cannot be decided",
     "A supertype of a table class is in no jar that was given, so it is unknown whether the "
     "connector implements SupportsRowLevelOperations.",
     "Give the missing jar with --class-path, or the Spark version with --spark.", ""},
    {"RG1103", Severity::note, "tables fall back to data source v1",
     "The table class implements V2TableWithV1Fallback: where Spark has no v2 plan for a command, "
     "the "
     "connector's v1 relation runs it. It explains how a connector can MERGE that Auto CDC "
     "refuses.",
     "Nothing to do.", "org.apache.spark.sql.connector.catalog.V2TableWithV1Fallback"},
    {"RG1104", Severity::note, "connector runs MERGE by rules of its own",
     "The connector's SparkSessionExtensions take Spark's MergeIntoTable plan over, so MERGE works "
     "where spark.sql.extensions names them, although Auto CDC refuses the table.",
     "Configure spark.sql.extensions as the connector's documentation says, and MERGE by hand.",
     "org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable"},
    // --- RG12xx: linkage ------------------------------------------------------------------------
    {"RG1201", Severity::error, "class is not there",
     "The connector uses a class that the target does not have. The JVM throws "
     "NoClassDefFoundError "
     "when the code is first run, or when the class is loaded if it is a supertype.",
     "Use the connector's build for this Spark, or add the jar that holds the class.",
     "JVMS 5.3, 5.4.3.1"},
    {"RG1202", Severity::error, "method is not there",
     "The connector calls a method with a signature that the target does not have (any more). The "
     "JVM throws NoSuchMethodError when the call is first run.",
     "Use the connector's build for this Spark.", "JVMS 5.4.3.3, 5.4.3.4"},
    {"RG1203", Severity::error, "field is not there",
     "The connector uses a field that the target does not have with this type. The JVM throws "
     "NoSuchFieldError when the code is first run.",
     "Use the connector's build for this Spark.", "JVMS 5.4.3.2"},
    {"RG1204", Severity::error, "class became an interface, or an interface a class",
     "Compiled code treats classes and interfaces differently, so the JVM throws "
     "IncompatibleClassChangeError: at the call, or when a subclass is loaded.",
     "Use the connector's build for this Spark.", "JVMS 5.3.5, 5.4.3.3, 5.4.3.4"},
    {"RG1205", Severity::error, "static and instance swapped",
     "A member became static or stopped being static. The JVM throws IncompatibleClassChangeError "
     "when the code is first run.",
     "Use the connector's build for this Spark.", "JVMS 6.5"},
    {"RG1206", Severity::error, "not accessible",
     "The connector uses a class or member that it may not access on the target. The JVM throws "
     "IllegalAccessError.",
     "Use the connector's build for this Spark; for package-private members see the class loading "
     "of your deployment.",
     "JVMS 5.4.4"},
    {"RG1207", Severity::error, "final field written",
     "A field became final and the connector writes it. The JVM throws IllegalAccessError.",
     "Use the connector's build for this Spark.", "JVMS 6.5 putfield, putstatic"},
    {"RG1208", Severity::error, "abstract class created",
     "The connector creates an object of a class that is abstract or an interface on the target. "
     "The JVM throws InstantiationError.",
     "Use the connector's build for this Spark.", "JVMS 6.5 new"},
    {"RG1209", Severity::error, "abstract method not implemented",
     "The target's class or interface has an abstract method that the connector's class lacks. The "
     "JVM throws AbstractMethodError when the method is called.",
     "Use the connector's build for this Spark.", "JVMS 5.4.6"},
    {"RG1210", Severity::error, "default methods conflict",
     "A class inherits two default methods of one signature and has none of its own. The JVM "
     "throws "
     "IncompatibleClassChangeError when the method is called.",
     "Use the connector's build for this Spark.", "JVMS 5.4.6"},
    {"RG1211", Severity::error, "extends or overrides what is final",
     "A superclass or an overridden method became final, or a sealed supertype does not permit the "
     "class. The JVM throws IncompatibleClassChangeError when the class is loaded.",
     "Use the connector's build for this Spark.", "JVMS 5.3.5"},
    {"RG1212", Severity::error, "verifier refuses a class",
     "A class is no longer the subclass that compiled code takes it for. The JVM throws "
     "VerifyError "
     "when the using class is linked, so nothing of that class works.",
     "Use the connector's build for this Spark.", "JVMS 4.10.1"},
    {"RG1213", Severity::error, "class no longer implements an interface",
     "Compiled code calls an object by an interface that its class does not implement any more. "
     "The "
     "JVM throws IncompatibleClassChangeError at the call.",
     "Use the connector's build for this Spark.", "JVMS 6.5 invokeinterface"},
    {"RG1214", Severity::error, "class circularity",
     "The class path holds classes that extend each other. The JVM throws ClassCircularityError.",
     "Check which jars hold the classes that the finding names.", "JVMS 5.3.5"},
    {"RG1215", Severity::undecidable, "linkage cannot be decided",
     "A supertype of the connector's classes, or a type that the verifier asks for, is in no jar "
     "that "
     "was given, so what the classes inherit is unknown.",
     "Give the jar that holds the type that the finding names.", ""},
    {"RG1216", Severity::error, "class cannot be loaded or linked",
     "The class fails as a whole, because a supertype does, or because the verifier has to load a "
     "class that cannot be loaded. Everything that needs it fails with it.",
     "See the root cause that the finding names.", "JVMS 4.10.1, 5.3.5"},
    // --- RG13xx: class paths --------------------------------------------------------------------
    {"RG1301", Severity::note, "classes are shadowed",
     "The connector's jar holds classes that another class loader or jar has too and that are "
     "loaded "
     "from there. The connector's copies are never used, so they were not judged.",
     "Nothing, when the copies are meant for other deployments; otherwise see --class-loading.",
     ""},
    {"RG1302", Severity::warning, "two connectors hold the same classes",
     "Of two jars on one class path the first one's classes are used for both. Where the contents "
     "differ, the second connector runs with classes that it was not built with.",
     "Use builds that relocate their libraries, or one connector a session.", ""},
    {"RG1304", Severity::error, "class file too new for the target's Java",
     "The JVM throws UnsupportedClassVersionError when such a class is loaded.",
     "Run Spark on the Java that the finding names, or use an older build.", "JVMS 4.1"},
    {"RG1305", Severity::note, "JDK not looked at",
     "No JDK was found or given, so references to the JDK's own classes were taken for right.",
     "Give a JDK with --jdk, or set JAVA_HOME.", ""},
    {"RG1306", Severity::warning, "class could not be read",
     "A class that linkage needed could not be read. The JVM would refuse it too; answers that "
     "depend "
     "on it are those for a missing class.",
     "Fetch the jar again.", ""},
    {"RG1307", Severity::note, "verifier's questions not known everywhere",
     "Some methods' types could not be followed, or class files are older than version 50, so "
     "whether the verifier would refuse them was not checked.",
     "Nothing to do; recompile the connector with a current Java to have it checked.", "JVMS 4.10"},
    // --- RG20xx: repositories -----------------------------------------------------------------
    {"RG2001", Severity::error, "artifact is not in the repository",
     "The repository answered that it has no such artifact. Another repository may have it.",
     "Check the coordinate's spelling, or add the repository that serves it.", ""},
    {"RG2002", Severity::undecidable, "repository gave no answer",
     "The transfer failed or the answer says nothing about existence, so it cannot be told whether "
     "the artifact is there.",
     "Try again later, or check the network, proxy and credentials for that repository.", ""},
    {"RG2003", Severity::undecidable, "input names a connector that cannot be made out",
     "A line of the configuration, build file or command line names something that could not be "
     "turned into a coordinate or a file, so it was not looked at.",
     "Correct the line, or name the connector itself.", ""},
    // --- RG21xx: what a connector was built against ---------------------------------------------
    {"RG2101", Severity::error, "built against another Spark minor version",
     "The POM says that the connector was compiled against another minor line of Spark than the "
     "target. Spark's internal API changes between minor versions, so link errors at run time are "
     "likely.",
     "Use the connector's build for your Spark where there is one; ask `rowgate link` for proof.",
     ""},
    {"RG2102", Severity::note, "built against another patch release",
     "Same minor line, other patch release: usually fine, but patch releases have broken "
     "connectors.",
     "Ask `rowgate link` for proof.", ""},
    {"RG2103", Severity::undecidable, "built-against version unknown",
     "Neither the POM nor the name says which Spark the connector was compiled against.",
     "Ask `rowgate link`, which reads the class files.", ""},
    {"RG2104", Severity::error, "no build for the target",
     "The repository has no build of this connector for the target's minor line.",
     "Stay on the Spark that the connector was built for until one is published.", ""},
    {"RG2105", Severity::warning, "Spark is a compile-scope dependency",
     "Spark itself is among the connector's compile or runtime dependencies, so resolving the "
     "connector (--packages, a build) brings a second Spark beside the cluster's own.",
     "Exclude org.apache.spark:* where the connector is resolved, or mark Spark as provided.",
     "spark-submit --exclude-packages"},
    {"RG2106", Severity::warning, "name and POM contradict each other",
     "The connector's name says another Spark line than its POM.",
     "Trust a declared dependency more than the name; ask `rowgate link` for proof.", ""},
    {"RG2107", Severity::error, "built for another Scala version",
     "The connector's classes are for a Scala binary version for which the target Spark is not "
     "published. They cannot be linked with it.",
     "Use the connector's artifact with the right Scala suffix.", ""},
    {"RG2108", Severity::undecidable, "parent or BOM of the POM is missing",
     "A parent POM or an imported BOM could not be had, so the effective POM is unknown, and with "
     "it the Spark that the connector was built against.",
     "Add the repository that serves it; ask `rowgate link`, which reads the class files.",
     "Maven: Non-resolvable parent POM"},
    {"RG2109", Severity::undecidable, "POM is invalid",
     "Maven refuses this POM, so it says nothing reliable; Maven would ignore its dependencies.",
     "Ask `rowgate link`, which reads the class files.", "Maven: validateEffectiveModel"},
    {"RG2110", Severity::undecidable, "built against another vendor's Spark",
     "The connector was built against one vendor's Spark and the target is another's. Vendors "
     "change Spark's internals, so equal numbers prove nothing.",
     "Ask `rowgate link` with the cluster's own jars folder.", ""},
    {"RG2111", Severity::warning, "name and POM name different Scala versions",
     "The artifact's Scala suffix differs from that of the Spark artifacts in its POM. As a rule "
     "the suffix is what its classes are built for.",
     "Check with `rowgate link`.", ""},
    {"RG2112", Severity::undecidable, "cannot tell whether there is a build for the target",
     "A repository gave no answer, so whether it has a build for the target's line is unknown.",
     "Try again later, or check the network, proxy and credentials for that repository.", ""},
    // --- RG30xx: fixtures and runs --------------------------------------------------------------
    {"RG3001", Severity::error, "fixture cannot be read",
     "The fixture breaks its format, so its scenario was not run.",
     "Correct the line that the finding names.", ""},
    {"RG3002", Severity::error, "scenario could not be run",
     "The engine or its driver failed before the scenario's rows could be read: nothing is known "
     "about this cell.",
     "See the engine's message in the evidence.", ""},
    // --- RG31xx: wrong rows
    // -----------------------------------------------------------------------
    {"RG3101", Severity::error, "strategy leaves wrong rows",
     "The strategy ran without an error and left other rows than the events' set demands.",
     "Use a strategy that is right on this scenario, for example soft-tombstone.", ""},
    {"RG3102", Severity::error, "fixture's expectation is not met",
     "The fixture says how this strategy must end, right or wrong, and it ended otherwise: the "
     "engine, the strategy or the fixture has changed.",
     "Compare the rows in the evidence with the fixture, and correct the one that is wrong.", ""},
    {"RG3103", Severity::warning, "result varies from run to run",
     "The same input ended in different rows: the strategy leaves the engine a choice.",
     "Order the events of a batch by their sequence instead of taking any of them.", ""},
    {"RG3104", Severity::error, "target cannot run a strategy",
     "The engine itself said no before any row was written: its jars do not fit together, or the "
     "table format lacks what the strategy needs.",
     "Use the connector's build for this Spark (`rowgate advise`), or another strategy.", ""},
    // --- RG32xx: proofs
    // ---------------------------------------------------------------------------
    {"RG3201", Severity::error, "a history breaks this merge",
     "Within the bound there is a sequence of events after which the merge leaves wrong rows "
     "without "
     "an error. The finding holds the shortest one.",
     "Replay the saved fixture, and correct the merge as the finding's help says.",
     "the event-set semantics of `rowgate replay`"},
    {"RG3202", Severity::warning, "a history stops this merge",
     "Within the bound there is a sequence of events that the engine refuses loudly: no wrong "
     "rows, "
     "but the pipeline stands still.",
     "Keep one event of each key in a batch, the one with the largest sequence.", ""},
    {"RG3203", Severity::error, "a law of merging does not hold",
     "The same set of events ends in different rows when it arrives in another order, in other "
     "batches, or with repetitions.",
     "Compare by the sequence in every clause, and keep deletes as tombstones.", ""},
    // --- RG325x: the Change Data Feed
    // -------------------------------------------------------------
    {"RG3251", Severity::error, "change feed gives something else than stated",
     "The fixture says which rows or which error this read of the Change Data Feed gives, or what "
     "a "
     "consumer ends with, and it was otherwise: this engine's feed is not the one that the fixture "
     "describes.",
     "Compare the rows in the evidence with the fixture, and correct the one that is wrong.",
     "Delta Lake's documentation of the change data feed"},
    // --- RG33xx: benches
    // -------------------------------------------------------------------------
    {"RG3301", Severity::warning, "strategy that leaves wrong rows is not compared",
     "On this workload the strategy ends in other rows than the events demand. How fast it gets "
     "there says nothing, so it is not timed.",
     "Compare strategies that are right (`rowgate replay`); --time-wrong times it nevertheless, "
     "and marks it.",
     ""},
    {"RG3302", Severity::undecidable, "strategy could not be timed",
     "The engine refused the strategy or the table, or failed on the way, so its cost is unknown.",
     "See the engine's message in the evidence.", ""},
    // --- RG335x: schema drift
    // ---------------------------------------------------------------------
    {"RG3351", Severity::error, "values arrive and are nowhere",
     "Under this policy the scenario's files bring values that are in no column of Bronze and not "
     "in "
     "_rescued_data, and nothing failed: they are lost, and nobody is told.",
     "Use rescue or addNewColumns, or set a column for rescued data.",
     "Databricks' documentation of schema evolution in Auto Loader"},
    {"RG3352", Severity::warning, "Silver's contract is broken by what arrived",
     "The contract names columns, types and required values, and rows of Bronze do not have them. "
     "These rows do not reach Silver.",
     "Agree on the new shape with the source, then change the contract; look into _rescued_data "
     "for "
     "what came instead.",
     ""},
    {"RG3353", Severity::error, "drift ends otherwise than stated",
     "The fixture says what this policy leaves in Bronze and Silver, and it was otherwise: the "
     "engine reads JSON in another way, or the fixture is wrong.",
     "Compare the rows in the evidence with the fixture, and correct the one that is wrong.", ""},
    {"RG3354", Severity::error, "Silver has other columns than its contract",
     "A column came into Silver, or left it, without the contract saying so.",
     "Name the columns that Silver takes, and evolve its schema by hand.", ""},
    // --- RG40xx: the gate
    // -------------------------------------------------------------------------
    {"RG4001", Severity::note, "ignore has expired",
     "An ignore entry matched a finding, but its expiry date is past, so the finding counts again.",
     "Fix what the finding says, or give the entry a new date and a reason that still holds.", ""},
    {"RG4002", Severity::warning, "ignore matches nothing",
     "No finding of this run matches an ignore entry. Left in place it would hide the next finding "
     "that happens to match.",
     "Remove the entry from the configuration file.", ""},
    {"RG4003", Severity::note, "ignore expires soon",
     "An ignore entry holds for a few more days. After that the finding counts again.",
     "Fix what the entry hides, or renew it before the gate fails.", ""},
    {"RG4004", Severity::note, "baseline holds findings that are gone",
     "Findings of the baseline did not occur in this run. While they stay in it, the gate would "
     "not "
     "notice if they came back.",
     "Write the baseline again with --write-baseline.", ""},
};

constexpr bool is_sorted_and_unique() {
  for (std::size_t i = 1; i < std::size(kChecks); ++i)
    if (!(kChecks[i - 1].id < kChecks[i].id)) return false;
  return true;
}
static_assert(is_sorted_and_unique(), "the check catalogue is sorted by id, and ids are unique");

}  // namespace

std::span<const Check> check_catalogue() {
  return kChecks;
}

const Check* find_check(std::string_view id) {
  const auto* found = std::lower_bound(
      std::begin(kChecks), std::end(kChecks), id,
      [](const Check& check, std::string_view wanted) { return check.id < wanted; });
  return found != std::end(kChecks) && found->id == id ? found : nullptr;
}

Finding make_finding(std::string_view check_id, std::string subject, std::string message) {
  const Check* check = find_check(check_id);
  if (check == nullptr) throw std::logic_error(fmt::format("no check {}", check_id));
  Finding finding;
  finding.check_id = check->id;
  finding.severity = check->severity;
  finding.subject = std::move(subject);
  finding.message = std::move(message);
  return finding;
}

}  // namespace rowgate::base
