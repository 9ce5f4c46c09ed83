// SPDX-License-Identifier: BSD-3-Clause
// The keys of [endpoint.reliability].
#include "config/member_key.h"

namespace lambdacast::config {
namespace {

using reliability::LateJoin;
using reliability::ReliabilityConfig;
using reliability::SlowReceiver;

// A sender and a receiver have one time for their silence.
void store_heartbeat(ReliabilityConfig& reliability, const Value& value) {
  const auto ns = static_cast<uint64_t>(std::get<int64_t>(value) * kNsPerUs);
  reliability.heartbeat_max_ns = reliability.status_max_ns = ns;
}

}  // namespace

std::span<const KeyOf<ReliabilityConfig>> reliability_keys() {
  using R = ReliabilityConfig;
  static const KeyOf<R> keys[] = {
      key<&R::transmit_window_pkts>("transmit_window", "packets", PowerOfTwo{64, 1 << 20},
                                    "Retained until every receiver has them; each keeps an mbuf"),
      key<&R::transmit_window_bytes>("transmit_window_bytes", "bytes", Range{65536, 0xffffffff},
                                     "The frames of these together"),
      key<&R::in_flight_pkts>(
          "in_flight", "packets", Range{16, 1 << 20},
          "How far it sends ahead of what its slowest receiver has heard of, at most; "
          "goes down to a quarter while receivers are slower than it sends"),
      key<&R::receive_window_pkts>(
          "receive_window", "packets", PowerOfTwo{64, 32768},
          "How far each sender may be ahead of what is complete here; no more "
          "than a ring of the fabric holds loses nothing to a full ring"),
      key<&R::hold_pkts>("hold", "packets", Range{64, 1 << 20},
                         "Packets of all senders that wait for earlier ones; each keeps an mbuf"),
      key_in_us<&R::status_ns>("status_us", Range{1, 100000},
                               "Between two statuses at least; longer with more than eight peers"),
      stored_by(store_heartbeat, key_in_us<&R::heartbeat_max_ns>(
                                     "heartbeat_us", Range{100, 1000000},
                                     "Between two heartbeats, and two statuses, at most")),
      key_in_us<&R::nack_delay_ns>("nack_delay_us", Range{0, 1000000},
                                   "Reordering to expect before a gap is a loss; none on an ODBSS"),
      key_in_us<&R::nack_backoff_ns>(
          "nack_backoff_us", Range{0, 10000000},
          "The longest random wait before a NACK (RFC 5401); 0 for an ODBSS, "
          "where eight chosen receivers ask at once"),
      key<&R::repair_share_percent>("repair_share", "percent", Range{1, 99},
                                    "Of the frames sent while data waits, what repairs may take"),
      key<&R::slow_receiver>("slow_receiver", "",
                             Words{{name(SlowReceiver::kPace), name(SlowReceiver::kEvict)}},
                             "About a receiver that holds the window back: follow it, or cut it "
                             "off after evict_lag_ms"),
      key<&R::late_join>("late_join", "", Words{{name(LateJoin::kNow), name(LateJoin::kRetained)}},
                         "Where a newcomer begins: with the next packet, or with the oldest that "
                         "is retained, for which stable ones are kept"),
      key_in_ms<&R::evict_lag_ns>("evict_lag_ms", Range{1, 600000},
                                  "How old the oldest packet that a receiver lacks may become"),
      key_in_ms<&R::suspect_after_ns>("suspect_after_ms", Range{1, 600000},
                                      "Silence after which a peer counts as gone"),
      key_in_ms<&R::repair_deadline_ns>(
          "repair_deadline_ms", Range{1, 600000},
          "How long a packet is asked for; longer than suspect_after_ms"),
      key_in_ms<&R::retain_ns>("retain_ms", Range{1, 3600000},
                               "The longest a packet is retained; at least evict_lag_ms"),
      key_in_us<&R::initial_rtt_ns>("initial_rtt_us", Range{1, 1000000},
                                    "The round trip to expect until one has been measured"),
  };
  return keys;
}

}  // namespace lambdacast::config
