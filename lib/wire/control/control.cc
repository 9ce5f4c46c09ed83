// SPDX-License-Identifier: BSD-3-Clause
#include "wire/control/control.h"

#include <algorithm>

#include "wire/control/view_control.h"

namespace lambdacast::wire {

using counters::DropReason;

namespace {

// Offsets in a status entry, behind the stream's name.
constexpr size_t kFlagsAt = 32;
constexpr size_t kRunsAt = 33;
constexpr size_t kPathMtuAt = 34;

bool is_known_kind(ControlKind kind) {
  return kind >= ControlKind::kHeartbeat && kind <= ControlKind::kDouble;
}

bool is_known_version(const ControlHeader& header) {
  if (header.version == kControlVersion) return true;
  return header.version == kWideVersion &&
         (header.kind == ControlKind::kMember || header.kind == ControlKind::kBallot ||
          header.kind == ControlKind::kVote);
}

bool valid_heartbeat(const uint8_t* payload, size_t bytes, size_t entries) {
  if (bytes != kHeartbeatBytes + entries * kVerdictBytes) return false;
  const Heartbeat heartbeat = load_heartbeat(payload);
  if (heartbeat.last_sent > kMaxPosition || heartbeat.oldest_retained > heartbeat.last_sent + 1)
    return false;
  for (size_t i = 0; i < entries; ++i) {
    const VerdictEntry entry = load_verdict(payload, i);
    if (entry.verdict < Verdict::kWelcome || entry.verdict > Verdict::kRefused ||
        entry.open_at > heartbeat.last_sent + 1) {
      return false;
    }
  }
  return true;
}

// `entries` of them from `at` on, and nothing behind them.
bool valid_statuses(const uint8_t* payload, size_t bytes, size_t at, size_t entries) {
  for (size_t i = 0; i < entries; ++i) {
    if (bytes - at < kStatusEntryBytes) return false;
    const size_t runs = payload[at + kStreamNameBytes + kRunsAt];
    at += kStatusEntryBytes;
    if (runs > kMaxLossRuns || bytes - at < runs * kLossRunBytes) return false;
    at += runs * kLossRunBytes;
  }
  return at == bytes;
}

bool valid_nack(const uint8_t* payload, size_t bytes, const ControlHeader& header) {
  const size_t behind = behind_nack_runs(header);
  return bytes >= behind && valid_statuses(payload, bytes, behind, header.statuses);
}

}  // namespace

void store_stream_name(const StreamName& name, uint8_t* out) {
  std::copy(name.gid.bytes.begin(), name.gid.bytes.end(), out);
  base::store_be32(out + 16, name.qpn);
  base::store_be32(out + 20, name.incarnation);
}

void store_control_header(const ControlHeader& header, uint8_t* out) {
  out[0] = static_cast<uint8_t>(header.version << 4);
  out[1] = static_cast<uint8_t>(header.kind);
  out[2] = header.flags;
  out[3] = 0;
  base::store_be32(out + 4, header.incarnation);
  base::store_be32(out + 8, header.data_qpn);
  base::store_be16(out + 12, header.entries);
  base::store_be16(out + 14, header.statuses);
  base::store_be64(out + 16, header.timestamp_ns);
}

void store_heartbeat(const Heartbeat& heartbeat, uint8_t* payload) {
  uint8_t* out = payload + kControlHeaderBytes;
  base::store_be64(out, heartbeat.oldest_retained);
  base::store_be64(out + 8, heartbeat.last_sent);
  base::store_be64(out + 16, heartbeat.next_frame_seq);
  base::store_be64(out + 24, heartbeat.lost_by_all);
}

void store_verdict(const VerdictEntry& entry, uint8_t* out) {
  store_stream_name(entry.receiver, out);
  base::store_be64(out + kStreamNameBytes, entry.open_at);
  base::store_be64(out + kStreamNameBytes + 8, uint64_t{static_cast<uint8_t>(entry.verdict)} << 56 |
                                                   uint64_t{entry.path_mtu} << 32);
}

size_t store_status_entry(const StatusEntry& entry, uint8_t* out) {
  store_stream_name(entry.stream, out);
  uint8_t* at = out + kStreamNameBytes;
  base::store_be64(at, entry.contiguous);
  base::store_be64(at + 8, entry.echo_timestamp_ns);
  base::store_be32(at + 16, entry.echo_delay_ns);
  base::store_be32(at + 20, entry.room);
  base::store_be64(at + 24, entry.first_losses);
  base::store_be64(at + kFlagsAt, uint64_t{entry.flags} << 56 | uint64_t{entry.runs} << 48 |
                                      uint64_t{entry.path_mtu} << 32);
  base::store_be64(at + 40, entry.heard_of);
  at += 48;
  for (size_t i = 0; i < entry.runs; ++i, at += kLossRunBytes) {
    base::store_be64(at, entry.run[i].first);
    base::store_be32(at + 8, entry.run[i].count);
  }
  return entry.bytes();
}

void store_nack(const StreamName& stream, uint64_t first, uint8_t* payload) {
  store_stream_name(stream, payload + kControlHeaderBytes);
  base::store_be64(payload + kControlHeaderBytes + kStreamNameBytes, first);
}

void store_nack_run(NackRun run, uint8_t* out) {
  base::store_be16(out, run.skip);
  base::store_be16(out + 2, run.missing);
}

void store_double(uint32_t other_incarnation, uint8_t* payload) {
  base::store_be32(payload + kControlHeaderBytes, other_incarnation);
  base::store_be32(payload + kControlHeaderBytes + 4, 0);
}

DropReason load_control(const uint8_t* payload, size_t bytes, ControlHeader& out) {
  if (bytes < kControlHeaderBytes) return DropReason::kControlMalformed;
  out = load_control_header(payload);
  if (!is_known_kind(out.kind)) return DropReason::kControlKind;
  if (!is_known_version(out)) return DropReason::kControlVersion;
  bool valid = out.data_qpn <= 0xffffff;
  switch (out.kind) {
    case ControlKind::kHeartbeat:
      valid = valid && bytes >= kHeartbeatBytes && valid_heartbeat(payload, bytes, out.entries);
      break;
    case ControlKind::kStatus:
      valid = valid && valid_statuses(payload, bytes, kControlHeaderBytes, out.entries);
      break;
    case ControlKind::kNack:
      valid = valid && valid_nack(payload, bytes, out);
      break;
    case ControlKind::kDouble:
      valid = valid && bytes == kDoubleBytes && out.entries == 0 && out.statuses == 0;
      break;
    default:
      if (valid) return check_view_control(payload, bytes, out);
  }
  return valid ? DropReason::kNone : DropReason::kControlMalformed;
}

StreamName load_stream_name(const uint8_t* in) {
  StreamName name;
  std::copy_n(in, name.gid.bytes.size(), name.gid.bytes.begin());
  name.qpn = base::load_be32(in + 16);
  name.incarnation = base::load_be32(in + 20);
  return name;
}

Heartbeat load_heartbeat(const uint8_t* payload) {
  const uint8_t* in = payload + kControlHeaderBytes;
  return {base::load_be64(in), base::load_be64(in + 8), base::load_be64(in + 16),
          base::load_be64(in + 24)};
}

VerdictEntry load_verdict(const uint8_t* payload, size_t entry) {
  const uint8_t* in = payload + kHeartbeatBytes + entry * kVerdictBytes;
  return {load_stream_name(in), base::load_be64(in + kStreamNameBytes),
          static_cast<Verdict>(in[kStreamNameBytes + 8]),
          base::load_be16(in + kStreamNameBytes + 10)};
}

StatusEntry load_status_entry(const uint8_t* payload, size_t& at) {
  const uint8_t* in = payload + at + kStreamNameBytes;
  StatusEntry entry;
  entry.stream = load_stream_name(payload + at);
  entry.contiguous = base::load_be64(in);
  entry.echo_timestamp_ns = base::load_be64(in + 8);
  entry.echo_delay_ns = base::load_be32(in + 16);
  entry.room = base::load_be32(in + 20);
  entry.first_losses = base::load_be64(in + 24);
  entry.flags = in[kFlagsAt];
  entry.runs = in[kRunsAt];
  entry.path_mtu = base::load_be16(in + kPathMtuAt);
  entry.heard_of = base::load_be64(in + 40);
  at += kStatusEntryBytes;
  for (size_t i = 0; i < entry.runs; ++i, at += kLossRunBytes) {
    entry.run[i] = {base::load_be64(payload + at), base::load_be32(payload + at + 8)};
  }
  return entry;
}

StreamName load_nack_stream(const uint8_t* payload) {
  return load_stream_name(payload + kControlHeaderBytes);
}

size_t find_status_entry(const uint8_t* payload, const ControlHeader& header,
                         const StreamName& stream) {
  const bool nack = header.kind == ControlKind::kNack;
  size_t at = nack ? behind_nack_runs(header) : kControlHeaderBytes;
  const size_t entries = nack ? header.statuses : header.entries;
  for (size_t i = 0; i < entries; ++i) {
    if (load_stream_name(payload + at) == stream) return at;
    at += kStatusEntryBytes + payload[at + kStreamNameBytes + kRunsAt] * kLossRunBytes;
  }
  return 0;
}

}  // namespace lambdacast::wire
