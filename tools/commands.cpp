// The table of everything that rowgate can be asked.
#include "tools/commands.hpp"
#include "tools/command.hpp"

namespace rowgate::tools {
namespace {

constexpr CommandRow kCommands[] = {
    {"audit", "Will my connectors survive this Spark? All of it, as one gate",
     "Audit connectors against a Spark version", declare_audit},
    {"lock", "Will the gate look at the same bytes tomorrow?",
     "Write connectors and their checksums to a lock file", declare_lock},
    {"scan", "Does this connector pass Spark 4.2's Auto CDC gate? What can it do?",
     "Scan connector jars for capabilities", declare_scan},
    {"link", "Will it still link against the new Spark? From which release on does it break?",
     "Predict link errors against Spark versions", declare_link},
    {"pom", "What Spark was it built for, and is there a build for mine?",
     "Check connectors' POMs against a Maven repository", declare_pom},
    {"advise", "Which version of a connector do I move to?",
     "Find builds of connectors for a Spark", declare_advise},
    {"replay", "Which way of merging ends in the right rows on my engine?",
     "Replay CDC fixtures through merge strategies", declare_replay},
    {"prove", "Is my MERGE right? Show me the shortest history that breaks it",
     "Search for histories that break a MERGE", declare_prove},
    {"bench", "What does merging cost, and what does the cost depend on?",
     "Measure merge strategies against each other", declare_bench},
    {"setup", "Can I have the engines ready before I go offline?",
     "Make engines ready for replay and prove", declare_setup},
    {"report", "Can I have that in another format, or what changed since last time?",
     "Render, merge or compare reports", declare_report},
    {"explain", "What does finding RG1101 mean?", "Explain a check of the catalogue",
     declare_explain},
    {"generate", "", "Write the man page or a shell completion", declare_generate},
};

}  // namespace

std::span<const CommandRow> command_table() {
  return kCommands;
}

}  // namespace rowgate::tools
