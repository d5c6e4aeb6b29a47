// What a user hands over, and what is said about what is missing. How it runs: test_prove.
#include <doctest/doctest.h>

#include "harness/user_sql.hpp"

using namespace rowgate;
using namespace rowgate::harness;

namespace {

UserMerge function() {
  UserMerge merge;
  merge.name = "upsert";
  merge.table = "order_id INT, status STRING, _seq BIGINT";
  merge.keys = "order_id";
  merge.sequence = "seq";
  merge.delete_when = "op = 'DELETE'";
  merge.foreach_batch = "jobs/my_job.py:upsert";
  merge.into = "silver.orders";
  return merge;
}

std::string wrong_option(const UserMerge& merge) {
  const auto user = user_strategy(merge);
  return user ? "" : user.error().subject;
}

}  // namespace

TEST_CASE("a foreachBatch function gets the columns of the user's feed") {
  const auto user = user_strategy(function());
  REQUIRE(user.has_value());
  const Strategy& strategy = user->strategy;
  REQUIRE(strategy.batch_function.has_value());
  CHECK(strategy.batch_function->file == "jobs/my_job.py");
  CHECK(strategy.batch_function->name == "upsert");
  CHECK(!strategy.needs_spark.empty());
  const auto rendered = render(strategy, user->schema, {"silver.orders", "batch"});
  REQUIRE(rendered.has_value());
  REQUIRE(rendered->apply.size() == 1);
  const std::string& query = rendered->apply[0];
  CHECK(query.find("order_id, status, seq, CASE WHEN") != std::string::npos);
  CHECK(query.find("THEN 'DELETE' ELSE 'UPDATE' END AS op FROM batch") != std::string::npos);
  CHECK(rendered->table_columns.size() == 3);
}

TEST_CASE("what is wrong with a foreachBatch function's options is said by the option's name") {
  UserMerge merge = function();
  merge.into = "";
  CHECK(wrong_option(merge) == "--into");
  merge.into = "silver.orders; DROP TABLE x";
  CHECK(wrong_option(merge) == "--into");
  for (const char* text : {"my_job.py", ":upsert", "my_job.py:"}) {
    merge = function();
    merge.foreach_batch = text;
    CHECK(wrong_option(merge) == "--foreach-batch");
  }
  CHECK(wrong_option(function()).empty());
}
