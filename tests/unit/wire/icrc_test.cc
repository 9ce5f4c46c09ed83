#include "wire/icrc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/random.h"
#include "unit/wire/example_frame.h"
#include "wire/frame.h"

namespace lambdacast::wire {
namespace {

// The definition, bit by bit: what every implementation has to equal.
uint32_t slow_crc32(uint32_t seed, const uint8_t* data, size_t bytes) {
  uint32_t crc = ~seed;
  for (size_t i = 0; i < bytes; ++i) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
  }
  return ~crc;
}

TEST(Crc32, CheckValue) {
  EXPECT_EQ(crc32(0, reinterpret_cast<const uint8_t*>("123456789"), 9), 0xcbf43926u);
}

TEST(Crc32, EqualsTheDefinitionAtEveryLengthAndAlignment) {
  std::array<uint8_t, 600> data;
  base::SplitMix64 random(1);
  for (auto& byte : data) byte = static_cast<uint8_t>(random());
  for (size_t bytes = 0; bytes < 580; ++bytes) {
    const size_t offset = bytes % 17;
    ASSERT_EQ(crc32(7, &data[offset], bytes), slow_crc32(7, &data[offset], bytes)) << bytes;
  }
}

TEST(Crc32, PartsChain) {
  std::array<uint8_t, 100> data;
  data.fill(0x5a);
  for (size_t cut = 0; cut <= data.size(); ++cut) {
    const uint32_t first = crc32(0, data.data(), cut);
    ASSERT_EQ(crc32(first, &data[cut], data.size() - cut), crc32(0, data.data(), data.size()));
  }
}

struct Packet {
  std::vector<uint8_t> frame;
  FrameView view;
  uint32_t icrc_now() const { return icrc(frame.data(), view.l3_offset, view.icrc_offset); }
};

Packet packet(bool ipv6, size_t payload_bytes) {
  Packet p{bytes_of(example_fields(ipv6), payload_bytes), {}};
  EXPECT_EQ(parse_frame(p.frame.data(), p.frame.size(), p.view), counters::DropReason::kNone);
  return p;
}

// Ones in the place of the LRH, the packet with its variant fields set to ones; the rule in words.
uint32_t slow_icrc(const Packet& p) {
  std::vector<uint8_t> covered(8, 0xff);
  covered.insert(covered.end(), p.frame.begin() + p.view.l3_offset,
                 p.frame.begin() + p.view.icrc_offset);
  uint8_t* ip = &covered[8];
  if (p.view.is_ipv6) {
    ip[0] |= 0x0f;
    ip[1] = ip[2] = ip[3] = ip[7] = 0xff;
  } else {
    ip[1] = ip[8] = ip[10] = ip[11] = 0xff;
  }
  uint8_t* udp = ip + (p.view.is_ipv6 ? 40 : 20);
  udp[6] = udp[7] = udp[8 + 4] = 0xff;
  return slow_crc32(0, covered.data(), covered.size());
}

TEST(Icrc, EqualsTheRuleInWords) {
  for (const bool ipv6 : {false, true}) {
    for (const size_t payload_bytes : {0, 1, 2, 3, 4, 8, 63, 64, 1000, 4096}) {
      const Packet p = packet(ipv6, payload_bytes);
      EXPECT_EQ(p.icrc_now(), slow_icrc(p)) << ipv6 << ' ' << payload_bytes;
    }
  }
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

}  // namespace
}  // namespace lambdacast::wire
