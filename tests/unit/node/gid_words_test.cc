// SPDX-License-Identifier: BSD-3-Clause
#include "node/gid_words.h"

#include <gtest/gtest.h>

namespace lambdacast::node {
namespace {

TEST(GidWords, compare__expect_any_single_byte_to_matter) {
  wire::Gid gid;
  for (size_t i = 0; i < gid.bytes.size(); ++i) gid.bytes[i] = static_cast<uint8_t>(i + 1);
  EXPECT_TRUE(GidWords(gid) == GidWords(gid));
  for (size_t i = 0; i < gid.bytes.size(); ++i) {
    wire::Gid other = gid;
    other.bytes[i] ^= 0x80;
    EXPECT_FALSE(GidWords(gid) == GidWords(other)) << i;
  }
}

}  // namespace
}  // namespace lambdacast::node
