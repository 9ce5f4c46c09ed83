// SPDX-License-Identifier: BSD-3-Clause
// Control frames: what reliability says beside the data. They go to the control group's GID from
// the control queue pair, whose PSN counts them and nothing else, and hold one payload of this
// format, big-endian. All of them carry state, not increments: losing or repeating one is harmless.
//
//   0  version (4 bits) | zero        1  kind     2  flags     3  zero
//   4  incarnation of the speaker     8  its data QPN (24 bits)      12  entries    14  statuses
//  16  timestamp_ns: the speaker's clock when the frame went to its port
//  24  kind-specific
//
// The version is 1; or 2 of frames about views that only newer nodes can take part in
// (wire/control/view_control.h). A node refuses versions and kinds that it does not know under
// reasons of their own, so that mixed releases show.
//
// A stream is named by its source: | GID 16 | QPN 4 | incarnation 4 |.
//
// kHeartbeat, of a sender (24 + 32 bytes, then 40 an entry):
//   24  oldest rel_seq still retained (last + 1: none)     32  last rel_seq sent
//   40  next frame_seq     48  frames that every receiver missed
//   entry: | stream of a receiver 24 | rel_seq it begins with 8 | verdict 1 | zero 7 |
// kStatus, of a receiver (an entry a peer, 72 bytes, with its runs of first losses behind it):
//   entry: | stream 24 | contiguous 8 | echoed timestamp 8 | held back for, ns 4 | room 4 |
//          | positions missed at first 8 | flags 1 | runs 1 | zero 6 | highest position heard of 8
//          |
//   run:   | first rel_seq 8 | positions 4 |
// kMember, kBallot, kVote, kSkip: wire/control/view_control.h
// kNack, of a receiver:
//   24  stream     48  first missing rel_seq     then an entry a run: | skip 2 | missing 2 |
//   The first run starts at that rel_seq plus its skip, each other one its skip behind the last.
//   Behind the runs: `statuses` entries as a kStatus has them. Zero in any other kind.
// kDouble, of an endpoint that hears another one with its own address and queue pair (32 bytes):
//   24  incarnation of that one     28  zero
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "counters/drop_reason.h"
#include "lambdacast/names.h"
#include "wire/roce/gid.h"

namespace lambdacast::wire {

inline constexpr uint8_t kControlVersion = 1;
inline constexpr uint8_t kWideVersion = 2;  // of kMember, kBallot and kVote
inline constexpr size_t kControlHeaderBytes = 24;
// rel_seq ends here, so that a window behind any position is numbers too.
inline constexpr uint64_t kMaxPosition = ~uint64_t{0} - (uint64_t{1} << 32);
inline constexpr size_t kStreamNameBytes = 24;
inline constexpr size_t kHeartbeatBytes = kControlHeaderBytes + 32;
inline constexpr size_t kVerdictBytes = kStreamNameBytes + 16;
inline constexpr size_t kStatusEntryBytes = kStreamNameBytes + 48;
inline constexpr size_t kLossRunBytes = 12;
inline constexpr size_t kMaxLossRuns = 8;
inline constexpr size_t kMaxStatusEntryBytes = kStatusEntryBytes + kMaxLossRuns * kLossRunBytes;
inline constexpr size_t kNackHeaderBytes = kControlHeaderBytes + kStreamNameBytes + 8;
inline constexpr size_t kNackRunBytes = 4;
inline constexpr size_t kDoubleBytes = kControlHeaderBytes + 8;

enum class ControlKind : uint8_t {
  kHeartbeat = 1,
  kStatus = 2,
  kNack = 3,
  // wire/control/view_control.h:
  kMember = 4,
  kBallot = 5,
  kVote = 6,
  kSkip = 7,
  kDouble = 8,
};

// The key of a stream and of the endpoint that it comes from (doc/decisions/0006-two-sequences.md).
using StreamName = lambdacast::NodeName;
using lambdacast::name_before;

struct ControlHeader {
  ControlKind kind = ControlKind::kHeartbeat;
  uint8_t flags = 0;  // kFlag... of the kind
  uint32_t incarnation = 0;
  uint32_t data_qpn = 0;
  uint16_t entries = 0;
  uint64_t timestamp_ns = 0;
  uint16_t statuses = 0;  // of a NACK: status entries behind its runs; of a member: its order
  uint8_t version = kControlVersion;
  bool operator==(const ControlHeader&) const = default;
};

inline constexpr uint8_t kHeartbeatEnd = 0x01;     // it leaves: nothing follows, nothing is wanted
inline constexpr uint8_t kHeartbeatReport = 0x02;  // much is unstable: statuses, please

struct Heartbeat {
  uint64_t oldest_retained = 0;
  uint64_t last_sent = 0;
  uint64_t next_frame_seq = 0;
  uint64_t lost_by_all = 0;
  bool operator==(const Heartbeat&) const = default;
};

enum class Verdict : uint8_t {
  kWelcome = 1,        // admitted: the stream begins at open_at
  kEvictedLag = 2,     // cut off: it held the sender's window back for longer than evict_lag
  kEvictedSilent = 3,  // cut off: no status for suspect_after
  kRefused = 4,        // cut off: it cannot take packets as long as those of this stream
};

struct VerdictEntry {
  StreamName receiver;
  uint64_t open_at = 0;  // with kWelcome: at most last_sent + 1
  Verdict verdict = Verdict::kWelcome;
  uint16_t path_mtu = 0;  // with kRefused: that of the sender, in bytes
  bool operator==(const VerdictEntry&) const = default;
};

inline constexpr uint8_t kStatusJoining = 0x01;  // wants a welcome; contiguous means nothing

struct LossRun {
  uint64_t first = 0;
  uint32_t count = 0;
  bool operator==(const LossRun&) const = default;
};

struct StatusEntry {
  StreamName stream;
  uint64_t contiguous = 0;           // all up to here is received or declared lost
  uint64_t echo_timestamp_ns = 0;    // of the newest frame heard from there; 0: none
  uint32_t echo_delay_ns = 0;        // since then; all ones: 4.29 s or more
  uint32_t room = 0;                 // rel_seq up to contiguous + room may be sent
  uint64_t first_losses = 0;         // positions of this stream that were missed at first
  uint8_t flags = 0;                 // kStatus...
  uint8_t runs = 0;                  // at most kMaxLossRuns
  uint16_t path_mtu = 0;             // the longest RoCE payload that it takes; 0: not said
  uint64_t heard_of = ~uint64_t{0};  // highest position known to have been sent; all ones: not said
  LossRun run[kMaxLossRuns];         // what was missed of late, each told several times

