// SPDX-License-Identifier: BSD-3-Clause
#include "config/plan.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "config/settings.h"

namespace lambdacast::config {
namespace {

struct Rule {
  std::string_view section;
  std::string_view key;  // "": all others of the section
  Effect effect;
};
// The first that fits. Live is what the console can set; with_live() takes the same over.
constexpr Rule kRules[] = {
    {"fabric", "line_rate", Effect::kLive},
    {"endpoint.faults", "", Effect::kLive},
    {"endpoint.traffic", "enabled", Effect::kLive},
    {"endpoint.traffic", "rate_pps", Effect::kLive},
    {"endpoint.rate", "need", Effect::kLive},
    {"endpoint.rate", "limit", Effect::kLive},
    {"endpoint.rate", "capacity", Effect::kLive},
    // EAL has its lcores and, without hugepages, its memory from the start.
    {"endpoint", "lcore", Effect::kRestart},
    {"endpoint", "mbufs", Effect::kRestart},
    {"endpoint", "name", Effect::kRestart},
    {"endpoint.stages", "", Effect::kRestart},
    {"lcore", "id", Effect::kRestart},
    {"lcore", "", Effect::kIncarnation},
    {"fabric", "", Effect::kRestart},
    {"fabric.optical", "", Effect::kRestart},
    {"eal", "", Effect::kRestart},
};

Effect effect_of(const Setting& setting) {
  if (setting.section.starts_with("endpoint.group_rate.")) return Effect::kLive;
  for (const Rule& rule : kRules) {
    if (rule.section == setting.section && (rule.key.empty() || rule.key == setting.key))
      return rule.effect;
  }
  return Effect::kIncarnation;  // of an endpoint
}

bool has_endpoint(const Config& config, const std::string& name) {
  return std::any_of(config.endpoints.begin(), config.endpoints.end(),
                     [&](const Endpoint& endpoint) { return endpoint.name == name; });
}

bool of_endpoint(const Setting& setting) { return setting.section.starts_with("endpoint"); }

class Comparison {
 public:
  Comparison(const Config& running, const Config& wanted) : running_(running), wanted_(wanted) {
    for (Setting& setting : settings(wanted)) after_.emplace(setting.name(), std::move(setting));
  }

  std::vector<Change> changes() {
    for (const Setting& setting : settings(running_)) {
      const auto found = after_.find(setting.name());
      const bool stays = found != after_.end();
      if (!stays || found->second.value != setting.value)
        add(setting, setting.value, stays ? found->second.value : "");
      if (stays) after_.erase(found);
    }
    for (const Setting& setting : settings(wanted_)) {
      if (after_.contains(setting.name())) add(setting, "", setting.value);
    }
    return std::move(changes_);
  }

 private:
  // An endpoint that comes or goes is one change.
  void add(const Setting& setting, const std::string& before, const std::string& after) {
    const std::string owner = of_endpoint(setting) ? setting.owner : "";
    const bool comes = !owner.empty() && !has_endpoint(running_, owner);
    const bool goes = !owner.empty() && !has_endpoint(wanted_, owner);
    if (!comes && !goes) {
      changes_.push_back({setting.name(), owner, before, after, setting.unit, effect_of(setting)});
    } else if (setting.section == "endpoint" && setting.key == "name") {
      changes_.push_back({"endpoint." + owner, owner, before, after, "", Effect::kRestart});
    }
  }

  const Config& running_;
  const Config& wanted_;
  std::map<std::string, Setting> after_;
  std::vector<Change> changes_;
};

}  // namespace

const char* name(Effect effect) {
  switch (effect) {
    case Effect::kLive:
      return "live";
    case Effect::kIncarnation:
      return "new incarnation";
    case Effect::kRestart:
      return "restart";
  }
  return "";
}

std::vector<Change> plan(const Config& running, const Config& wanted) {
  return Comparison(running, wanted).changes();
}

Config with_live(const Config& running, const Config& wanted) {
  Config config = running;
  if (config.fabric && wanted.fabric) config.fabric->line_rate_bps = wanted.fabric->line_rate_bps;
  for (Endpoint& endpoint : config.endpoints) {
    const auto found =
        std::find_if(wanted.endpoints.begin(), wanted.endpoints.end(),
                     [&](const Endpoint& each) { return each.name == endpoint.name; });
    if (found == wanted.endpoints.end()) continue;
    if (endpoint.wavelength && found->wavelength) endpoint.faults = found->faults;
    endpoint.traffic.enabled = found->traffic.enabled;
    endpoint.traffic.rate_pps = found->traffic.rate_pps;
    endpoint.rate.need_bps = found->rate.need_bps;
    endpoint.rate.limit_bps = found->rate.limit_bps;
    endpoint.rate.capacity_bps = found->rate.capacity_bps;
    endpoint.group_rates = found->group_rates;
  }
  return config;
}

}  // namespace lambdacast::config
