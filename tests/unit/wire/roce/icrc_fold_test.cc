// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/icrc_fold.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "base/random.h"
#include "unit/wire/slow_icrc.h"

namespace lambdacast::wire {
namespace icrc_fold_test {

// Which method of folding_methods(), and whether over IPv6.
class IcrcByFolding : public ::testing::TestWithParam<std::tuple<size_t, bool>> {
 protected:
  void SetUp() override {
    if (which() >= folding_methods().size()) GTEST_SKIP() << "this processor cannot do it";
  }
  [[nodiscard]] static size_t which() { return std::get<0>(GetParam()); }
  [[nodiscard]] static bool ipv6() { return std::get<1>(GetParam()); }
  [[nodiscard]] static uint32_t folded(const Packet& p) {
    return folding_methods()[which()].icrc(p.frame.data() + p.view.l3_offset,
                                           size_t{p.view.icrc_offset} - p.view.l3_offset);
  }
};

// A header without DETH is the shortest there is: RC_SEND_ONLY without payload. Its packet ends
// before the last masked block does.
TEST_P(IcrcByFolding, TheShortestPackets) {
  Packet p = packet(ipv6(), 8);
  for (const size_t behind_bth : {0, 4, 8, 12, 16}) {
    p.view.icrc_offset = static_cast<uint16_t>(p.view.bth_offset + 12 + behind_bth);
    EXPECT_EQ(folded(p), slow_icrc(p)) << behind_bth;
  }
}

// The Ethernet header before the packet is read and may not count.
TEST_P(IcrcByFolding, WhatStandsBeforeThePacketIsNothingToIt) {
  for (size_t payload_bytes = 0; payload_bytes < 64; payload_bytes += 4) {
    Packet p = packet(ipv6(), payload_bytes);
    const uint32_t before = folded(p);
    for (size_t i = 0; i < p.view.l3_offset; ++i) p.frame[i] ^= 0xff;
    EXPECT_EQ(folded(p), before) << payload_bytes;
  }
}

// A buffer of exactly the frame, so that a sanitizer sees one byte too many; any content.
TEST_P(IcrcByFolding, AnyContentOfAnyLength) {
  base::SplitMix64 random(7);
  for (size_t payload_bytes = 0; payload_bytes <= 600; payload_bytes += 4) {
    Packet p = packet(ipv6(), payload_bytes);
    for (size_t i = size_t{p.view.l3_offset} + 1; i < p.frame.size(); ++i) {
      p.frame[i] = static_cast<uint8_t>(random());
    }
    p.frame.resize(p.view.icrc_offset);
    p.frame.shrink_to_fit();
    ASSERT_EQ(folded(p), slow_icrc(p)) << payload_bytes;
  }
}

INSTANTIATE_TEST_SUITE_P(Both, IcrcByFolding,
                         ::testing::Combine(::testing::Values(size_t{0}, size_t{1}),
                                            ::testing::Bool()),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param) == 0 ? "sse" : "avx") +
                                  (std::get<1>(test.param) ? "_ipv6" : "_ipv4");
                         });

}  // namespace icrc_fold_test
}  // namespace lambdacast::wire
