// Tokens and the shape of a MERGE. One pass over the text, one over the tokens, no recursion:
// nesting of parentheses, CASE and comments is counted. Both always move forward, so both end.
#include "harness/sql_text.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace rowgate::harness {
namespace {

bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view sql) : sql_(sql) {}

  Result<std::vector<Token>> run() {
    if (const std::size_t nul = sql_.find('\0'); nul != std::string_view::npos)
      return fail(ErrorCode::malformed, "the SQL holds a NUL byte", {}, nul);
    std::vector<Token> tokens;
    while (at_ < sql_.size()) {
      const std::size_t begin = at_;
      ROWGATE_TRY(const TokenKind kind, next());
      tokens.push_back({kind, sql_.substr(begin, at_ - begin), begin});
    }
    return tokens;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0';
  }

  Result<TokenKind> next() {
    const char c = peek();
    if (is_space(c)) {
      while (is_space(peek())) ++at_;
      return TokenKind::space;
    }
    if (c == '-' && peek(1) == '-') {
      while (at_ < sql_.size() && peek() != '\n') ++at_;
      return TokenKind::comment;
    }
    if (c == '/' && peek(1) == '*') return block_comment();
    if ((c == 'r' || c == 'R') && (peek(1) == '\'' || peek(1) == '"')) {
      ++at_;
      return quoted(peek(), TokenKind::string, Escapes::none);
    }
    if (c == '\'' || c == '"') return quoted(c, TokenKind::string, Escapes::backslash);
    if (c == '`') return quoted(c, TokenKind::quoted_name, Escapes::none);
    if (is_word_start(c)) {
      while (is_word_start(peek()) || is_digit(peek())) ++at_;
      return TokenKind::word;
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    for (const std::string_view symbol : {"<=>", "<=", ">=", "<>", "!=", "==", "||", "->", "::"})
      if (sql_.substr(at_, symbol.size()) == symbol) {
        at_ += symbol.size();
        return TokenKind::symbol;
      }
    ++at_;
    return TokenKind::symbol;
  }

  Result<TokenKind> block_comment() {
    const std::size_t begin = at_;
    std::size_t depth = 0;
    do {
      if (at_ >= sql_.size())
        return fail(ErrorCode::malformed, "a comment has no end", {}, begin, "close it with */");
      if (peek() == '/' && peek(1) == '*') {
        ++depth;
        at_ += 2;
      } else if (peek() == '*' && peek(1) == '/') {
        --depth;
        at_ += 2;
      } else {
        ++at_;
      }
    } while (depth > 0);
    return TokenKind::comment;
  }

  enum class Escapes : std::uint8_t { none, backslash };

  Result<TokenKind> quoted(char quote, TokenKind kind, Escapes escapes) {
    const std::size_t begin = at_++;
    for (;;) {
      if (at_ >= sql_.size())
        return fail(ErrorCode::malformed, fmt::format("a text in {} has no end", quote), {}, begin);
      const char c = sql_[at_++];
      if (c == '\\' && escapes == Escapes::backslash) {
        if (at_ < sql_.size()) ++at_;
      } else if (c == quote) {
        if (peek() != quote) return kind;
        ++at_;
      }
    }
  }

  TokenKind number() {
    while (is_digit(peek()) || peek() == '.') ++at_;
    if ((peek() == 'e' || peek() == 'E') &&
        (is_digit(peek(1)) || ((peek(1) == '-' || peek(1) == '+') && is_digit(peek(2))))) {
      at_ += 2;
      while (is_digit(peek())) ++at_;
    }
    while (is_word_start(peek()) || is_digit(peek())) ++at_;  // suffixes: 1L, 1.5BD
    return TokenKind::number;
  }

  std::string_view sql_;
  std::size_t at_ = 0;
};

class MergeParser {
 public:
  MergeParser(const std::vector<Token>& tokens, const std::vector<std::size_t>& index)
      : tokens_(tokens), index_(index) {}

