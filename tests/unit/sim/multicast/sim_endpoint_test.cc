// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/sim_endpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "busy_scenario.h"
#include "sim/multicast/simulation.h"

namespace lambdacast::sim {
namespace sim_endpoint_test {

using node::LinkId;
using node::StageId;
using wire::Qos;

constexpr uint64_t kMs = 1'000'000;

class Host final : public NodeHost {
 public:
  void transmit(std::span<const uint8_t> frame, uint64_t) override {
    frames.push_back(std::make_shared<const std::vector<uint8_t>>(frame.begin(), frame.end()));
  }
  void judged(const Waiting&, counters::DropReason outcome) override {
    outcomes.push_back(outcome);
  }
  void deliver(const node::PacketInfo&, std::span<const uint8_t> message) override {
    messages.emplace_back(message.begin(), message.end());
  }
  void gap(const node::GapEvent&) override {}
  void receiver_event(const reliability::ReceiverEvent& event) override { events.push_back(event); }
  void view_event(const node::ViewEvent&) override {}
  void misuse(const std::string& what) override { ADD_FAILURE() << what; }
  bool gives_back(const SimPacket&) override { return !swallows; }

  std::vector<FrameBytes> frames;
  std::vector<counters::DropReason> outcomes;
  std::vector<std::vector<uint8_t>> messages;
  std::vector<reliability::ReceiverEvent> events;
  bool swallows = false;
};

// Two nodes of a scenario, of which a test makes the turns.
class SimEndpointTest : public ::testing::Test {
 protected:
  static constexpr size_t kNodes = 2;
  struct Place {
    Host host;
    NodeClock clock{5 * kMs, 200};
    std::set<size_t> woken;
    std::unique_ptr<SimEndpoint> endpoint;
  };

  SimEndpointTest() {
    for (NodeScenario& each : scenario_.nodes) each.subscribe = {7};
  }
  SimEndpoint& start(size_t i) {
    Place& place = places_[i];
    place.endpoint = make_shipped_endpoint(
        i, node_config(scenario_, i, 0), endpoint_scenario(scenario_, i, 3),
        Surroundings{now_ns_, place.clock, [&place](size_t lcore) { place.woken.insert(lcore); }},
        place.host);
    return *place.endpoint;
  }
  NodeWild& wild(size_t i) { return scenario_.nodes[i].wild; }
  // Turns of all lcores, and frames carried, for so long.
  void run(uint64_t ns, uint64_t step_ns = 1'000) {
    for (const uint64_t end_ns = now_ns_ + ns; now_ns_ < end_ns; now_ns_ += step_ns) {
      for (Place& place : places_) {
        if (place.endpoint == nullptr) continue;
        for (size_t lcore = 0; lcore < SimEndpoint::kLcores; ++lcore)
          (void)place.endpoint->turn(lcore);
      }
      carry();
    }
  }
  void carry() {
    for (size_t from = 0; from < kNodes; ++from) {
      for (const FrameBytes& frame : std::exchange(places_[from].host.frames, {})) {
        Place& to = places_[1 - from];
        if (to.endpoint != nullptr) to.endpoint->arrive({kNobody, 0, false, frame});
      }
    }
  }
  [[nodiscard]] bool publish(size_t from, size_t bytes, Qos qos = Qos::kSourceOrdered) {
    return places_[from].endpoint->publish(std::vector<uint8_t>(bytes, 1), 7, qos);
  }

