// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/copy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace lambdacast::fabric {
namespace {

TEST(CopyFrame, every_length_expect_the_bytes_and_nothing_behind_them_touched) {
  std::vector<uint8_t> from(5000);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<uint8_t>(i * 7 + i / 251);
  for (std::size_t bytes = 0; bytes <= 4600; ++bytes) {
    std::vector<uint8_t> to(from.size(), 0xaa);
    copy_frame(to.data(), from.data(), bytes);
    ASSERT_TRUE(std::equal(to.begin(), to.begin() + static_cast<long>(bytes), from.begin()))
        << bytes;
    // A block at least; see kCopyBlockBytes.
    const std::size_t touched = std::max(bytes, kCopyBlockBytes);
    ASSERT_TRUE(std::all_of(to.begin() + static_cast<long>(touched), to.end(), [](uint8_t b) {
      return b == 0xaa;
    })) << bytes;
  }
}

TEST(CopyFrame, buffers_without_alignment_expect_the_bytes) {
  std::vector<uint8_t> from(400, 0);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<uint8_t>(i);
  for (std::size_t shift = 1; shift < 64; ++shift) {
    std::vector<uint8_t> to(400, 0);
    copy_frame(to.data() + 64 - shift, from.data() + shift, 300);
    ASSERT_TRUE(std::equal(from.begin() + static_cast<long>(shift),
                           from.begin() + static_cast<long>(shift + 300),
                           to.begin() + static_cast<long>(64 - shift)))
        << shift;
  }
}

}  // namespace
}  // namespace lambdacast::fabric