  Result<std::optional<MergeShape>> run() {
    if (!word("MERGE")) return std::optional<MergeShape>{};
    ++at_;
    if (word("WITH"))
      return fail(ErrorCode::unsupported, "MERGE WITH SCHEMA EVOLUTION is not understood", {},
                  offset(), "this needs a Spark target");
    ROWGATE_CHECK(expect("INTO"));
    MergeShape shape;
    ROWGATE_TRY(shape.target, name());
    shape.target_qualifier = name_of(token(at_ - 1));
    if (const auto alias = take_alias({"USING"})) {
      shape.target_qualifier = *alias;
      shape.target_has_alias = true;
    }
    ROWGATE_CHECK(expect("USING"));
    if (symbol("(")) {
      shape.source.begin = at_;
      ROWGATE_CHECK(skip_parentheses());
      shape.source.end = at_;
    } else {
      ROWGATE_TRY(shape.source, name());
      shape.source_qualifier = name_of(token(at_ - 1));
    }
    if (const auto alias = take_alias({"ON"})) {
      shape.source_qualifier = *alias;
      shape.source_has_alias = true;
    }
    ROWGATE_CHECK(expect("ON"));
    ROWGATE_TRY(shape.condition, until("WHEN"));
    while (word("WHEN")) {
      ROWGATE_TRY(MergeClause clause, clause_at());
      shape.clauses.push_back(clause);
    }
    if (shape.clauses.empty()) return expected("WHEN");
    if (symbol(";")) ++at_;
    if (at_ != index_.size()) return expected("the end of the statement");
    return std::optional(std::move(shape));
  }

 private:
  const Token& token(std::size_t i) const { return tokens_[index_[i]]; }
  bool more() const { return at_ < index_.size(); }
  bool word(std::string_view keyword) const { return more() && is_word(token(at_), keyword); }
  bool symbol(std::string_view mark) const { return more() && is_symbol(token(at_), mark); }
  std::size_t offset() const {
    if (more()) return token(at_).offset;
    return tokens_.empty() ? 0 : tokens_.back().offset + tokens_.back().text.size();
  }
  tl::unexpected<Error> expected(std::string_view what) const {
    return fail(ErrorCode::malformed, fmt::format("MERGE is not understood: expected {}", what), {},
                offset());
  }
  Result<void> expect(std::string_view keyword) {
    if (!word(keyword)) return expected(keyword);
    ++at_;
    return {};
  }
  bool at_name() const {
    return more() &&
           (token(at_).kind == TokenKind::word || token(at_).kind == TokenKind::quoted_name);
  }

  Result<TokenRange> name() {
    TokenRange range{at_, at_};
    for (;;) {
      if (!at_name()) return expected("a name");
      ++at_;
      if (!symbol(".")) break;
      ++at_;
    }
    range.end = at_;
    return range;
  }

  std::optional<std::string> take_alias(std::initializer_list<std::string_view> not_an_alias) {
    if (word("AS")) {
      ++at_;
      if (!at_name()) return std::nullopt;
      return name_of(token(at_++));
    }
    if (!at_name()) return std::nullopt;
    for (const std::string_view keyword : not_an_alias)
      if (word(keyword)) return std::nullopt;
    return name_of(token(at_++));
  }

  Result<void> skip_parentheses() {
    std::size_t depth = 0;
    do {
      if (!more()) return expected("a closing parenthesis");
      if (symbol("(")) ++depth;
      if (symbol(")")) --depth;
      ++at_;
    } while (depth > 0);
    return {};
  }

  // Up to a keyword outside of parentheses and CASE … END, or to the end of the statement.
  Result<TokenRange> until(std::string_view keyword) {
    TokenRange range{at_, at_};
    std::size_t cases = 0;
    while (more() && !symbol(";")) {
      if (cases == 0 && word(keyword)) break;
      if (symbol("(")) {
        ROWGATE_CHECK(skip_parentheses());
        continue;
      }
      if (word("CASE")) ++cases;
      if (word("END") && cases > 0) --cases;
      ++at_;
    }
    range.end = at_;
    if (range.empty()) return expected("a condition or a value");
    return range;
  }

