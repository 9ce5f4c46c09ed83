// SPDX-License-Identifier: BSD-3-Clause
// What a fuzzer gives, taken from its front: once it has ended, zeros and nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lambdacast::test {

using Bytes = std::vector<uint8_t>;

class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t bytes) : data_(data), bytes_(bytes) {}
  [[nodiscard]] bool empty() const { return bytes_ == 0; }
  uint8_t byte() {
    if (bytes_ == 0) return 0;
    --bytes_;
    return *data_++;
  }
  Bytes bytes(size_t count) {
    count = std::min(count, bytes_);
    Bytes out(data_, data_ + count);
    data_ += count;
    bytes_ -= count;
    return out;
  }

 private:
  const uint8_t* data_;
  size_t bytes_;
};

}  // namespace lambdacast::test
