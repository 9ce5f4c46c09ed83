// SPDX-License-Identifier: BSD-3-Clause
// Packets of a burst that follow each other are judged together: one look at their stream in place
// of one a packet.
#pragma once

#include <cstdint>
#include <optional>

#include "node/packet_info.h"
#include "reliability/frame_account.h"
#include "reliability/stream_receiver.h"

namespace lambdacast::node {

// Fewer are judged as fast one by one.
inline constexpr uint32_t kLeastRun = 4;
inline constexpr uint32_t kMostRun = 256;  // packets; bounds what accept_run puts on the stack

// How many packets from `first` on, before `end`, are of one incarnation of one peer and one QoS
// and follow each other: each has the sequences of the one before, plus one; the rel_seq of
// unreliable ones stays. info_at(i): const PacketInfo& of packet i.
template <typename InfoAt>
[[nodiscard]] uint32_t run_length(uint32_t first, uint32_t end, InfoAt&& info_at) {
  const PacketInfo& begin = info_at(first);
  if (begin.kind == wire::Kind::kControl) [[unlikely]]
    return 1;
  const uint64_t recoverable = begin.qos == wire::Qos::kUnreliable ? 0 : 1;
  uint32_t run = 1;
  for (; first + run < end; ++run) {
    const PacketInfo& info = info_at(first + run);
    if (info.frame_seq != begin.frame_seq + run ||
        info.rel_seq != begin.rel_seq + run * recoverable ||
        info.psn != (info.frame_seq & wire::kPsnMask) || info.peer != begin.peer ||
        info.incarnation != begin.incarnation || info.qos != begin.qos ||
        info.kind == wire::Kind::kControl) [[unlikely]]
      break;
  }
  return run;
}

// The disposition of the `count` packets of such a run, at most kMostRun. Nothing: they have to
// be judged one by one. handle_at(i): the PacketHandle of packet i.
template <typename InfoAt, typename HandleAt>
[[nodiscard]] std::optional<reliability::StreamReceiver::Disposition> accept_run(
    reliability::FrameAccount& frames, reliability::StreamReceiver& receiver, uint32_t count,
    InfoAt&& info_at, HandleAt&& handle_at, uint64_t now_ns) {
  if (count < kLeastRun) return std::nullopt;
  const PacketInfo& first = info_at(0);
  if (!receiver.knows(first.peer) || !frames.next_are(first, count)) return std::nullopt;
  reliability::PacketHandle handles[kMostRun];
  for (uint32_t i = 0; i < count; ++i) handles[i] = handle_at(i);
  const auto disposition = receiver.accept_run(first, info_at(count - 1), {handles, count}, now_ns);
  if (disposition) frames.accept_run(first, count);
  return disposition;
}

// A burst of `count` packets in their order: take_run(first, count) of those that follow each
// other, or false and nothing done; judge(i) of all others.
template <typename InfoAt, typename TakeRun, typename Judge>
void judge_burst(uint32_t count, InfoAt&& info_at, TakeRun&& take_run, Judge&& judge) {
  for (uint32_t i = 0; i < count;) {
    const uint32_t end = i + run_length(i, count, info_at);
    if (take_run(i, end - i)) {
      i = end;
      continue;
    }
    judge(i++);  // it comes behind a loss, as a rule
    if (take_run(i, end - i)) i = end;
    while (i < end) judge(i++);
  }
}

}  // namespace lambdacast::node
