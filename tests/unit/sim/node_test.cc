#include "sim/node.h"

#include <gtest/gtest.h>

#include "busy_scenario.h"
#include "sim/simulation.h"

namespace lambdacast::sim {
namespace {

TEST(PacketPool, allocate_and_free__expect_counts_and_reuse) {
  PacketPool pool;
  const PacketHandle first = pool.allocate();
  const PacketHandle second = pool.allocate();
  EXPECT_NE(first, second);
  EXPECT_EQ(pool.live(), 2u);
  EXPECT_TRUE(pool.free(first));
  EXPECT_FALSE(pool.free(first));
  EXPECT_EQ(pool.live(), 1u);
  EXPECT_EQ(pool.allocate(), first);
  EXPECT_EQ(pool.most(), 2u);
}

// Gives the last packet it allocated back once more than it should.
class TwiceFreeing : public SimEndpoint {
 public:
  TwiceFreeing(const endpoint::MulticastConfig& config, endpoint::Host& host)
      : SimEndpoint(config, host), host_(host) {}
  void poll(uint64_t now_ns, uint32_t most) override {
    SimEndpoint::poll(now_ns, most);
    const PacketHandle packet = host_.allocate();
    host_.free(packet);
    if (!done_) host_.free(packet);
    done_ = true;
  }

 private:
  endpoint::Host& host_;
  bool done_ = false;
};

TEST(NodeHost, free_twice__expect_it_noted) {
  const Report report = Simulation(busy_scenario(1), 1, [](size_t, const auto& config, auto& host) {
                          return std::make_unique<TwiceFreeing>(config, host);
                        }).run();
  EXPECT_EQ(report.log.misuse.size(), 3u);
}

}  // namespace
}  // namespace lambdacast::sim
