#include "harness/spark_spec.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "harness/setup_spark.hpp"

namespace rowgate::harness {
namespace {

constexpr const char* kWritten =
    "a connector is written g:a:v, delta:V, iceberg:V or test-catalog[:V] (the tests jar of Spark "
    "V)";

constexpr std::size_t kMaxConnectors = 16;

tl::unexpected<Error> fail_spec(std::string message, std::string_view text) {
  return fail(ErrorCode::usage, std::move(message), base::printable(text), std::nullopt,
              "write spark:<version>[/<connector>…], for example spark:4.1.3/delta:4.4.0");
}

bool is_coordinate_part(std::string_view part) {
  return !part.empty() && part.size() <= 200 && part.find("..") == std::string_view::npos &&
         std::all_of(part.begin(), part.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '.' || c == '_' || c == '-' || c == '+';
         });
}

// "4.1" of "4.1.3"
std::string minor_line(std::string_view version) {
  const std::size_t first = version.find('.');
  if (first == std::string_view::npos) return std::string(version);
  return std::string(version.substr(0, version.find('.', first + 1)));
}

struct Connector {
  std::string coordinate;
  TableFlavour flavour = TableFlavour::plain;
  std::string name;  // "Delta Lake 4.4.0"
};

Connector classify(const std::vector<std::string_view>& parts) {
  const std::string_view artifact = parts[1];
  const std::string_view version = parts.back();
  Connector connector;
  std::string coordinate;
  for (const std::string_view part : parts)
    coordinate += fmt::format("{}{}", coordinate.empty() ? "" : ":", part);
  connector.coordinate = std::move(coordinate);
  if (artifact.starts_with("delta-spark") || artifact.starts_with("delta-core")) {
    connector.flavour = TableFlavour::delta;
    connector.name = fmt::format("Delta Lake {}", version);
  } else if (artifact.starts_with("iceberg-spark")) {
    connector.flavour = TableFlavour::iceberg;
    connector.name = fmt::format("Iceberg {}", version);
  } else if (artifact.starts_with("spark-catalyst") && parts.size() == 5 && parts[3] == "tests") {
    connector.flavour = TableFlavour::test_catalog;
    connector.name = fmt::format("test catalog {}", version);
  } else {
    connector.name = fmt::format("{} {}", artifact, version);
  }
  return connector;
}

Result<Connector> parse_connector(std::string_view text, std::string_view spark) {
  const std::vector<std::string_view> parts = base::split(text, ':');
  if (!std::all_of(parts.begin(), parts.end(), is_coordinate_part))
    return fail_spec(kWritten, text);
  const std::string minor = minor_line(spark);
  std::string artifact;
  if (parts[0] == "test-catalog" && parts.size() <= 2)
    return classify({"org.apache.spark", "spark-catalyst_2.13", "jar", "tests",
                     parts.size() == 2 ? parts[1] : spark});
  if (parts.size() == 2 && parts[0] == "delta") {
    artifact = fmt::format("delta-spark_{}_2.13", minor);
    return classify({"io.delta", artifact, parts[1]});
  }
  if (parts.size() == 2 && parts[0] == "iceberg") {
    artifact = fmt::format("iceberg-spark-runtime-{}_2.13", minor);
    return classify({"org.apache.iceberg", artifact, parts[1]});
  }
  if (parts.size() < 3 || parts.size() > 5) return fail_spec(kWritten, text);
  return classify(parts);
}

}  // namespace

const char* to_string(TableFlavour flavour) {
  switch (flavour) {
    case TableFlavour::plain: return "plain";
    case TableFlavour::delta: return "delta";
    case TableFlavour::iceberg: return "iceberg";
    case TableFlavour::test_catalog: return "test-catalog";
  }
  return "plain";
}

Result<SparkSpec> parse_spark_spec(std::string_view text) {
  constexpr std::string_view kPrefix = "spark:";
  if (!text.starts_with(kPrefix)) return fail_spec("is not a Spark target", text);
  const std::vector<std::string_view> parts = base::split(text.substr(kPrefix.size()), '/');
  SparkSpec spec;
  spec.text = text;
  spec.version = parts[0];
  if (!is_spark_version(spec.version)) return fail_spec("names no Spark version", text);
  if (parts.size() > kMaxConnectors + 1) return fail_spec("names too many connectors", text);
  spec.engine = fmt::format("Spark {}", spec.version);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    ROWGATE_TRY(Connector connector, parse_connector(parts[i], spec.version));
    if (connector.flavour != TableFlavour::plain) {
      if (spec.flavour != TableFlavour::plain && spec.flavour != connector.flavour)
        return fail_spec("names two table formats: give each a target of its own", text);
      spec.flavour = connector.flavour;
    }
    spec.engine += " + " + connector.name;
    spec.coordinates.push_back(std::move(connector.coordinate));
  }
  return spec;
}

}  // namespace rowgate::harness
