// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/icrc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "unit/wire/slow_icrc.h"

namespace lambdacast::wire {
namespace icrc_test {

TEST(Icrc, EqualsTheRuleInWords) {
  for (const bool ipv6 : {false, true}) {
    for (const size_t payload_bytes : {0, 1, 2, 3, 4, 8, 63, 64, 1000, 4096}) {
      const Packet p = packet(ipv6, payload_bytes);
      EXPECT_EQ(p.icrc_now(), slow_icrc(p)) << ipv6 << ' ' << payload_bytes;
    }
  }
}

// Every length a packet can have around the blocks that CRCs read at once.
TEST(IcrcMethods, AllEqualTheRuleInWords) {
  ASSERT_STREQ(icrc_methods().front().name, "ISA-L");
  for (const IcrcMethod& method : icrc_methods()) {
    for (const bool ipv6 : {false, true}) {
      for (size_t payload_bytes = 0; payload_bytes <= 4096;
           payload_bytes += payload_bytes < 400 ? 4 : 308) {
        const Packet p = packet(ipv6, payload_bytes);
        const size_t bytes = size_t{p.view.icrc_offset} - p.view.l3_offset;
        if (bytes > method.max_bytes) continue;
        ASSERT_EQ(method.icrc(p.frame.data() + p.view.l3_offset, bytes), slow_icrc(p))
            << method.name << ' ' << ipv6 << ' ' << payload_bytes;
      }
    }
  }
}

TEST(UseIcrcMethods, EachIsUsedForItsLengths) {
  const Packet brief = packet(false, 200);   // 248 bytes before the ICRC
  const Packet longer = packet(false, 212);  // 260
  const IcrcMethod one{"one", SIZE_MAX, [](const uint8_t*, size_t) { return uint32_t{1}; }};
  const IcrcMethod two{"two", SIZE_MAX, [](const uint8_t*, size_t) { return uint32_t{2}; }};
  use_icrc_methods(one, two);
  EXPECT_EQ(brief.icrc_now(), 1u);
  EXPECT_EQ(longer.icrc_now(), 2u);
  use_icrc_methods(icrc_methods().front(), icrc_methods().front());
  EXPECT_EQ(brief.icrc_now(), slow_icrc(brief));
}

TEST(Icrc, PacketsThatEndInsideTheMaskedHead) {
  // RC_SEND_ONLY without payload: the packet is IP, UDP, BTH and ICRC.
  for (const bool ipv6 : {false, true}) {
    Packet p = packet(ipv6, 0);
    p.frame[p.view.bth_offset] = 0x04;
    p.view.icrc_offset = static_cast<uint16_t>(p.view.bth_offset + 12);
    EXPECT_EQ(p.icrc_now(), slow_icrc(p)) << ipv6;
  }
}

// Every single byte: changing it changes the ICRC unless it lies wholly in a variant field.
TEST(Icrc, CoversWhatRoutersMustNotChangeAndNothingElse) {
  for (const bool ipv6 : {false, true}) {
    Packet p = packet(ipv6, 8);
    const uint32_t before = p.icrc_now();
    const std::vector<size_t> variant = ipv6 ? std::vector<size_t>{1, 2, 3, 7, 46, 47, 52}
                                             : std::vector<size_t>{1, 8, 10, 11, 26, 27, 32};
    for (size_t i = p.view.l3_offset; i < p.view.icrc_offset; ++i) {
      const size_t at = i - p.view.l3_offset;
      if (at == 0) continue;  // its high half is the version: the next test
      p.frame[i] ^= 0x41;
      const bool expect_same = std::find(variant.begin(), variant.end(), at) != variant.end();
      EXPECT_EQ(p.icrc_now() == before, expect_same) << ipv6 << " byte " << at;
      p.frame[i] ^= 0x41;
    }
    for (size_t i = 0; i < p.view.l3_offset; ++i) p.frame[i] ^= 0xff;
    EXPECT_EQ(p.icrc_now(), before) << "Ethernet is not covered";
  }
}

TEST(Icrc, TrafficClassSharesItsFirstByteWithTheVersion) {
  Packet p = packet(true, 8);
  const uint32_t before = p.icrc_now();
  p.frame[p.view.l3_offset] ^= 0x0f;
  EXPECT_EQ(p.icrc_now(), before);
  Packet q = packet(false, 8);
  const uint32_t of_five_words = q.icrc_now();
  q.frame[q.view.l3_offset] ^= 0x03;
  EXPECT_NE(q.icrc_now(), of_five_words) << "IPv4's header length is covered";
}

TEST(StoreIcrc, LeastSignificantByteFirst) {
  std::array<uint8_t, 4> bytes;
  store_icrc(bytes.data(), 0x01020304);
  EXPECT_EQ(bytes, (std::array<uint8_t, 4>{4, 3, 2, 1}));
  EXPECT_EQ(load_icrc(bytes.data()), 0x01020304u);
}

}  // namespace icrc_test
}  // namespace lambdacast::wire
