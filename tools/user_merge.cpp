#include "tools/user_merge.hpp"

#include <CLI/CLI.hpp>

#include "base/files.hpp"

namespace rowgate::tools {

void add_user_merge_options(CLI::App& app, harness::UserMerge& merge) {
  app.add_option("--foreach-batch", merge.foreach_batch,
                 "Your Python function for foreachBatch, run on a Spark target")
      ->type_name("FILE.py:FUNCTION");
  app.add_option("--into", merge.into, "The table that your function writes: \"silver.orders\"")
      ->type_name("TABLE");
  app.add_option("--table", merge.table,
                 "Your table's columns: \"order_id INT, status STRING, _seq BIGINT\"")
      ->type_name("COLUMNS");
  app.add_option("--keys", merge.keys, "Your key columns: \"order_id\"")->type_name("COLUMNS");
  app.add_option("--sequence", merge.sequence, "The source's sequence column")->type_name("COLUMN");
  app.add_option("--delete", merge.delete_when, "What marks a delete: \"op = 'DELETE'\"")
      ->type_name("CONDITION");
  app.add_option("--upsert-text", merge.upsert_text, "What the same column holds otherwise")
      ->type_name("TEXT");
  app.add_option("--read", merge.read, "The query that readers of the table use")->type_name("SQL");
  app.add_option("--source", merge.source, "The source's name in your SQL")->type_name("NAME");
}

Result<harness::UserStrategy> read_user_merge(harness::UserMerge merge,
                                              const std::filesystem::path& file) {
  if (file.empty()) {
    merge.name = merge.foreach_batch.substr(merge.foreach_batch.rfind(':') + 1);
  } else {
    ROWGATE_TRY(merge.sql, base::read_file(file, std::uint64_t{1} << 20));
    merge.name = file.stem().string();
    merge.foreach_batch.clear();
  }
  return harness::user_strategy(merge);
}

}  // namespace rowgate::tools
