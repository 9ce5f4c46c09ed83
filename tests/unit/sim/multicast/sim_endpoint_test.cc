#include "sim/multicast/sim_endpoint.h"

#include <gtest/gtest.h>

#include "busy_scenario.h"
#include "sim/multicast/simulation.h"

namespace lambdacast::sim {
namespace {

// How often the given node was busy when it made a turn, and how many turns it made.
struct Turns {
  uint64_t made = 0;
  uint64_t busy = 0;
};

class Watched final : public SimEndpoint {
 public:
  Watched(const node::NodeConfig& config, const EndpointScenario& scenario, Surroundings around,
          NodeHost& host, Turns& turns)
      : SimEndpoint(config, scenario, std::move(around), host), turns_(turns) {}
  uint64_t turn(size_t lcore) override {
    const uint64_t next_ns = SimEndpoint::turn(lcore);
    ++turns_.made;
    turns_.busy += was_busy() ? 1 : 0;
    return next_ns;
  }

 private:
  Turns& turns_;
};

Log run(const Scenario& scenario, Turns& turns) {
  Simulation simulation(scenario, 1,
                        [&](size_t, const node::NodeConfig& config, const EndpointScenario& of,
                            Surroundings around, NodeHost& host) {
                          return std::make_unique<Watched>(config, of, std::move(around), host,
                                                           turns);
                        });
  return simulation.run().log;
}

uint64_t delivered(const Log& log) {
  uint64_t count = 0;
  for (const Told& told : log.told)
    count += told.is_message() && told.group == 7 && told.intact ? 1 : 0;
  return count;
}

TEST(SimEndpoint, messages_on_one_lcore__expect_all_delivered_and_few_turns_in_vain) {
  Turns turns;
  const Log log = run(busy_scenario(200), turns);
  EXPECT_EQ(delivered(log), 400u);
  EXPECT_LT(turns.made, 3 * turns.busy);
}

TEST(SimEndpoint, a_lcore_for_each_stage__expect_the_same_delivered) {
  Turns turns;
  Scenario scenario = busy_scenario(200);
  for (NodeScenario& node : scenario.nodes) node.wild.lcores = {0, 1, 2, 3};
  EXPECT_EQ(delivered(run(scenario, turns)), 400u);
}

TEST(SimEndpoint, links_of_four_and_an_application_that_refuses__expect_the_same_delivered) {
  Turns turns;
  Scenario scenario = busy_scenario(200);
  for (NodeScenario& node : scenario.nodes) {
    node.wild.link_slots = 4;
    node.wild.application_refusal = 0.2;
    node.wild.application_refusal_ns = 20'000;
    node.wild.port.until_ns = 4'000'000;
  }
  const Log log = run(scenario, turns);
  EXPECT_EQ(delivered(log), 400u);
  EXPECT_GT(log.lives[1].application_refusals, 0u);
  EXPECT_GT(log.lives[1].links_filled, 0u);
}

}  // namespace
}  // namespace lambdacast::sim
