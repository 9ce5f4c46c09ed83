// SPDX-License-Identifier: BSD-3-Clause
// Numbers every transmission of one data queue pair (doc/decisions/0006-two-sequences.md).
//
// - frame_seq counts transmissions, 64 bits, from any start; loss is accounted on it alone.
// - PSN is its low 24 bits, so BTH.PSN wraps correctly by construction. ODBSS 2019, III.A, tells of
//   a sender whose code for that wrap was incomplete.
// - rel_seq advances on recoverable frames only; other frames repeat the last value, so a lost
//   unreliable frame is never a gap to repair. It starts at first_rel_seq: nothing recoverable yet.
//
// A number once given must go out: a frame numbered and then not sent is a loss at the transmitter.
#pragma once

#include <cstdint>

namespace lambdacast::rate_control {

struct FrameNumber {
  uint64_t frame_seq;
  uint64_t rel_seq;
  uint32_t psn;  // 24 bits
};

class TransmitSequencer {
 public:
  static constexpr uint32_t kPsnMask = 0xffffff;

  // first_rel_seq: before the first recoverable frame.
  explicit TransmitSequencer(uint64_t first_frame_seq = 0, uint64_t first_rel_seq = 0)
      : first_frame_seq_(first_frame_seq),
        next_frame_seq_(first_frame_seq),
        rel_seq_(first_rel_seq) {}

  [[nodiscard]] FrameNumber next(bool recoverable) {
    rel_seq_ += recoverable ? 1 : 0;
    const uint64_t frame_seq = next_frame_seq_++;
    return {frame_seq, rel_seq_, static_cast<uint32_t>(frame_seq) & kPsnMask};
  }

  [[nodiscard]] uint64_t first_frame_seq() const { return first_frame_seq_; }
  [[nodiscard]] uint64_t next_frame_seq() const { return next_frame_seq_; }
  [[nodiscard]] uint64_t sent() const { return next_frame_seq_ - first_frame_seq_; }
  [[nodiscard]] uint64_t rel_seq() const { return rel_seq_; }  // last one given

  // How often BTH.PSN went from 0xffffff to 0 so far.
  [[nodiscard]] uint64_t psn_wraps() const {
    return sent() == 0 ? 0 : ((next_frame_seq_ - 1) >> 24) - (first_frame_seq_ >> 24);
  }

 private:
  uint64_t first_frame_seq_;
  uint64_t next_frame_seq_;
  uint64_t rel_seq_;
};

}  // namespace lambdacast::rate_control
