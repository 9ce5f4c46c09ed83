// SPDX-License-Identifier: BSD-3-Clause
// Compares the engine of lib/congest on bad links with rounds without a network
// (congest/synchronous_run.h): by each synchroniser and transport that the algorithm is right
// under. An empty string: no difference.
#pragma once

#include <string>

#include "congest/alpha.h"
#include "congest/beta.h"
#include "congest/by_iteration.h"
#include "congest/engine.h"
#include "congest/free_running.h"
#include "congest/link_window.h"
#include "congest/stored_frames.h"
#include "congest/synchronous_run.h"
#include "sim/fabrics/congest_random.h"

namespace lambdacast::sim::fabrics {

// Results are judged, too: equality may leave out what hangs on who came first.
template <typename Engine, typename Place>
std::string difference(const LiveGraph& live,
                       const congest::SynchronousRun<typename Engine::Algorithm>& reference,
                       const typename Engine::Algorithm::Config& config, Place place,
                       const CongestSetting& setting) {
  const auto run = run_congest<Engine>(live, config, place, setting);
  if (!run.ended) return "it has not ended";
  if (run.results != reference.results) return "it has another result";
  if (Engine::Synchroniser::kRounds && run.messages != reference.messages)
    return "it has sent other messages";
  return Engine::Synchroniser::kRounds ? "" : judge(live, config, run.results);
}

template <typename Algorithm, typename Transport>
std::string differences_by(const LiveGraph& live, const typename Algorithm::Config& config,
                           const congest::SynchronousRun<Algorithm>& reference, uint64_t seed,
                           const char* transport) {
  using congest::Engine;
  using congest::NodeId;
  const CongestSetting setting = random_setting(seed);
  const auto tree = tree_of(live, first_alive(live));
  const auto place = [&](NodeId node) { return tree[node]; };
  const congest::Alpha::Config end{.rounds = reference.most_rounds, .phases = reference.phases};
  const auto bound = [&](NodeId) { return end; };
  std::string said;
  const auto add = [&](const char* of, const std::string& what) {
    if (!what.empty()) said += std::string(of) + transport + ": " + what + "; ";
  };
  add("beta", difference<Engine<Algorithm, congest::Beta, Transport>>(live, reference, config,
                                                                      place, setting));
  add("alpha", difference<Engine<Algorithm, congest::Alpha, Transport>>(live, reference, config,
                                                                        bound, setting));
  if constexpr (congest::kRunsFree<Algorithm>) {
    const auto free = [](NodeId) { return congest::FreeRunning::Config(); };
    add("free", difference<Engine<Algorithm, congest::FreeRunning, Transport>>(
                    live, reference, config, free, setting));
  }
  if constexpr (congest::kIterates<Algorithm>) {
    const auto told = congest::by_iteration<Algorithm>(config);
    const auto all = congest::run_synchronously<Algorithm>(live, told, setting.seed);
    if (all.results != reference.results) said += "it has another result where all are told; ";
    add("by iteration", difference<Engine<Algorithm, congest::ByIteration, Transport>>(
                            live, all, told, place, setting));
  }
  return said;
}

template <typename Algorithm>
std::string differences(const LiveGraph& live, const typename Algorithm::Config& config,
                        const congest::SynchronousRun<Algorithm>& reference, uint64_t seed) {
  return differences_by<Algorithm, congest::StoredFrames>(live, config, reference, seed, "") +
         differences_by<Algorithm, congest::LinkWindow>(live, config, reference, seed, ", window");
}

// One small case of that seed: the reference is judged, may not hang on the order of a round's
// messages, and `differs(live, config, reference, seed)` compares it with the engine.
template <typename Algorithm, typename Differs>
std::string fault_of(uint64_t seed, size_t nodes, Differs differs) {
  using congest::run_synchronously;
  const congest::Graph graph = random_graph(seed, nodes);
  LiveGraph live(graph);
  fail_something(live, seed);
  const typename Algorithm::Config config = random_config<Algorithm>(live, seed);
  const auto reference = run_synchronously<Algorithm>(live, config, seed);
  const auto backward =
      run_synchronously<Algorithm>(live, config, seed, congest::MessageOrder::kByPortDescending);
  std::string said;
  for (const std::string& fault :
       {judge(live, config, reference.results),
        std::string(backward.results == reference.results ? "" : "it hangs on the order"),
        differs(live, config, reference, seed)})
    if (!fault.empty()) said += (said.empty() ? "" : "; ") + fault;
  return said;
}

}  // namespace lambdacast::sim::fabrics
