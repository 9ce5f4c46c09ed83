// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <functional>

#include "config/effective.h"
#include "config/key.h"
#include "support.h"

namespace lambdacast::config {
namespace {

// Two endpoints on a fabric, on lcores 3 and 5.
Config made() {
  Config config;
  config.fabric.emplace().name = "lab";
  for (const uint32_t node : {0u, 1u}) {
    Endpoint& endpoint = config.endpoints.emplace_back();
    endpoint.name = node == 0 ? "a" : "b";
    endpoint.address = *parse_ip(node == 0 ? "10.0.0.1" : "10.0.0.2");
    endpoint.wavelength = wdm::channel_from_name(node == 0 ? "C21" : "C22");
    const uint32_t lcore = 3 + 2 * node;
    endpoint.stages = {lcore, lcore, lcore, lcore};
  }
  return config;
}

std::string problems(const std::function<void(Config&)>& change) {
  Config config = made();
  change(config);
  const Loaded loaded = complete(std::move(config), "t");
  return loaded ? "" : text(loaded.error());
}

TEST(CompleteTest, complete_a_rack_made_in_code__expect_what_a_file_gives) {
  const auto config = complete(made(), "t");
  ASSERT_TRUE(config) << text(config.error());
  const Loaded file = parse(
      "[fabric]\nname = \"lab\"\n"
      "[[endpoint]]\nname = \"a\"\naddress = \"10.0.0.1\"\nwavelength = \"C21\"\nlcore = 3\n"
      "[[endpoint]]\nname = \"b\"\naddress = \"10.0.0.2\"\nwavelength = \"C22\"\nlcore = 5\n",
      "t");
  ASSERT_TRUE(file) << text(file.error());
  EXPECT_EQ(effective(*config), effective(*file));
  EXPECT_EQ(config->endpoints[1].wavelength_index, 1u);
  ASSERT_EQ(config->lcores.size(), 2u);
  EXPECT_EQ(config->lcores[1].id, 5u);
}

TEST(CompleteTest, give_an_lcore_and_a_tie_breaker__expect_both_kept_and_the_gid_filled_in) {
  Config config = made();
  config.lcores = {{.id = 5, .idle = IdlePolicy::kSpin}};
  config.endpoints[0].membership.tie_breaker = "10.0.0.2";
  const auto whole = complete(std::move(config), "t");
  ASSERT_TRUE(whole) << text(whole.error());
  EXPECT_EQ(whole->lcores[0].idle, IdlePolicy::kPause);
  EXPECT_EQ(whole->lcores[1].idle, IdlePolicy::kSpin);
  EXPECT_EQ(whole->endpoints[0].membership.views.tie_breaker, whole->endpoints[1].address.gid);
}

TEST(CompleteTest, break_a_rule_of_one_key__expect_its_name_and_what_is_allowed) {
  EXPECT_EQ(problems([](Config& c) { c.fabric->slots = 100; }),
            "t: fabric.slots: 100 is not allowed; allowed: a power of two, 64..1048576 frames\n");
  EXPECT_EQ(problems([](Config& c) { c.endpoints[0].faults.loss = 2; }),
            "t: endpoint.faults.loss: 2 is not allowed; allowed: 0..1\n");
  EXPECT_EQ(
      problems([](Config& c) { c.endpoints[1].name.clear(); }),
      "t: endpoint.name: is missing; allowed: " + std::string(name_form().description) + "\n");
}

TEST(CompleteTest, break_a_rule_between_keys__expect_it_told) {
  EXPECT_NE(problems([](Config& c) { c.endpoints[1].address = c.endpoints[0].address; }), "");
  EXPECT_NE(problems([](Config& c) { c.endpoints[1].wavelength = c.endpoints[0].wavelength; }), "");
  EXPECT_NE(problems([](Config& c) { c.endpoints[1].wavelength.reset(); }), "");
  EXPECT_NE(problems([](Config& c) { c.fabric.reset(); }), "");
  EXPECT_NE(problems([](Config& c) { c.endpoints.clear(); }), "");
  EXPECT_NE(problems([](Config& c) { c.endpoints[0].reliability.transmit_window_pkts = 1 << 16; }),
            "");
  EXPECT_EQ(problems([](Config&) {}), "");
}

}  // namespace
}  // namespace lambdacast::config
