// SPDX-License-Identifier: BSD-3-Clause
#include "loss_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "wire/control/transport.h"

namespace lambdacast::bench {
namespace {

template <typename Items, typename Value>
uint64_t sum(const Items& items, Value value) {
  uint64_t total = 0;
  for (const auto& item : items) total += value(item);
  return total;
}

// P(X <= events) for X ~ Poisson(mean).
double poisson_cdf(uint64_t events, double mean) {
  double term = std::exp(-mean);
  double total = term;
  for (uint64_t k = 1; k <= events; ++k) {
    term *= mean / static_cast<double>(k);
    total += term;
  }
  return total;
}

double per_second(uint64_t count, double seconds) {
  return seconds > 0 ? static_cast<double>(count) / seconds : 0;
}

uint64_t application_bytes(const LossOptions& options) {
  return options.payload_bytes - wire::kTransportHeaderBytes;
}

}  // namespace

uint64_t LossReport::sent() const {
  return sum(transmitters, [](const auto& t) { return t.numbered; });
}
uint64_t LossReport::expected() const { return sent() * (receivers.size() - 1); }
uint64_t LossReport::delivered() const {
  return sum(receivers, [](const auto& r) { return r.delivered; });
}
uint64_t LossReport::lost() const {
  return sum(receivers,
             [](const auto& r) { return r.lost() - std::min(r.lost(), r.control_lost()); });
}
uint64_t LossReport::control_lost() const {
  return sum(receivers, [](const auto& r) { return r.control_lost(); });
}
uint64_t LossReport::duplicates() const {
  return sum(receivers, [](const auto& r) { return r.duplicates; });
}
uint64_t LossReport::corrupted() const {
  return sum(receivers, [](const auto& r) { return r.corrupted; });
}
double LossReport::loss_ratio() const {
  return expected() == 0 ? 0 : static_cast<double>(lost()) / static_cast<double>(expected());
}
double LossReport::loss_ratio_upper95() const { return upper95(lost(), expected()); }

// A duplicate may stand in for a lost original, and a frame from elsewhere may be refused: the
// sequences then tell fewer losses.
bool LossReport::losses_agree(size_t i) const {
  const rack::ReceiverAccount& r = receivers[i];
  return r.copies == 0 && r.elsewhere == 0 ? missing[i] + r.control_lost() == r.lost()
                                           : missing[i] <= r.lost();
}

bool LossReport::identity_holds() const {
  for (size_t i = 0; i < receivers.size(); ++i) {
    const rack::ReceiverAccount& r = receivers[i];
    if (!r.balanced()) return false;
    if (r.inside != 0 || !losses_agree(i)) return false;
  }
  return wrong_content == 0 && recoverable.twice == 0 && recoverable.out_of_order == 0;
}

bool LossReport::all_delivered() const {
  return recoverable.delivered + recoverable.declared_lost == published * (receivers.size() - 1);
}

void RecoverableReport::add(const node::NodeReport& stages, const MessageCounts& messages) {
  delivered += messages.delivered;
  twice += messages.twice;
  out_of_order += messages.out_of_order;
  declared_lost += messages.declared_lost;
  nacks += stages.reliability.receiver.nacks_sent;
  statuses += stages.reliability.receiver.statuses_sent;
  const reliability::SenderCounters& sender = stages.rate_control.sender;
  repairs += sender.repairs;
  held_off += sender.held_off;
  heartbeats += sender.heartbeats;
  window_closed += sender.window_closed;
  for (const auto& peer : stages.reliability.peers) {
    first_losses += peer.receiver.first_losses;
    repaired += peer.receiver.repaired;
    duplicates += peer.receiver.duplicates;
  }
}

double upper95(uint64_t events, uint64_t trials) {
  if (trials == 0) return 1;
  constexpr uint64_t kExactBelow = 200;
  constexpr double kQuantile95 = 1.6448536269514722;
  double mean;
  if (events < kExactBelow) {
    double low = static_cast<double>(events);
    double high = low + 10 + 5 * std::sqrt(low);
    while (high - low > 1e-9 * high) {
      mean = (low + high) / 2;
      (poisson_cdf(events, mean) > 0.05 ? low : high) = mean;
    }
    mean = high;
  } else {  // Wilson and Hilferty, 1931: off by less than 1e-5 here
    const double n = static_cast<double>(events) + 1;
    mean = n * std::pow(1 - 1 / (9 * n) + kQuantile95 / (3 * std::sqrt(n)), 3);
  }
  return std::min(1.0, mean / static_cast<double>(trials));
}

namespace {

std::string text_of(const RecoverableReport& r, uint64_t published, size_t receivers) {
  return fmt::format(
      "  messages: {} published x {} receivers, {} delivered, {} twice, {} out of order, {} "
      "declared "
      "lost\n"
      "  repair times: {:.1f} us median, {:.1f} us 99 %, {:.1f} us most; median round trip {:.1f} "
      "us\n"
      "  repair: {} missed at first, {} repaired, {} NACKs, {} repairs sent, {} held off, {} came "
      "twice\n"
      "  control: {} statuses, {} heartbeats; the window was closed in {} polls\n",
      published, receivers, r.delivered, r.twice, r.out_of_order, r.declared_lost,
      static_cast<double>(r.repair_ns.value_at(0.5)) / 1e3,
      static_cast<double>(r.repair_ns.value_at(0.99)) / 1e3,
      static_cast<double>(r.repair_ns.max()) / 1e3,
      static_cast<double>(r.round_trips_ns.value_at(0.5)) / 1e3, r.first_losses, r.repaired,
      r.nacks, r.repairs, r.held_off, r.duplicates, r.statuses, r.heartbeats, r.window_closed);
}

}  // namespace

std::string text_of(const LossReport& r, const LossOptions& options) {
  std::string text = fmt::format(
      "loss: {} nodes, {} bytes of RoCE payload ({} of the application), pace {}\n"
      "  sent {} x {} receivers = {} expected\n"
      "  delivered {}  lost {}  duplicates {}  corrupted {}  PSN wraps {}\n"
      "  loss ratio {:.3g}, below {:.3g} with 95 % confidence\n"
      "  {:.3f} s, {:.0f} packets/s sent, {:.0f} delivered, goodput {:.3f} Gb/s\n",
      r.receivers.size(), options.payload_bytes, application_bytes(options), options.pace.text(),
      r.sent(), r.receivers.size() - 1, r.expected(), r.delivered(), r.lost(), r.duplicates(),
      r.corrupted(), r.psn_wraps_sent, r.loss_ratio(), r.loss_ratio_upper95(), r.elapsed_s,
      per_second(r.sent(), r.elapsed_s), per_second(r.delivered(), r.elapsed_s),
      per_second(r.delivered() * application_bytes(options) * 8, r.elapsed_s) / 1e9);
  if (options.qos.recoverable())
    text += text_of(r.recoverable, r.published, r.receivers.size() - 1);
  for (size_t i = 0; i < r.receivers.size(); ++i) {
    for (const auto& [reason, count] : r.receivers[i].losses) {
      text += fmt::format("  lost {} at {} {}: {}\n", count,
                          reason == "transmitter" ? "a transmitter, missed by" : "receiver",
                          r.names[i], reason);
    }
    if (!r.receivers[i].balanced()) {
      const auto& a = r.receivers[i];
      text += fmt::format(
          "  NOT BALANCED at {}: {} expected + {} copies != {} delivered + {} duplicates + {} "
          "lost\n",
          r.names[i], a.expected, a.copies, a.delivered, a.duplicates, a.lost());
    } else if (!r.losses_agree(i)) {
      text += fmt::format("  NOT BALANCED at {}: sequences miss {}, counters lost {}\n", r.names[i],
                          r.missing[i], r.receivers[i].lost());
    }
  }
  for (size_t i = 0; i < r.transmitters.size(); ++i) {
    if (r.transmitters[i].lost() == 0) continue;
    text += fmt::format("  lost {} at transmitter {}\n", r.transmitters[i].lost(), r.names[i]);
  }
  if (r.wrong_content != 0)
    text += fmt::format("  WRONG CONTENT in {} messages\n", r.wrong_content);
  if (r.window_timeouts != 0) text += fmt::format("  window timeouts {}\n", r.window_timeouts);
  return text + fmt::format("  identity {}\n", r.identity_holds() ? "holds" : "DOES NOT HOLD");
}

std::string json_of(const LossReport& r, const LossOptions& options) {
  nlohmann::ordered_json by_reason = nlohmann::json::object();
  nlohmann::ordered_json at_receivers = nlohmann::json::object();
  nlohmann::ordered_json at_transmitters = nlohmann::json::object();
  for (size_t i = 0; i < r.receivers.size(); ++i) {
    for (const auto& [reason, count] : r.receivers[i].losses) {
      by_reason[reason] = by_reason.value(reason, uint64_t{0}) + count;
      if (reason != "transmitter") at_receivers[r.names[i]][reason] = count;
    }
    if (r.transmitters[i].lost() != 0) at_transmitters[r.names[i]] = r.transmitters[i].lost();
  }
  const nlohmann::ordered_json json = {
      {"benchmark", "loss"},
      {"nodes", r.receivers.size()},
      {"payload_bytes", options.payload_bytes},
      {"application_bytes", application_bytes(options)},
      {"sent", r.sent()},
      {"receivers_per_packet", r.receivers.size() - 1},
      {"delivered", r.delivered()},
      {"lost", r.lost()},
      {"control_lost", r.control_lost()},  // beside these, among the reasons and places
      {"lost_by_reason", by_reason},
      {"lost_by_place", {{"transmitter", at_transmitters}, {"receiver", at_receivers}}},
      {"duplicates", r.duplicates()},
      {"corrupted", r.corrupted()},
      {"psn_wraps", r.psn_wraps_sent},
      {"psn_wraps_seen_by_receivers", r.psn_wraps_seen},
      {"psn_mismatches", r.psn_mismatches},
      {"loss_ratio", r.loss_ratio()},
      {"loss_ratio_upper95", r.loss_ratio_upper95()},
      {"packets_per_second", per_second(r.sent(), r.elapsed_s)},
      {"delivered_per_second", per_second(r.delivered(), r.elapsed_s)},
      {"goodput_bps", per_second(r.delivered() * application_bytes(options) * 8, r.elapsed_s)},
      {"elapsed_s", r.elapsed_s},
      {"pace", options.pace.text()},
      {"window_timeouts", r.window_timeouts},
      {"identity_holds", r.identity_holds()},
      {"qos", config::name(options.qos.qos)},
      {"messages_published", r.published},
      {"messages_delivered", r.recoverable.delivered},
      {"messages_twice", r.recoverable.twice},
      {"messages_out_of_order", r.recoverable.out_of_order},
      {"messages_declared_lost", r.recoverable.declared_lost},
      {"first_losses", r.recoverable.first_losses},
      {"nacks", r.recoverable.nacks},
      {"repairs", r.recoverable.repairs},
      {"messages_per_second", per_second(r.published, r.elapsed_s)},
  };
  return json.dump(2) + "\n";
}

}  // namespace lambdacast::bench
