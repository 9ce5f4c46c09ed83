// SPDX-License-Identifier: BSD-3-Clause
// The files of config/: that they load, show every key, and say of each what is allowed.
#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include "config/key.h"
#include "support.h"

namespace lambdacast::config {
namespace {

struct Line {
  std::string section, key, comment;
  bool active;
};

// The lines "key = value # comment", also those that a '#' puts out of use.
std::vector<Line> annotated_lines(const std::string& path) {
  static const std::regex kSection(R"(^(?:# )?\[+([a-z_.]+)\]+.*)");
  static const std::regex kKey(R"re(^(# )?([a-z_]+) = ("[^"]*"|\[[^\]]*\]|[^#" ]+)\s*(#.*)?$)re");
  std::istringstream file(read_source_file(path));
  std::vector<Line> lines;
  std::string section;
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_match(line, match, kSection)) {
      section = match[1];
      if (section == "endpoint_defaults") section = "endpoint";
      if (section == "traffic") section = "endpoint.traffic";
    } else if (std::regex_match(line, match, kKey)) {
      lines.push_back({section, match[2], match[4], !match[1].matched});
    } else if (!line.empty()) {
      EXPECT_EQ(line[0], '#') << path << ": " << line;
    }
  }
  return lines;
}

TEST(Examples, each_key_says_what_is_allowed) {
  for (const char* path : {"config/rack4.toml", "config/embedded.toml", "config/nic.toml",
                           "config/veth.toml", "config/verbs.toml"}) {
    for (const Line& line : annotated_lines(path)) {
      const Key* key = find_key(line.section, line.key);
      ASSERT_NE(key, nullptr) << path << ": " << line.section << " " << line.key;
      EXPECT_NE(line.comment.find(key->allowed_text()), std::string::npos)
          << path << ": the comment of " << line.section << "." << line.key << " lacks \""
          << key->allowed_text() << "\"";
    }
  }
}

TEST(Examples, embedded_shows_every_key) {
  std::set<std::string> shown;
  for (const Line& line : annotated_lines("config/embedded.toml")) {
    shown.insert(line.section + "." + line.key);
  }
  for (const Section& section : sections()) {
    for (const Key* key : section.keys) {
      const std::string full = std::string(section.name) + "." + std::string(key->name);
      EXPECT_TRUE(shown.contains(full)) << full;
    }
  }
}

TEST(Examples, embedded_has_the_defaults) {
  const auto config = load_file(LAMBDACAST_SOURCE_ROOT "/config/embedded.toml");
  ASSERT_TRUE(config) << text(config.error());
  EXPECT_TRUE(config->warnings.empty()) << text(config->warnings);
  ASSERT_EQ(config->endpoints.size(), 1u);
  const Endpoint& endpoint = config->endpoints[0];
  const Endpoint standard;
  EXPECT_EQ(endpoint.wavelength, wdm::channel_from_name("C34"));
  EXPECT_EQ(endpoint.multicast, standard.multicast);
  EXPECT_EQ(endpoint.path_mtu, standard.path_mtu);
  EXPECT_EQ(endpoint.data_qpn, standard.data_qpn);
  EXPECT_EQ(endpoint.control_qpn, standard.control_qpn);
  EXPECT_EQ(endpoint.qkey, standard.qkey);
  EXPECT_EQ(endpoint.pkey, standard.pkey);
  EXPECT_EQ(endpoint.stages, standard.stages);
  EXPECT_EQ(endpoint.burst, standard.burst);
  EXPECT_EQ(endpoint.link_slots, standard.link_slots);
  EXPECT_EQ(endpoint.rx_descriptors, standard.rx_descriptors);
  EXPECT_EQ(endpoint.tx_descriptors, standard.tx_descriptors);
  EXPECT_EQ(endpoint.mbufs, standard.mbufs);
  EXPECT_EQ(endpoint.max_peers, standard.max_peers);
  EXPECT_EQ(endpoint.icrc, standard.icrc);
  EXPECT_EQ(endpoint.groups, standard.groups);
  EXPECT_EQ(endpoint.pacer.units_per_second, standard.pacer.units_per_second);
  EXPECT_FALSE(endpoint.faults.any());
  EXPECT_EQ(endpoint.optics, standard.optics);
  EXPECT_EQ(config->fabric->coupler, Fabric{}.coupler);
  EXPECT_EQ(config->fabric->grid, Fabric{}.grid);
  EXPECT_EQ(endpoint.wavelength_index, 13u);
  EXPECT_EQ(endpoint.faults.seed, standard.faults.seed);
  EXPECT_EQ(endpoint.traffic.enabled, standard.traffic.enabled);
  EXPECT_EQ(endpoint.traffic.payload_bytes, standard.traffic.payload_bytes);
  EXPECT_EQ(config->fabric->wavelengths, Fabric{}.wavelengths);
  EXPECT_EQ(config->fabric->slots, Fabric{}.slots);
  EXPECT_EQ(config->fabric->frame_bytes, Fabric{}.frame_bytes);
}

TEST(Examples, rack4_is_four_endpoints_on_two_lcores) {
  const auto config = load_file(LAMBDACAST_SOURCE_ROOT "/config/rack4.toml");
  ASSERT_TRUE(config) << text(config.error());
  EXPECT_TRUE(config->warnings.empty()) << text(config->warnings);
  ASSERT_EQ(config->endpoints.size(), 4u);
  for (uint32_t i = 0; i < 4; ++i) {
    const Endpoint& endpoint = config->endpoints[i];
    EXPECT_EQ(endpoint.name, "node" + std::to_string(i));
    EXPECT_EQ(endpoint.wavelength_index, i);
    EXPECT_EQ(endpoint.stages.receive, i / 2);
    EXPECT_TRUE(endpoint.traffic.enabled);
    EXPECT_EQ(endpoint.traffic.payload_bytes + wire::kTransportHeaderBytes, 64u);
    EXPECT_EQ(endpoint.traffic.rate_pps, 200'000u);
  }
  ASSERT_EQ(config->lcores.size(), 2u);
  EXPECT_EQ(config->fabric->name, "rack4");
}

}  // namespace
}  // namespace lambdacast::config
