// SPDX-License-Identifier: BSD-3-Clause
// Reading a section by its table of keys: types, missing and unknown keys, how values are shown.
#include "support.h"

namespace lambdacast::config {
namespace reader_test {

// A line in the endpoint's section of the minimal file, as line 8.
std::string endpoint_line(const std::string& line) { return problems_of(kMinimal + line + "\n"); }

TEST(Reader, wrong_types_name_both) {
  EXPECT_EQ(endpoint_line("burst = \"32\""),
            "t:8: endpoint.burst: \"32\" is a string, not an integer; allowed: 1..256 packets\n");
  EXPECT_EQ(
      endpoint_line("burst = 32.0"),
      "t:8: endpoint.burst: 32.0 is a number with a fraction, not an integer; allowed: 1..256 "
      "packets\n");
  EXPECT_EQ(
      endpoint_line("icrc = true"),
      "t:8: endpoint.icrc: true is a boolean, not a string; allowed: \"full\", \"generate\" or "
      "\"off\"\n");
  EXPECT_EQ(endpoint_line("groups = 7"),
            "t:8: endpoint.groups: 7 is an integer, not a list of integers; allowed: at most 65536 "
            "of 1..0xffffffff, none twice\n");
  EXPECT_EQ(
      endpoint_line("groups = [1, \"two\"]"),
      "t:8: endpoint.groups: [ 1, \"two\" ] is not a list of integers; allowed: at most 65536 "
      "of 1..0xffffffff, none twice\n");
  EXPECT_EQ(endpoint_line("lcore = {}"),
            "t:8: endpoint.lcore: a table is a table, not an integer; allowed: 0..127\n");
  EXPECT_EQ(endpoint_line("faults = 0.1"),
            "t:8: endpoint.faults: 0.1 is not a table; allowed: [endpoint.faults] once\n");
}

TEST(Reader, missing_keys_stand_at_the_section) {
  EXPECT_EQ(problems_of("\n[fabric]\n\n[[endpoint]]\n[[lcore]]\nidle = \"spin\""),
            "t:2: fabric.name: is missing; allowed: 1 to 32 characters of A-Z a-z 0-9 _ . -\n"
            "t:4: endpoint.name: is missing; allowed: 1 to 32 characters of A-Z a-z 0-9 _ . -\n"
            "t:4: endpoint.address: is missing; allowed: an IPv4 or IPv6 unicast address\n"
            "t:4: endpoint: has neither wavelength nor port; allowed: one of the two\n"
            "t:5: lcore.id: is missing; allowed: 0..127\n");
}

TEST(Reader, unknown_ones_get_a_hint) {
  const std::string keys =
      "name, address, wavelength, port, rx_ports, rx_queues, on_port_loss, mac, multicast, "
      "vlan, path_mtu, data_qpn, control_qpn, "
      "qkey, "
      "pkey, icrc, lcore, burst, link_slots, rx_descriptors, tx_descriptors, mbufs, max_peers, "
      "max_message_bytes, reassembly_bytes, reassembly_ms, reassembly_recoverable_ms, coalesce_us, "
      "groups, rate_pps, stages, faults, optical, reliability, membership, requests, rate, "
      "traffic, group_rate, neighbor\n";
  EXPECT_EQ(
      endpoint_line("brust = 64"),
      "t:8: endpoint.brust: 64 is set for an unknown key, did you mean burst?; allowed: " + keys);
  EXPECT_EQ(endpoint_line("colour = \"red\""),
            "t:8: endpoint.colour: \"red\" is set for an unknown key; allowed: " + keys);
  EXPECT_EQ(endpoint_line("slots = 64"),
            "t:8: endpoint.slots: 64 is set for an unknown key, it belongs to [fabric]; allowed: " +
                keys);
  EXPECT_EQ(endpoint_line("[endpoint.traffic]\nburst = 8"),
            "t:9: endpoint.traffic.burst: 8 is set for an unknown key, it belongs to [[endpoint]]; "
            "allowed: enabled, group, payload_bytes, coalesce, rate_pps, qos\n");
  EXPECT_EQ(
      endpoint_line("[fabrics]\nname = \"x\""),
      "t:8: fabrics: a table is set for an unknown key, did you mean fabric?; allowed: fabric, "
      "endpoint_defaults, endpoint, traffic, lcore, eal\n");
}

TEST(Reader, shows_long_values_cut_and_odd_ones_escaped) {
  const std::string tail = " is not allowed; allowed: 1 to 32 characters of A-Z a-z 0-9 _ . -\n";
  EXPECT_EQ(problems_of("[fabric]\nname = \"" + std::string(80, 'x') + "\"\n" + kSecond),
            "t:2: fabric.name: \"" + std::string(59, 'x') + "..." + tail);
  EXPECT_EQ(problems_of("[fabric]\nname = \"\\u00e4\\n\\u0000\"\n" + kSecond),
            "t:2: fabric.name: \"\\u00E4\\n\\u0000\"" + tail);
  EXPECT_EQ(problems_of("\"\\u00e4\\n\" = 1\n" + kSecond),
            "t:1: ???: 1 is set for an unknown key; allowed: fabric, endpoint_defaults, endpoint, "
            "traffic, lcore, eal\n");
}

}  // namespace reader_test
}  // namespace lambdacast::config
