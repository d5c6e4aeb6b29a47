#include <doctest/doctest.h>

#include "harness/history_reader.hpp"
#include "harness/user_sql.hpp"

namespace rowgate::harness {
namespace {

HistoryOptions options() {
  HistoryOptions result;
  result.keys = {"id"};
  result.sequence = "seq";
  result.op = "op";
  return result;
}

ImportedHistory read(std::string_view text, std::string_view file, const HistoryOptions& how) {
  auto history = read_history(text, file, how);
  REQUIRE_MESSAGE(history.has_value(), (history ? "" : history.error().to_string()));
  CHECK(check_history(history->schema, history->history).has_value());
  return std::move(*history);
}

Error refused(std::string_view text, std::string_view file, const HistoryOptions& how) {
  const auto history = read_history(text, file, how);
  REQUIRE_MESSAGE(!history.has_value(), text);
  return history.error();
}

}  // namespace

TEST_CASE("JSON lines: types, absent and null, batches by blank lines") {
  const ImportedHistory read_back = read(
      "{\"id\": 1, \"val\": \"a\", \"n\": 1.5, \"seq\": 1, \"op\": \"c\"}\n"
      "\n"
      "{\"id\": 1, \"val\": null, \"seq\": 2, \"op\": \"U\"}\n"
      "{\"id\": 1, \"seq\": 3, \"op\": \"delete\"}\n",
      "h.jsonl", options());
  CHECK(read_back.schema.keys[0].type.kind == TypeKind::int64);
  REQUIRE(read_back.schema.payload.size() == 2);
  CHECK(read_back.schema.payload[1].type.kind == TypeKind::float64);
  REQUIRE(read_back.history.batches.size() == 2);
  const Event& update = read_back.history.batches[1].events[0];
  CHECK(update.payload[0].is_null());
  CHECK(update.payload[1].is_absent());
  CHECK(read_back.history.batches[1].events[1].op == Operation::remove);
}

TEST_CASE("no digit is lost on the way") {
  HistoryOptions how = options();
  how.table = "amount DECIMAL(38,4), seq DECIMAL(30,0)";
  const ImportedHistory read_back = read(
      "{\"id\": 1, \"amount\": 1234567890123456789012.0001, \"seq\": 99999999999999999999, \"op\": "
      "\"c\"}\n",
      "h.jsonl", how);
  CHECK(to_text(read_back.history.batches[0].events[0].payload[0]) ==
        "1234567890123456789012.0001");
  CHECK(to_text(read_back.history.batches[0].events[0].sequence) == "99999999999999999999");
}

TEST_CASE("CSV: quotes, empty is NULL, batch sizes") {
  HistoryOptions how = options();
  how.batch_size = 2;
  const ImportedHistory read_back =
      read("id,val,seq,op\r\n1,\"a, \"\"b\"\"\",1,c\r\n1,,2,u\r\n2,\"\",1,c\r\n", "h.csv", how);
  REQUIRE(read_back.history.batches.size() == 2);
  CHECK(read_back.history.batches[0].events[0].payload[0] == Value::text("a, \"b\""));
  CHECK(read_back.history.batches[0].events[1].payload[0].is_null());
  CHECK(read_back.history.batches[1].events[0].payload[0] == Value::text(""));
}

TEST_CASE("Debezium: images, tombstones, unchanged values, the sequence") {
  HistoryOptions how;
  how.keys = {"id"};
  const ImportedHistory read_back = read(
      "{\"payload\": {\"before\": null, \"after\": {\"id\": 1, \"doc\": \"x\"}, \"op\": \"r\", "
      "\"source\": "
      "{\"lsn\": 10}, \"ts_ms\": 5}}\n"
      "{\"before\": null, \"after\": {\"id\": 1, \"doc\": \"__debezium_unavailable_value\"}, "
      "\"op\": \"u\", "
      "\"source\": {\"lsn\": 11}}\n"
      "{\"before\": {\"id\": 1, \"doc\": null}, \"after\": null, \"op\": \"d\", \"source\": "
      "{\"lsn\": 12}}\n"
      "null\n",
      "topic.json", how);
  REQUIRE(read_back.history.batches.size() == 3);
  CHECK(read_back.history.batches[0].events[0].op == Operation::snapshot);
  CHECK(read_back.history.batches[1].events[0].payload[0].is_absent());
  CHECK(read_back.history.batches[2].events[0].op == Operation::remove);
  CHECK(read_back.history.batches[2].events[0].sequence == Value::integer(12));
  CHECK(read_back.schema.sequence.name == "_sequence");
  CHECK(read_back.notes.size() == 4);
}

TEST_CASE("mistakes name their line") {
  CHECK(
      refused("{\"id\": 1, \"seq\": 1, \"op\": \"c\"}\n{\"id\": ", "h.jsonl", options()).subject ==
      "h.jsonl:2");
  CHECK(refused("{\"id\": 1, \"seq\": 1, \"op\": \"c\"}\n[1]\n", "h.jsonl", options()).subject ==
        "h.jsonl:2");
  CHECK(refused("{\"id\": 1, \"seq\": 1, \"op\": \"zap\"}\n", "h.jsonl", options()).message ==
        "'zap' is no operation");
  CHECK(refused("id,seq,op\n1,1\n", "h.csv", options()).subject == "h.csv:2");
  CHECK(refused("id,seq,op\n\"1,1,c\n", "h.csv", options()).subject == "h.csv:2");
  CHECK(refused("", "h.csv", options()).message == "the file holds no event");
  HistoryOptions typed = options();
  typed.table = "id INT";
  CHECK(refused("id,seq,op\nx,1,c\n", "h.csv", typed).subject == "h.csv:2");
  HistoryOptions wrong_key = options();
  wrong_key.keys = {"nope"};
  CHECK(refused("id,seq,op\n1,1,c\n", "h.csv", wrong_key).code == ErrorCode::usage);
}

TEST_CASE("a user's merge: what is assumed, and what is refused") {
  UserMerge merge;
  merge.name = "mine";
  merge.table = "id INT NOT NULL, `a b` STRING, _seq BIGINT, _at TIMESTAMP";
  merge.keys = "id";
  merge.sequence = "seq";
  merge.delete_when = "op IN ('D', 'T')";
  merge.sql = "MERGE INTO a.b.c USING feed ON c.id = feed.id WHEN MATCHED THEN DELETE";
  const auto user = user_strategy(merge);
  REQUIRE_MESSAGE(user.has_value(), (user ? "" : user.error().to_string()));
  CHECK(user->strategy.apply.front() ==
        "MERGE INTO ${target} AS c USING (SELECT ${columns}, CASE WHEN ${is_delete} THEN 'D' ELSE "
        "'U' END "
        "AS op FROM ${source}) AS feed ON c.id = feed.id WHEN MATCHED THEN DELETE");
  CHECK(user->schema.payload.size() == 1);
  CHECK(user->notes.size() == 2);

  const auto broken = [&](auto change) {
    UserMerge other = merge;
    change(other);
    return !user_strategy(other).has_value();
  };
  CHECK(broken([](UserMerge& m) { m.keys = "nope"; }));
  CHECK(broken([](UserMerge& m) { m.sequence = "ts"; }));
  CHECK(broken([](UserMerge& m) { m.sequence = ""; }));
  CHECK(broken([](UserMerge& m) { m.delete_when = "a > 1"; }));
  CHECK(broken([](UserMerge& m) { m.table = "id"; }));
  CHECK(broken([](UserMerge& m) { m.table = "id BLOB"; }));
  CHECK(broken([](UserMerge& m) { m.sql = "SELECT 1"; }));
  CHECK(broken([](UserMerge& m) { m.sql = "MERGE INTO t USING t ON 1 WHEN MATCHED THEN DELETE"; }));
  CHECK(broken([](UserMerge& m) {
    m.sql = "MERGE INTO t USING (SELECT * FROM a JOIN b) s ON 1 WHEN MATCHED THEN DELETE";
  }));
}

}  // namespace rowgate::harness
