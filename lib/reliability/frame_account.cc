// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/frame_account.h"

namespace lambdacast::reliability {

using counters::DropReason;

DropReason FrameAccount::accept_disturbed(Stream& stream, Arrival arrival, uint64_t frame_seq,
                                          uint32_t psn) {
  switch (arrival.verdict) {
    case Verdict::kFirst:
      if (stream.psn_anchored == 0) anchor_psn(stream, frame_seq, psn);
      break;
    case Verdict::kGap:
      if (arrival.opened >= wire::kPsnHalfRange) {
        ++stream.psn_undecidable;
        anchor_psn(stream, frame_seq, psn);
      }
      break;
    case Verdict::kInOrder:
    case Verdict::kLate:
      break;
    case Verdict::kDuplicate:
      return DropReason::kDuplicate;
    case Verdict::kTooOld:
      return DropReason::kTooOld;
    case Verdict::kTooFarAhead:
      return DropReason::kTooFarAhead;
  }
  follow_psn(stream, frame_seq, psn);
  return DropReason::kNone;
}

// The extension restarts where frame_seq says it is. Should the sender's PSNs not follow its
// frame_seq (counted as mismatches), the wrap count may be off by one from here on.
void FrameAccount::anchor_psn(Stream& stream, uint64_t frame_seq, uint32_t psn) {
  const uint64_t anchor = (frame_seq & ~uint64_t{wire::kPsnMask}) | psn;
  if (stream.psn_anchored == 0) {
    stream.psn_anchored = 1;
    stream.first_extended_psn = stream.extended_psn = anchor;
  } else if (anchor > stream.extended_psn) {
    stream.extended_psn = anchor;
  }
}

bool FrameAccount::enter_incarnation(Stream& stream, uint32_t incarnation) {
  if (stream.tracker.started()) {
    if (static_cast<int32_t>(incarnation - stream.incarnation) <= 0) {
      ++stream.stale_incarnations;
      return false;
    }
    retire(stream);
  }
  stream.incarnation = incarnation;
  return true;
}

void FrameAccount::follow(size_t peer, uint32_t incarnation) {
  Stream& stream = streams_[peer];
  if (stream.incarnation == incarnation) return;
  if (stream.tracker.started()) retire(stream);
  stream.incarnation = incarnation;
}

void FrameAccount::succeed(size_t peer) {
  Stream& stream = streams_[peer];
  if (stream.tracker.started()) retire(stream);
  others_[peer] = {stream.retired, stream.stale_incarnations};
}

void FrameAccount::retire(Stream& stream) {
  stream.retired += stream.tracker.counters();
  stream.retired_psn_wraps += stream.psn_wraps();
  stream.tracker.reset();
  stream.psn_anchored = 0;
  stream.extended_psn = stream.first_extended_psn = 0;
  ++stream.incarnation_changes;
}

void FrameAccount::finish(size_t peer, uint32_t incarnation, uint64_t first_frame_seq,
                          uint64_t last_frame_seq) {
  Stream& stream = streams_[peer];
  if (incarnation != stream.incarnation && !enter_incarnation(stream, incarnation)) return;
  if (stream.psn_anchored == 0) {
    anchor_psn(stream, first_frame_seq, static_cast<uint32_t>(first_frame_seq & wire::kPsnMask));
  }
  stream.tracker.begin(first_frame_seq);
  stream.tracker.finish(last_frame_seq);
}

StreamReport FrameAccount::report(size_t peer) const {
  const Stream& stream = streams_[peer];
  StreamReport report;
  report.started = stream.tracker.started();
  report.incarnation = stream.incarnation;
  report.first_frame_seq = stream.tracker.first();
  report.highest_frame_seq = stream.tracker.highest();
  report.current = stream.tracker.counters();
  report.total = stream.retired;
  report.total += report.current;
  report.of_others = others_[peer].total;
  report.stale_of_others = others_[peer].stale_incarnations;
  report.psn_wraps = stream.retired_psn_wraps + stream.psn_wraps();
  report.psn_mismatches = stream.psn_mismatches;
  report.psn_undecidable = stream.psn_undecidable;
  report.incarnation_changes = stream.incarnation_changes;
  report.stale_incarnations = stream.stale_incarnations;
  return report;
}

SequenceCounters FrameAccount::total() const {
  SequenceCounters sum;
  for (const Stream& stream : streams_) {
    sum += stream.retired;
    sum += stream.tracker.counters();
  }
  return sum;
}

}  // namespace lambdacast::reliability
