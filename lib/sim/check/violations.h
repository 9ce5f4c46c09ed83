// SPDX-License-Identifier: BSD-3-Clause
// The violations that a checker has found, under its name: the first few of many.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace lambdacast::sim {

class ViolationList {
 public:
  explicit ViolationList(std::string checker) : checker_(std::move(checker)) {}

  void add(const std::string& what) {
    constexpr size_t kMost = 5;
    if (++found_ <= kMost) list_.push_back(checker_ + ": " + what);
  }
  [[nodiscard]] std::vector<std::string> take() { return std::move(list_); }

 private:
  std::string checker_;
  size_t found_ = 0;
  std::vector<std::string> list_;
};

}  // namespace lambdacast::sim
