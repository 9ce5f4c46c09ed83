// SPDX-License-Identifier: BSD-3-Clause
// Rules for the values of keys: each tests a value and says in words what it admits. The words go
// into error texts, into the reference and into the comments of the examples, so that the three
// cannot differ.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace lambdacast::config {

// The TOML values keys have; integers of a file are 64 bits, an integer also serves as a real
// number.
using Value = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>,
                           std::vector<std::string>>;

enum class Type : uint8_t { kBoolean, kInteger, kReal, kText, kIntegers, kTexts };

struct AnyBoolean {};
struct Range {  // both bounds included
  int64_t min;
  int64_t max;
  bool hex = false;  // how the upper bound is written
};
struct RangeOrZero {  // 0 stands for something else than the least of a quantity
  int64_t min;
  int64_t max;
};
struct PowerOfTwo {
  int64_t min;
  int64_t max;
};
struct OneOf {
  std::vector<int64_t> values;
};
struct RealRange {
  double min;
  double max;
};
struct Words {
  std::vector<std::string_view> words;
};
struct Form {  // text of a form that words describe best
  bool (*admits)(std::string_view);
  std::string_view description;
};
struct IntegerList {
  Range each;
  std::size_t max_count;  // none twice
};
struct TextList {
  Form each;
  std::size_t max_count;
};

using Rule = std::variant<AnyBoolean, Range, RangeOrZero, PowerOfTwo, OneOf, RealRange, Words, Form,
                          IntegerList, TextList>;

[[nodiscard]] Type type_of(const Rule& rule);
[[nodiscard]] std::string_view type_name(Type type);  // "integer"

// value is of the rule's type.
[[nodiscard]] bool admits(const Rule& rule, const Value& value);

// "256, 512, 1024, 2048 or 4096 bytes"; unit may be empty.
[[nodiscard]] std::string describe(const Rule& rule, std::string_view unit);

// "a, b or c"
[[nodiscard]] std::string join_or(const std::vector<std::string>& parts);

}  // namespace lambdacast::config
