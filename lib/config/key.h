// SPDX-License-Identifier: BSD-3-Clause
// One key of a configuration file: everything that validation, error texts and documentation need
// to know of it. `KeyOf<Section>` adds where its value goes; keys.cc has the tables, one per
// section.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "config/config.h"
#include "config/rule.h"

namespace lambdacast::config {

// Times are in nanoseconds in the structs, in us or ms in the file.
inline constexpr int64_t kNsPerUs = 1'000;
inline constexpr int64_t kNsPerMs = 1'000'000;

enum class Presence : uint8_t {
  kOptional,
  kRequired,
  kOwn,          // optional, and of one endpoint alone: not in [endpoint_defaults]
  kRequiredOwn,  // required of each endpoint itself
};

struct Key {
  std::string_view name;
  std::string_view unit;  // "" if it has none
  Rule allowed;
  Presence presence;
  std::string_view help;          // one sentence without its full stop
  std::string (*default_text)();  // as TOML, or in words where no value says it

  [[nodiscard]] bool required() const {
    return presence == Presence::kRequired || presence == Presence::kRequiredOwn;
  }
  [[nodiscard]] bool own() const {
    return presence == Presence::kOwn || presence == Presence::kRequiredOwn;
  }
  [[nodiscard]] std::string allowed_text() const { return describe(allowed, unit); }
};

template <typename Section>
struct KeyOf : Key {
  void (*store)(Section&, const Value&);  // value is one the rule admits
  std::string (*text)(const Section&);    // as TOML; "none" for what the section does not say
  // What the rule judges; nothing for what the section does not say. Null: no member of its own.
  std::optional<Value> (*value)(const Section&) = nullptr;
};

// A name of a fabric or an endpoint.
[[nodiscard]] Form name_form();

// [eal]
struct Eal {
  std::vector<std::string> args;
};
// lcore of [[endpoint]] stands for its four stages, which `stages` may then set one by one.
[[nodiscard]] std::span<const KeyOf<Fabric>> fabric_keys();
[[nodiscard]] std::span<const KeyOf<Endpoint>> endpoint_keys();
[[nodiscard]] std::span<const KeyOf<StageLcores>> stages_keys();
[[nodiscard]] std::span<const KeyOf<fabric::FaultRates>> faults_keys();
[[nodiscard]] std::span<const KeyOf<wdm::CouplerOptics>> coupler_keys();
[[nodiscard]] std::span<const KeyOf<wdm::NodeOptics>> optics_keys();
[[nodiscard]] std::span<const KeyOf<Traffic>> traffic_keys();
[[nodiscard]] std::span<const KeyOf<reliability::ReliabilityConfig>> reliability_keys();
[[nodiscard]] std::span<const KeyOf<Membership>> membership_keys();
[[nodiscard]] std::span<const KeyOf<Requests>> requests_keys();
[[nodiscard]] std::span<const KeyOf<rate_control::RateConfig>> rate_keys();
[[nodiscard]] std::span<const KeyOf<rate_control::GroupRate>> group_rate_keys();
[[nodiscard]] std::span<const KeyOf<Neighbor>> neighbor_keys();
[[nodiscard]] std::span<const KeyOf<Lcore>> lcore_keys();
[[nodiscard]] std::span<const KeyOf<Eal>> eal_keys();

// A section as documentation sees it.
struct Section {
  std::string_view name;     // "endpoint.faults"
  std::string_view heading;  // "[endpoint.faults]"
  std::string_view help;     // Markdown
  std::vector<const Key*> keys;
};
[[nodiscard]] const std::vector<Section>& sections();
// Null if the section has no key of that name.
[[nodiscard]] const Key* find_key(std::string_view section, std::string_view key);

}  // namespace lambdacast::config
