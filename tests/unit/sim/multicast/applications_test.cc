// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/applications.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "busy_scenario.h"
#include "sim/multicast/message.h"
#include "sim/multicast/simulation.h"

namespace lambdacast::sim {
namespace {

// Of node 0, without the last ones of all.
std::vector<Publication> published(const Scenario& scenario) {
  std::vector<Publication> out = Simulation(scenario, 1).run().log.publications;
  std::erase_if(out, [](const Publication& each) { return each.epilogue; });
  return out;
}

TEST(Applications, batches__expect_them_at_their_times) {
  Scenario scenario = busy_scenario(10);
  scenario.nodes[0].traffic.batch_packets = 4;
  scenario.nodes[0].traffic.publish_every_ns = 2'000;
  const auto all = published(scenario);
  ASSERT_EQ(all.size(), 10u);
  for (uint64_t i = 0; i < all.size(); ++i)
    EXPECT_EQ(all[i].accepted_ns, 1'000'000 + i / 4 * 2'000) << i;
}

TEST(Applications, several_groups_and_levels__expect_groups_in_turn_and_each_level) {
  Scenario scenario = busy_scenario(300);
  Traffic& traffic = scenario.nodes[0].traffic;
  traffic.publish_to = {7, 8, 9};
  traffic.unreliable_weight = traffic.reliable_weight = 1;
  traffic.total_weights = {1, 1, 1, 1};  // without membership they count for nothing
  std::map<wire::Qos, uint64_t> levels;
  const auto all = published(scenario);
  ASSERT_EQ(all.size(), 300u);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].group, 7 + i % 3);
    EXPECT_GE(all[i].bytes, traffic.min_message_bytes);
    EXPECT_LE(all[i].bytes, traffic.max_message_bytes);
    ++levels[all[i].qos];
  }
  ASSERT_EQ(levels.size(), 3u);
  for (const auto& [level, count] : levels) EXPECT_GT(count, 60u) << static_cast<int>(level);
}

TEST(Applications, more_than_its_endpoint_takes__expect_the_rest_later_and_none_left_out) {
  Scenario scenario = busy_scenario(40);
  scenario.nodes[0].max_publications = 8;
  scenario.nodes[0].traffic.batch_packets = 40;
  scenario.nodes[0].pacer = {1'000'000, 4};
  const auto all = published(scenario);
  ASSERT_EQ(all.size(), 40u);
  EXPECT_EQ(std::count_if(all.begin(), all.end(),
                          [](const Publication& each) { return each.accepted_ns == 1'000'000; }),
            8);
  EXPECT_GT(all.back().accepted_ns, 1'020'000u);
}

TEST(Applications, long_ones__expect_some_of_several_packets) {
  Scenario scenario = busy_scenario(200);
  scenario.nodes[0].traffic.long_one_in = 4;
  scenario.nodes[0].traffic.long_from = wire::Qos::kSourceOrdered;
  scenario.nodes[0].traffic.publish_every_ns = 10'000;
  const auto all = published(scenario);
  const auto longer = std::count_if(all.begin(), all.end(), [&](const Publication& each) {
    return each.bytes >= scenario.path_mtu;
  });
  EXPECT_GT(longer, 25);
  EXPECT_LT(longer, 100);
}

TEST(Applications, epilogue__expect_the_last_messages_of_everybody) {
  const Log log = Simulation(busy_scenario(1), 1).run().log;
  std::map<uint32_t, uint32_t> last;
  for (const Publication& each : log.publications) {
    if (each.epilogue) ++last[each.life];
    EXPECT_EQ(each.epilogue, each.group == kEpilogueGroup);
  }
  ASSERT_EQ(last.size(), 3u);
  for (const auto& [life, count] : last) EXPECT_EQ(count, kEpilogueMessages) << life;
}

}  // namespace
}  // namespace lambdacast::sim
