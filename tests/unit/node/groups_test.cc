// SPDX-License-Identifier: BSD-3-Clause
// The group layer on nodes that ship: what it says goes out, what comes in finds its handlers.
#include "node/groups.h"

#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "members.h"

namespace lambdacast::node {
namespace {

using group::End;
using group::Result;
using wire::Qos;

struct Member final : group::Handlers, group::Completion {
  void delivered(const group::Delivery& delivery, std::span<const uint8_t> message) override {
    deliveries.push_back(delivery);
    messages.emplace_back(message.begin(), message.end());
  }
  void view(const group::GroupView& view) override {
    members.assign(view.members.begin(), view.members.end());
  }
  void snapshot(std::vector<uint8_t>& out) override { out = counting_bytes(1000); }
  void restore(std::span<const uint8_t> state) override {
    restored.assign(state.begin(), state.end());
  }
  void ended(End reason) override { end = reason; }
  void stable(uint64_t token) override { stables.push_back(token); }
  void unknown(uint64_t) override { ++unknowns; }

  std::vector<group::Delivery> deliveries;
  std::vector<Bytes> messages;
  std::vector<wire::StreamName> members;
  Bytes restored;
  std::vector<uint64_t> stables;
  int unknowns = 0;
  std::optional<End> end;
};

class GroupsTest : public MembersTest {
 protected:
  GroupsTest()
      : MembersTest([](uint32_t number) {
          NodeConfig config = member_config(number);
          config.delivery.ordering = {.max_groups = 32, .subscribe_all = false};
          return config;
        }) {
    for (size_t i = 0; i < 3; ++i) {
      (void)network_.node(i).subscriptions().subscribe(1);
      network_.taking[i] = false;  // the deliveries are the groups'
    }
  }
  void run_ms(uint64_t ms) {
    for (const uint64_t end_ns = network_.now_ns + ms * 1'000'000; network_.now_ns < end_ns;
         network_.now_ns += 10'000) {
      for (size_t i = 0; i < 3; ++i) {
        if (!network_.stopped[i]) poll(network_.node(i));
      }
      network_.carry();
    }
  }
  void poll(sim::SimNode& node) {
    node.for_each_stage([&](StageId id, Stage& stage) {
      (void)stage.poll(network_.now_ns);
      if (id != StageId::kOrdering) return;
      (void)node.take_with_groups(
          kMaxBurst, network_.now_ns,
          MessageSink([&](const PacketInfo&, std::span<const uint8_t>) { ++numbered_; }));
    });
  }
  Groups<SimEnv>& groups(size_t i) { return *network_.node(i).groups(); }
  wire::StreamName name(size_t i) { return network_[i].name(); }

