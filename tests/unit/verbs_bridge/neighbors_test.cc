// SPDX-License-Identifier: BSD-3-Clause
#include "neighbors.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "wire/net/igmp.h"

namespace lambdacast::verbs {
namespace neighbors_test {

using Frame = std::vector<uint8_t>;

constexpr uint64_t kSecond = 1'000'000'000;
const wire::Gid kGroup = wire::parse_gid("239.255.9.9").value();
const wire::Gid kOther = wire::parse_gid("239.255.9.10").value();
const wire::Gid kGroupV6 = wire::parse_gid("ff15::9").value();

Neighbors::Self self(uint8_t number, std::optional<uint16_t> vlan = {}) {
  Neighbors::Self made;
  made.mac = {{2, 0, 0, 0, 0, number}};
  made.gid = wire::gid_from_ipv4(0x0a4d0000 + number);
  made.vlan_tci = vlan;
  made.seed = number;
  return made;
}

// All that is due within that time, in order.
std::vector<Frame> said(Neighbors& neighbors, uint64_t from_ns, uint64_t to_ns) {
  std::vector<Frame> frames;
  for (uint64_t now_ns = from_ns; now_ns <= to_ns; now_ns += kSecond / 100) {
    for (;;) {
      Frame frame(Neighbors::kMaxFrameBytes);
      frame.resize(neighbors.transmit(now_ns, frame.data()));
      if (frame.empty()) break;
      frames.push_back(std::move(frame));
    }
  }
  return frames;
}

size_t igmp_records(const std::vector<Frame>& frames, wire::RecordType type, const wire::Gid& gid) {
  size_t count = 0;
  for (const Frame& frame : frames) {
    const bool igmp = frame[12] == 8 && frame[13] == 0 && frame[23] == wire::kIpProtocolIgmp;
    if (igmp && frame[38] == 0x22 && frame[46] == static_cast<uint8_t>(type) &&
        wire::gid_from_ipv4(base::load_be32(&frame[50])) == gid) {
      ++count;
    }
  }
  return count;
}

TEST(Neighbors, FindEachOtherByBothAddresses) {
  Neighbors one(self(1)), two(self(2));
  const wire::Gid two_v4 = wire::gid_from_ipv4(0x0a4d0002);
  EXPECT_FALSE(one.resolve(two_v4, kSecond));
  EXPECT_FALSE(one.resolve(two.link_local(), kSecond));
  for (uint64_t now_ns = kSecond; now_ns < 3 * kSecond; now_ns += kSecond / 100) {
    for (auto* from : {&one, &two}) {
      for (const Frame& frame : said(*from, now_ns, now_ns)) {
        (from == &one ? two : one).receive(frame.data(), frame.size(), now_ns);
      }
    }
  }
  EXPECT_EQ(one.resolve(two_v4, 3 * kSecond), (wire::MacAddress{{2, 0, 0, 0, 0, 2}}));
  EXPECT_EQ(one.resolve(two.link_local(), 3 * kSecond), (wire::MacAddress{{2, 0, 0, 0, 0, 2}}));
  EXPECT_EQ(one.resolve(kGroup, 3 * kSecond), wire::multicast_mac(kGroup));
}

TEST(Neighbors, JoinAndLeaveGroupsSingly) {
  Neighbors neighbors(self(1));
  neighbors.listen(std::array{kGroup}, kSecond);
  auto frames = said(neighbors, kSecond, 4 * kSecond);
  EXPECT_EQ(igmp_records(frames, wire::RecordType::kToExclude, kGroup), 2u);
  neighbors.listen(std::array{kOther, kGroupV6}, 5 * kSecond);
  frames = said(neighbors, 5 * kSecond, 8 * kSecond);
  EXPECT_EQ(igmp_records(frames, wire::RecordType::kToInclude, kGroup), 2u);
  EXPECT_EQ(igmp_records(frames, wire::RecordType::kToExclude, kOther), 2u);
  const auto macs = neighbors.group_macs();
  EXPECT_EQ(std::ranges::count(macs, wire::multicast_mac(kOther)), 1);
  EXPECT_EQ(std::ranges::count(macs, wire::multicast_mac(kGroupV6)), 1);
  EXPECT_EQ(std::ranges::count(macs, wire::multicast_mac(kGroup)), 0);
}

TEST(Neighbors, AnswerQueriesAboutTheirGroups) {
  Neighbors neighbors(self(1));
  neighbors.listen(std::array{kGroup}, kSecond);
  (void)said(neighbors, kSecond, 4 * kSecond);
  // 10.77.0.9 asks all hosts, IGMPv3, an answer within a second.
  Frame query{0x01, 0x00, 0x5e, 0, 0,    1,  2, 0, 0, 0,  0,  9, 8, 0,   0x46, 0, 0,
              36,   0,    0,    0, 0,    1,  2, 0, 0, 10, 77, 0, 9, 224, 0,    0, 1,
              0x94, 4,    0,    0, 0x11, 10, 0, 0, 0, 0,  0,  0, 2, 125, 0,    0};
  const auto checksum = [&](size_t at, size_t from, size_t to) {
    uint32_t sum = 0;
    for (size_t i = from; i < to; i += 2) sum += base::load_be16(&query[i]);
    while (sum >> 16 != 0) sum = (sum & 0xffff) + (sum >> 16);
    base::store_be16(&query[at], static_cast<uint16_t>(~sum));
  };
  checksum(24, 14, 38);
  checksum(40, 38, 50);
  neighbors.receive(query.data(), query.size(), 5 * kSecond);
  const auto frames = said(neighbors, 5 * kSecond, 7 * kSecond);
  EXPECT_EQ(igmp_records(frames, wire::RecordType::kIsExclude, kGroup), 1u);
}

TEST(Neighbors, AreQuietOnceAllIsLeft) {
  Neighbors neighbors(self(1));
  neighbors.start(kSecond);
  neighbors.listen(std::array{kGroup, kGroupV6}, kSecond);
  (void)said(neighbors, kSecond, 10 * kSecond);
  neighbors.leave(11 * kSecond);
  EXPECT_FALSE(neighbors.quiet());
  (void)said(neighbors, 11 * kSecond, 12 * kSecond);
  EXPECT_TRUE(neighbors.quiet());
}

}  // namespace neighbors_test
}  // namespace lambdacast::verbs
