// SPDX-License-Identifier: BSD-3-Clause
#include "config/reference.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/key.h"

namespace lambdacast::config {
namespace {

template <typename S>
Section section(std::string_view name, std::string_view heading, std::string_view help,
                std::span<const KeyOf<S>> keys) {
  Section result{name, heading, help, {}};
  for (const auto& key : keys) result.keys.push_back(&key);
  return result;
}

std::string default_of(const Key& key) {
  if (key.required()) return "required";
  const std::string text = key.default_text();
  return text == "none" ? "" : text;
}

// As lines of prose in a Markdown file.
std::string filled(std::string_view text) {
  constexpr size_t kMostBytes = 118;
  std::string lines;
  size_t used = 0;
  for (size_t at = 0; at < text.size();) {
    const std::string_view word = text.substr(at, text.find(' ', at) - at);
    at += word.size() + 1;
    const bool fits = used + 1 + word.size() <= kMostBytes;
    if (used != 0) lines += fits ? ' ' : '\n';
    used = used != 0 && fits ? used + 1 + word.size() : word.size();
    lines += word;
  }
  return lines;
}

constexpr const char* kCouplerHelp =
    "The passive coupler that the fabric stands for. A transmitter's light arrives with "
    "launch less both ways of fiber and connectors less 10 log10 N less excess_db plus "
    "amplifier_db; a receiver that one transmitter's does not reach, or blinds, gets a "
    "warning. The embedded fabric carries every frame regardless.";

}  // namespace

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      section("fabric", "[fabric]",
              "The embedded ODBSS, in shared memory, that endpoints with a `wavelength` attach to. "
              "Needed if there is such an endpoint. The first process that opens a fabric sets its "
              "geometry; another geometry under the same name is an error.",
              fabric_keys()),
      section("fabric.optical", "[fabric.optical]", kCouplerHelp, coupler_keys()),
      section("endpoint", "[[endpoint]]",
              "One endpoint; 1 to 32 of them. All keys except `name`, `address`, `wavelength`, "
              "`port`, `rx_ports` and `mac` may also stand in `[endpoint_defaults]`, for all "
              "endpoints that do not set them.",
              endpoint_keys()),
      section(
          "endpoint.stages", "[endpoint.stages]",
          "Lcores for single stages, in place of `lcore`; also in `[endpoint_defaults.stages]`, "
          "or in one line: `stages = { receive = 1 }`. An endpoint's own `lcore` overrides the "
          "stages of the defaults.",
          stages_keys()),
      section("endpoint.faults", "[endpoint.faults]",
              "Faults the embedded fabric injects at this endpoint's receiver; also in "
              "`[endpoint_defaults.faults]`. Not for endpoints with a `port`.",
              faults_keys()),
      section("endpoint.optical", "[endpoint.optical]",
              "The endpoint's transceiver and its way to the coupler; also in "
              "`[endpoint_defaults.optical]`. Defaults: the worst values of a 10G DWDM transceiver "
              "for 80 km, and fiber and connectors as their standards allow them.",
              optics_keys()),
      section(
          "endpoint.reliability", "[endpoint.reliability]",
          "Of messages whose QoS is not unreliable: what the endpoint retains and holds, when it "
          "asks and tells, and what becomes of receivers that fall behind; for all endpoints in "
          "`[endpoint_defaults.reliability]`.",
          reliability_keys()),
      section("endpoint.membership", "[endpoint.membership]",
              "Views of the fabric's nodes, and total order: the levels from totally ordered on. "
              "All nodes have the same values; for all endpoints of a file in "
              "`[endpoint_defaults.membership]`.",
              membership_keys()),
      section(
          "endpoint.requests", "[endpoint.requests]",
          "Calls of the endpoint to groups, and what it does for those of others; for all "
          "endpoints "
          "of a file in `[endpoint_defaults.requests]`. An endpoint without membership calls only.",
          requests_keys()),
      section("endpoint.rate", "[endpoint.rate]",
              "What the endpoint may send, by bytes on the wire: a frame without FCS, at least 60 "
              "bytes, and 24. For all endpoints of a file in `[endpoint_defaults.rate]`.",
              rate_keys()),
      section("endpoint.group_rate", "[[endpoint.group_rate]]",
              "A group to which the endpoint publishes no more than a limit, whatever the others "
              "get; at most 1024.",
              group_rate_keys()),
      section("endpoint.traffic", "[endpoint.traffic]",
              "The endpoint's built-in application. A `[traffic]` section holds the values of all "
              "endpoints that do not set their own.",
              traffic_keys()),
      section("endpoint.neighbor", "[[endpoint.neighbor]]",
              "A peer whose MAC address is known and neither asked for nor changed; at most 128. "
              "For endpoints with a `port`, on networks without ARP or neighbor discovery.",
              neighbor_keys()),
      section("lcore", "[[lcore]]",
              "How an lcore idles. Lcores that endpoints name need no section; they have the "
              "defaults then. One that no endpoint uses gets a warning and is left out.",
              lcore_keys()),
      section("eal", "[eal]", "DPDK's environment.", eal_keys()),
  };
  return all;
}

const Key* find_key(std::string_view section_name, std::string_view key_name) {
  for (const Section& each : sections()) {
    if (each.name != section_name) continue;
    for (const Key* key : each.keys) {
      if (key->name == key_name) return key;
    }
  }
  return nullptr;
}

std::string reference() {
  std::string text = "\n";
  for (const Section& each : sections()) {
    text += fmt::format("### `{}`\n\n{}\n\n", each.heading, filled(each.help));
    text += "| key | type | unit | default | allowed | meaning |\n|---|---|---|---|---|---|\n";
    for (const Key* key : each.keys) {
      const std::string standard = default_of(*key);
      const bool literal = !standard.empty() && !key->required();
      text += fmt::format("| `{}` | {} | {} | {} | {} | {}. |\n", key->name,
                          type_name(type_of(key->allowed)), key->unit,
                          literal ? fmt::format("`{}`", standard) : standard,
                          describe(key->allowed, ""), key->help);
    }
    text += "\n";
  }
  return text;
}

}  // namespace lambdacast::config
