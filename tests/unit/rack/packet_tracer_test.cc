// SPDX-License-Identifier: BSD-3-Clause
#include "rack/packet_tracer.h"

#include <gtest/gtest.h>

#include "support.h"

namespace lambdacast::rack {
namespace {

using lambdacast::test::counting_bytes;
using node::Passage;
using node::StageId;

class PacketTracerTest : public ::testing::Test {
 protected:
  PacketTracerTest() {
    auto created = Rack::create(config_, {});
    EXPECT_TRUE(created) << created.error().message;
    rack_ = std::move(*created);
    EXPECT_TRUE(rack_->start());
  }
  void publish() {
    rack_->loop(1).run_here(
        [&] { EXPECT_TRUE(lambdacast::test::publish(rack_->endpoint(0), counting_bytes(20))); });
  }

  const config::Config config_ = lambdacast::test::rack_config({.defaults = "lcore = 1"});
  std::unique_ptr<Rack> rack_;
};

TEST_F(PacketTracerTest, follow_what_is_published__expect_it_to_be_sent) {
  PacketTracer tracer(*rack_);
  EXPECT_FALSE(tracer.started());
  tracer.start(StageId::kApplication, 0, 1);
  publish();
  publish();
  ASSERT_TRUE(lambdacast::test::eventually(
      [&] { return !tracer.lives().empty() && tracer.lives()[0].packet.ended; }));
  const auto lives = tracer.lives();
  ASSERT_EQ(lives.size(), 1u);
  EXPECT_EQ(lives[0].endpoint, "node0");
  ASSERT_EQ(lives[0].packet.steps.size(), 2u);
  EXPECT_EQ(lives[0].packet.steps[1].stage, StageId::kRateControl);
}

// Without an application nobody takes what ordering has handed on.
TEST_F(PacketTracerTest, follow_what_arrives__expect_it_to_come_through_the_stages_in_order) {
  PacketTracer tracer(*rack_);
  tracer.start(StageId::kReceive, 1, dpdk::PacketTrace::kMostPackets);
  publish();
  const auto through = [&]() -> std::optional<dpdk::PacketTrace::Life> {
    for (const auto& life : tracer.lives()) {
      if (life.packet.steps.back().stage == StageId::kOrdering) return life.packet;
    }
    return std::nullopt;
  };
  ASSERT_TRUE(lambdacast::test::eventually([&] { return through().has_value(); }));
  const auto life = through();
  ASSERT_EQ(life->steps.size(), 3u);
  EXPECT_EQ(life->steps[0].stage, StageId::kReceive);
  EXPECT_EQ(life->steps[1].stage, StageId::kReliability);
  for (const auto& step : life->steps) EXPECT_EQ(step.what, Passage::kOn);
}

TEST_F(PacketTracerTest, stop__expect_nothing_followed_any_more_and_what_is_known_to_stay) {
  PacketTracer tracer(*rack_);
  tracer.start(StageId::kApplication, std::nullopt, 8);
  publish();
  ASSERT_TRUE(lambdacast::test::eventually([&] { return tracer.lives().size() == 1; }));
  tracer.stop();
  EXPECT_EQ(dpdk::PacketTrace::active(), nullptr);
  publish();
  rack_->loop(1).run_here([] {});
  EXPECT_EQ(tracer.lives().size(), 1u);
  tracer.start(StageId::kApplication, std::nullopt, 8);
  EXPECT_TRUE(tracer.lives().empty());
}

}  // namespace
}  // namespace lambdacast::rack