  std::array<Member, 3> member_;
  uint64_t numbered_ = 0;
};

TEST_F(GroupsTest, join_one_after_the_other__expect_state_and_one_view) {
  EXPECT_EQ(groups(0).join("orders", member_[0]), Result::kOk) << "before there is a view";
  run_ms(60);
  EXPECT_EQ(member_[0].members, std::vector{name(0)});
  EXPECT_EQ(groups(1).join("orders", member_[1]), Result::kOk);
  run_ms(20);
  EXPECT_EQ(member_[1].restored, counting_bytes(1000));
  EXPECT_EQ(member_[1].members, (std::vector{name(0), name(1)}));
  EXPECT_EQ(member_[0].members, member_[1].members);
  EXPECT_TRUE(member_[0].restored.empty());
}

TEST_F(GroupsTest, publish_by_name_from_inside_and_outside__expect_it_in_one_order_at_members) {
  EXPECT_EQ(groups(0).join("orders", member_[0]), Result::kOk);
  run_ms(60);
  EXPECT_EQ(groups(1).join("orders", member_[1]), Result::kOk);
  run_ms(20);
  for (uint8_t i = 0; i < 30; ++i) {
    const Bytes message(i == 7 ? 5000 : 20, i);  // one in fragments
    EXPECT_EQ(groups(i % 3).publish(std::string_view("orders"), message, Qos::kTotallyOrdered),
              Result::kOk);
    run_ms(i == 7 ? 5 : 0);
    if (i % 3 == 2) run_ms(1);
  }
  run_ms(20);
  ASSERT_EQ(member_[0].messages.size(), 30u);
  EXPECT_EQ(member_[1].messages, member_[0].messages);
  EXPECT_TRUE(member_[2].messages.empty());
  for (size_t i = 0; i < 30; ++i) {
    const group::Delivery& delivery = member_[1].deliveries[i];
    EXPECT_EQ(delivery.name, "orders");
    EXPECT_EQ(delivery.source, name(member_[1].messages[i][0] % 3));
    EXPECT_EQ(delivery.index, member_[0].deliveries[i].index);
    EXPECT_EQ(delivery.epoch, 1u);
    EXPECT_EQ(delivery.qos, Qos::kTotallyOrdered);
  }
  EXPECT_EQ(numbered_, 0u);
}

TEST_F(GroupsTest, publish_with_completions__expect_them_in_order_once_all_have_it) {
  EXPECT_EQ(groups(0).join("orders", member_[0]), Result::kOk);
  run_ms(60);
  uint64_t token = 0;
  for (const size_t bytes : {20, 5000, 30}) {
    const Bytes message(bytes);
    while (groups(0).publish(std::string_view("orders"), message, Qos::kTotallyResilient,
                             &member_[0], token) == Result::kAgain) {
      run_ms(1);
    }
    ++token;
  }
  EXPECT_LT(member_[0].stables.size(), 3u) << "the last has not gone out yet";
  run_ms(30);
  EXPECT_EQ(member_[0].stables, (std::vector<uint64_t>{0, 1, 2}));
}

TEST_F(GroupsTest, a_member_dies__expect_the_group_without_it_and_the_dead_to_be_told) {
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(groups(i).join("orders", member_[i]), Result::kOk);
  run_ms(80);
  ASSERT_EQ(member_[2].members.size(), 3u);
  network_.stopped[1] = true;
  run_ms(150);
  EXPECT_EQ(member_[0].members, (std::vector{name(0), name(2)}));
  EXPECT_EQ(member_[2].members, member_[0].members);
  EXPECT_EQ(groups(1).publish(std::string_view("orders"), counting_bytes(20), Qos::kTotallyOrdered,
                              &member_[1], 1),
            Result::kOk)
      << "it does not know yet";
  network_.stopped[1] = false;
  run_ms(100);
  EXPECT_EQ(member_[1].end, End::kExcluded);
  EXPECT_EQ(member_[1].unknowns, 1);
}

TEST_F(GroupsTest, numbers_and_names_side_by_side__expect_each_its_own) {
  EXPECT_EQ(groups(0).join("orders", member_[0]), Result::kOk);
  run_ms(60);
  EXPECT_EQ(groups(1).publish(1u, counting_bytes(20), Qos::kTotallyOrdered), Result::kOk);
  EXPECT_EQ(groups(1).publish(std::string_view("orders"), counting_bytes(20), Qos::kUnreliable),
            Result::kOk);
  run_ms(20);
  EXPECT_EQ(numbered_, 3u) << "all subscribe to group 1";
  EXPECT_EQ(member_[0].messages.size(), 1u);
  EXPECT_EQ(groups(1).publish(std::string_view("orders"), Bytes(size_t{17} << 20), Qos::kReliable),
            Result::kTooLong);
}

TEST_F(GroupsTest, leave__expect_its_subscription_and_deliveries_to_end) {
  EXPECT_EQ(groups(0).join("orders", member_[0]), Result::kOk);
  run_ms(60);
  const ordering::Subscriptions& subscriptions = network_.node(0).subscriptions();
  const uint32_t number = *groups(0).layer().number_of("orders");
  EXPECT_TRUE(subscriptions.subscribed(number));
  EXPECT_EQ(groups(0).leave("orders"), Result::kOk);
  run_ms(20);
  EXPECT_EQ(member_[0].end, End::kLeft);
  EXPECT_FALSE(subscriptions.subscribed(number));
  (void)groups(1).publish(std::string_view("orders"), counting_bytes(20), Qos::kTotallyOrdered);
  const size_t messages = member_[0].messages.size();
  run_ms(20);
  EXPECT_EQ(member_[0].messages.size(), messages);
}

}  // namespace
}  // namespace lambdacast::node
