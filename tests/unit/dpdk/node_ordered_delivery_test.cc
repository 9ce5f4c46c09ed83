// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <mutex>

#include "members.h"
#include "node/ordered_delivery.h"

namespace lambdacast::dpdk {
namespace {

using rack::Endpoint;
using rack::Rack;

// Three endpoints in one view, of which each keeps what it is told of.
struct Viewed {
  struct Heard : node::DeliverySink {
    void message(const node::PacketInfo& info, std::span<const uint8_t>) {
      packets.push_back(info);
    }
    void view(const ViewEvent& event) { views.emplace_back(event); }
    std::vector<node::PacketInfo> packets;
    std::vector<HeardView> views;
  };

  Viewed()
      : config(test::rack_config({.nodes = 3,
                                  .defaults =
                                      "lcore = 1\nmax_peers = 3\n"
                                      "membership = { enabled = true, initial_nodes = 3 }\n"})) {
    auto created = Rack::create(config, {.incarnation = 7});
    EXPECT_TRUE(created) << created.error().message;
    rack = std::move(*created);
    for (size_t i = 0; i < 3; ++i) {
      Endpoint& endpoint = rack->endpoint(i);
      rack->set_application(
          i, std::make_unique<test::FakeStage>([this, &endpoint, &to = heard[i]](uint64_t) {
            const std::lock_guard lock(mutex);
            return endpoint.take_deliveries(32, to);
          }));
    }
    EXPECT_TRUE(rack->start());
    EXPECT_TRUE(
        test::eventually([&] { return all([](const Heard& h) { return !h.views.empty(); }); }));
  }
  template <typename Holds>
  bool all(Holds&& holds) {
    const std::lock_guard lock(mutex);
    return std::all_of(heard.begin(), heard.end(), holds);
  }
  bool publish(size_t node, uint32_t group, wire::Qos qos) {
    Loan loan;
    if (rack->endpoint(node).loan({&loan, 1}) != 1) return false;
    std::memset(loan.payload(), 0, 20);
    if (loan.describe(20, group, qos) && rack->endpoint(node).publish({&loan, 1}) == 1) return true;
    rack->endpoint(node).give_back({&loan, 1});
    return false;
  }

