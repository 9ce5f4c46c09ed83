// SPDX-License-Identifier: BSD-3-Clause
// Sections of a file: their shapes, and what an endpoint takes from the defaults.
#include "support.h"

namespace lambdacast::config {
namespace {

TEST(Draft, endpoint_overrides_defaults_key_by_key) {
  const Config config = loaded(
      "[endpoint_defaults]\nburst = 8\nlcore = 1\nstages = { ordering = 2 }\n"
      "faults = { loss = 0.5, seed = 9 }\n[traffic]\nenabled = true\ngroup = 5\n" +
      kMinimal + "faults = { corrupt = 1 }\ntraffic = { group = 6 }\n" +
      "[[endpoint]]\nname = \"c\"\naddress = \"10.0.0.3\"\nwavelength = \"C23\"\nburst = 16\n"
      "lcore = 4\nstages = { receive = 5 }");
  const Endpoint& a = config.endpoints.at(0);
  EXPECT_EQ(a.burst, 8u);
  EXPECT_EQ(a.stages, (StageLcores{1, 1, 2, 1}));
  EXPECT_EQ(a.faults.loss, 0.5);
  EXPECT_EQ(a.faults.corrupt, 1.0);
  EXPECT_EQ(a.faults.seed, 9u);
  EXPECT_TRUE(a.traffic.enabled);
  EXPECT_EQ(a.traffic.group, 6u);
  const Endpoint& c = config.endpoints.at(1);
  EXPECT_EQ(c.burst, 16u);
  EXPECT_EQ(c.stages, (StageLcores{5, 4, 4, 4}));
  EXPECT_EQ(c.traffic.group, 5u);
  std::vector<uint32_t> ids;
  for (const Lcore& lcore : config.lcores) ids.push_back(lcore.id);
  EXPECT_EQ(ids, (std::vector<uint32_t>{1, 2, 4, 5}));
}

TEST(Draft, v6_endpoint_has_a_v6_group) {
  const Config config =
      loaded("[[endpoint]]\nname = \"a\"\naddress = \"fd00::1\"\nport = \"net_null0\"");
  EXPECT_EQ(config.endpoints[0].multicast, default_multicast(true));
}

TEST(Draft, defaults_refuse_what_belongs_to_one_endpoint) {
  EXPECT_EQ(
      problems_of("[endpoint_defaults]\nmac = \"02:00:00:00:00:01\"\n" + kMinimal).substr(0, 103),
      "t:2: endpoint_defaults.mac: \"02:00:00:00:00:01\" is set for an unknown key, it belongs "
      "to [[endpoint]] o");
}

TEST(Draft, sections_of_the_wrong_shape) {
  EXPECT_EQ(problems_of("fabric = 3\n[[endpoint]]\nname = \"a\"\naddress = \"10.0.0.1\"\n"
                        "wavelength = \"C21\""),
            "t:1: fabric: 3 is not a table; allowed: [fabric] once\n");
  EXPECT_EQ(problems_of("[endpoint]\nname = \"a\""),
            "t:1: endpoint: a table is not a list of tables; allowed: [[endpoint]] for each\n");
  EXPECT_EQ(problems_of("endpoint = [1, 2]"),
            "t:1: endpoint: [ 1, 2 ] is not a list of tables; allowed: [[endpoint]] for each\n");
}

}  // namespace
}  // namespace lambdacast::config
