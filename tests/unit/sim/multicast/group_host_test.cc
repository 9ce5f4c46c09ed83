// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/group_host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/multicast/message.h"

namespace lambdacast::sim {
namespace group_host_test {

// One life, whose messages come back to it at once.
struct Alone final : GroupWorld {
  bool publish_to_group(uint32_t, std::span<const uint8_t> bytes, uint32_t group, wire::Qos qos,
                        wire::Kind) override {
    if (refuses) return false;
    sent.push_back({group, qos, {bytes.begin(), bytes.end()}});
    return true;
  }
  void told_of_call(CallTold) override {}
  void told_of_group(GroupTold entry) override { told.push_back(std::move(entry)); }
  bool write_register(uint32_t, const LockName&, const LockGrant& grant) override {
    writes.push_back(grant);
    return true;
  }
  [[nodiscard]] uint64_t operational(uint32_t) const override { return 1; }
  [[nodiscard]] uint32_t life_called(const wire::StreamName& name) const override {
    return name.incarnation;
  }
  void hear(GroupHost& host) {
    for (const Sent& each : std::exchange(sent, {})) {
      group::Delivery from;
      from.group = each.group;
      from.source = kSelf;
      from.qos = each.qos;
      from.epoch = 1;
      from.index = next++;
      const auto message = make_message({kSelf.incarnation, 7}, 16);
      if (each.bytes.empty()) host.deliver(from, message, 0);
      if (!each.bytes.empty()) host.group_message(from, each.bytes);
    }
  }
  [[nodiscard]] size_t count(GroupTold::What what) const {
    return static_cast<size_t>(std::count_if(
        told.begin(), told.end(), [&](const GroupTold& each) { return each.what == what; }));
  }

  struct Sent {
    uint32_t group;
    wire::Qos qos;
    std::vector<uint8_t> bytes;
  };
  static constexpr wire::StreamName kSelf{{}, 0x10, 3};
  bool refuses = false;
  uint64_t next = 0;
  std::vector<Sent> sent;
  std::vector<GroupTold> told;
  std::vector<LockGrant> writes;
};

TEST(GroupHost, numbers__expect_those_of_all_names_whoever_comes_first) {
  const auto numbers = group_numbers();
  const std::set<uint32_t> different(numbers.begin(), numbers.end());
  EXPECT_EQ(different.size(), numbers.size() - 1) << "two names ask for one number";
  EXPECT_TRUE(different.contains(wire::kDirectoryGroup));
}

TEST(GroupHost, acts_alone__expect_views_messages_and_a_standing_as_it_wants_it) {
  Alone world;
  GroupHost host(world, 3, Alone::kSelf, 1);
  host.view(1, std::array{Alone::kSelf}, 0);
  for (int i = 0; i < 200; ++i) {
    host.act(true);
    host.poll(1);
    world.hear(host);
  }
  for (int i = 0; i < 5; ++i) {
    host.act(false);
    host.poll(1);
    world.hear(host);
  }
  using What = GroupTold::What;
  EXPECT_GT(world.count(What::kMessage), 20u);
  EXPECT_GT(world.count(What::kView), 2u);
  EXPECT_EQ(world.count(What::kSnapshot), 0u);
  const GroupStanding standing = host.standing(3);
  EXPECT_TRUE(standing.informed);
  ASSERT_EQ(standing.groups.size(), kGroupNames.size());
  for (const GroupStanding::Group& group : standing.groups) {
    EXPECT_EQ(group.in, group.wanted);
    EXPECT_EQ(group.members.size(), group.in ? 1u : 0u);
  }
  const auto in = std::count_if(standing.groups.begin(), standing.groups.end(),
                                [](const GroupStanding::Group& group) { return group.in; });
  const size_t ended = world.count(What::kEnded);
  host.out();
  EXPECT_EQ(world.count(What::kEnded), ended + static_cast<size_t>(in));
}

TEST(GroupHost, acts_on_locks__expect_writes_by_the_tokens_that_it_is_told) {
  Alone world;
  GroupHost host(world, 3, Alone::kSelf, 1);
  host.view(1, std::array{Alone::kSelf}, 0);
  for (int i = 0; i < 300; ++i) {
    host.act(true);
    host.act_on_locks();
    host.poll(1);
    world.hear(host);
  }
  EXPECT_GT(world.count(GroupTold::What::kLock), 20u);
  EXPECT_GT(world.writes.size(), 20u);
  std::set<LockGrant> granted;
  for (const GroupTold& told : world.told) {
    if (told.what == GroupTold::What::kLock) granted.insert(told.grant);
  }
  for (const LockGrant& grant : world.writes) EXPECT_TRUE(granted.contains(grant));
}

TEST(GroupHost, nothing_goes_out__expect_it_said_later) {
  Alone world;
  world.refuses = true;
  GroupHost host(world, 3, Alone::kSelf, 1);
  host.view(1, std::array{Alone::kSelf}, 0);
  for (int i = 0; i < 100; ++i) host.act(true);
  EXPECT_TRUE(world.told.empty() || world.count(GroupTold::What::kView) == 0);
  world.refuses = false;
  host.poll(1);
  EXPECT_FALSE(world.sent.empty());
}

}  // namespace group_host_test
}  // namespace lambdacast::sim
