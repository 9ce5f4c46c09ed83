// SPDX-License-Identifier: BSD-3-Clause
#include "rack/loss_account.h"

namespace lambdacast::rack {
namespace {

using counters::DropReason;

void add(LossesByReason& losses, const std::string& reason, uint64_t count) {
  if (count != 0) losses[reason] += count;
}

void add_drops(LossesByReason& losses, const node::StageCounters& stage) {
  for (size_t i = 1; i < counters::kDropReasons; ++i) {
    const auto reason = static_cast<DropReason>(i);
    if (reason != DropReason::kDuplicate && reason != DropReason::kControlTaken)
      add(losses, name(reason), stage.drops[reason]);
  }
}

// What no endpoint of this fabric sends: nothing of ours is missing for it.
constexpr DropReason kForeign[] = {DropReason::kWrongDestinationGid, DropReason::kMulticastQpn,
                                   DropReason::kUnknownQpn,          DropReason::kPkeyMismatch,
                                   DropReason::kForeignFabric,       DropReason::kOwnFrame};

void set_apart_foreign(const node::StageCounters& receive, const dpdk::PortStatistics& port,
                       ReceiverAccount& account) {
  account.foreign = port.extended_or_zero("filtered");
  for (const DropReason reason : kForeign) {
    account.foreign += receive.drops[reason];
    account.losses.erase(name(reason));
  }
}

}  // namespace

uint64_t ReceiverAccount::lost() const {
  uint64_t sum = 0;
  for (const auto& [reason, count] : losses) sum += count;
  return sum;
}

ReceiverAccount account_of_receiver(const node::NodeReport& stages,
                                    const dpdk::PortStatistics& port) {
  ReceiverAccount account;
  account.copies = port.extended_or_zero("fault_duplicated");
  account.delivered = stages.ordering.counters.forwarded;
  // The stages of a running endpoint are read one after the other, the last the furthest.
  uint64_t entered = stages.receive.counters.forwarded + stages.reliability.counters.forwarded;
  uint64_t left = stages.reliability.counters.received + stages.ordering.counters.received;
  if (stages.view) {
    account.own = stages.view->account.own;
    account.marks = stages.view->account.marks;
    entered += account.own;
    left += account.marks + stages.view->account.voided;
    add(account.losses, name(DropReason::kNotInView), stages.view->account.voided);
  }
  account.inside = (entered > left ? entered - left : 0) + stages.ordering.held;
  account.duplicates = stages.reliability.counters.drops[DropReason::kDuplicate];
  account.corrupted = stages.receive.counters.drops[DropReason::kBadIcrc];
  // What a port missed, an injected rx_rate did not let through, or it fell a whole ring behind.
  // (Of a running port the former is read later and may be ahead.)
  const uint64_t rx_rate = std::min(port.extended_or_zero("rx_rate_dropped"), port.missed);
  add(account.losses, "rx_rate", rx_rate);
  add(account.losses, "ring_overrun", port.missed - rx_rate);
  add(account.losses, "no_mbuf", port.no_mbuf);
  add(account.losses, "port_error", port.rx_errors);
  for (const char* reason : {"too_long", "fault_lost"}) {
    add(account.losses, reason, port.extended_or_zero(reason));
  }
  account.control = stages.reliability.counters.drops[DropReason::kControlTaken];
  add_drops(account.losses, stages.receive.counters);
  add_drops(account.losses, stages.reliability.counters);
  add_drops(account.losses, stages.ordering.counters);
  set_apart_foreign(stages.receive.counters, port, account);
  return account;
}

TransmitterAccount account_of_transmitter(const node::NodeReport& stages,
                                          const dpdk::PortStatistics& port) {
  const uint64_t relayed = stages.view ? stages.view->account.relayed : 0;
  return {stages.rate_control.packets + relayed, stages.rate_control.control_packets - relayed,
          port.tx_packets};
}

}  // namespace lambdacast::rack
