// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/clock_schemes.h"

#include <algorithm>

#include "base/random.h"
#include "sim/fabrics/baseline_ptp.h"
#include "sim/fabrics/baseline_sundial.h"
#include "sim/fabrics/named_switches.h"

namespace lambdacast::sim::fabrics {

namespace {

using clock_sync::Improvements;
using clock_sync::Speaks;
using congest::ArcId;

constexpr NamedSwitch<Improvements> kImprovements[] = {
    {"reports", &Improvements::reports},
    {"phases", &Improvements::phases},
    {"generations", &Improvements::generations},
    {"suspects", &Improvements::suspects},
    {"piggyback", &Improvements::piggyback},
    {"sharing", &Improvements::sharing},
    {"timed", &Improvements::timed},
    {"direct", &Improvements::direct},
    {"defers", &Improvements::defers},
    {"ranks", &Improvements::ranks},
};

}  // namespace

std::vector<std::string> clock_scheme_names() {
  return {"published", "published-literal", "ours", "ptp", "sundial"};
}

std::vector<std::string> clock_improvement_names() { return names_of(kImprovements); }

// A wait by ranks costs more than the frames that it saves: doc/francis.md has both.
Improvements our_improvements() {
  Improvements improvements;
  for (const auto& each : kImprovements) improvements.*each.improvement = true;
  improvements.ranks = false;
  return improvements;
}

std::vector<ClockScheme> schemes_named(const std::vector<std::string>& names,
                                       const std::vector<std::string>& with,
                                       const std::vector<std::string>& without) {
  std::vector<ClockScheme> schemes;
  for (const std::string& name : names) {
    ClockScheme scheme{.name = name, .improvements = {}};
    if (name == "ptp") scheme.kind = ClockScheme::Kind::kPtp;
    if (name == "sundial") scheme.kind = ClockScheme::Kind::kSundial;
    if (name == "published-literal") scheme.speaks = Speaks::kEverybody;
    if (name == "ours") scheme.improvements = our_improvements();
    if (scheme.kind == ClockScheme::Kind::kFrancis) {
      set_named(kImprovements, with, true, scheme.improvements);
      set_named(kImprovements, without, false, scheme.improvements);
      scheme.name += joined(with, "+") + joined(without, "-");
    }
    schemes.push_back(std::move(scheme));
  }
  return schemes;
}

std::vector<ClockScheme> ablation_schemes() {
  std::vector<ClockScheme> schemes = schemes_named({"ours"}, {}, {});
  const auto add = [&](const std::vector<ClockScheme>& more) {
    schemes.insert(schemes.end(), more.begin(), more.end());
  };
  for (const auto& each : kImprovements) {
    if (our_improvements().*each.improvement)
      add(schemes_named({"ours"}, {}, {each.name}));
    else
      add(schemes_named({"ours"}, {each.name}, {}));
  }
  for (const auto& each : kImprovements) add(schemes_named({"published"}, {each.name}, {}));
  add(schemes_named({"published"}, {}, {}));
  return schemes;
}

std::string scheme_refuses(const ClockScheme& scheme, uint64_t budget_bps) {
  constexpr uint64_t kLeastOfPtp = 20'000'000;
  if (scheme.kind != ClockScheme::Kind::kPtp || budget_bps >= kLeastOfPtp) return {};
  return "ptp announces with 10 Mb/s beside its waves of time: --budget has to be 20M at least";
}

ClockRun run_scheme(const ClockScheme& scheme, const Fabric& fabric, const ClockTree& tree,
                    const ClockScenario& scenario) {
  switch (scheme.kind) {
    case ClockScheme::Kind::kPtp:
      return run_ptp(fabric, tree, scenario);
    case ClockScheme::Kind::kSundial:
      return run_sundial(fabric, tree, scenario);
    case ClockScheme::Kind::kFrancis:
      break;
  }
  return run_clock(fabric, tree, scenario);
}

std::vector<Failure> draw_failures(const Fabric& fabric, const ClockTree& tree, uint32_t count,
                                   bool links, uint64_t seed) {
  const Graph& graph = fabric.graph;
  base::SplitMix64 random(base::mix64(seed ^ 0xfa11));
  std::vector<Failure> failures;
  if (count == 0) return failures;
  if (links) {
    const size_t port = random.below(graph.degree(tree.root));
    failures.push_back({.link = graph.link_of(graph.arc(tree.root, port))});
  } else {
    failures.push_back({.node = tree.root});
  }
  draw_further(graph, count, links, {}, random, failures);
  return failures;
}

}  // namespace lambdacast::sim::fabrics
