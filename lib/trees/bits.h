// SPDX-License-Identifier: BSD-3-Clause
// Headers bit by bit, the most significant one of a number first.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lambdacast::trees {

// The number of bits that tell `values` values apart: 0 for one of them.
[[nodiscard]] constexpr uint32_t bits_for(uint64_t values) {
  return values <= 1 ? 0 : static_cast<uint32_t>(std::bit_width(values - 1));
}

class Bits {
 public:
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] size_t bytes() const { return (size_ + 7) / 8; }
  [[nodiscard]] bool operator[](size_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }

  void clear() {
    words_.clear();
    size_ = 0;
  }
  void push(bool bit) {
    if (size_ % 64 == 0) words_.push_back(0);
    words_.back() |= uint64_t{bit} << (size_ % 64);
    ++size_;
  }
  void push(uint64_t value, uint32_t width) {
    while (width-- > 0) push((value >> width & 1) != 0);
  }
  // Behind those that were pushed.
  void append(const Bits& other) {
    for (size_t i = 0; i < other.size(); ++i) push(other[i]);
  }
  // `count` bits that are 0, to be set.
  size_t extend(size_t count) {
    const size_t first = size_;
    size_ += count;
    words_.resize((size_ + 63) / 64);
    return first;
  }
  void set(size_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }

 private:
  std::vector<uint64_t> words_;
  size_t size_ = 0;
};

// Reads [from, to) of the bits. What lies behind the end reads as 0 and is remembered.
class BitReader {
 public:
  explicit BitReader(const Bits& bits) : BitReader(bits, 0, bits.size()) {}
  BitReader(const Bits& bits, size_t from, size_t to) : bits_(bits), at_(from), end_(to) {}

  [[nodiscard]] bool bit() {
    if (at_ == end_) {
      overrun_ = true;
      return false;
    }
    return bits_[at_++];
  }
  [[nodiscard]] uint64_t number(uint32_t width) {
    uint64_t value = 0;
    while (width-- > 0) value = value << 1 | uint64_t{bit()};
    return value;
  }
  void skip(size_t count) {
    overrun_ = overrun_ || count > end_ - at_;
    at_ = overrun_ ? end_ : at_ + count;
  }
  [[nodiscard]] size_t at() const { return at_; }
  [[nodiscard]] bool ended() const { return at_ == end_; }
  [[nodiscard]] bool overrun() const { return overrun_; }

 private:
  const Bits& bits_;
  size_t at_;
  size_t end_;
  bool overrun_ = false;
};

}  // namespace lambdacast::trees
