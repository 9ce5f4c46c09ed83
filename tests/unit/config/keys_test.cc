// SPDX-License-Identifier: BSD-3-Clause
// Each key alone: what it refuses, in which words, and what it holds when accepted.
#include "config/key.h"
#include "support.h"

namespace lambdacast::config {
namespace keys_test {

// A line in the endpoint's section of the minimal file, as line 8.
std::string endpoint_line(const std::string& line) { return problems_of(kMinimal + line + "\n"); }

TEST(Keys, path_mtu) {
  EXPECT_EQ(endpoint_line("path_mtu = 1500"),
            "t:8: endpoint.path_mtu: 1500 is not allowed; allowed: 256, 512, 1024, 2048 or 4096 "
            "bytes\n");
  EXPECT_EQ(loaded(kMinimal + "path_mtu = 1024").endpoints[0].path_mtu, 1024u);
}

struct Refusal {
  const char* line;
  const char* value;
  const char* allowed;
};

TEST(Keys, endpoint_refusals) {
  const Refusal refusals[] = {
      {"mac = \"01:00:5e:00:00:01\"", "", "six hexadecimal pairs, not a group address"},
      {"multicast = \"10.0.0.9\"", "", "a multicast address of the family of address"},
      {"vlan = 0", "", "1..4094"},
      {"vlan = 4095", "", "1..4094"},
      {"data_qpn = 1", "", "2..0xfffffe"},
      {"control_qpn = 0xffffff", "0xFFFFFF", "2..0xfffffe"},
      {"qkey = -1", "", "0..0xffffffff"},
      {"pkey = 65536", "", "0..0xffff"},
      {"lcore = 128", "", "0..127"},
      {"burst = 0", "", "1..256 packets"},
      {"burst = 257", "", "1..256 packets"},
      {"link_slots = 1000", "", "a power of two, 64..65536 packets"},
      {"rx_descriptors = 31", "", "32..32768 descriptors"},
      {"tx_descriptors = 32769", "", "32..32768 descriptors"},
      {"mbufs = 511", "", "512..4194304 mbufs"},
      {"max_peers = 0", "", "1..1024 transmitters"},
      {"max_peers = 1025", "", "1..1024 transmitters"},
      {"groups = [ 0 ]", "", "at most 65536 of 1..0xffffffff, none twice"},
      {"groups = [ 3, 3 ]", "", "at most 65536 of 1..0xffffffff, none twice"},
      {"rate_pps = 1000000001", "", "0..1000000000 packets/s"},
      {"stages.ordering = 128", "", "0..127"},
      {"faults.loss = 1.5", "", "0..1"},
      {"faults.loss = nan", "", "0..1"},
      {"faults.corrupt = -0.5", "", "0..1"},
      {"faults.duplicate = inf", "", "0..1"},
      {"faults.seed = -1", "", "0..9223372036854775807"},
      {"traffic.group = 0", "", "1..0xffffffff"},
      {"traffic.payload_bytes = 16777217", "", "0..16777216 bytes"},
      {"traffic.rate_pps = -5", "", "0..1000000000 packets/s"},
      {"traffic.qos = \"ordered\"", "",
       "\"unreliable\", \"reliable\", \"source\", \"total\", \"k\", \"majority\" or \"resilient\""},
      {"reliability.receive_window = 1000", "", "a power of two, 64..32768 packets"},
      {"reliability.slow_receiver = \"wait\"", "", "\"pace\" or \"evict\""},
      {"reliability.repair_share = 100", "", "1..99 percent"},
  };
  for (const Refusal& each : refusals) {
    const std::string line = each.line;
    const std::size_t equals = line.find(" = ");
    std::string value = *each.value ? each.value : line.substr(equals + 3);
    EXPECT_EQ(endpoint_line(line), "t:8: endpoint." + line.substr(0, equals) + ": " + value +
                                       " is not allowed; allowed: " + each.allowed + "\n");
  }
}

TEST(Keys, own_keys_of_an_endpoint) {
  const std::string head = "[fabric]\nname = \"lab\"\n[[endpoint]]\n";
  EXPECT_EQ(
      problems_of(head + "name = \"a b\"\naddress = \"10.0.0.1\"\nwavelength = \"C21\""),
      "t:4: endpoint.name: \"a b\" is not allowed; allowed: 1 to 32 characters of A-Z a-z 0-9 "
      "_ . -\n");
  EXPECT_EQ(problems_of(head + "name = \"a\"\naddress = \"239.0.0.1\"\nwavelength = \"C21\""),
            "t:5: endpoint.address: \"239.0.0.1\" is not allowed; allowed: an IPv4 or IPv6 unicast "
            "address\n");
  EXPECT_EQ(problems_of(head + "name = \"a\"\naddress = \"10.0.0.1\"\nwavelength = \"C20\""),
            "t:6: endpoint.wavelength: \"C20\" is not allowed; allowed: \"C21\" to \"C60\" or "
            "\"H21\" to \"H60\"\n");
  EXPECT_EQ(problems_of(head + "name = \"a\"\naddress = \"10.0.0.1\"\nport = \"/dev/eth0\""),
            "t:6: endpoint.port: \"/dev/eth0\" is not allowed; allowed: a DPDK device with any "
            ",argument=value, or verbs:DEVICE[/PORT]\n");
}

TEST(Keys, fabric_refusals) {
  const std::string tail =
      "\n[[endpoint]]\nname = \"a\"\naddress = \"10.0.0.1\"\nwavelength = \"C21\"";
  const Refusal refusals[] = {
      {"wavelengths = 0", "", "1..80 wavelengths"},
      {"wavelengths = 81", "", "1..80 wavelengths"},
      {"slots = 32", "", "a power of two, 64..1048576 frames"},
      {"slots = 1000", "", "a power of two, 64..1048576 frames"},
      {"frame_bytes = 1517", "", "1518..9216 bytes"},
      {"frame_bytes = 9217", "", "1518..9216 bytes"},
  };
  for (const Refusal& each : refusals) {
    const std::string line = each.line;
    const std::size_t equals = line.find(" = ");
    EXPECT_EQ(problems_of("[fabric]\nname = \"lab\"\n" + line + tail),
              "t:3: fabric." + line.substr(0, equals) + ": " + line.substr(equals + 3) +
                  " is not allowed; allowed: " + each.allowed + "\n");
  }
}

TEST(Keys, lcore_and_eal) {
  EXPECT_EQ(
      problems_of(kMinimal + "[[lcore]]\nid = 0\nidle = \"nap\""),
      "t:10: lcore.idle: \"nap\" is not allowed; allowed: \"spin\", \"pause\" or \"sleep\"\n");
  EXPECT_EQ(problems_of(kMinimal + "[[lcore]]\nid = 0\nidle = \"sleep\"\nsleep_us = 0"),
            "t:11: lcore.sleep_us: 0 is not allowed; allowed: 1..10000 us\n");
  EXPECT_EQ(
      problems_of(kMinimal + "[eal]\nargs = [\"--\"]"),
      "t:9: eal.args: [ \"--\" ] is not allowed; allowed: at most 64, each 1 to 256 printable "
      "characters, not \"--\"\n");
  const Config config = loaded(kMinimal + "[eal]\nargs = [\"-m\", \"256\"]");
  EXPECT_EQ(config.eal_args, (std::vector<std::string>{"-m", "256"}));
}

}  // namespace keys_test
}  // namespace lambdacast::config