  [[nodiscard]] size_t bytes() const { return kStatusEntryBytes + runs * kLossRunBytes; }
};

struct NackRun {
  uint16_t skip = 0;
  uint16_t missing = 0;
};

void store_control_header(const ControlHeader& header, uint8_t* out);
void store_stream_name(const StreamName& name, uint8_t* out);
// Alone, when the frame goes out.
inline void store_control_timestamp(uint8_t* payload, uint64_t timestamp_ns) {
  base::store_be64(payload + 16, timestamp_ns);
}
void store_heartbeat(const Heartbeat& heartbeat, uint8_t* payload);  // behind the header's 24 bytes
void store_verdict(const VerdictEntry& entry, uint8_t* out);
// Returns entry.bytes().
size_t store_status_entry(const StatusEntry& entry, uint8_t* out);
void store_nack(const StreamName& stream, uint64_t first, uint8_t* payload);
void store_nack_run(NackRun run, uint8_t* out);

void store_double(uint32_t other_incarnation, uint8_t* payload);

// Checks a control payload as a whole: on kNone every entry lies inside `bytes` and every field has
// one of its values, so that the readers below need no further check. Else kControlVersion,
// kControlKind or kControlMalformed.
[[nodiscard]] counters::DropReason load_control(const uint8_t* payload, size_t bytes,
                                                ControlHeader& out);

// A payload that begins like a control frame and cannot be that of a data frame (begins_transport).
[[nodiscard]] inline bool begins_control(const uint8_t* payload, size_t bytes) {
  return bytes >= kControlHeaderBytes && (payload[0] & 0x0f) == 0 && payload[0] != 0 &&
         payload[1] >= static_cast<uint8_t>(ControlKind::kHeartbeat) &&
         payload[1] <= static_cast<uint8_t>(ControlKind::kDouble) && payload[3] == 0;
}

// Reads the header of a payload that load_control accepted.
[[nodiscard]] inline ControlHeader load_control_header(const uint8_t* payload) {
  return {static_cast<ControlKind>(payload[1]), payload[2],
          base::load_be32(payload + 4),         base::load_be32(payload + 8),
          base::load_be16(payload + 12),        base::load_be64(payload + 16),
          base::load_be16(payload + 14),        static_cast<uint8_t>(payload[0] >> 4)};
}

[[nodiscard]] StreamName load_stream_name(const uint8_t* in);
[[nodiscard]] Heartbeat load_heartbeat(const uint8_t* payload);
[[nodiscard]] VerdictEntry load_verdict(const uint8_t* payload, size_t entry);
// The entry at `at` bytes of the payload, which moves on. Of a status the first one is at
// kControlHeaderBytes, of a NACK behind its runs.
[[nodiscard]] StatusEntry load_status_entry(const uint8_t* payload, size_t& at);
[[nodiscard]] StreamName load_nack_stream(const uint8_t* payload);
// The incarnation that the speaker of a kDouble has heard.
[[nodiscard]] inline uint32_t load_double(const uint8_t* payload) {
  return base::load_be32(payload + kControlHeaderBytes);
}
[[nodiscard]] inline size_t behind_nack_runs(const ControlHeader& header) {
  return kNackHeaderBytes + header.entries * kNackRunBytes;
}
// Where the status entry about `stream` is in a status or a NACK that load_control accepted; 0:
// there is none.
[[nodiscard]] size_t find_status_entry(const uint8_t* payload, const ControlHeader& header,
                                       const StreamName& stream);

// visit(first rel_seq, positions) for each run of a NACK that load_control accepted; runs that
// would leave the 64 bits are left out.
template <typename Visitor>
void for_each_nack_run(const uint8_t* payload, const ControlHeader& header, Visitor&& visit) {
  uint64_t at = base::load_be64(payload + kControlHeaderBytes + kStreamNameBytes);
  for (size_t i = 0; i < header.entries; ++i) {
    const uint8_t* run = payload + kNackHeaderBytes + i * kNackRunBytes;
    const uint16_t skip = base::load_be16(run);
    const uint16_t missing = base::load_be16(run + 2);
    if (at > ~uint64_t{0} - skip - missing) return;
    at += skip;
    visit(at, missing);
    at += missing;
  }
}

}  // namespace lambdacast::wire
