// SPDX-License-Identifier: BSD-3-Clause
// Writes into the log what lives say of views: ballots, the passes of a token ring, and the word by
// which others know that a life has begun a view.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "sim/multicast/frame_view.h"
#include "sim/multicast/log.h"

namespace lambdacast::sim {

class ViewRecorder {
 public:
  explicit ViewRecorder(Log& log) : log_(log) {}

  // A frame of the life's own.
  void transmitted(uint32_t life, const FrameView& view, uint64_t now_ns) {
    using Kind = FrameView::Kind;
    if (view.operational()) note_begun(life, view.epoch(), now_ns);
    if (view.kind() == Kind::kBallot || view.kind() == Kind::kVote)
      note_ballot(life, view.epoch(), now_ns);
    if (view.kind() == Kind::kBallot && view.step() == kInstall)
      note_chosen(life, view.epoch(), view.round(), now_ns);
    if (view.kind() != Kind::kData || !view.pass() || view.repair()) return;
    const auto arrivals = static_cast<uint32_t>(log_.arrivals.size());
    PassSent pass{life, now_ns, arrivals, view.rel_seq(), view.pass_epoch(), view.pass_number(),
                  {}};
    view.for_each_pass_item([&](uint16_t rank, uint64_t through) {
      pass.items.push_back({rank, through});
    });
    note_begun(life, pass.epoch, now_ns);
    log_.passes.push_back(std::move(pass));
  }

 private:
  static constexpr uint8_t kInstall = 4;  // a ballot's phase: a quorum has accepted its value

  void note_ballot(uint32_t life, uint64_t epoch, uint64_t now_ns) {
    if (ballots_.insert({life, epoch}).second) log_.ballots.push_back({life, now_ns, epoch});
  }
  void note_chosen(uint32_t life, uint64_t epoch, uint64_t round, uint64_t now_ns) {
    if (chosen_.insert({epoch, round}).second) log_.chosen.push_back({now_ns, epoch, round, life});
  }
  void note_begun(uint32_t life, uint64_t epoch, uint64_t now_ns) {
    if (begun_.insert({life, epoch}).second) log_.begun.push_back({life, now_ns, epoch});
  }

  Log& log_;
  std::set<std::pair<uint32_t, uint64_t>> ballots_;  // by life and epoch
  std::set<std::pair<uint32_t, uint64_t>> begun_;    // the same
  std::set<std::pair<uint64_t, uint64_t>> chosen_;   // by epoch and round
};

}  // namespace lambdacast::sim
