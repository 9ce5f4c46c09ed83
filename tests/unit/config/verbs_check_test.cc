// SPDX-License-Identifier: BSD-3-Clause
// What a verbs device leaves an endpoint to choose.
#include "support.h"

namespace lambdacast::config {
namespace {

// Four lines; what a test appends is line 5.
const std::string kVerbs =
    "[[endpoint]]\n"
    "name = \"a\"\n"
    "address = \"10.0.0.1\"\n"
    "port = \"verbs:mlx5_0\"\n";

TEST(VerbsCheck, port_alone_expect_no_problem) {
  const Config config = loaded(kVerbs);
  ASSERT_EQ(config.endpoints.size(), 1u);
  EXPECT_EQ(config.endpoints[0].port, "verbs:mlx5_0");
  EXPECT_EQ(problems_of(kVerbs + "qkey = 0x7fffffff\npkey = 0x8001\npath_mtu = 1024\n"), "");
}

TEST(VerbsCheck, what_the_device_does_expect_a_problem_each) {
  EXPECT_EQ(problems_of(kVerbs + "data_qpn = 0x20\n"),
            "t:5: endpoint.data_qpn: 0x20 is the device's to choose, and the port of endpoint "
            "\"a\" is verbs:mlx5_0; allowed: no data_qpn\n");
  const std::string keys[] = {"control_qpn = 0x20", "icrc = \"off\"", "vlan = 7",
                              "mac = \"02:00:00:00:00:01\"", "rx_ports = [\"net_null0\"]"};
  for (const std::string& key : keys) {
    const std::string said = problems_of(kVerbs + key + "\n");
    EXPECT_NE(said.find("the port of endpoint \"a\" is verbs:mlx5_0; allowed: no "),
              std::string::npos)
        << said;
    EXPECT_EQ(said.find("t:5: endpoint."), 0u) << said;
  }
}

TEST(VerbsCheck, controlled_qkey_expect_a_problem) {
  EXPECT_NE(problems_of(kVerbs + "qkey = 0x80000000\n").find("allowed: 0..0x7fffffff"),
            std::string::npos);
}

TEST(VerbsCheck, neighbors_expect_a_problem) {
  const std::string said = problems_of(kVerbs +
                                       "[[endpoint.neighbor]]\n"
                                       "address = \"10.0.0.2\"\n"
                                       "mac = \"02:00:00:00:00:02\"\n");
  EXPECT_NE(said.find("the kernel resolves addresses"), std::string::npos) << said;
}

TEST(VerbsCheck, membership_expect_a_problem) {
  EXPECT_NE(problems_of(kVerbs + "membership = { enabled = true }\n").find("allowed: false"),
            std::string::npos);
}

TEST(VerbsCheck, two_endpoints_on_one_device_expect_no_problem) {
  const std::string second =
      "[[endpoint]]\nname = \"b\"\naddress = \"fd00::1\"\nport = \"verbs:mlx5_0\"\n";
  EXPECT_EQ(problems_of(kVerbs + second), "");
}

TEST(VerbsCheck, small_pool_expect_both_receive_queues_counted) {
  const std::string sizes = "rx_descriptors = 1024\ntx_descriptors = 1024\n";
  EXPECT_NE(problems_of(kVerbs + sizes + "mbufs = 5183\n").find("mbufs of at least 5184"),
            std::string::npos);
  EXPECT_EQ(problems_of(kVerbs + sizes + "mbufs = 5184\n"), "");
}

}  // namespace
}  // namespace lambdacast::config
