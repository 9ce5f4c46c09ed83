// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/clock_schemes.h"

#include <algorithm>

#include "base/random.h"
#include "sim/fabrics/baseline_ptp.h"
#include "sim/fabrics/baseline_sundial.h"

namespace lambdacast::sim::fabrics {

namespace {

using clock_sync::Improvements;
using clock_sync::Speaks;
using congest::ArcId;
using congest::LinkId;

struct Named {
  const char* name;
  bool Improvements::*improvement;
};
constexpr Named kImprovements[] = {
    {"reports", &Improvements::reports},
    {"phases", &Improvements::phases},
    {"generations", &Improvements::generations},
    {"suspects", &Improvements::suspects},
    {"piggyback", &Improvements::piggyback},
    {"sharing", &Improvements::sharing},
    {"timed", &Improvements::timed},
    {"direct", &Improvements::direct},
    {"ranks", &Improvements::ranks},
};

void set(Improvements& improvements, const std::vector<std::string>& names, bool on) {
  for (const Named& each : kImprovements)
    if (std::find(names.begin(), names.end(), each.name) != names.end())
      improvements.*each.improvement = on;
}

std::string joined(const std::vector<std::string>& names, const char* sign) {
  std::string text;
  for (const std::string& name : names) text += sign + name;
  return text;
}

// Is that switch the neighbour of one that has failed, or of an end of a link that has?
bool beside(const Graph& graph, const std::vector<ClockFailure>& failures, NodeId node) {
  const auto near = [&](NodeId other) {
    const auto neighbors = graph.neighbors(other);
    return node == other || std::find(neighbors.begin(), neighbors.end(), node) != neighbors.end();
  };
  return std::any_of(failures.begin(), failures.end(), [&](const ClockFailure& failure) {
    if (failure.node != kNone) return near(failure.node);
    return near(graph.link(failure.link).a) || near(graph.link(failure.link).b);
  });
}

}  // namespace

std::vector<std::string> clock_scheme_names() {
  return {"published", "published-literal", "ours", "ptp", "sundial"};
}

std::vector<std::string> clock_improvement_names() {
  std::vector<std::string> names;
  for (const Named& each : kImprovements) names.emplace_back(each.name);
  return names;
}

// A wait by ranks costs more than the frames that it saves: doc/francis.md has both.
Improvements our_improvements() {
  Improvements improvements;
  for (const Named& each : kImprovements) improvements.*each.improvement = true;
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
      set(scheme.improvements, with, true);
      set(scheme.improvements, without, false);
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
  for (const Named& each : kImprovements) {
    if (our_improvements().*each.improvement)
      add(schemes_named({"ours"}, {}, {each.name}));
    else
      add(schemes_named({"ours"}, {each.name}, {}));
  }
  for (const Named& each : kImprovements) add(schemes_named({"published"}, {each.name}, {}));
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

std::vector<ClockFailure> draw_failures(const Fabric& fabric, const ClockTree& tree, uint32_t count,
                                        bool links, uint64_t seed) {
  constexpr unsigned kTries = 1000;
  const Graph& graph = fabric.graph;
  base::SplitMix64 random(base::mix64(seed ^ 0xfa11));
  std::vector<ClockFailure> failures;
  if (count == 0) return failures;
  if (links) {
    const size_t port = random.below(graph.degree(tree.root));
    failures.push_back({.link = graph.link_of(graph.arc(tree.root, port))});
  } else {
    failures.push_back({.node = tree.root});
  }
  for (unsigned tries = 0; failures.size() < count && tries < 2 * kTries; ++tries) {
    const auto link = static_cast<LinkId>(random.below(graph.links()));
    const auto node = links ? graph.link(link).a : static_cast<NodeId>(random.below(graph.nodes()));
    const bool known = std::any_of(failures.begin(), failures.end(), [&](const auto& other) {
      return links ? other.link == link : other.node == node;
    });
    if (known || (tries < kTries && beside(graph, failures, node))) continue;
    if (links)
      failures.push_back({.link = link});
    else
      failures.push_back({.node = node});
  }
  return failures;
}

}  // namespace lambdacast::sim::fabrics