  config::Config config;
  std::mutex mutex;
  std::array<Heard, 3> heard;
  std::unique_ptr<Rack> rack;
};

TEST(OrderedDeliveryTest,
     publish_in_total_order__expect_one_order_and_the_publishers_own_among_it) {
  Viewed viewed;
  for (uint32_t i = 0; i < 6; ++i) {
    EXPECT_TRUE(
        test::eventually([&] { return viewed.publish(i % 2, 1, wire::Qos::kTotallyResilient); }));
  }
  ASSERT_TRUE(test::eventually(
      [&] { return viewed.all([](const auto& heard) { return heard.packets.size() == 6; }); }));
  viewed.rack->stop();
  for (size_t node = 0; node < 3; ++node) {
    ASSERT_FALSE(viewed.heard[node].views.empty());  // stopped, they leave one by one
    EXPECT_EQ(viewed.heard[node].views[0].what, node::ViewEvent::What::kView);
    EXPECT_EQ(viewed.heard[node].views[0].id.epoch, 1u);
    size_t own = 0;
    for (size_t i = 0; i < 6; ++i) {
      const node::PacketInfo& info = viewed.heard[node].packets[i];
      EXPECT_EQ(info.index, i);
      EXPECT_EQ(info.epoch, 1u);
      EXPECT_EQ(info.incarnation, 7u);
      own += info.peer == node::kNoPeer;
    }
    EXPECT_EQ(own, node == 2 ? 0u : 3u);
  }
}

TEST(OrderedDeliveryTest, deliver_and_refuse__expect_the_account_to_tell_of_every_packet) {
  Viewed viewed;
  EXPECT_TRUE(test::eventually([&] { return viewed.publish(0, 1, wire::Qos::kTotallyOrdered); }));
  // Nobody subscribes to it: ordered all the same, and dropped by each.
  EXPECT_TRUE(test::eventually([&] { return viewed.publish(0, 99, wire::Qos::kTotallyOrdered); }));
  const auto held = [&] {
    uint64_t sum = 0;
    for (const auto& stages : viewed.rack->snapshot())
      sum += stages.view->held + (stages.view->order.delivered == 2 ? 0 : 1);
    return sum;
  };
  ASSERT_TRUE(test::eventually([&] { return held() == 0; }));
  const auto now = viewed.rack->snapshot();
  const auto own = [&](size_t node) {
    return now[node].view->order.marks_sent + now[node].rate.counters.announced;
  };
  for (size_t node = 0; node < 3; ++node) {
    const auto& account = now[node].view->account;
    EXPECT_EQ(account.own, node == 0 ? 2u : 0u);
    EXPECT_EQ(account.marks, own(0) + own(1) + own(2) - own(node));
    EXPECT_EQ(account.waiting, 0u);
    EXPECT_EQ(account.voided, 0u);
    EXPECT_EQ(account.relayed, 0u);
    EXPECT_EQ(now[node].ordering.counters.drops[counters::DropReason::kNotSubscribed], 1u);
    EXPECT_EQ(now[node].ordering.counters.forwarded, 1u);
  }
}

TEST_F(MembersTest, subscribe_to_all_groups_with_names__expect_room_for_them) {
  ordering::Subscriptions& core = nodes_[0]->node().subscriptions();
  const config::Endpoint& config = nodes_[0]->config();
  EXPECT_EQ(config.membership.groups.names, 16384u);
  for (uint32_t i = 0; i < config.membership.groups.names; ++i)
    ASSERT_TRUE(core.subscribe(wire::kFirstNamedGroup + i));
  EXPECT_EQ(core.groups(), config.groups.size() + config.membership.groups.names);
}

TEST_F(MembersTest, all_publish_at_each_level__expect_one_order_own_messages_included) {
  run_ms(50);
  uint8_t byte = 0;
  for (const Qos qos :
       {Qos::kTotallyOrdered, Qos::kKResilient, Qos::kMajority, Qos::kTotallyResilient}) {
    for (size_t i = 0; i < 30; ++i) {
      EXPECT_EQ(send(i % 3, byte++, qos), node::SendResult::kSent);
      run_ms(1);
    }
  }
  run_ms(20);
  ASSERT_EQ(lines_[0].size(), 120u);
  for (size_t i = 0; i < lines_[0].size(); ++i) {
    EXPECT_EQ(lines_[0][i].epoch, 1u);
    EXPECT_EQ(lines_[0][i].index, i);
  }
  EXPECT_EQ(lines_[1], lines_[0]);
  EXPECT_EQ(lines_[2], lines_[0]);
  EXPECT_EQ(gaps_, 0u);
  // What everybody holds nobody keeps.
  for (const auto& node : nodes_) EXPECT_EQ(node->node().view()->order().held(), 0u);
}

TEST_F(MembersTest, messages_of_the_group_layer__expect_all_at_all_whatever_the_subscription) {
  run_ms(50);
  constexpr uint32_t kNobodys = 99;
  const auto message = test::counting_bytes(208);
  for (const uint32_t group : {1u, kNobodys}) {
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(nodes_[i]->publisher().send_group(message, group, Qos::kTotallyOrdered),
                node::SendResult::kSent);
      run_ms(1);
    }
  }
  EXPECT_EQ(nodes_[0]->publisher().send(message, kNobodys, Qos::kTotallyOrdered, now_ns_),
            node::SendResult::kSent);
  run_ms(20);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(lines_[i].empty());
    ASSERT_EQ(group_lines_[i].size(), 6u);
    for (size_t at = 0; at < 6; ++at) EXPECT_EQ(group_lines_[i][at], (Line{1, at % 3, message}));
    const ordering::Subscriptions& counts = nodes_[i]->node().subscriptions();
    EXPECT_EQ(counts.total().messages, 6u);
    EXPECT_EQ(counts.report(1).delivered.messages, 3u);
  }
}

