// SPDX-License-Identifier: BSD-3-Clause
// The calls of a node without membership to groups of a view: group::OutsideCalls between the
// node's deliveries and publisher on one side and the application on the other.
//
// The application's thread owns it, as it owns the deliveries and the publisher.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/uptime_clock.h"
#include "group/outside_calls.h"
#include "node/outlet.h"
#include "node/packet_info.h"
#include "node/peer_table.h"
#include "node/publisher.h"
#include "node/request_report.h"

namespace lambdacast::node {

template <typename Env>
class Caller final : private group::AnswerCarrier {
 public:
  // They outlive it.
  Caller(const group::OutsideCallsConfig& config, const PeerTable& peers, Publisher<Env>& publisher)
      : peers_(peers),
        outlet_(publisher),
        clock_(group::kMostLivedAtOnceNs),
        calls_(config, static_cast<group::AnswerCarrier&>(*this)) {}

  // group/outside_calls.h says what they mean.
  [[nodiscard]] group::Result call(std::string_view name, std::span<const uint8_t> message,
                                   const group::CallOptions& options, group::CallHandler* handler,
                                   uint64_t token) {
    return calls_.call(name, message, options, handler, token);
  }
  void cancel(group::CallHandler& handler, uint64_t token) { calls_.cancel(handler, token); }

  void request_message(const PacketInfo& info, std::span<const uint8_t> message) {
    const PeerName from = peers_.name_of(info.peer);
    calls_.take({from.gid, from.qpn, info.incarnation}, message);
  }
  // Must be called once a poll, behind the deliveries. `drained`: no more of them wait. Calls are
  // given up only then.
  void poll(uint64_t now_ns, bool drained) {
    now_ns_ = now_ns;
    outlet_.poll(now_ns);
    if (drained && calls_.under_way() != 0) calls_.poll(clock_.advance(now_ns));
  }

  [[nodiscard]] RequestReport requests() const {
    RequestReport report;
    report.under_way = calls_.under_way();
    report.calls = calls_.counters();
    report.outside = calls_.outside_counters();
    return report;
  }

 private:
  group::Result answer(std::span<const uint8_t> envelope, const group::Content& message,
                       uint32_t group) override {
    return outlet_.request(envelope, message, group, wire::Qos::kReliable, true, now_ns_);
  }

  const PeerTable& peers_;
  Outlet<Env> outlet_;
  base::UptimeClock clock_;
  uint64_t now_ns_ = 0;
  group::OutsideCalls calls_;
};

}  // namespace lambdacast::node
