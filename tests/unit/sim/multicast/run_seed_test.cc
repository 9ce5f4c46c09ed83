#include "sim/multicast/run_seed.h"

#include <gtest/gtest.h>

#include "sim/multicast/random_scenario.h"

namespace lambdacast::sim {
namespace {

TEST(RunSeed, shipped_core__expect_no_violation_and_the_trace_of_its_scenario) {
  const SeedResult result = run_seed(3);
  EXPECT_EQ(result.violations, Violations{});
  EXPECT_EQ(result.coverage.seeds, 1u);
  EXPECT_EQ(result.trace_hash, Simulation(random_scenario(3), 3).run().trace_hash);
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
  const Log log = Simulation(random_scenario(3), 3).run().log;
  EXPECT_EQ(frames, log.frames.size() + log.control_frames);
}

// Delivers nothing at all.
class Deaf : public SimEndpoint {
 public:
  using SimEndpoint::SimEndpoint;
  void receive(std::span<const std::span<const uint8_t>>, uint64_t,
               std::span<counters::DropReason> outcomes) override {
    std::fill(outcomes.begin(), outcomes.end(), counters::DropReason::kBadIcrc);
  }
};

TEST(RunSeed, broken_core__expect_violations) {
  const auto broken = [](size_t, const node::MulticastConfig& config, node::Host& host) {
    return std::make_unique<Deaf>(config, host);
  };
  EXPECT_FALSE(run_seed(3, broken).violations.empty());
}

}  // namespace
}  // namespace lambdacast::sim