TEST_F(MembersTest, publish_at_each_level__expect_it_stable_and_the_excluded_to_wait_for_ever) {
  run_ms(50);
  const Publisher& publisher = nodes_[0]->publisher();
  uint64_t sent = 0;
  EXPECT_EQ(send(0, 1, Qos::kUnreliable), node::SendResult::kSent);
  for (const Qos qos :
       {Qos::kReliable, Qos::kSourceOrdered, Qos::kTotallyOrdered, Qos::kTotallyResilient}) {
    EXPECT_EQ(send(0, 1, qos), node::SendResult::kSent);
    EXPECT_EQ(publisher.stable(), sent++);
    EXPECT_EQ(publisher.published(), sent);       // in a packet that is open
    run_ms(qos < Qos::kTotallyOrdered ? 20 : 1);  // as often as statuses and acknowledgements come
    EXPECT_EQ(publisher.published(), sent);
    EXPECT_EQ(publisher.stable(), sent);
  }
  stopped_[2] = true;
  EXPECT_EQ(send(2, 2, Qos::kTotallyOrdered), node::SendResult::kSent);
  EXPECT_EQ(send(0, 2, Qos::kTotallyOrdered), node::SendResult::kSent);
  run_ms(20);
  EXPECT_EQ(publisher.published(), sent + 1);
  EXPECT_EQ(publisher.stable(), sent);
  run_ms(200);
  EXPECT_EQ(publisher.stable(), sent + 1);
  stopped_[2] = false;
  run_ms(200);
  EXPECT_EQ(events_[2].back().what, ViewEvent::What::kExcluded);
  EXPECT_EQ(nodes_[2]->publisher().published(), 1u);
  EXPECT_EQ(nodes_[2]->publisher().stable(), 0u);
}

TEST_F(MembersTest, long_messages_and_shared_packets__expect_them_whole_with_an_index_each) {
  run_ms(50);
  const auto message = test::counting_bytes(1000);  // five fragments
  node::Outgoing outgoing(message, 1, Qos::kTotallyOrdered);
  ASSERT_EQ(nodes_[0]->publisher().send(outgoing, now_ns_), node::SendResult::kSent);
  for (uint8_t i = 0; i < 3; ++i)
    EXPECT_EQ(send(0, i, Qos::kTotallyOrdered), node::SendResult::kSent);
  run_ms(20);
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(lines_[i].size(), 4u) << i;
    EXPECT_EQ(lines_[i][0].message, message);
    EXPECT_EQ(lines_[i][0].index, 0u);
    EXPECT_EQ(lines_[i][3].message, std::vector<uint8_t>(20, 2));
  }
}

