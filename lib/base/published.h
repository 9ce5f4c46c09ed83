// SPDX-License-Identifier: BSD-3-Clause
// A value that one thread publishes now and then and others take over without waiting: a sequence
// lock whose readers try once. For settings that reach a running data path; the check whether there
// is anything new costs a reader one load of a line that is hardly ever written.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace lambdacast::base {

template <typename T>
requires std::is_trivially_copyable_v<T>
class Published {
 public:
  Published() : Published(T{}) {}
  explicit Published(const T& value) { set(value); }

  // One thread at a time.
  void set(const T& value) {
    const uint64_t before = version_.load(std::memory_order_relaxed);
    version_.store(before + 1, std::memory_order_relaxed);
    Words words{};
    std::memcpy(words.data(), &value, sizeof value);
    // A reader that sees one of these words sees the odd version too.
    for (std::size_t i = 0; i < kWords; ++i) words_[i].store(words[i], std::memory_order_release);
    version_.store(before + 2, std::memory_order_release);
  }

  // Another one than that of the last read: there is something to read.
  [[nodiscard]] uint64_t version() const { return version_.load(std::memory_order_relaxed); }

  // Copies value and version. False, and nothing copied, while set() is at it: ask again later.
  [[nodiscard]] bool read(T& value, uint64_t& version) const {
    const uint64_t before = version_.load(std::memory_order_acquire);
    if (before % 2 != 0) return false;
    Words words;
    for (std::size_t i = 0; i < kWords; ++i) words[i] = words_[i].load(std::memory_order_acquire);
    if (version_.load(std::memory_order_relaxed) != before) return false;
    std::memcpy(static_cast<void*>(&value), words.data(), sizeof value);
    version = before;
    return true;
  }

 private:
  static constexpr std::size_t kWords = (sizeof(T) + 7) / 8;
  using Words = std::array<uint64_t, kWords>;
  std::atomic<uint64_t> version_{0};  // odd while set() is at it
  std::array<std::atomic<uint64_t>, kWords> words_{};
};

}  // namespace lambdacast::base
