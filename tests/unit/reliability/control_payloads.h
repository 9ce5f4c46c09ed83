// SPDX-License-Identifier: BSD-3-Clause
// Control payloads of the peers of a core under test.
#pragma once

#include <cstdint>
#include <vector>

#include "wire/control/control.h"

namespace lambdacast::reliability {

// The stream of peer `number`, counted from 0.
inline wire::StreamName peer_name(uint32_t number, uint32_t incarnation = 1) {
  return {wire::gid_from_ipv4(0x0a000100 + number), 0x10, incarnation};
}

struct ControlPayload {
  wire::ControlHeader header;
  std::vector<uint8_t> bytes;
};

inline ControlPayload control_payload(wire::ControlKind kind, const wire::StreamName& from,
                                      size_t entries, size_t bytes, uint64_t timestamp_ns,
                                      uint8_t flags = 0) {
  ControlPayload out{
      {kind, flags, from.incarnation, from.qpn, static_cast<uint16_t>(entries), timestamp_ns, 0},
      std::vector<uint8_t>(bytes)};
  wire::store_control_header(out.header, out.bytes.data());
  return out;
}

inline ControlPayload heartbeat_payload(const wire::StreamName& from, uint64_t oldest,
                                        uint64_t last, uint64_t timestamp_ns,
                                        const std::vector<wire::VerdictEntry>& verdicts = {},
                                        uint8_t flags = 0) {
  ControlPayload out = control_payload(
      wire::ControlKind::kHeartbeat, from, verdicts.size(),
      wire::kHeartbeatBytes + verdicts.size() * wire::kVerdictBytes, timestamp_ns, flags);
  wire::store_heartbeat({oldest, last, 0, 0}, out.bytes.data());
  for (size_t i = 0; i < verdicts.size(); ++i) {
    wire::store_verdict(verdicts[i], &out.bytes[wire::kHeartbeatBytes + i * wire::kVerdictBytes]);
  }
  return out;
}

inline ControlPayload status_payload(const wire::StreamName& from,
                                     const std::vector<wire::StatusEntry>& entries) {
  size_t bytes = wire::kControlHeaderBytes;
  for (const wire::StatusEntry& entry : entries) bytes += entry.bytes();
  ControlPayload out = control_payload(wire::ControlKind::kStatus, from, entries.size(), bytes, 1);
  size_t at = wire::kControlHeaderBytes;
  for (const wire::StatusEntry& entry : entries) {
    at += wire::store_status_entry(entry, &out.bytes[at]);
  }
  return out;
}

// `statuses`: entries behind its runs.
inline ControlPayload nack_payload(const wire::StreamName& from, const wire::StreamName& about,
                                   uint64_t first, const std::vector<wire::NackRun>& runs,
                                   uint64_t timestamp_ns = 1,
                                   const std::vector<wire::StatusEntry>& statuses = {}) {
  ControlPayload out =
      control_payload(wire::ControlKind::kNack, from, runs.size(),
                      wire::kNackHeaderBytes + runs.size() * wire::kNackRunBytes, timestamp_ns);
  wire::store_nack(about, first, out.bytes.data());
  for (size_t i = 0; i < runs.size(); ++i) {
    wire::store_nack_run(runs[i], &out.bytes[wire::kNackHeaderBytes + i * wire::kNackRunBytes]);
  }
  out.header.statuses = static_cast<uint16_t>(statuses.size());
  wire::store_control_header(out.header, out.bytes.data());
  for (const wire::StatusEntry& entry : statuses) {
    const size_t at = out.bytes.size();
    out.bytes.resize(at + entry.bytes());
    (void)wire::store_status_entry(entry, &out.bytes[at]);
  }
  return out;
}

}  // namespace lambdacast::reliability