// Half of it is delivered, and held, for longer than reassembly_ms; then the view goes on without
// the one that all waited for.
TEST_F(MembersTest, a_view_changes_in_the_middle_of_a_long_message__expect_it_whole) {
  run_ms(50);
  const auto message = test::counting_bytes(1'500'000);
  node::Outgoing outgoing(message, 1, Qos::kTotallyOrdered);
  const auto send_for = [&](uint64_t ms) {
    node::SendResult result = node::SendResult::kAgain;
    for (uint64_t i = 0; i < 4 * ms && result != node::SendResult::kSent; ++i) {
      result = nodes_[0]->publisher().send(outgoing, now_ns_);
      run_us(250);
    }
    return result;
  };
  stopped_[2] = true;
  EXPECT_EQ(send_for(5), node::SendResult::kAgain) << "the window is full: one does not answer";
  EXPECT_GT(nodes_[1]->node().filter().held(), 30u);
  stopped_[1] = true;
  run_ms(300);
  stopped_[1] = false;
  EXPECT_EQ(send_for(1'000), node::SendResult::kSent);
  run_ms(50);
  for (size_t node = 0; node < 2; ++node) {
    EXPECT_EQ(events_[node].back().members.size(), 2u);
    ASSERT_EQ(lines_[node].size(), 1u) << node;
    EXPECT_EQ(lines_[node][0].message, message);
    EXPECT_EQ(nodes_[node]->node().filter().held(), 0u);
  }
  EXPECT_EQ(gaps_, 0u);
}

class LittleMemoryTest : public MembersTest {
 protected:
  // Of the third member: enough for one long message at a time.
  LittleMemoryTest() {
    for (auto& node : nodes_) node.reset();
    config_.endpoints[2].reassembly.max_message_bytes = 30'000;
    config_.endpoints[2].reassembly.memory_bytes = 65'536;
    for (size_t i = 0; i < nodes_.size(); ++i) nodes_[i] = test::started(config_, i);
  }
  void send_both(const std::vector<uint8_t>& message, Qos qos) {
    node::Outgoing one(message, 1, qos);
    node::Outgoing other(message, 1, qos);
    bool sent = false;
    for (int i = 0; i < 1'000 && !sent; ++i) {
      sent = nodes_[0]->publisher().send(one, now_ns_) == node::SendResult::kSent;
      sent = nodes_[1]->publisher().send(other, now_ns_) == node::SendResult::kSent && sent;
      run_us(100);
    }
    EXPECT_TRUE(sent);
    run_ms(50);
  }
};

TEST_F(LittleMemoryTest, a_member_cannot_keep_an_ordered_message__expect_it_told_and_out) {
  run_ms(50);
  const auto message = test::counting_bytes(30'000);
  send_both(message, Qos::kTotallyOrdered);
  run_ms(300);
  for (size_t node = 0; node < 2; ++node) {
    ASSERT_EQ(lines_[node].size(), 2u);
    EXPECT_EQ(lines_[node][1].message, message);
    EXPECT_EQ(events_[node].back().members.size(), 2u);
  }
  EXPECT_EQ(lines_[0], lines_[1]);
  EXPECT_GT(gaps_, 0u);
  EXPECT_EQ(events_[2].back().what, ViewEvent::What::kExcluded);
}

TEST_F(LittleMemoryTest, a_receiver_cannot_keep_a_source_ordered_message__expect_it_told) {
  run_ms(50);
  const auto message = test::counting_bytes(30'000);
  send_both(message, Qos::kSourceOrdered);
  for (size_t node = 0; node < 2; ++node) EXPECT_EQ(lines_[node].size(), 1u);
  ASSERT_EQ(lines_[2].size(), 1u);
  EXPECT_EQ(lines_[2][0].message, message);
  EXPECT_EQ(gaps_, nodes_[2]->node().ordering().counters().drops.total());
  EXPECT_GT(gaps_, 100u) << "each fragment of the other";
  EXPECT_EQ(events_[2].back().what, ViewEvent::What::kView);
}

// As long as the application keeps the one before, and no longer.
TEST_F(LittleMemoryTest, the_application_takes_its_time__expect_every_message_in_the_end) {
  run_ms(50);
  const auto message = test::counting_bytes(30'000);
  for (const Qos qos : {Qos::kTotallyOrdered, Qos::kSourceOrdered}) {
    for (auto& lines : lines_) lines.clear();
    taking_[2] = false;
    for (int i = 0; i < 3; ++i) {
      node::Outgoing outgoing(message, 1, qos);
      node::SendResult result = node::SendResult::kAgain;
      for (int tries = 0; tries < 1'000 && result == node::SendResult::kAgain; ++tries) {
        taking_[2] = tries > 100;  // else its sender would wait for ever
        result = nodes_[0]->publisher().send(outgoing, now_ns_);
        run_us(100);
      }
      EXPECT_EQ(result, node::SendResult::kSent);
    }
    taking_[2] = true;
    run_ms(50);
    EXPECT_EQ(lines_[2].size(), 3u);
  }
  EXPECT_EQ(gaps_, 0u);
  EXPECT_EQ(nodes_[2]->node().ordering().counters().drops.total(), 0u);
  EXPECT_EQ(events_[2].size(), 1u);
}

}  // namespace
}  // namespace lambdacast::dpdk
