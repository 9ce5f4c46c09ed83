// How the receiving half hands on what is complete: stream by stream, a run at a time, gaps that
// were declared lost in their places. Part of stream_receiver.h, which includes it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "reliability/stream_receiver.h"

namespace lambdacast::reliability {

template <typename Sink>
uint32_t StreamReceiver::drain(uint32_t most, uint64_t now_ns, Sink&& sink) {
  uint32_t done = 0;
  size_t i = 0;
  while (i < backlog_count_ && done < most) {
    Stream& stream = streams_[backlog_[i]];
    struct PerStream {
      StreamReceiver& core;
      Stream& stream;
      uint64_t now_ns;
      Sink& sink;
      void deliver(uint64_t position, PacketHandle packet) {
        --core.kept_;
        core.handed_on(stream, position, now_ns);
        sink.deliver(packet);
      }
      bool gap(uint64_t first, uint64_t count, LossReason reason) {
        return sink.gap(core.index_of(stream), stream.name.incarnation, first, count, reason);
      }
    } each{*this, stream, now_ns, sink};
    const uint32_t drained = stream.window.drain(most - done, each);
    done += drained;
    if (stream.window.backlog()) {
      if (drained == 0) ++i;  // a gap that cannot be told now
      continue;
    }
    if (done == most) break;  // what follows may be a gap
    if (stream.state == State::kClosing) {
      const uint64_t tail = announced_tail(stream);
      if (tail != 0 && !each.gap(stream.window.end(), tail, stream.closed_for)) {
        ++i;
        continue;
      }
      stream.totals.lost[static_cast<size_t>(stream.closed_for)] += tail;
      done += tail != 0 ? 1 : 0;
      settle_closing(stream);
      if (done == most) break;
    }
    if (stream.welcomed) {
      const uint64_t skipped = stream.resumes && stream.welcome_at > stream.resume_at
                                   ? stream.welcome_at - stream.resume_at
                                   : 0;
      if (skipped != 0 && !each.gap(stream.resume_at, skipped, stream.closed_for)) {
        ++i;
        continue;
      }
      open(stream, skipped, now_ns);
      done += skipped != 0 ? 1 : 0;
    }
    stream.in_backlog = false;
    stream.progressed = true;
    backlog_[i] = backlog_[--backlog_count_];
  }
  // Whoever used up this turn goes last in the next: its sender may fill the window as fast.
  if (i < backlog_count_)
    std::rotate(backlog_.begin(), backlog_.begin() + i + 1, backlog_.begin() + backlog_count_);
  return done;
}

}  // namespace lambdacast::reliability
