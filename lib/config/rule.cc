// SPDX-License-Identifier: BSD-3-Clause
#include "config/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace lambdacast::config {
namespace {

template <typename... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <typename... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;

bool in(const Range& range, int64_t value) { return value >= range.min && value <= range.max; }

std::string quoted(std::string_view text) { return fmt::format("\"{}\"", text); }

std::string range_text(const Range& range) {
  return range.hex ? fmt::format("{}..{:#x}", range.min, range.max)
                   : fmt::format("{}..{}", range.min, range.max);
}

}  // namespace

Type type_of(const Rule& rule) {
  return std::visit(
      Overloaded{[](const AnyBoolean&) { return Type::kBoolean; },
                 [](const Range&) { return Type::kInteger; },
                 [](const RangeOrZero&) { return Type::kInteger; },
                 [](const PowerOfTwo&) { return Type::kInteger; },
                 [](const OneOf&) { return Type::kInteger; },
                 [](const RealRange&) { return Type::kReal; },
                 [](const Words&) { return Type::kText; }, [](const Form&) { return Type::kText; },
                 [](const IntegerList&) { return Type::kIntegers; },
                 [](const TextList&) { return Type::kTexts; }},
      rule);
}

std::string_view type_name(Type type) {
  switch (type) {
    case Type::kBoolean:
      return "boolean";
    case Type::kInteger:
      return "integer";
    case Type::kReal:
      return "number";
    case Type::kText:
      return "string";
    case Type::kIntegers:
      return "list of integers";
    case Type::kTexts:
      return "list of strings";
  }
  return "";
}

bool admits(const Rule& rule, const Value& value) {
  const auto integer = [&] { return std::get<int64_t>(value); };
  const auto string = [&]() -> const std::string& { return std::get<std::string>(value); };
  return std::visit(
      Overloaded{
          [](const AnyBoolean&) { return true; }, [&](const Range& r) { return in(r, integer()); },
          [&](const RangeOrZero& r) {
            return integer() == 0 || in({r.min, r.max}, integer());
          },
          [&](const PowerOfTwo& r) {
            return in({r.min, r.max}, integer()) && std::has_single_bit(uint64_t(integer()));
          },
          [&](const OneOf& r) {
            return std::find(r.values.begin(), r.values.end(), integer()) != r.values.end();
          },
          [&](const RealRange& r) {  // NaN compares false, so it is refused
            return std::get<double>(value) >= r.min && std::get<double>(value) <= r.max;
          },
          [&](const Words& r) {
            return std::find(r.words.begin(), r.words.end(), string()) != r.words.end();
          },
          [&](const Form& r) { return r.admits(string()); },
          [&](const IntegerList& r) {
            const auto& list = std::get<std::vector<int64_t>>(value);
            return list.size() <= r.max_count &&
                   std::set<int64_t>(list.begin(), list.end()).size() == list.size() &&
                   std::all_of(list.begin(), list.end(), [&](int64_t v) { return in(r.each, v); });
          },
          [&](const TextList& r) {
            const auto& list = std::get<std::vector<std::string>>(value);
            return list.size() <= r.max_count &&
                   std::all_of(list.begin(), list.end(), r.each.admits);
          }},
      rule);
}

std::string join_or(const std::vector<std::string>& parts) {
  std::string joined;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) joined += i + 1 == parts.size() ? " or " : ", ";
    joined += parts[i];
  }
  return joined;
}

std::string describe(const Rule& rule, std::string_view unit) {
  std::string text = std::visit(
      Overloaded{
          [](const AnyBoolean&) { return std::string("true or false"); },
          [](const Range& r) { return range_text(r); },
          [](const RangeOrZero& r) { return fmt::format("0 or {}..{}", r.min, r.max); },
          [](const PowerOfTwo& r) { return fmt::format("a power of two, {}..{}", r.min, r.max); },
          [](const OneOf& r) {
            std::vector<std::string> parts;
            for (int64_t v : r.values) parts.push_back(std::to_string(v));
            return join_or(parts);
          },
          [](const RealRange& r) { return fmt::format("{}..{}", r.min, r.max); },
          [](const Words& r) {
            std::vector<std::string> parts;
            for (std::string_view word : r.words) parts.push_back(quoted(word));
            return join_or(parts);
          },
          [](const Form& r) { return std::string(r.description); },
          [](const IntegerList& r) {
            return fmt::format("at most {} of {}, none twice", r.max_count, range_text(r.each));
          },
          [](const TextList& r) {
            return fmt::format("at most {}, each {}", r.max_count, r.each.description);
          }},
      rule);
  if (!unit.empty()) {
    text += ' ';
    text += unit;
  }
  return text;
}

}  // namespace lambdacast::config
