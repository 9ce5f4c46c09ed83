// SPDX-License-Identifier: BSD-3-Clause
#include "config/config.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>

#include "config/draft.h"
#include "config/text_guard.h"

namespace lambdacast::config {
namespace {

std::vector<Lcore> lcores_of(const FileDraft& draft) {
  std::map<uint32_t, Lcore> by_id;
  for (const auto& [endpoint, origins] : draft.endpoints) {
    const StageLcores& s = endpoint.stages;
    for (uint32_t id : {s.receive, s.reliability, s.ordering, s.rate_control}) by_id[id].id = id;
  }
  for (const auto& [lcore, origins] : draft.lcores) {
    if (const auto used = by_id.find(lcore.id); used != by_id.end()) used->second = lcore;
  }
  std::vector<Lcore> lcores;
  for (const auto& [id, lcore] : by_id) lcores.push_back(lcore);
  return lcores;
}

Config config_of(FileDraft draft) {
  Config config;
  if (draft.fabric) {
    config.fabric = draft.fabric->value;
    if (!draft.fabric->origins.mentions("optical.coupler_ports")) {
      config.fabric->coupler.ports = config.fabric->wavelengths;
    }
  }
  config.lcores = lcores_of(draft);
  for (auto& [endpoint, origins] : draft.endpoints) {
    if (endpoint.wavelength && config.fabric) {
      endpoint.wavelength_index = *index_on(config.fabric->grid, *endpoint.wavelength);
    }
    config.endpoints.push_back(std::move(endpoint));
  }
  config.eal_args = std::move(draft.eal.args);
  return config;
}

tl::unexpected<std::vector<Problem>> unreadable(const std::filesystem::path& path, int error) {
  Problem problem;
  problem.file = path.string();
  problem.reason = fmt::format("cannot be read: {}", std::strerror(error));
  return tl::unexpected<std::vector<Problem>>({std::move(problem)});
}

}  // namespace

IpAddress default_multicast(bool is_v6) {
  // Transient groups of site-local scope in both families (RFC 2365, RFC 4291).
  return parse_ip(is_v6 ? "ff15::4d:1" : "239.255.77.1").value();
}

std::string_view name(IdlePolicy policy) {
  switch (policy) {
    case IdlePolicy::kSpin:
      return "spin";
    case IdlePolicy::kPause:
      return "pause";
    case IdlePolicy::kSleep:
      return "sleep";
  }
  return "";
}

std::string_view name(wire::IcrcMode icrc) {
  switch (icrc) {
    case wire::IcrcMode::kFull:
      return "full";
    case wire::IcrcMode::kGenerate:
      return "generate";
    case wire::IcrcMode::kOff:
      return "off";
  }
  return "";
}

std::string_view name(PortLoss policy) {
  switch (policy) {
    case PortLoss::kEnd:
      return "end";
    case PortLoss::kWait:
      return "wait";
  }
  return "";
}

std::string_view name(RxQueues queues) {
  switch (queues) {
    case RxQueues::kOne:
      return "one";
    case RxQueues::kWavelength:
      return "wavelength";
  }
  return "";
}

std::string_view name(wire::Qos qos) {
  switch (qos) {
    case wire::Qos::kUnreliable:
      return "unreliable";
    case wire::Qos::kReliable:
      return "reliable";
    case wire::Qos::kSourceOrdered:
      return "source";
    case wire::Qos::kTotallyOrdered:
      return "total";
    case wire::Qos::kKResilient:
      return "k";
    case wire::Qos::kMajority:
      return "majority";
    case wire::Qos::kTotallyResilient:
      return "resilient";
  }
  return "";
}

std::string_view name(reliability::SlowReceiver policy) {
  using reliability::SlowReceiver;
  switch (policy) {
    case SlowReceiver::kPace:
      return "pace";
    case SlowReceiver::kEvict:
      return "evict";
  }
  return "";
}

std::string_view name(rate_control::Policy policy) {
  switch (policy) {
    case rate_control::Policy::kNone:
      return "none";
    case rate_control::Policy::kFixed:
      return "fixed";
    case rate_control::Policy::kFair:
      return "fair";
    case rate_control::Policy::kWindow:
      return "window";
    case rate_control::Policy::kAuto:
      return "auto";
  }
  return "";
}

std::string_view name(ordering::Order order) {
  using ordering::Order;
  switch (order) {
    case Order::kSequencer:
      return "sequencer";
    case Order::kRing:
      return "ring";
    case Order::kMixed:
      return "mixed";
  }
  return "";
}

rate_control::Policy rate_policy(const Endpoint& endpoint) {
  using rate_control::Policy;
  if (endpoint.rate.policy != Policy::kAuto) return endpoint.rate.policy;
  return endpoint.membership.enabled ? Policy::kFair : Policy::kNone;
}

std::string_view name(reliability::LateJoin policy) {
  using reliability::LateJoin;
  switch (policy) {
    case LateJoin::kNow:
      return "now";
    case LateJoin::kRetained:
      return "retained";
  }
  return "";
}

Loaded finish(FileDraft draft, Report& report) {
  check(draft, report);
  if (!report.clean()) return tl::unexpected(report.take_problems());
  Config config = config_of(std::move(draft));
  config.warnings = report.take_warnings();
  return config;
}

Loaded parse(std::string_view text, std::string_view source_name) {
  Report report(source_name);
  if (const auto fault = find_fault(text)) {
    report.add_syntax(fault->line, 0, fault->reason);
    return tl::unexpected(report.take_problems());
  }
  try {
    return finish(read_file_draft(toml::parse(text, source_name), report), report);
  } catch (const toml::parse_error& error) {
    const toml::source_position& where = error.source().begin;
    report.add_syntax(std::max(1u, where.line), where.column,
                      fmt::format("is not TOML: {}", error.description()));
    return tl::unexpected(report.take_problems());
  }
}

Loaded load_file(const std::filesystem::path& path) {
  // Opening a directory succeeds, and reading it fails without a reason.
  if (std::error_code error; std::filesystem::is_directory(path, error)) {
    return unreadable(path, EISDIR);
  }
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return unreadable(path, errno);
  std::string text(kMaxFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return unreadable(path, errno);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return parse(text, path.string());
}

}  // namespace lambdacast::config
