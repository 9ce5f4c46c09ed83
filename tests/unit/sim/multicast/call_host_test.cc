// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/call_host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sim/multicast/group_host.h"

namespace lambdacast::sim {
namespace call_host_test {

using What = CallTold::What;

// One life, whose messages come back to it at once: it calls the groups that it is in.
struct Alone final : GroupWorld {
  bool publish_to_group(uint32_t, std::span<const uint8_t> bytes, uint32_t group, wire::Qos qos,
                        wire::Kind kind) override {
    sent.push_back({group, qos, kind, {bytes.begin(), bytes.end()}});
    return true;
  }
  void told_of_call(CallTold entry) override { told.push_back(std::move(entry)); }
  void told_of_group(GroupTold) override {}
  bool write_register(uint32_t, const LockName&, const LockGrant&) override { return true; }
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
      if (each.kind == wire::Kind::kGroup) host.group_message(from, each.bytes);
      if (each.kind == wire::Kind::kRequest) host.request_message(from, each.bytes);
    }
  }
  [[nodiscard]] size_t count(What what) const {
    return static_cast<size_t>(std::count_if(
        told.begin(), told.end(), [&](const CallTold& each) { return each.what == what; }));
  }

  struct Sent {
    uint32_t group;
    wire::Qos qos;
    wire::Kind kind;
    std::vector<uint8_t> bytes;
  };
  static constexpr wire::StreamName kSelf{{}, 0x10, 3};
  uint64_t next = 0;
  std::vector<Sent> sent;
  std::vector<CallTold> told;
};

TEST(CallHost, acts_alone__expect_its_calls_requested_answered_and_ended) {
  Alone world;
  GroupHost host(world, 3, Alone::kSelf, 1);
  host.view(1, std::array{Alone::kSelf}, 0);
  for (uint64_t i = 0; i < 400; ++i) {
    host.act(true);
    host.act_on_locks();
    host.act_on_calls(true);
    host.poll(i * 1'000);
    world.hear(host);
  }
  const size_t calls = world.count(What::kCalled);
  EXPECT_GT(calls, 50u);
  EXPECT_GT(world.count(What::kRequested), 20u);
  EXPECT_GT(world.count(What::kAnswer), 5u);
  EXPECT_GT(world.count(What::kDeclining), 0u);
  EXPECT_LE(world.count(What::kEnded), calls);
  EXPECT_GT(2 * world.count(What::kEnded), calls);
  host.out();
  EXPECT_EQ(world.count(What::kEnded), calls) << "each ends";
  for (const CallTold& each : world.told) {
    if (each.what == What::kAnswer) {
      EXPECT_EQ(each.content, answer_to(3, each.number, 3));
    }
  }
}

TEST(CallHost, answers__expect_them_different_by_caller_number_and_member) {
  EXPECT_NE(answer_to(1, 2, 3), answer_to(2, 2, 3));
  EXPECT_NE(answer_to(1, 2, 3), answer_to(1, 3, 3));
  EXPECT_NE(answer_to(1, 2, 3), answer_to(1, 2, 4));
}

}  // namespace call_host_test
}  // namespace lambdacast::sim