  Result<MergeClause> clause_at() {
    MergeClause clause;
    ROWGATE_CHECK(expect("WHEN"));
    const bool negated = word("NOT");
    if (negated) ++at_;
    ROWGATE_CHECK(expect("MATCHED"));
    clause.when = negated ? MergeWhen::not_matched : MergeWhen::matched;
    if (negated && word("BY")) {
      ++at_;
      if (word("SOURCE"))
        clause.when = MergeWhen::not_matched_by_source;
      else if (!word("TARGET"))
        return expected("SOURCE or TARGET");
      ++at_;
    }
    if (word("AND")) {
      ++at_;
      ROWGATE_TRY(clause.condition, until("THEN"));
    }
    ROWGATE_CHECK(expect("THEN"));
    if (word("DELETE")) {
      ++at_;
      clause.action = MergeAction::remove;
    } else if (word("UPDATE")) {
      ++at_;
      ROWGATE_CHECK(expect("SET"));
      ROWGATE_CHECK(body(clause, MergeAction::update, MergeAction::update_all));
    } else if (word("INSERT")) {
      ++at_;
      ROWGATE_CHECK(body(clause, MergeAction::insert, MergeAction::insert_all));
    } else {
      return expected("UPDATE, DELETE or INSERT");
    }
    return clause;
  }

  Result<void> body(MergeClause& clause, MergeAction some, MergeAction all) {
    if (symbol("*")) {
      clause.action = all;
      clause.body = {at_, at_ + 1};
      ++at_;
      return {};
    }
    clause.action = some;
    ROWGATE_TRY(clause.body, until("WHEN"));
    return {};
  }

  const std::vector<Token>& tokens_;
  const std::vector<std::size_t>& index_;
  std::size_t at_ = 0;
};

char escaped(char c) {
  switch (c) {
    case 'n': return '\n';
    case 't': return '\t';
    case 'r': return '\r';
    case 'b': return '\b';
    case 'Z': return '\x1a';
    default: return c;
  }
}

}  // namespace

Result<std::vector<Token>> tokenize_sql(std::string_view sql) {
  return Tokenizer(sql).run();
}

bool is_word(const Token& token, std::string_view keyword) {
  return token.kind == TokenKind::word && base::equals_ignoring_case(token.text, keyword);
}

bool is_symbol(const Token& token, std::string_view symbol) {
  return token.kind == TokenKind::symbol && token.text == symbol;
}

std::string name_of(const Token& token) {
  if (token.kind != TokenKind::quoted_name) return std::string(token.text);
  std::string name;
  const std::string_view inner = token.text.substr(1, token.text.size() - 2);
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] == '`') ++i;  // doubled
    name.push_back('`');
    if (i < inner.size()) name.back() = inner[i];
  }
  return name;
}

std::string spark_literal(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  return quoted + "'";
}

std::string string_value(const Token& token) {
  std::string_view text = token.text;
  const bool raw = text.front() == 'r' || text.front() == 'R';
  if (raw) text.remove_prefix(1);
  const char quote = text.front();
  text = text.substr(1, text.size() - 2);
  std::string value;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == quote && i + 1 < text.size()) ++i;
    if (text[i] == '\\' && !raw && i + 1 < text.size()) {
      ++i;
      // \% and \_ stay as they are, for LIKE.
      if (text[i] == '%' || text[i] == '_') value.push_back('\\');
      value.push_back(escaped(text[i]));
    } else {
      value.push_back(text[i]);
    }
  }
  return value;
}

Result<std::vector<std::string>> split_statements(std::string_view sql) {
  ROWGATE_TRY(const std::vector<Token> tokens, tokenize_sql(sql));
  std::vector<std::string> statements(1);
  std::vector<bool> has_content(1, false);
  for (const Token& token : tokens) {
    if (is_symbol(token, ";")) {
      statements.emplace_back();
      has_content.push_back(false);
      continue;
    }
    statements.back() += token.text;
    if (token.kind != TokenKind::space && token.kind != TokenKind::comment)
      has_content.back() = true;
  }
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < statements.size(); ++i)
    if (has_content[i]) kept.emplace_back(base::trim(statements[i]));
  return kept;
}

std::vector<std::size_t> significant(const std::vector<Token>& tokens) {
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].kind != TokenKind::space && tokens[i].kind != TokenKind::comment)
      index.push_back(i);
  return index;
}

Result<std::optional<MergeShape>> parse_merge(const std::vector<Token>& tokens,
                                              const std::vector<std::size_t>& index) {
  return MergeParser(tokens, index).run();
}

}  // namespace rowgate::harness
