// SPDX-License-Identifier: BSD-3-Clause
// A configuration that a program made: held to the same tables of keys and the same checks as a
// file, with the place of each problem a key without a line.
#include <fmt/format.h>

#include "config/draft.h"
#include "config/reader.h"

namespace lambdacast::config {
namespace {

// What differs from the initialisers counts as set.
template <typename S>
void judge(std::span<const KeyOf<S>> keys, const std::string& path, const std::string& prefix,
           const S& section, Origins& origins, Report& report) {
  static const S kInitial;
  for (const KeyOf<S>& key : keys) {
    if (key.value == nullptr) continue;
    const std::optional<Value> value = key.value(section);
    Origin origin{0, join_path(path, key.name), "", true};
    const std::string text = key.text(section);
    if (!value || text == "none") {
      if (key.required()) report.add(origin, "is missing", key.allowed_text());
      continue;
    }
    if (!key.required() && text == key.text(kInitial)) continue;
    origin.value = text;
    origin.valid = admits(key.allowed, *value);
    if (!origin.valid) report.add(origin, "is not allowed", key.allowed_text());
    origins.set(prefix + std::string(key.name), std::move(origin));
  }
}

Origins section(const std::string& path) {
  Origins origins;
  origins.set("", Origin{0, path, "", true});
  return origins;
}

Draft<Endpoint> draft_of(Endpoint endpoint, Report& report) {
  const std::string path = "endpoint";
  Draft<Endpoint> draft{std::move(endpoint), section(path)};
  const auto judge_part = [&]<typename S>(std::span<const KeyOf<S>> keys, const std::string& name,
                                          const S& part) {
    judge(keys, join_path(path, name), name + ".", part, draft.origins, report);
  };
  Endpoint& value = draft.value;
  judge(endpoint_keys(), path, "", value, draft.origins, report);
  judge_part(stages_keys(), "stages", value.stages);
  judge_part(faults_keys(), "faults", value.faults);
  judge_part(optics_keys(), "optical", value.optics);
  judge_part(reliability_keys(), "reliability", value.reliability);
  judge_part(membership_keys(), "membership", value.membership);
  judge_part(requests_keys(), "requests", value.requests);
  judge_part(rate_keys(), "rate", value.rate);
  judge_part(traffic_keys(), "traffic", value.traffic);
  const auto judge_list = [&]<typename S>(std::span<const KeyOf<S>> keys, const std::string& name,
                                          const std::vector<S>& list) {
    for (std::size_t i = 0; i < list.size(); ++i)
      judge(keys, join_path(path, name), fmt::format("{}.{}.", name, i), list[i], draft.origins,
            report);
  };
  judge_list(neighbor_keys(), "neighbor", value.neighbors);
  judge_list(group_rate_keys(), "group_rate", value.group_rates);
  if (const auto tie_breaker = parse_ip(value.membership.tie_breaker))
    value.membership.views.tie_breaker = tie_breaker->gid;
  return draft;
}

base::Result<void> first_problem(Report& report) {
  const std::vector<Problem> problems = report.take_problems();
  if (problems.empty()) return {};
  const Problem& first = problems.front();
  return base::fail(
      fmt::format("{}: {} {}; allowed: {}", first.key, first.value, first.reason, first.allowed));
}

}  // namespace

Loaded complete(Config config, std::string_view source_name) {
  Report report(source_name);
  FileDraft draft;
  if (config.fabric) {
    draft.sections.set("fabric", Origin{0, "fabric", "", true});
    draft.fabric = Draft<Fabric>{std::move(*config.fabric), section("fabric")};
    Origins& origins = draft.fabric->origins;
    judge(fabric_keys(), "fabric", "", draft.fabric->value, origins, report);
    judge(coupler_keys(), "fabric.optical", "optical.", draft.fabric->value.coupler, origins,
          report);
  }
  if (!config.endpoints.empty()) draft.sections.set("endpoint", Origin{0, "endpoint", "", true});
  for (Endpoint& endpoint : config.endpoints)
    draft.endpoints.push_back(draft_of(std::move(endpoint), report));
  for (const Lcore& lcore : config.lcores) {
    draft.lcores.push_back({lcore, section("lcore")});
    judge(lcore_keys(), "lcore", "", lcore, draft.lcores.back().origins, report);
  }
  draft.eal.args = std::move(config.eal_args);
  Origins eal = section("eal");
  judge(eal_keys(), "eal", "", draft.eal, eal, report);
  return finish(std::move(draft), report);
}

base::Result<void> check_rates(const Endpoint& endpoint) {
  Report report("");
  Draft<Endpoint> draft{endpoint, section("endpoint")};
  draft.origins.set("name", Origin{0, "endpoint.name", endpoint.name, true});
  judge(rate_keys(), "rate", "rate.", endpoint.rate, draft.origins, report);
  if (report.clean()) check_rate(draft, report);
  return first_problem(report);
}

base::Result<void> check_group_rate(const rate_control::GroupRate& rate) {
  Report report("");
  Origins origins;
  if (rate.limit_bps != 0)
    judge(group_rate_keys(), "group_rate", "group_rate.", rate, origins, report);
  return first_problem(report);
}

}  // namespace lambdacast::config
