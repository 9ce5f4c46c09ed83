// SPDX-License-Identifier: BSD-3-Clause
#include "node/view_synchrony.h"

#include <gtest/gtest.h>

#include <optional>

#include "small_network.h"

namespace lambdacast::node {
namespace view_synchrony_test {

using wire::MemberState;
using wire::Qos;

constexpr uint32_t kGroup = 7;
constexpr uint64_t kMs = 1'000'000;

std::function<void(size_t, SmallConfig&)> with_views(size_t initial_nodes) {
  return [=](size_t, SmallConfig& config) {
    ViewConfig view;
    view.membership.initial_nodes = initial_nodes;
    view.membership.heartbeat_ns = 100'000;
    view.membership.suspect_after_ns = 2 * kMs;
    view.membership.retry_ns = 100'000;
    view.membership.ack_ns = 5'000;
    view.order.stream_pkts = 256;
    view.order.domains = 16;
    config.node.view = view;
    config.node.groups.names = 16;
    config.node.groups.state_bytes = config.node.groups.queue_bytes = 1 << 12;
  };
}

const membership::View& view_of(SmallNetwork& network, size_t node) {
  return network.node(node).view()->membership().view();
}

// What a node delivered in order: (epoch, index, first byte).
struct Line {
  uint64_t epoch;
  uint64_t index;
  uint8_t byte;
  bool operator==(const Line&) const = default;
};
std::vector<Line> order_at(SmallNetwork& network, size_t node) {
  std::vector<Line> lines;
  for (const Delivery& each : network.host(node).deliveries) {
    if (each.qos >= Qos::kTotallyOrdered)
      lines.push_back({each.epoch, each.index, each.bytes.empty() ? uint8_t{0} : each.bytes[0]});
  }
  return lines;
}

void publish(SmallNetwork& network, size_t node, uint8_t byte, Qos qos) {
  const std::vector<uint8_t> message{byte, static_cast<uint8_t>(node)};
  ASSERT_TRUE(network.endpoint(node).publish(message, kGroup, qos));
}

TEST(ViewSynchrony, three_nodes_start__expect_one_view_of_three_everywhere) {
  SmallNetwork network(3, with_views(3));
  network.run_for(20 * kMs);
  for (size_t node = 0; node < 3; ++node) {
    EXPECT_EQ(network.node(node).view()->membership().state(), MemberState::kOperational) << node;
    EXPECT_EQ(view_of(network, node).size(), 3u) << node;
    EXPECT_EQ(view_of(network, node).id, view_of(network, 0).id);
    EXPECT_EQ(view_of(network, node).members, view_of(network, 0).members);
    ASSERT_EQ(network.host(node).views.size(), 1u);
    EXPECT_EQ(network.host(node).views[0].what, ViewEvent::What::kView);
    EXPECT_EQ(network.host(node).views[0].members, view_of(network, node).members);
    EXPECT_EQ(network.host(node).views[0].stayed, 0u);
  }
  EXPECT_EQ(view_of(network, 0).id.epoch, 1u);
}

TEST(ViewSynchrony, too_few_for_the_first_view__expect_none_and_totally_ordered_refused) {
  SmallNetwork network(2, with_views(3));
  network.run_for(20 * kMs);
  EXPECT_EQ(network.node(0).view()->membership().state(), MemberState::kJoining);
  const std::vector<uint8_t> message{1};
  EXPECT_FALSE(network.endpoint(0).publish(message, kGroup, Qos::kTotallyOrdered));
  EXPECT_TRUE(network.endpoint(0).publish(message, kGroup, Qos::kSourceOrdered));
}

class Levels : public ::testing::TestWithParam<Qos> {};
TEST_P(Levels, all_publish_at_once__expect_the_same_order_everywhere_own_included) {
  SmallNetwork network(4, with_views(4));
  network.run_for(20 * kMs);
  for (uint8_t round = 0; round < 20; ++round) {
    for (size_t node = 0; node < 4; ++node) publish(network, node, round, GetParam());
    network.run_for(3'000);
  }
  network.run_for(20 * kMs);
  const auto order = order_at(network, 0);
  ASSERT_EQ(order.size(), 80u);
  for (size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(order[i].index, i);
    EXPECT_EQ(order[i].epoch, 1u);
  }
  for (size_t node = 1; node < 4; ++node) EXPECT_EQ(order_at(network, node), order) << node;
}
INSTANTIATE_TEST_SUITE_P(All, Levels,
                         ::testing::Values(Qos::kTotallyOrdered, Qos::kKResilient, Qos::kMajority,
                                           Qos::kTotallyResilient));

TEST(ViewSynchrony, messages_of_the_group_layer__expect_their_places_in_the_order_at_all_members) {
  SmallNetwork network(3, [](size_t node, SmallConfig& config) {
    with_views(3)(node, config);
    config.node.delivery.ordering.subscribe_all = node == 0;  // the others have no group
  });
  network.run_for(20 * kMs);
  for (uint8_t i = 0; i < 10; ++i) {
    const std::vector<uint8_t> message{i};
    const auto kind = i % 2 == 0 ? wire::Kind::kGroup : wire::Kind::kData;
    ASSERT_TRUE(network.endpoint(i % 3).publish(message, kGroup, Qos::kTotallyOrdered, kind));
    network.run_for(kMs);
  }
  network.run_for(20 * kMs);
  for (size_t node = 0; node < 3; ++node) {
    const auto& deliveries = network.host(node).deliveries;
    ASSERT_EQ(deliveries.size(), node == 0 ? 10u : 5u);
    for (const Delivery& each : deliveries) {
      EXPECT_EQ(each.index, each.bytes[0]);
      EXPECT_EQ(each.kind, each.index % 2 == 0 ? wire::Kind::kGroup : wire::Kind::kData);
    }
  }
}

TEST(ViewSynchrony, a_member_stops__expect_a_view_without_it_and_publications_that_go_on) {
  for (size_t stops = 0; stops < 4; ++stops) {
    SmallNetwork network(4, with_views(4));
    network.run_for(20 * kMs);
    network.stop(stops);
    for (uint8_t round = 0; round < 5; ++round) {
      for (size_t node = 0; node < 4; ++node) {
        if (node != stops) publish(network, node, round, Qos::kTotallyResilient);
      }
    }
    network.run_for(20 * kMs);
    const size_t witness = stops == 0 ? 1 : 0;
    const auto order = order_at(network, witness);
    EXPECT_EQ(order.size(), 15u) << "node " << stops << " stopped";
    for (size_t node = 0; node < 4; ++node) {
      if (node == stops) continue;
      EXPECT_EQ(view_of(network, node).size(), 3u);
      EXPECT_EQ(view_of(network, node).id.epoch, 2u);
      EXPECT_EQ(order_at(network, node), order);
    }
    // It wakes, and learns that it is out.
    network.resume(stops);
    network.run_for(20 * kMs);
    EXPECT_EQ(network.node(stops).view()->membership().state(), MemberState::kExcluded);
    EXPECT_EQ(network.host(stops).views.back().what, ViewEvent::What::kExcluded);
  }
}

TEST(ViewSynchrony, departed_nodes_message_held_by_one_survivor_only__expect_it_relayed_to_all) {
  SmallNetwork network(4, with_views(4));
  network.run_for(20 * kMs);
  // Node 3's last words reach node 1 alone, and nothing comes from it after that.
  bool deaf = true;
  network.loses = [&](size_t from, size_t to, std::span<const uint8_t>) {
    return deaf && from == 3 && to != 1;
  };
  publish(network, 3, 77, Qos::kTotallyOrdered);
  network.run_for(10'000);
  network.stop(3);
  network.run_for(20 * kMs);
  deaf = false;
  const auto order = order_at(network, 0);
  ASSERT_EQ(order.size(), 1u);
  EXPECT_EQ(order[0].byte, 77);
  EXPECT_EQ(order_at(network, 1), order);
  EXPECT_EQ(order_at(network, 2), order);
  EXPECT_NE(network.node(1).view()->account().relayed, 0u);
}

TEST(ViewSynchrony,
     half_of_four_vanish__expect_no_view_of_the_rest_which_say_that_they_are_stranded) {
  SmallNetwork network(4, with_views(4));
  network.run_for(20 * kMs);
  network.stop(2);
  network.stop(3);
  network.run_for(30 * kMs);
  EXPECT_EQ(view_of(network, 0).id.epoch, 1u);
  EXPECT_TRUE(network.node(0).view()->membership().stranded());
  EXPECT_TRUE(network.node(1).view()->membership().stranded());
  network.resume(2);
  network.resume(3);
  network.run_for(30 * kMs);
  for (size_t node = 0; node < 4; ++node) {
    EXPECT_EQ(view_of(network, node).size(), 4u) << node;
    EXPECT_EQ(view_of(network, node).id.epoch, 2u) << node;
  }
}

// The newcomer too hears who of its first view was in the one before.
TEST(ViewSynchrony, a_node_comes_late_and_one_goes__expect_everybody_told_who_is_new) {
  SmallNetwork network(4, with_views(3));
  network.stop(1);
  network.run_for(20 * kMs);
  network.resume(1);
  network.run_for(20 * kMs);
  network.stop(2);
  network.run_for(20 * kMs);
  for (const size_t node : {0, 1, 3}) {
    const auto& views = network.host(node).views;
    ASSERT_EQ(views.size(), node == 1 ? 2u : 3u) << node;
    const HeardView& joined = views[views.size() - 2];
    const HeardView& last = views.back();
    EXPECT_EQ(joined.id.epoch, 2u);
    EXPECT_EQ(joined.stayed, 3u);
    ASSERT_EQ(joined.members.size(), 4u);
    EXPECT_EQ(joined.members[3], network.node(1).view()->membership().self());
    EXPECT_EQ(last.stayed, 3u);
    EXPECT_EQ(last.members, view_of(network, node).members);
  }
}

// The others are in the view already, and what they say is of it.
TEST(ViewSynchrony, a_joiner_hears_of_its_view_late__expect_all_that_was_ordered_in_it_delivered) {
  SmallNetwork network(4, with_views(3));
  network.stop(3);
  network.run_for(20 * kMs);
  publish(network, 0, 1, Qos::kTotallyOrdered);
  network.run_for(kMs);
  network.resume(3);
  // Content reaches it from then on, and nothing else until it is told to.
  bool begun = false;
  network.loses = [&](size_t, size_t to, std::span<const uint8_t> frame) {
    begun = begun || view_of(network, 0).size() == 4;
    return begun && to == 3 && frame.size() < 400;
  };
  for (int step = 0; step < 20'000 && !begun; ++step) {
    network.run_for(1'000);
    begun = begun || view_of(network, 0).size() == 4;
  }
  ASSERT_TRUE(begun);
  for (uint8_t byte = 2; byte < 6; ++byte) {
    const std::vector<uint8_t> message(500, byte);
    ASSERT_TRUE(network.endpoint(byte % 2).publish(message, kGroup, Qos::kTotallyOrdered));
    network.run_for(50'000);
  }
  EXPECT_TRUE(network.host(3).views.empty());
  EXPECT_TRUE(order_at(network, 3).empty());
  network.loses = {};
  network.run_for(20 * kMs);
  const auto all = order_at(network, 0);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(view_of(network, 3).id, view_of(network, 0).id);
  EXPECT_EQ(order_at(network, 3), std::vector<Line>(all.begin() + 1, all.end()));
}

TEST(ViewSynchrony,
     publish_at_each_level__expect_it_stable_when_every_member_has_content_and_mark) {
  for (const Qos qos : {Qos::kReliable, Qos::kSourceOrdered, Qos::kTotallyOrdered, Qos::kKResilient,
                        Qos::kTotallyResilient}) {
    SmallNetwork network(3, with_views(3));
    network.run_for(20 * kMs);
    sim::SimEndpoint& sender = network.endpoint(0);
    publish(network, 0, 1, qos);
    publish(network, 0, 2, qos);
    EXPECT_EQ(sender.published(), 2u);
    EXPECT_EQ(sender.stable(), 0u);
    network.run_for(SmallNetwork::kLatencyNs);  // it has gone out, and nobody can have answered
    EXPECT_EQ(sender.stable(), 0u);
    network.run_for(kMs);
    EXPECT_EQ(sender.stable(), 2u);
    network.stop(2);
    publish(network, 0, 3, qos);
    network.run_for(kMs);  // less than its patience
    EXPECT_EQ(sender.published(), 3u);
    EXPECT_EQ(sender.stable(), 2u);
    network.run_for(20 * kMs);
    EXPECT_EQ(view_of(network, 0).size(), 2u);
    EXPECT_EQ(sender.stable(), 3u);
    network.resume(2);
    network.run_for(20 * kMs);
    EXPECT_EQ(network.node(2).view()->membership().state(), MemberState::kExcluded);
  }
}

TEST(ViewSynchrony, excluded_with_messages_on_their_way__expect_them_never_stable) {
  SmallNetwork network(3, with_views(3));
  network.run_for(20 * kMs);
  publish(network, 2, 1, Qos::kTotallyOrdered);
  network.run_for(kMs);
  network.loses = [](size_t from, size_t, std::span<const uint8_t>) { return from == 2; };
  publish(network, 2, 2, Qos::kTotallyOrdered);
  network.run_for(20 * kMs);
  network.loses = {};
  network.run_for(20 * kMs);
  EXPECT_EQ(network.host(2).views.back().what, ViewEvent::What::kExcluded);
  EXPECT_EQ(network.endpoint(2).published(), 2u);
  EXPECT_EQ(network.endpoint(2).stable(), 1u);
}

TEST(ViewSynchrony, a_node_leaves__expect_a_view_without_it_and_that_it_knows) {
  SmallNetwork network(3, with_views(3));
  network.run_for(20 * kMs);
  network.endpoint(1).leave();
  network.run_for(20 * kMs);
  EXPECT_EQ(view_of(network, 0).size(), 2u);
  EXPECT_EQ(view_of(network, 2).size(), 2u);
  EXPECT_EQ(network.host(1).views.back().what, ViewEvent::What::kLeft);
}

TEST(ViewSynchrony, a_member_cannot_repair__expect_it_out_and_the_others_to_go_on) {
  SmallNetwork network(3, [](size_t node, SmallConfig& config) {
    with_views(3)(node, config);
    config.node.reliability.retain_ns = kMs;  // shorter than a member may lack anything
  });
  network.run_for(20 * kMs);
  bool deaf = true;
  network.loses = [&](size_t from, size_t to, std::span<const uint8_t> frame) {
    return deaf && from == 0 && to == 2 && frame.size() > 400;
  };
  const std::vector<uint8_t> message(500, 1);
  ASSERT_TRUE(network.endpoint(0).publish(message, kGroup, Qos::kTotallyOrdered));
  network.run_for(5 * kMs);
  deaf = false;
  publish(network, 0, 2, Qos::kTotallyOrdered);
  network.run_for(20 * kMs);
  EXPECT_EQ(network.host(2).views.back().what, ViewEvent::What::kExcluded);
  EXPECT_TRUE(order_at(network, 2).empty());  // not what comes behind the hole
  EXPECT_EQ(order_at(network, 0).size(), 2u);
  EXPECT_EQ(order_at(network, 1), order_at(network, 0));
  EXPECT_EQ(view_of(network, 0).size(), 2u);
}

TEST(ViewSynchrony, loss_of_a_tenth__expect_the_same_order_everywhere) {
  SmallNetwork network(4, with_views(4));
  network.run_for(20 * kMs);
  base::SplitMix64 random(3);
  network.loses = [&](size_t, size_t, std::span<const uint8_t>) { return random.below(10) == 0; };
  for (uint8_t round = 0; round < 50; ++round) {
    for (size_t node = 0; node < 4; ++node)
      publish(network, node, round, round % 2 == 0 ? Qos::kTotallyOrdered : Qos::kMajority);
    network.run_for(20'000);
  }
  network.run_for(20 * kMs);
  const auto order = order_at(network, 0);
  EXPECT_EQ(order.size(), 200u);
  for (size_t node = 1; node < 4; ++node) EXPECT_EQ(order_at(network, node), order);
  EXPECT_EQ(view_of(network, 0).id.epoch, 1u);
}

// ViewSynchrony tells a stream's limit only when something has changed. Here it is what it would
// be if it were told always.
TEST(ViewSynchrony,
     traffic_loss_and_a_death__expect_streams_limited_by_the_room_behind_every_turn) {
  constexpr size_t kNodes = 4;
  SmallNetwork network(kNodes, [](size_t node, SmallConfig& config) {
    with_views(kNodes)(node, config);
    config.node.view->order.stream_pkts = 24;
  });
  base::SplitMix64 random(5);
  network.loses = [&](size_t, size_t, std::span<const uint8_t>) { return random.below(20) == 0; };
  size_t living = kNodes;
  uint64_t least_room = ~uint64_t{0};
  const auto check = [&] {
    for (size_t node = 0; node < living; ++node) {
      network.turn(node);
      const sim::SimNode& core = network.node(node);
      const membership::MembershipProtocol& membership = core.view()->membership();
      for (size_t rank = 0; rank < membership.view().size(); ++rank) {
        const size_t peer = membership.peer_of(rank);
        if (peer >= kNodes || !membership.is_member(peer)) continue;
        const auto handed = core.receiver().handed_through(peer);
        if (!handed) continue;
        const uint64_t room = core.view()->order().room(peer);
        least_room = std::min(least_room, room);
        ASSERT_EQ(core.receiver().limit(peer), *handed + room)
            << "node " << node << ", peer " << peer << " at " << network.now_ns() << " ns";
      }
    }
  };
  for (uint32_t step = 0; step < 20'000; ++step) {
    if (step == 12'000) network.stop(--living);
    const size_t node = random.below(living);
    if (step > 5'000 && step < 18'000 && random.below(3) == 0) {
      const std::vector<uint8_t> message{static_cast<uint8_t>(step)};
      (void)network.endpoint(node).publish(
          message, kGroup, random.below(4) == 0 ? Qos::kSourceOrdered : Qos::kTotallyOrdered);
    }
    network.run_for(1'000);
    ASSERT_NO_FATAL_FAILURE(check());
  }
  EXPECT_LT(least_room, 24u) << "nothing was ever held";
  EXPECT_EQ(view_of(network, 0).size(), kNodes - 1);
  EXPECT_GT(order_at(network, 0).size(), 1'000u);
  for (size_t node = 1; node < living; ++node)
    EXPECT_EQ(order_at(network, node), order_at(network, 0));
}

}  // namespace view_synchrony_test
}  // namespace lambdacast::node
