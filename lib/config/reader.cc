// SPDX-License-Identifier: BSD-3-Clause
#include "config/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "config/suggest.h"

namespace lambdacast::config {
namespace {

constexpr std::size_t kMaxShownChars = 60;

// The text is ASCII: what goes in here escapes the rest.
std::string shortened(std::string text) {
  if (text.size() > kMaxShownChars) text.replace(kMaxShownChars, std::string::npos, "...");
  return text;
}

bool is_scalar(const toml::node& node) { return !node.is_table() && !node.is_array(); }

// The shortest text that gives the value: toml++ would write 0.1 as 0.10000000000000001.
std::string shown_real(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

// A value on one line, as TOML writes it.
std::string shown(const toml::node& node) {
  if (node.is_table()) return "a table";
  if (const toml::array* list = node.as_array()) {
    // Nothing nested: the formatter would follow it to any depth.
    if (!std::all_of(list->begin(), list->end(), is_scalar)) return "a list";
  }
  if (const auto real = node.value_exact<double>()) return shown_real(*real);
  std::ostringstream out;
  node.visit([&](const auto& each) {
    constexpr auto kFlags = toml::format_flags::allow_hexadecimal_integers |
                            toml::format_flags::allow_octal_integers |
                            toml::format_flags::allow_binary_integers;
    out << toml::toml_formatter{each, kFlags};
  });
  std::string text = out.str();
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  return shortened(std::move(text));
}

std::string shown_key(std::string_view key) {
  std::string text;
  for (char c : key) text += c > ' ' && c != '\x7f' ? c : '?';
  return shortened(std::move(text));
}

// "an integer", "a table"
std::string with_article(std::string_view noun) {
  const bool vowel = std::string_view("aeiou").find(noun.front()) != std::string_view::npos;
  return fmt::format("{} {}", vowel ? "an" : "a", noun);
}

std::string kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return "a number with a fraction";
    case toml::node_type::boolean:
      return "a boolean";
    case toml::node_type::date:
      return "a date";
    case toml::node_type::time:
      return "a time";
    case toml::node_type::date_time:
      return "a date and time";
    default:
      return "nothing";
  }
}

template <typename T>
std::optional<Value> list_value(const toml::node& node) {
  const toml::array* array = node.as_array();
  if (!array) return std::nullopt;
  std::vector<T> list;
  for (const toml::node& element : *array) {
    const auto value = element.value_exact<T>();
    if (!value) return std::nullopt;
    list.push_back(*value);
  }
  return Value(std::move(list));
}

template <typename T>
std::optional<Value> scalar_value(const toml::node& node) {
  const auto value = node.value_exact<T>();
  if (!value) return std::nullopt;
  return Value(*value);
}

// The node's value if it is of that very type: no 1.0 for an integer, no "true" for a boolean. Only
// an integer where a number is wanted is taken, since 0 and 1 are how people write 0.0 and 1.0.
std::optional<Value> value_of(const toml::node& node, Type type) {
  switch (type) {
    case Type::kBoolean:
      return scalar_value<bool>(node);
    case Type::kInteger:
      return scalar_value<int64_t>(node);
    case Type::kReal:
      if (const auto integer = node.value_exact<int64_t>()) return Value(double(*integer));
      return scalar_value<double>(node);
    case Type::kText:
      return scalar_value<std::string>(node);
    case Type::kIntegers:
      return list_value<int64_t>(node);
    case Type::kTexts:
      return list_value<std::string>(node);
  }
  return std::nullopt;
}

// ", which belongs to [[endpoint]]" or ", did you mean burst?" or nothing. A key in a wrong section
// is the commoner mistake: TOML has no end of a section, so what follows [endpoint.traffic] is in
// it.
std::string hint(std::string_view key, const std::vector<std::string_view>& known) {
  std::vector<std::string> homes;
  for (const Section& section : sections()) {
    if (find_key(section.name, key)) homes.emplace_back(section.heading);
  }
  if (!homes.empty()) return fmt::format(", it belongs to {}", join_or(homes));
  const std::string_view near = nearest(key, known);
  return near.empty() ? "" : fmt::format(", did you mean {}?", near);
}

}  // namespace

std::string join_path(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

Origin origin_of(const toml::node& node, std::string key) {
  Origin origin;
  // A table that only its sub-tables imply has no place of its own.
  origin.line = std::max(1u, node.source().begin.line);
  origin.key = std::move(key);
  return origin;
}

std::optional<Value> Reader::take(const toml::table& table, const Scope& scope, const Key& key,
                                  Origins& origins) {
  const toml::node* node = table.get(key.name);
  Origin origin = origin_of(node ? *node : table, join_path(scope.path, key.name));
  if (!node) {
    if (key.required()) report_.add(origin, "is missing", key.allowed_text());
    return std::nullopt;
  }
  origin.value = shown(*node);
  std::optional<Value> value = value_of(*node, type_of(key.allowed));
  if (!value) {
    const std::string wanted = with_article(type_name(type_of(key.allowed)));
    const std::string got = kind_of(*node);
    report_.add(origin,
                got == "a list" ? fmt::format("is not {}", wanted)
                                : fmt::format("is {}, not {}", got, wanted),
                key.allowed_text());
  } else if (!admits(key.allowed, *value)) {
    report_.add(origin, "is not allowed", key.allowed_text());
    value.reset();
  }
  origin.valid = value.has_value();
  origins.set(key.name, std::move(origin));
  return value;
}

void Reader::report_unknown(const toml::table& table, const Scope& scope,
                            const std::vector<const Key*>& known) {
  std::vector<std::string_view> names;
  for (const Key* key : known) names.push_back(key->name);
  names.insert(names.end(), scope.tables.begin(), scope.tables.end());
  std::string listed;
  for (std::string_view each : names)
    listed += fmt::format("{}{}", listed.empty() ? "" : ", ", each);
  for (const auto& [key, node] : table) {
    if (std::find(names.begin(), names.end(), key.str()) != names.end()) continue;
    Origin origin = origin_of(node, join_path(scope.path, shown_key(key.str())));
    origin.line = key.source().begin.line;
    origin.value = shown(node);
    report_.add(origin, fmt::format("is set for an unknown key{}", hint(key.str(), names)), listed);
  }
}

const toml::table* Reader::table_at(const toml::table& table, std::string_view path,
                                    std::string_view key) {
  const toml::node* node = table.get(key);
  if (!node) return nullptr;
  if (!node->is_table()) {
    Origin origin = origin_of(*node, join_path(path, key));
    origin.value = shown(*node);
    report_.add(origin, "is not a table", fmt::format("[{}] once", origin.key));
  }
  return node->as_table();
}

std::vector<const toml::table*> Reader::tables_at(const toml::table& table, std::string_view path,
                                                  std::string_view key) {
  const toml::node* node = table.get(key);
  if (!node) return {};
  std::vector<const toml::table*> tables;
  const toml::array* array = node->as_array();
  if (array) {
    for (const toml::node& element : *array) {
      if (element.is_table()) tables.push_back(element.as_table());
    }
  }
  if (!array || tables.size() != array->size()) {
    Origin origin = origin_of(*node, join_path(path, key));
    origin.value = shown(*node);
    report_.add(origin, "is not a list of tables", fmt::format("[[{}]] for each", origin.key));
    tables.clear();
  }
  return tables;
}

}  // namespace lambdacast::config
