// SPDX-License-Identifier: BSD-3-Clause
#include "neighbor/address_defence.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::neighbor {
namespace {

using Claim = AddressDefence::Claim;
constexpr uint64_t kSecond = 1'000'000'000;
constexpr wire::MacAddress kOther{{2, 0, 0, 0, 0, 9}};

// Everything said until it falls silent, with its time.
std::vector<std::pair<uint64_t, Claim>> said(AddressDefence& defence) {
  std::vector<std::pair<uint64_t, Claim>> all;
  while (defence.next_deadline_ns() != kNever && all.size() < 100) {
    const uint64_t now_ns = defence.next_deadline_ns();
    all.emplace_back(now_ns, defence.poll(now_ns));
  }
  return all;
}

TEST(AddressDefence, start__expect_three_probes_and_two_announcements_in_rfc_5227_time) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    AddressDefence defence(DefenceConfig::ipv4(), seed);
    defence.start(kSecond);
    EXPECT_TRUE(defence.probing());
    const auto all = said(defence);
    ASSERT_EQ(all.size(), 5u);
    EXPECT_LE(all[0].first, 2 * kSecond);
    for (size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(all[i].second, i < 3 ? Claim::kProbe : Claim::kAnnounce) << i;
      if (i == 0) continue;
      const uint64_t gap_ns = all[i].first - all[i - 1].first;
      EXPECT_GE(gap_ns, i < 3 ? kSecond : 2 * kSecond) << i;
      EXPECT_LE(gap_ns, 2 * kSecond) << i;
    }
    EXPECT_FALSE(defence.probing());
    EXPECT_FALSE(defence.seen());
  }
}

TEST(AddressDefence, start_for_ipv6__expect_one_probe) {
  AddressDefence defence(DefenceConfig::ipv6(), 1);
  defence.start(0);
  const auto all = said(defence);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].second, Claim::kProbe);
  EXPECT_EQ(all[1].second, Claim::kAnnounce);
}

TEST(AddressDefence, announce__expect_it_said_at_once_and_again_without_a_probe) {
  for (const bool still_probing : {true, false}) {
    AddressDefence defence(DefenceConfig::ipv4(), 1);
    defence.start(0);
    if (!still_probing) (void)said(defence);
    defence.announce(60 * kSecond);
    const std::vector<std::pair<uint64_t, Claim>> wanted = {{60 * kSecond, Claim::kAnnounce},
                                                            {62 * kSecond, Claim::kAnnounce}};
    EXPECT_EQ(said(defence), wanted);
  }
}

TEST(AddressDefence, conflict_again_and_again__expect_one_defence_in_ten_seconds) {
  AddressDefence defence(DefenceConfig::ipv4(), 1);
  size_t announced = 0;
  for (uint64_t ms = 0; ms < 35'000; ms += 100) {
    const uint64_t now_ns = 100 * kSecond + ms * 1'000'000;
    defence.conflict(kOther, now_ns);
    if (defence.poll(now_ns) == Claim::kAnnounce) ++announced;
  }
  EXPECT_EQ(announced, 4u);
  ASSERT_TRUE(defence.seen());
  EXPECT_EQ(defence.seen()->mac, kOther);
  EXPECT_EQ(defence.seen()->count, 350u);
  EXPECT_EQ(defence.seen()->first_ns, 100 * kSecond);
}

TEST(AddressDefence, stop__expect_silence) {
  AddressDefence defence(DefenceConfig::ipv4(), 1);
  defence.start(0);
  defence.stop();
  EXPECT_EQ(defence.next_deadline_ns(), kNever);
  EXPECT_EQ(defence.poll(1000 * kSecond), Claim::kNone);
}

}  // namespace
}  // namespace lambdacast::neighbor
