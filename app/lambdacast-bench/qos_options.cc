// SPDX-License-Identifier: BSD-3-Clause
#include "qos_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "../choice.h"

namespace lambdacast::bench {

namespace {
// What a benchmark's endpoint holds besides its windows: descriptors, stashes, caches and links.
constexpr uint32_t kMbufsBeside = 8192;
constexpr uint32_t kLeastMbufs = 16384;
constexpr uint32_t kMostHeld = 6144;  // of many senders together, unless one alone needs more

uint32_t held(const QosOptions& o, uint32_t senders) {
  return std::min(o.window * senders, std::max(kMostHeld, o.window));
}
}  // namespace

void add_qos_options(CLI::App& command, QosOptions& o) {
  const std::map<std::string, wire::Qos> levels = {{"unreliable", wire::Qos::kUnreliable},
                                                   {"reliable", wire::Qos::kReliable},
                                                   {"source", wire::Qos::kSourceOrdered}};
  app::add_choice(command, "--qos", o.qos, levels,
                  "unreliable; reliable: exactly once; source: and in the sender's order");
  command.add_option("--drop", o.drop, "probability of an injected loss at a receiver")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  command.add_option("--drop-seed", o.drop_seed, "equal seeds lose equal packets")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1} << 62))
      ->capture_default_str();
  command
      .add_option("--in-flight", o.in_flight,
                  "packets a sender goes ahead of what its slowest receiver has heard of")
      ->check(CLI::Range(16u, 1u << 20))
      ->capture_default_str();
  command.add_option("--status-us", o.status_us, "least time between two statuses of a receiver")
      ->check(CLI::Range(1u, 100000u))
      ->capture_default_str();
  command
      .add_option(
          "--rate-pps", o.rate_pps,
          "packets a second that an endpoint sends at most, repairs among them; 0: no limit")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1'000'000'000}))
      ->capture_default_str();
  command
      .add_option("--window", o.window,
                  "packets retained, and received ahead of each sender; a power of two")
      ->check(CLI::Range(64u, 32768u))
      ->capture_default_str();
}

uint32_t mbufs_of(const QosOptions& o, uint32_t senders) {
  return std::max(kLeastMbufs, kMbufsBeside + o.window + held(o, senders));
}

std::string reliability_of(const QosOptions& o, uint32_t senders) {
  return fmt::format(
      "rate_pps = {4}\nreliability = {{ transmit_window = {0}, receive_window = {0}, hold = {1}, "
      "in_flight = {2}, "
      "status_us = {3} }}\n",
      o.window, held(o, senders), o.in_flight, o.status_us, o.rate_pps);
}

std::string faults_of(const QosOptions& o, uint32_t node) {
  if (o.drop <= 0) return {};
  return fmt::format("faults = {{ loss = {:e}, seed = {} }}\n", o.drop, o.drop_seed + node);
}

}  // namespace lambdacast::bench
