// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/graphs_gml.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "base/plain_text.h"

namespace lambdacast::sim::fabrics {

namespace {

using congest::Link;
using congest::NodeId;

enum class Kind : uint8_t { kEnd, kWord, kNumber, kString, kOpen, kClose, kBad };

struct Token {
  Kind kind = Kind::kEnd;
  std::string_view text;  // of a string: without its quotes
  size_t line = 0;
};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool ends_word(char c) { return is_space(c) || c == '[' || c == ']' || c == '"'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Token next() {
    skip();
    if (at_ == text_.size()) return {Kind::kEnd, {}, line_};
    const size_t line = line_, first = at_++;
    const char c = text_[first];
    if (c == '[') return {Kind::kOpen, text_.substr(first, 1), line};
    if (c == ']') return {Kind::kClose, text_.substr(first, 1), line};
    if (c == '"') {
      const size_t end = text_.find('"', at_);
      if (end == std::string_view::npos) return {Kind::kBad, "a string without its end", line};
      const std::string_view value = text_.substr(at_, end - at_);
      line_ += static_cast<size_t>(std::count(value.begin(), value.end(), '\n'));
      at_ = end + 1;
      return {Kind::kString, value, line};
    }
    while (at_ < text_.size() && !ends_word(text_[at_])) ++at_;
    const bool number = (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
    return {number ? Kind::kNumber : Kind::kWord, text_.substr(first, at_ - first), line};
  }

 private:
  // White space, and lines that begin with '#'.
  void skip() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#' && (at_ == 0 || text_[at_ - 1] == '\n')) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (is_space(text_[at_])) {
        line_ += text_[at_++] == '\n' ? 1 : 0;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t line_ = 1;
};

class Parser {
 public:
  Parser(std::string_view text, std::string_view name) : scanner_(text), name_(name) { advance(); }

  base::Result<GmlGraph> parse() {
    bool found = false;
    while (!failed_ && token_.kind != Kind::kEnd) {
      const Token key = token_;
      if (!take(Kind::kWord, "a key")) break;
      if (key.text != "graph") {
        skip_value();
      } else if (found) {
        fail(key.line, "a second graph: one is allowed");
      } else {
        found = true;
        list(key, [this](const Token& inner) { graph_key(inner); });
      }
    }
    if (!failed_ && !found) fail(token_.line, "no 'graph [' in it");
    if (!failed_ && labels_.empty()) fail(token_.line, "a graph without a node");
    resolve();
    if (failed_) return base::fail(*failed_);
    return GmlGraph{congest::Graph(labels_.size(), std::move(links_)), std::move(labels_)};
  }

 private:
  struct Edge {
    int64_t source;
    int64_t target;
    size_t line;
  };

  void advance() {
    token_ = scanner_.next();
    if (token_.kind == Kind::kBad) fail(token_.line, std::string(token_.text));
  }
  void fail(size_t line, const std::string& reason) {
    if (!failed_) failed_ = name_ + ":" + std::to_string(line) + ": " + base::shown(reason);
  }
  bool take(Kind kind, std::string_view wanted) {
    if (failed_) return false;
    if (token_.kind != kind) {
      const std::string found =
          token_.kind == Kind::kEnd ? "the end" : "'" + std::string(token_.text) + "'";
      fail(token_.line, found + " where " + std::string(wanted) + " is wanted");
      return false;
    }
    advance();
    return !failed_;
  }
  // visit(key) for every key of a list; it takes the value.
  template <typename Visitor>
  void list(const Token& owner, Visitor&& visit) {
    if (!take(Kind::kOpen, "'[' behind '" + std::string(owner.text) + "'")) return;
    while (!failed_ && token_.kind != Kind::kClose) {
      if (token_.kind == Kind::kEnd)
        return fail(owner.line, "'" + std::string(owner.text) + " [' without its ']'");
      const Token key = token_;
      if (take(Kind::kWord, "a key or ']'")) visit(key);
    }
    if (!failed_) advance();
  }
  // Lists in lists are counted: the depth of a file is no depth of calls.
  void skip_value() {
    const size_t line = token_.line;
    size_t depth = 0;
    do {
      if (token_.kind == Kind::kOpen) {
        ++depth;
      } else if (token_.kind == Kind::kClose && depth != 0) {
        --depth;
      } else if (token_.kind == Kind::kEnd || token_.kind == Kind::kClose) {
        return fail(line, depth == 0 ? "a key without a value" : "'[' without its ']'");
      }
      advance();
    } while (!failed_ && depth != 0);
  }
  int64_t integer(const Token& key) {
    const Token value = token_;
    int64_t number = 0;
    if (!take(Kind::kNumber, "the number of '" + std::string(key.text) + "'")) return 0;
    const char* end = value.text.data() + value.text.size();
    const auto [stop, error] = std::from_chars(value.text.data(), end, number);
    if (error != std::errc{} || stop != end)
      fail(value.line, "'" + std::string(value.text) + "' is no whole number of 64 bits");
    return number;
  }

  void graph_key(const Token& key) {
    if (key.text == "node") return node(key);
    if (key.text == "edge") return edge(key);
    skip_value();
  }
  void node(const Token& owner) {
    std::optional<int64_t> id;
    std::string label;
    list(owner, [&](const Token& key) {
      if (key.text == "id") {
        id = integer(key);
      } else if (key.text == "label" && token_.kind == Kind::kString) {
        label = token_.text;
        advance();
      } else {
        skip_value();
      }
    });
    if (failed_) return;
    if (!id) return fail(owner.line, "a node without an id");
    if (!numbers_.emplace(*id, static_cast<NodeId>(labels_.size())).second)
      return fail(owner.line, "a second node with id " + std::to_string(*id));
    labels_.push_back(label.empty() ? std::to_string(*id) : std::move(label));
  }
  void edge(const Token& owner) {
    std::optional<int64_t> source, target;
    list(owner, [&](const Token& key) {
      if (key.text == "source") {
        source = integer(key);
      } else if (key.text == "target") {
        target = integer(key);
      } else {
        skip_value();
      }
    });
    if (failed_) return;
    if (!source || !target)
      return fail(owner.line, source ? "an edge without a target" : "an edge without a source");
    if (*source == *target)
      return fail(owner.line, "an edge from node " + std::to_string(*source) + " to itself");
    edges_.push_back({*source, *target, owner.line});
  }
  // Edges may stand before their nodes, so their ends are looked up last.
  void resolve() {
    std::set<std::pair<NodeId, NodeId>> seen;
    for (const Edge& edge : edges_) {
      if (failed_) return;
      const auto a = numbers_.find(edge.source), b = numbers_.find(edge.target);
      if (a == numbers_.end() || b == numbers_.end()) {
        const int64_t missing = a == numbers_.end() ? edge.source : edge.target;
        return fail(edge.line,
                    "an edge of node " + std::to_string(missing) + ", which is not there");
      }
      const auto ends = std::minmax(a->second, b->second);
      if (seen.insert({ends.first, ends.second}).second)
        links_.push_back({ends.first, ends.second});
    }
  }

  Scanner scanner_;
  std::string name_;
  Token token_;
  std::optional<std::string> failed_;
  std::map<int64_t, NodeId> numbers_;  // by id
  std::vector<std::string> labels_;
  std::vector<Edge> edges_;
  std::vector<Link> links_;
};

}  // namespace

base::Result<GmlGraph> parse_gml(std::string_view text, std::string_view name) {
  return Parser(text, name).parse();
}

}  // namespace lambdacast::sim::fabrics