  uint64_t now_ns_ = 1'000;
  Scenario scenario_ = quiet_scenario(kNodes);
  std::array<Place, kNodes> places_;
};

// --- turns ---------------------------------------------------------------------------------------

TEST_F(SimEndpointTest, turn_until_nothing_is_to_do__expect_the_next_at_a_deadline_in_true_time) {
  SimEndpoint& endpoint = start(0);
  uint64_t next_ns = endpoint.turn(0);
  EXPECT_TRUE(endpoint.was_busy());
  EXPECT_EQ(next_ns, now_ns_ + 100);
  for (int turns = 0; turns < 10 && endpoint.was_busy(); ++turns) {
    now_ns_ = next_ns;
    next_ns = endpoint.turn(0);
  }
  EXPECT_FALSE(endpoint.was_busy());
  EXPECT_GT(next_ns, now_ns_ + 100);
  EXPECT_LT(next_ns, now_ns_ + kMs) << "its heartbeat, by quiet_scenario's";
}

// An empty lcore has no deadline.
TEST_F(SimEndpointTest, turn_of_an_lcore_without_stages__expect_never) {
  EXPECT_EQ(start(0).turn(3), kNever);
}

TEST_F(SimEndpointTest, something_changes__expect_the_lcore_at_the_other_end_woken) {
  wild(0).lcores = {0, 1, 2, 3};
  SimEndpoint& endpoint = start(0);
  std::set<size_t>& woken = places_[0].woken;
  EXPECT_EQ(endpoint.lcore_of(StageId::kReceive), 0u);
  EXPECT_EQ(endpoint.lcore_of(StageId::kApplication), 2u);
  woken.clear();
  endpoint.arrive({kNobody, 0, false, std::make_shared<const std::vector<uint8_t>>(60)});
  EXPECT_EQ(woken, std::set<size_t>{0});
  woken.clear();
  EXPECT_TRUE(publish(0, 20));
  EXPECT_EQ(woken, std::set<size_t>{3});
}

TEST_F(SimEndpointTest,
       publish_with_stages_on_lcores_of_their_own__expect_each_turn_to_do_its_part) {
  wild(1).lcores = {0, 1, 2, 3};
  (void)start(0);
  SimEndpoint& endpoint = start(1);
  run(2 * kMs);
  places_[1].host.messages.clear();
  ASSERT_TRUE(publish(0, 20));
  (void)places_[0].endpoint->turn(0);
  carry();
  places_[1].woken.clear();
  (void)endpoint.turn(0);
  EXPECT_EQ(endpoint.on_the_way(LinkId::kReceived), 1u);
  EXPECT_EQ(places_[1].woken, std::set<size_t>{1});
  EXPECT_EQ(endpoint.held(), 0u) << "it is between two stages";
  (void)endpoint.turn(1);
  EXPECT_EQ(endpoint.on_the_way(LinkId::kAccepted), 1u);
  EXPECT_TRUE(places_[1].host.messages.empty());
  (void)endpoint.turn(2);
  EXPECT_EQ(places_[1].host.messages.size(), 1u);
  EXPECT_EQ(endpoint.packets().held(), 0u);
}

TEST_F(SimEndpointTest, turn_in_a_drawn_order__expect_everything_all_the_same) {
  for (size_t i = 0; i < kNodes; ++i) {
    wild(i).shuffles = true;
    wild(i).most_delay_ns = 5'000;
    (void)start(i);
  }
  run(2 * kMs);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(publish(0, 20));
  run(2 * kMs);
  EXPECT_EQ(places_[1].host.messages.size(), 20u);
}

// --- publications --------------------------------------------------------------------------------

TEST_F(SimEndpointTest, publish_more_than_fits_the_link__expect_one_at_a_time_whole) {
  scenario_.nodes[0].max_publications = 16;
  (void)start(0);
  (void)start(1);
  run(2 * kMs);
  constexpr size_t kPackets = 30;
  const size_t bytes = kPackets * places_[0].endpoint->node().publisher().max_loan_bytes();
  EXPECT_TRUE(publish(0, bytes));
  EXPECT_FALSE(publish(0, 20)) << "the long one is on its way";
  EXPECT_FALSE(places_[0].endpoint->flushed());
  EXPECT_GE(places_[0].endpoint->published(), kPackets);
  run(5 * kMs);
  ASSERT_EQ(places_[1].host.messages.size(), 1u);
  EXPECT_EQ(places_[1].host.messages[0], std::vector<uint8_t>(bytes, 1));
  EXPECT_TRUE(places_[0].endpoint->flushed());
  EXPECT_EQ(places_[0].endpoint->stable(), places_[0].endpoint->published());
  EXPECT_TRUE(publish(0, 20));
}

TEST_F(SimEndpointTest, publish_what_is_not_taken__expect_false_and_nothing_under_way) {
  SimEndpoint& endpoint = start(0);
  EXPECT_FALSE(publish(0, 20, Qos::kTotallyOrdered)) << "in no view";
  EXPECT_FALSE(publish(0, 20'000, Qos::kTotallyOrdered));
  EXPECT_FALSE(publish(0, endpoint.node().publisher().max_message_bytes() + 1));
  EXPECT_FALSE(
      endpoint.publish(std::vector<uint8_t>(2'000), 7, Qos::kReliable, wire::Kind::kGroup));
  EXPECT_EQ(endpoint.packets().live(), 0u);
  size_t taken = 0;
  while (publish(0, 20)) ++taken;
  EXPECT_EQ(taken, scenario_.nodes[0].max_publications);
}

// --- wild surroundings ---------------------------------------------------------------------------

TEST_F(SimEndpointTest, an_application_that_refuses__expect_it_counted_and_everything_once) {
  wild(1).application_refusal = 0.3;
  wild(1).application_refusal_ns = 50'000;
  wild(1).port.until_ns = kNever;
  (void)start(0);
  SimEndpoint& endpoint = start(1);
  run(2 * kMs);
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(publish(0, 20));
    run(5'000);
  }
  run(5 * kMs);
  EXPECT_GT(endpoint.refusals(), 5u);
  EXPECT_EQ(places_[1].host.messages.size(), 50u);
}

TEST_F(SimEndpointTest, little_links_pools_and_a_reluctant_port__expect_everything_all_the_same) {
  for (size_t i = 0; i < kNodes; ++i) {
    wild(i).link_slots = wild(i).control_slots = 4;
    wild(i).pool.packets = 600;
    wild(i).port = {.keeps = i == 0,
                    .short_burst = 0.3,
                    .partial_burst = 0.3,
                    .refusal = 0.1,
                    .refusal_ns = 5'000,
                    .late_free_ns = 20'000,
                    .until_ns = 50 * kMs};
    (void)start(i);
  }
  run(3 * kMs);
  for (int i = 0; i < 200; ++i) {
    while (!publish(0, 20)) run(5'000);
    if (i % 8 == 0) run(5'000);
  }
  run(20 * kMs);
  EXPECT_EQ(places_[1].host.messages.size(), 200u);
  EXPECT_GT(places_[1].endpoint->links_filled(), 0u);
  EXPECT_GT(places_[0].endpoint->transmitter().counts().partial_bursts, 0u);
  EXPECT_GT(places_[0].endpoint->transmitter().counts().refusals, 0u);
}

TEST_F(SimEndpointTest, a_port_that_refuses__expect_a_turn_when_it_takes_frames_again) {
  wild(0).port = {.refusal = 1, .refusal_ns = 50'000, .until_ns = 10 * kMs};
  SimEndpoint& endpoint = start(0);
  const uint64_t next_ns = endpoint.turn(0);
  EXPECT_TRUE(places_[0].host.frames.empty());
  EXPECT_LE(next_ns, now_ns_ + 50'000);
  now_ns_ = 10 * kMs;
  (void)endpoint.turn(0);
  EXPECT_FALSE(places_[0].host.frames.empty());
}

// --- the end -------------------------------------------------------------------------------------

TEST_F(SimEndpointTest, leave__expect_its_last_words_and_no_publication_any_more) {
  SimEndpoint& endpoint = start(0);
  run(kMs);
  endpoint.leave();
  EXPECT_FALSE(publish(0, 20));
  EXPECT_FALSE(endpoint.left());
  run(5 * kMs);
  EXPECT_TRUE(endpoint.left());
}

TEST_F(SimEndpointTest, clear__expect_no_packet_left_but_those_swallowed) {
  for (size_t i = 0; i < kNodes; ++i) (void)start(i);
  run(2 * kMs);
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(publish(0, 20));
  (void)places_[0].endpoint->turn(0);
  EXPECT_NE(places_[0].endpoint->in_hand(), 0u) << "it retains them";
  EXPECT_EQ(places_[0].endpoint->clear(), 0u);
  ASSERT_TRUE(publish(1, 20));
  places_[1].host.swallows = true;
  EXPECT_NE(places_[1].endpoint->clear(), 0u);
}

// --- misuse, seen by a whole run -----------------------------------------------------------------

// Gives a packet back once more than it should.
class TwiceFreeing : public SimEndpoint {
 public:
  using SimEndpoint::SimEndpoint;
  uint64_t turn(size_t lcore) override {
    node::Loan<SimEnv> loan;
    if (!done_ && node().publisher().loan({&loan, 1}) == 1) {
      node().publisher().give_back({&loan, 1});
      node().publisher().give_back({&loan, 1});
      done_ = true;
    }
    return SimEndpoint::turn(lcore);
  }

 private:
  bool done_ = false;
};

TEST(SimEndpointInARun, free_twice__expect_it_noted_of_each_node) {
  const Report report =
      Simulation(busy_scenario(1), 1,
                 [](size_t, const auto& config, const auto& scenario, auto around, auto& host) {
                   return std::make_unique<TwiceFreeing>(config, scenario, around, host);
                 })
          .run();
  EXPECT_EQ(report.log.misuse.size(), 3u);
}

// Never gives one back.
class Hoarding : public SimEndpoint {
 public:
  using SimEndpoint::SimEndpoint;
  uint64_t turn(size_t lcore) override {
    if (!done_) done_ = node().publisher().loan({&loan_, 1}) == 1;
    return SimEndpoint::turn(lcore);
  }

 private:
  node::Loan<SimEnv> loan_;
  bool done_ = false;
};

TEST(SimEndpointInARun, keep_a_packet__expect_one_left_of_each_life) {
  const Report report =
      Simulation(busy_scenario(1), 1,
                 [](size_t, const auto& config, const auto& scenario, auto around, auto& host) {
                   return std::make_unique<Hoarding>(config, scenario, around, host);
                 })
          .run();
  for (const Life& life : report.log.lives) EXPECT_EQ(life.packets_left, 1u);
}

}  // namespace sim_endpoint_test
}  // namespace lambdacast::sim
