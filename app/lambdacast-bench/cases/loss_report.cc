// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "loss.h"

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

}  // namespace lambdacast::bench
