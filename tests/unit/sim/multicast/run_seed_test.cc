// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/run_seed.h"

#include <gtest/gtest.h>

#include "sim/multicast/random_scenario.h"

namespace lambdacast::sim {
namespace {

TEST(RunSeed, shipped_core__expect_no_violation_and_the_trace_of_its_scenario) {
  const SeedResult result = run_seed(3);
  EXPECT_EQ(result.violations, Violations{});
  EXPECT_EQ(result.coverage.seeds, 1u);
  EXPECT_EQ(result.trace_hash, Simulation(scenario_of_seed(3), 3).run().trace_hash);
}

TEST(RunSeed, with_a_trace__expect_the_same_run_and_its_lines) {
  size_t lines = 0;
  const SeedResult result =
      run_seed(3, make_shipped_endpoint, [&](const std::string&) { ++lines; });
  EXPECT_EQ(result.trace_hash, run_seed(3).trace_hash);
  EXPECT_GT(lines, 100u);
}

TEST(RunSeed, with_a_tap__expect_the_same_run_and_each_frame_once) {
  uint64_t frames = 0;
  uint64_t last_ns = 0;
  const SeedResult result = run_seed(3, make_shipped_endpoint, nullptr,
                                     [&](std::span<const uint8_t> frame, uint64_t now_ns) {
                                       EXPECT_NE(FrameView(frame).kind(), FrameView::Kind::kOther);
                                       EXPECT_GE(now_ns, last_ns);
                                       last_ns = now_ns;
                                       ++frames;
                                     });
  EXPECT_EQ(result.trace_hash, run_seed(3).trace_hash);
  const Log log = Simulation(scenario_of_seed(3), 3).run().log;
  EXPECT_EQ(frames, log.frames.size() + log.control_frames);
}

// Hears nothing at all.
class Deaf final : public SimEndpoint {
 public:
  using SimEndpoint::SimEndpoint;
  void arrive(Waiting) override {}
};

TEST(RunSeed, deaf_nodes__expect_violations) {
  const EndpointFactory deaf = [](size_t, const node::NodeConfig& config,
                                  const EndpointScenario& scenario, Surroundings around,
                                  NodeHost& host) {
    return std::make_unique<Deaf>(config, scenario, around, host);
  };
  EXPECT_FALSE(run_seed(3, deaf).violations.empty());
}

}  // namespace
}  // namespace lambdacast::sim
