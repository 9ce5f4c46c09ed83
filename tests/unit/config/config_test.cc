// SPDX-License-Identifier: BSD-3-Clause
#include "config/config.h"

#include <unistd.h>

#include "support.h"

namespace lambdacast::config {
namespace {

TEST(Parse, minimal_file_has_the_defaults) {
  const Config config = loaded(kMinimal);
  ASSERT_TRUE(config.fabric);
  EXPECT_EQ(config.fabric->name, "lab");
  EXPECT_EQ(config.fabric->wavelengths, 40u);
  EXPECT_EQ(config.fabric->slots, 1024u);
  EXPECT_EQ(config.fabric->frame_bytes, 4464u);
  ASSERT_EQ(config.endpoints.size(), 1u);
  const Endpoint& endpoint = config.endpoints[0];
  EXPECT_EQ(endpoint.name, "a");
  EXPECT_EQ(endpoint.address.text, "10.0.0.1");
  EXPECT_EQ(endpoint.wavelength, wdm::Channel{0});
  EXPECT_EQ(endpoint.port, "");
  EXPECT_FALSE(endpoint.mac);
  EXPECT_FALSE(endpoint.vlan);
  EXPECT_EQ(endpoint.multicast.text, "239.255.77.1");
  EXPECT_EQ(endpoint.path_mtu, 4096u);
  EXPECT_EQ(endpoint.burst, 32u);
  EXPECT_EQ(endpoint.max_peers, 80u);
  EXPECT_EQ(endpoint.icrc, wire::IcrcMode::kFull);
  EXPECT_EQ(endpoint.groups, std::vector<uint32_t>{1});
  EXPECT_FALSE(endpoint.traffic.enabled);
  ASSERT_EQ(config.lcores.size(), 1u);
  EXPECT_EQ(config.lcores[0].id, 0u);
  EXPECT_EQ(config.lcores[0].idle, IdlePolicy::kPause);
  EXPECT_TRUE(config.eal_args.empty());
  EXPECT_TRUE(config.warnings.empty());
}

TEST(Parse, every_value_arrives) {
  const Config config = loaded(
      "[[endpoint]]\nname = \"x\"\naddress = \"fd00::7\"\nport = \"0000:3b:00.0\"\n"
      "mac = \"02:00:00:00:00:07\"\nmulticast = \"ff15::9\"\nvlan = 77\npath_mtu = 512\n"
      "data_qpn = 0x100\ncontrol_qpn = 0x101\nqkey = 0xffffffff\npkey = 0x7fff\nlcore = 3\n"
      "burst = 64\nlink_slots = 128\nrx_descriptors = 256\ntx_descriptors = 512\nmbufs = 4_096\n"
      "max_peers = 7\nicrc = \"generate\"\ngroups = [4, 5, 0xffffffff]\nrate_pps = 1000\n"
      "traffic = { enabled = true, group = 4, payload_bytes = 0, rate_pps = 9 }\n"
      "[[lcore]]\nid = 3\nidle = \"sleep\"\nsleep_us = 100");
  const Endpoint& e = config.endpoints.at(0);
  EXPECT_FALSE(config.fabric);
  EXPECT_TRUE(e.address.is_v6);
  EXPECT_EQ(e.port, "0000:3b:00.0");
  EXPECT_FALSE(e.wavelength);
  EXPECT_EQ(e.mac, (wire::MacAddress{{2, 0, 0, 0, 0, 7}}));
  EXPECT_EQ(e.multicast.text, "ff15::9");
  EXPECT_EQ(e.vlan, 77);
  EXPECT_EQ(e.path_mtu, 512u);
  EXPECT_EQ(e.data_qpn, 0x100u);
  EXPECT_EQ(e.control_qpn, 0x101u);
  EXPECT_EQ(e.qkey, 0xffffffffu);
  EXPECT_EQ(e.pkey, 0x7fff);
  EXPECT_EQ(e.stages, (StageLcores{3, 3, 3, 3}));
  EXPECT_EQ(e.burst, 64u);
  EXPECT_EQ(e.link_slots, 128u);
  EXPECT_EQ(e.rx_descriptors, 256u);
  EXPECT_EQ(e.tx_descriptors, 512u);
  EXPECT_EQ(e.mbufs, 4096u);
  EXPECT_EQ(e.max_peers, 7u);
  EXPECT_EQ(e.icrc, wire::IcrcMode::kGenerate);
  EXPECT_EQ(e.groups, (std::vector<uint32_t>{4, 5, 0xffffffff}));
  EXPECT_EQ(e.pacer.units_per_second, 1000u);
  EXPECT_TRUE(e.traffic.enabled);
  EXPECT_EQ(e.traffic.group, 4u);
  EXPECT_EQ(e.traffic.payload_bytes, 0u);
  EXPECT_EQ(e.traffic.rate_pps, 9u);
  EXPECT_EQ(config.lcores.at(0).idle, IdlePolicy::kSleep);
  EXPECT_EQ(config.lcores.at(0).sleep_us, 100u);
}

TEST(Parse, all_problems_at_once_by_line) {
  EXPECT_EQ(
      problems_of("[fabric]\nslots = 100\n\n[[endpoint]]\nname = \"a\"\naddress = \"10.0.0.1\"\n"
                  "wavelength = \"C21\"\nburst = 0\ndata_qpn = 18\n\n[[endpoint]]\nname = \"a\"\n"
                  "address = \"10.0.0.2\"\nwavelength = \"D1\"\n"),
      "t:1: fabric.name: is missing; allowed: 1 to 32 characters of A-Z a-z 0-9 _ . -\n"
      "t:2: fabric.slots: 100 is not allowed; allowed: a power of two, 64..1048576 frames\n"
      "t:8: endpoint.burst: 0 is not allowed; allowed: 1..256 packets\n"
      "t:9: endpoint.data_qpn: 18 is the queue pair of data and of control; allowed: two that "
      "differ\n"
      "t:12: endpoint.name: \"a\" of endpoint \"a\" is that of endpoint \"a\" (line 5) already; "
      "allowed: another name for each endpoint\n"
      "t:14: endpoint.wavelength: \"D1\" is not allowed; allowed: \"C21\" to \"C60\" or \"H21\" to "
      "\"H60\"\n");
}

TEST(Parse, a_mistake_in_the_defaults_is_told_once) {
  EXPECT_EQ(
      problems_of("[endpoint_defaults]\ndata_qpn = 9\ncontrol_qpn = 9\n" + kMinimal + kSecond),
      "t:3: endpoint_defaults.control_qpn: 9 is the queue pair of data and of control; allowed: "
      "two that differ\n");
}

TEST(Parse, syntax_has_line_and_column) {
  const Loaded result = parse("[fabric]\nname = lab\n", "t");
  ASSERT_FALSE(result);
  ASSERT_EQ(result.error().size(), 1u);
  EXPECT_EQ(result.error()[0].line, 2u);
  EXPECT_EQ(result.error()[0].column, 8u);
  EXPECT_EQ(result.error()[0].text().find("t:2:8: is not TOML: "), 0u) << result.error()[0].text();
}

TEST(Parse, a_key_given_twice_is_a_syntax_error) {
  EXPECT_EQ(problems_of("[fabric]\nname = \"a\"\nname = \"b\"\n").find("t:3:"), 0u);
}

TEST(Parse, bounds_size_and_depth) {
  EXPECT_EQ(problems_of(std::string(256 * 1024 + 1, '#')),
            "t:1: is part of more than 262144 bytes\n");
  std::string dots = "\na";
  for (int i = 0; i < 100000; ++i) dots += ".a";
  EXPECT_EQ(problems_of(dots + " = 1"), "t:2: has more than 64 dots\n");
  EXPECT_EQ(problems_of("# " + std::string(100, '.') + "\n" + kMinimal), "");
}

// The deepest that the bounds allow: nothing may recurse through it and overflow the stack.
TEST(Parse, survives_the_deepest_tables) {
  std::string key = "a";
  for (int i = 0; i < 64; ++i) key += ".a";
  std::string file;
  for (int i = 0; i < 100; ++i) file += key + " = [\n{ ";
  EXPECT_NE(problems_of(file), "");
  file += "b = 1";
  for (int i = 0; i < 100; ++i) file += " }\n]";
  EXPECT_NE(problems_of(file), "");
}

TEST(LoadFile, says_why_it_cannot_read) {
  const Loaded missing = load_file("/nonexistent/rack.toml");
  ASSERT_FALSE(missing);
  EXPECT_EQ(text(missing.error()),
            "/nonexistent/rack.toml: cannot be read: No such file or directory\n");
  const Loaded directory = load_file("/");
  ASSERT_FALSE(directory);
  EXPECT_EQ(text(directory.error()), "/: cannot be read: Is a directory\n");
}

TEST(LoadFile, names_the_file_in_problems) {
  char path[] = "/tmp/lambdacast_config_XXXXXX";
  const int fd = mkstemp(path);
  ASSERT_GE(fd, 0);
  close(fd);
  std::ofstream(path) << "[fabric]\nname = \"lab\"\nslots = 3\n" << kSecond;
  const Loaded result = load_file(path);
  unlink(path);
  ASSERT_FALSE(result);
  EXPECT_EQ(text(result.error()),
            std::string(path) +
                ":3: fabric.slots: 3 is not allowed; allowed: a power of two, "
                "64..1048576 frames\n");
}

}  // namespace
}  // namespace lambdacast::config
