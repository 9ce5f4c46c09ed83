// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "lambdacast-bench/cases/groups.h"
#include "parse_words.h"

namespace lambdacast::bench {
namespace {

std::optional<GroupsOptions> parse(const app::Words& words) {
  return app::parse_words<GroupsOptions>(add_options, words);
}

TEST(GroupsOptionsTest, parse_nothing__expect_the_documented_defaults) {
  const auto options = parse({});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->rack.fabric.nodes, 4u);
  EXPECT_EQ(options->groups, std::vector{8192u});
  EXPECT_EQ(options->level, wire::Qos::kSourceOrdered);
  EXPECT_EQ(options->rounds, 5u);
  EXPECT_EQ(check(*options), "");
}

TEST(GroupsOptionsTest, parse_words__expect_each_and_a_refusal_of_others) {
  EXPECT_EQ(parse({"--groups", "1,64,1024"})->groups, (std::vector{1u, 64u, 1024u}));
  EXPECT_EQ(parse({"--level", "total"})->level, wire::Qos::kTotallyOrdered);
  for (const app::Words& wrong : {app::Words{"--groups", "0"}, app::Words{"--groups", "1048577"},
                                  app::Words{"--groups", "many"}, app::Words{"--level", "majority"},
                                  app::Words{"--nodes", "1"}, app::Words{"--payload", "15"},
                                  app::Words{"--rounds", "0"}, app::Words{"--domains", "131072"}}) {
    EXPECT_FALSE(parse(wrong)) << wrong[0] << wrong[1];
  }
}

TEST(GroupsOptionsTest, steps_that_do_not_ascend_or_odd_domains__expect_a_sentence) {
  EXPECT_EQ(check(*parse({"--groups", "64,1"})), "--groups has to ascend");
  EXPECT_EQ(check(*parse({"--groups", "64,64"})), "--groups has to ascend");
  EXPECT_EQ(check(*parse({"--domains", "3"})), "--domains has to be a power of two");
}

TEST(GroupsOptionsTest, make_a_rack__expect_room_for_all_names) {
  const auto names_of = [](const app::Words& words) {
    return rack_of(*parse(words))->endpoints.front().membership.groups.names;
  };
  EXPECT_EQ(names_of({}), 16384u);
  EXPECT_EQ(names_of({"--groups", "1,20000"}), 32768u);
  const auto config = rack_of(*parse({"--domains", "1", "--nodes", "3"}));
  ASSERT_TRUE(config);
  EXPECT_EQ(config->endpoints.size(), 3u);
  EXPECT_EQ(config->endpoints.front().membership.order.domains, 1u);
}

}  // namespace
}  // namespace lambdacast::bench
