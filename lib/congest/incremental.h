// SPDX-License-Identifier: BSD-3-Clause
// Registers over what the ports have said last, kept up to date a message at a time: a message that
// replaces another of its port undoes it first. A switch computes no sum by a loop over its ports.
//
// Sum, Count and Or take one step a message. Min takes one a level of a tree over the ports, which
// is as many as a number of a port has bits: the second least is known when the least goes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace lambdacast::congest {

class Sum {
 public:
  explicit Sum(size_t ports) : said_(ports) {}
  void set(size_t port, uint64_t value) {
    total_ += value - said_[port];
    said_[port] = value;
  }
  [[nodiscard]] uint64_t at(size_t port) const { return said_[port]; }
  [[nodiscard]] uint64_t value() const { return total_; }

 private:
  std::vector<uint64_t> said_;  // by port
  uint64_t total_ = 0;
};

// The number of ports that have said true.
class Count {
 public:
  explicit Count(size_t ports) : said_(ports) {}
  void set(size_t port, bool value) { said_.set(port, value); }
  [[nodiscard]] bool at(size_t port) const { return said_.at(port) != 0; }
  [[nodiscard]] uint64_t value() const { return said_.value(); }

 private:
  Sum said_;
};

class Or {
 public:
  explicit Or(size_t ports) : said_(ports) {}
  void set(size_t port, bool value) { said_.set(port, value); }
  [[nodiscard]] bool value() const { return said_.value() != 0; }

 private:
  Count said_;
};

// The least value and its port; of equal ones the least port.
class ArgMin {
 public:
  static constexpr uint64_t kNothing = std::numeric_limits<uint64_t>::max();

  explicit ArgMin(size_t ports)
      : leaves_(std::bit_ceil(std::max<size_t>(ports, 1))), said_(2 * leaves_, kNothing) {}
  // kNothing: it says nothing any more.
  void set(size_t port, uint64_t value) {
    size_t at = leaves_ + port;
    said_[at] = value;
    for (at /= 2; at != 0; at /= 2) said_[at] = std::min(said_[2 * at], said_[2 * at + 1]);
  }
  [[nodiscard]] uint64_t at(size_t port) const { return said_[leaves_ + port]; }
  [[nodiscard]] uint64_t least() const { return said_[1]; }
  [[nodiscard]] std::optional<size_t> port() const {
    if (least() == kNothing) return std::nullopt;
    size_t at = 1;
    while (at < leaves_) at = 2 * at + (said_[2 * at] == least() ? 0 : 1);
    return at - leaves_;
  }

 private:
  size_t leaves_;
  std::vector<uint64_t> said_;  // a tree: 1 is the root, and 2 i and 2 i + 1 are below i
};

}  // namespace lambdacast::congest
