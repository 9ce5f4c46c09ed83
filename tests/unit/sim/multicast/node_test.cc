#include "sim/multicast/node.h"

#include <gtest/gtest.h>

#include "busy_scenario.h"
#include "sim/multicast/simulation.h"

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

TEST(PacketPool, allocate_while_receiving__expect_it_counted_as_held_until_freed) {
  PacketPool pool;
  const PacketHandle own = pool.allocate();
  pool.set_receiving(true);
  const PacketHandle received = pool.allocate();
  pool.set_receiving(false);
  EXPECT_EQ(pool.held(), 1u);
  EXPECT_TRUE(pool.free(own));
  EXPECT_EQ(pool.held(), 1u);
  EXPECT_TRUE(pool.free(received));
  EXPECT_EQ(pool.held(), 0u);
  (void)pool.allocate();
  EXPECT_EQ(pool.held(), 0u);
}

// Gives the last packet it allocated back once more than it should.
class TwiceFreeing : public SimEndpoint {
 public:
  TwiceFreeing(const node::MulticastConfig& config, node::Host& host)
      : SimEndpoint(config, host), host_(host) {}
  void poll(uint64_t now_ns, uint32_t most) override {
    SimEndpoint::poll(now_ns, most);
    const PacketHandle packet = host_.allocate();
    host_.free(packet);
    if (!done_) host_.free(packet);
    done_ = true;
  }

 private:
  node::Host& host_;
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
