// SQL as text: tokens of Spark's dialect, and the shape of a MERGE. No names are resolved and no
// types are known here; what the engine would say about a statement is the engine's matter.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace rowgate::harness {

enum class TokenKind : std::uint8_t {
  space,
  comment,      // -- to the end of the line, or /* … */, nested
  word,         // identifier or keyword
  quoted_name,  // `…`
  string,       // '…' or "…", also r'…'
  number,
  symbol,  // one operator or punctuation mark: <=>, ||, (, …
};

struct Token {
  TokenKind kind = TokenKind::space;
  std::string_view text;   // points into the SQL
  std::size_t offset = 0;  // bytes
};

// All of the text, in order: the tokens' texts joined give it back. Errors: malformed (an
// unfinished string, name or comment; a NUL byte), with the offset.
Result<std::vector<Token>> tokenize_sql(std::string_view sql);

bool is_word(const Token& token, std::string_view keyword);  // ignoring case
bool is_symbol(const Token& token, std::string_view symbol);

// A token's name: a word as it is, a quoted name without its back-ticks.
std::string name_of(const Token& token);
// The value of a string token under Spark's rules: backslash escapes, doubled quotes, r'…' raw.
std::string string_value(const Token& token);
// A text as a literal of Spark's, which reads it back.
std::string spark_literal(std::string_view text);

// Splits at semicolons outside of strings and comments; empty statements are dropped.
Result<std::vector<std::string>> split_statements(std::string_view sql);

// A half-open range of indices into the significant tokens (neither space nor comment).
struct TokenRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool empty() const { return begin == end; }
};

enum class MergeAction : std::uint8_t { update, update_all, remove, insert, insert_all };
enum class MergeWhen : std::uint8_t { matched, not_matched, not_matched_by_source };

struct MergeClause {
  MergeWhen when = MergeWhen::matched;
  TokenRange condition;  // empty: unconditional
  MergeAction action = MergeAction::update;
  TokenRange body;  // UPDATE: the assignments; INSERT: from the column list on; else empty
};

// MERGE INTO target [[AS] alias] USING source [[AS] alias] ON condition WHEN …
struct MergeShape {
  TokenRange target;             // the name, with its dots
  std::string target_qualifier;  // the alias, or the last part of the name
  bool target_has_alias = false;
  TokenRange source;             // a name, or a parenthesised query
  std::string source_qualifier;  // "" when a query has no alias
  bool source_has_alias = false;
  TokenRange condition;
  std::vector<MergeClause> clauses;
};

// The indices of the significant tokens.
std::vector<std::size_t> significant(const std::vector<Token>& tokens);

// nullopt when the statement is no MERGE. Errors: malformed, with what was expected and the offset;
// unsupported (WITH SCHEMA EVOLUTION).
Result<std::optional<MergeShape>> parse_merge(const std::vector<Token>& tokens,
                                              const std::vector<std::size_t>& index);

}  // namespace rowgate::harness
