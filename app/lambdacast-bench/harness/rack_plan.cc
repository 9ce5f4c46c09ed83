// SPDX-License-Identifier: BSD-3-Clause
#include "rack_plan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <variant>

#include "../../choice.h"
#include "base/plain_text.h"
#include "config/key.h"
#include "option_groups.h"
#include "wire/roce/build.h"

namespace lambdacast::bench {
namespace {

// What a benchmark's endpoint holds besides its windows: descriptors, stashes, caches and links.
constexpr uint32_t kMbufsBeside = 8192;
constexpr uint32_t kLeastMbufs = 16384;
constexpr uint32_t kMostHeld = 6144;  // of many senders together, unless one alone needs more
constexpr uint32_t kFirstChannel = 21;

std::string address_text(uint32_t node) { return fmt::format("10.77.0.{}", node + 1); }

// A ring is written and read from end to end, whatever little of it is in flight: 4 MiB at most for
// frames that carry so much, or it pushes all else out of the caches. 4096 for a message of several
// packets, which goes out past its sender's credit.
uint32_t slots_for(uint32_t payload_bytes) {
  constexpr uint32_t kMost = 4096;
  constexpr uint32_t kRingBytes = 4 << 20;
  constexpr uint32_t kHeaderBytes = 128;  // of the frame and its slot, about
  if (payload_bytes + wire::kTransportHeaderBytes > wire::kMaxPayloadBytes) return kMost;
  return std::min(kMost, std::bit_floor(kRingBytes / (payload_bytes + kHeaderBytes)));
}

Planned embedded_pair(const PairOptions& o, uint32_t slots) {
  constexpr uint32_t kMostLinkSlots = 512;  // a share of the ring that the packets go to
  config::Config config = draft_of({2, o.lcores, slots});
  set_qos(config, o.qos);
  for (const uint32_t node : {kSenderNode, kReceiverNode}) {
    config::Endpoint& endpoint = config.endpoints[node];
    endpoint.name = node == kSenderNode ? "sender" : "receiver";
    endpoint.link_slots = std::clamp(slots / 8, 64u, kMostLinkSlots);
    endpoint.icrc = o.icrc;
    config.lcores.push_back({.id = o.lcores[node], .idle = o.idle});
  }
  set_losses(config.endpoints[kReceiverNode], o.qos, kReceiverNode);
  return finish(std::move(config), "the benchmark's rack");
}

}  // namespace

config::Config draft_of(const FabricPlan& plan) {
  config::Config config;
  config::Fabric& fabric = config.fabric.emplace();
  fabric.name = fmt::format("bench-{}", ::getpid());
  fabric.wavelengths = plan.nodes;
  fabric.slots = plan.slots;
  for (uint32_t node = 0; node < plan.nodes; ++node) {
    config::Endpoint& endpoint = config.endpoints.emplace_back();
    endpoint.name = fmt::format("node{}", node);
    endpoint.address = config::parse_ip(address_text(node)).value();
    endpoint.wavelength = wdm::channel_from_name(fmt::format("C{}", kFirstChannel + node));
    const uint32_t lcore = plan.lcores[node * plan.lcores.size() / plan.nodes];
    endpoint.stages = {lcore, lcore, lcore, lcore};
  }
  return config;
}

Planned finish(config::Config draft, const char* source) {
  config::Loaded whole = config::complete(std::move(draft), source);
  if (!whole) return tl::unexpected(config::text(whole.error()));
  return std::move(*whole);
}

Planned load(const std::string& config_file) {
  config::Loaded loaded = config::load_file(config_file);
  if (!loaded) return tl::unexpected(config::text(loaded.error()));
  return std::move(*loaded);
}

void set_windows(config::Config& draft, uint32_t window_pkts, uint32_t in_flight_pkts) {
  const auto senders = static_cast<uint32_t>(draft.endpoints.size() - 1);
  const uint32_t held = std::min(window_pkts * senders, std::max(kMostHeld, window_pkts));
  for (config::Endpoint& endpoint : draft.endpoints) {
    endpoint.mbufs = std::max(kLeastMbufs, kMbufsBeside + window_pkts + held);
    endpoint.reliability.transmit_window_pkts = window_pkts;
    endpoint.reliability.receive_window_pkts = window_pkts;
    endpoint.reliability.hold_pkts = held;
    endpoint.reliability.in_flight_pkts = in_flight_pkts;
  }
}

void set_qos(config::Config& draft, const QosOptions& options) {
  set_windows(draft, options.window, options.in_flight);
  for (config::Endpoint& endpoint : draft.endpoints) {
    endpoint.reliability.status_ns = options.status_us * uint64_t{1'000};
    endpoint.pacer.units_per_second = options.rate_pps;
  }
}

void set_losses(config::Endpoint& endpoint, const QosOptions& options, uint32_t node) {
  if (options.drop <= 0) return;
  endpoint.faults.loss = options.drop;
  endpoint.faults.seed = options.drop_seed + node;
}

void set_groups(config::Endpoint& endpoint, uint32_t count) {
  endpoint.groups.resize(count);
  std::iota(endpoint.groups.begin(), endpoint.groups.end(), 1u);
}

Planned rack_of(const ViewPlan& plan) {
  config::Config config = draft_of(plan.fabric);
  set_windows(config, plan.window, plan.in_flight);
  for (uint32_t node = 0; node < plan.fabric.nodes; ++node)
    set_losses(config.endpoints[node], {.drop = plan.drop}, node);
  for (config::Endpoint& endpoint : config.endpoints) {
    set_groups(endpoint, plan.groups);
    endpoint.faults.rx_rate_bps = plan.rx_rate_bps;
    endpoint.faults.rx_buffer_bytes = plan.rates.rx_buffer_bytes;
    endpoint.rate.policy = plan.rates.policy;
    endpoint.rate.limit_bps = plan.rates.limit_bps;
    endpoint.rate.need_bps = plan.rates.need_bps;
    endpoint.rate.burst_ns = plan.rates.burst_us * uint64_t{1'000};
    config::Membership& membership = endpoint.membership;
    membership.enabled = true;
    membership.views.initial_nodes = plan.fabric.nodes;
    membership.views.ack_ns = plan.ack_us * uint64_t{1'000};
    membership.views.suspect_after_ns = plan.suspect_after_us * uint64_t{1'000};
    membership.views.heartbeat_ns = plan.heartbeat_us * uint64_t{1'000};
    membership.tie_breaker = address_text(plan.tie_breaker);
    membership.order.k = plan.k;
    membership.order.domains = plan.order_domains;
    membership.order.order = plan.order;
    membership.groups.names = plan.names;
  }
  return finish(std::move(config));
}

std::map<std::string, rate_control::Policy> policies() {
  const auto keys = config::rate_keys();
  const auto key = std::find_if(keys.begin(), keys.end(),
                                [](const auto& each) { return each.name == "policy"; });
  std::map<std::string, rate_control::Policy> known;
  for (const std::string_view word : std::get<config::Words>(key->allowed).words) {
    rate_control::RateConfig rate;
    key->store(rate, config::Value(std::string(word)));
    known.emplace(word, rate.policy);
  }
  return known;
}

void add_rate_plan(CLI::App& command, RatePlan& plan) {
  app::add_choice(command, "--policy", plan.policy, policies(),
                  "of each node's rate, as rate.policy of a configuration");
  add_rate_limits(command, plan);
}

void add_rate_limits(CLI::App& command, RatePlan& plan) {
  command
      .add_option("--limit", plan.limit_bps, "bits a second that each node sends at most; 0: none")
      ->capture_default_str();
  number(command, "--burst-us", plan.burst_us, 1u, 10'000u,
         "of its rate, what a node sends at once");
  number(command, "--rx-buffer", plan.rx_buffer_bytes, fabric::kMinRxBufferBytes,
         fabric::kMaxQueueBytes, "with --rx-rate: bytes that may wait in front of a receiver");
}

std::string check(const RatePlan& plan) {
  if (plan.policy == rate_control::Policy::kFixed && plan.limit_bps == 0)
    return "--policy fixed needs --limit";
  return {};
}

void add_pair_options(CLI::App& command, PairOptions& o, const std::string& histogram_of,
                      const std::string& plot_of) {
  add_config(command, o.config_file,
             "the first two endpoints of a TOML file send and receive, instead of two on a fabric "
             "of their own");
  add_lcores(command, o.lcores, "the sender's lcore and the receiver's");
  command.get_option("--lcores")->expected(2);
  choice(command, "--idle", o.idle,
         {config::IdlePolicy::kSpin, config::IdlePolicy::kPause, config::IdlePolicy::kSleep},
         "what the lcores do without work: spin, pause or sleep");
  choice(command, "--icrc", o.icrc,
         {wire::IcrcMode::kFull, wire::IcrcMode::kGenerate, wire::IcrcMode::kOff},
         "full: made and verified; generate: made; off: neither");
  command.add_option("--slots", o.slots, kSlotsHelp)->default_str("what 4 MiB hold, 4096 at most");
  add_qos(command, o.qos);
  add_output(command, o.output, histogram_of, plot_of);
}

std::string check(const PairOptions& o) {
  if (o.config_file.empty() && o.lcores[0] == o.lcores[1]) {
    return fmt::format("--lcores {0},{0} is not allowed; allowed: two different lcores",
                       o.lcores[0]);
  }
  return check_drop(o.qos, o.config_file);
}

Planned rack_of(const PairOptions& options, uint32_t payload_bytes) {
  Planned config = options.config_file.empty()
                       ? embedded_pair(options, options.slots.value_or(slots_for(payload_bytes)))
                       : load(options.config_file);
  if (!config) return config;
  if (config->endpoints.size() < 2) {
    return tl::unexpected(fmt::format("{}: one endpoint is not enough; allowed: two or more\n",
                                      base::shown(options.config_file)));
  }
  config->endpoints[kSenderNode].groups = {kAnswerGroup};
  config->endpoints[kReceiverNode].groups = {kMessageGroup};
  return config;
}

bool on_one_lcore(const config::StageLcores& s) {
  return s.receive == s.ordering && s.reliability == s.ordering && s.rate_control == s.ordering;
}

}  // namespace lambdacast::bench
