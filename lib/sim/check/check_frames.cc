// SPDX-License-Identifier: BSD-3-Clause
// Loss accounting on frame_seq, as a naive set would do it.
#include <algorithm>
#include <set>

#include "sim/check/checkers.h"
#include "sim/check/log_index.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {

namespace {

using counters::DropReason;

constexpr uint64_t kWindow = 1024;  // positions in which a duplicate is known (sequence_tracker.h)

// One sender's frames at one receiver.
struct Stream {
  std::set<uint64_t> accepted;
  uint64_t late = 0;
  uint64_t duplicates = 0;
  uint64_t too_old = 0;

  // What should become of the next copy; kNone: not refused by frame accounting.
  DropReason take(uint64_t seq) {
    if (!accepted.empty()) {
      const uint64_t highest = *accepted.rbegin();
      if (seq + kWindow <= highest) {
        ++too_old;
        return DropReason::kTooOld;
      }
      if (accepted.contains(seq)) {
        ++duplicates;
        return DropReason::kDuplicate;
      }
      late += seq < highest ? 1 : 0;
    }
    accepted.insert(seq);
    return DropReason::kNone;
  }
};

class Frames {
 public:
  Frames(const Scenario& scenario, const Log& log)
      : log_(log), index_(scenario, log), list_("Frames") {}

  Violations run() {
    const size_t lives = log_.lives.size();
    std::vector<std::vector<uint32_t>> arrivals(lives);
    std::vector<uint64_t> sent(lives);
    for (uint32_t i = 0; i < log_.arrivals.size(); ++i)
      arrivals[log_.arrivals[i].receiver].push_back(i);
    for (const SentFrame& frame : log_.frames) {
      if (frame.relayed_by == kNobody) ++sent[frame.life];
    }
    for (uint32_t receiver = 0; receiver < lives; ++receiver) {
      check_streams(receiver, arrivals[receiver]);
      check_stages(receiver, sent[receiver]);
    }
    return list_.take();
  }

 private:
  // A clock set back: when its next life is heard is a matter of silence.
  [[nodiscard]] bool goes_back(uint32_t life) const {
    return index_.node(life).incarnation_step < 0;
  }

  void check_streams(uint32_t receiver, const std::vector<uint32_t>& arrivals) {
    std::vector<Stream> streams(log_.lives.size());
    std::vector<uint32_t> newest(log_.lives.size());  // by node: the life heard last, by data
    std::set<uint32_t> refused_as_stale;              // lives
    std::set<uint32_t> perhaps_anew;                  // lives
    for (const uint32_t i : arrivals) {
      const Arrival& arrival = log_.arrivals[i];
      const SentFrame& frame = log_.frames[arrival.frame];
      const auto what = [&] {
        return index_.name(receiver) + ", frame " + std::to_string(frame.frame_seq) + " of " +
               index_.name(frame.life);
      };
      if (log_.lives[frame.life].node == log_.lives[receiver].node) {
        if (arrival.outcome != DropReason::kOwnFrame && frame.life == receiver) {
          list_.add(what() + ": its own frame was taken");
        }
        continue;
      }
      if (arrival.outcome == DropReason::kPeerTableFull || goes_back(frame.life)) continue;
      uint32_t& life = newest[log_.lives[frame.life].node];
      const bool stale = frame.life < life;
      // A member is heard until the view ends, whatever its next life says.
      if (!log_.membership || arrival.outcome != DropReason::kStaleIncarnation)
        life = std::max(life, frame.life);
      // A relay may bring back a life whose frames were refused for a later one. The endpoint may
      // then count its stream anew.
      if (arrival.outcome == DropReason::kStaleIncarnation)
        refused_as_stale.insert(frame.life);
      else if (frame.relayed_by != kNobody && refused_as_stale.contains(frame.life))
        perhaps_anew.insert(frame.life);
      if (goes_back_to(arrival, streams)) {
        for (uint32_t other = 0; other < log_.lives.size(); ++other) {
          if (log_.lives[other].node == log_.lives[frame.life].node) streams[other] = {};
        }
      }
      const DropReason expected =
          stale ? DropReason::kStaleIncarnation : streams[frame.life].take(frame.frame_seq);
      const bool late = log_.membership && arrival.outcome == DropReason::kStaleIncarnation &&
                        heard_of_later_life(receiver, frame.life);
      // A member's that was missing, whatever frame accounting says: who relays it sends it with
      // the frame_seq of its first way. That none is delivered twice is Ended's.
      const bool missed =
          log_.membership && frame.recoverable &&
          (arrival.outcome == DropReason::kNone || arrival.outcome == DropReason::kSlowConsumer ||
           arrival.outcome == DropReason::kTooFarAhead);
      if (expected != DropReason::kNone && arrival.outcome != expected && !late && !missed) {
        list_.add(what() + ": outcome " + counters::name(arrival.outcome) + ", should be " +
                  counters::name(expected));
      }
      // It arrived, and is of no use to who knows of a later life by its control frames.
      if (!stale && arrival.outcome == DropReason::kStaleIncarnation &&
          !heard_of_later_life(receiver, frame.life) && !follows_earlier(receiver, frame.life)) {
        list_.add(what() + ": refused as stale, and no later life has spoken");
      }
    }
    for (const StreamAccount& account : log_.lives[receiver].accounts) {
      if (account.sender == kNobody) {
        list_.add(index_.name(receiver) + " accounts for a life that never was");
        continue;
      }
      if (goes_back(account.sender) || perhaps_anew.contains(account.sender)) continue;
      check_account(index_.name(receiver) + " of " + index_.name(account.sender) + ": ",
                    streams[account.sender], account.frames);
    }
  }

  // A relay of a life that is over is taken for an endpoint that came back with its clock set back
  // once the next life has been silent for long. Its frames are counted anew then, and the next
  // life's behind them.
  [[nodiscard]] bool goes_back_to(const Arrival& arrival,
                                  const std::vector<Stream>& streams) const {
    const SentFrame& frame = log_.frames[arrival.frame];
    if (!log_.membership || frame.relayed_by == kNobody) return false;
    if (arrival.outcome != DropReason::kNotJoined) return false;
    for (uint32_t later = frame.life + 1; later < log_.lives.size(); ++later) {
      if (log_.lives[later].node == log_.lives[frame.life].node && !streams[later].accepted.empty())
        return true;
    }
    return false;
  }

  [[nodiscard]] bool heard_of_later_life(uint32_t receiver, uint32_t life) const {
    for (uint32_t later = life + 1; later < log_.lives.size(); ++later) {
      // A member's next life is heard of, though nothing of it is taken before the view ends.
      if (log_.lives[later].node == log_.lives[life].node &&
          (log_.membership || log_.heard[receiver][later].any)) {
        return true;
      }
    }
    return false;
  }

  // A member, and who was about to be one, is followed until a view begins without it. Who was
  // about to be one is in no log, so any earlier life heard may be meant; that a node is not deaf
  // to the later life for ever is Progress's.
  [[nodiscard]] bool follows_earlier(uint32_t receiver, uint32_t life) const {
    for (uint32_t earlier = 0; log_.membership && earlier < life; ++earlier) {
      if (log_.lives[earlier].node == log_.lives[life].node && log_.heard[receiver][earlier].any)
        return true;
    }
    return false;
  }

  void check_account(const std::string& pair, const Stream& stream,
                     const reliability::StreamReport& report) {
    if (stream.accepted.empty()) {
      list_.add(pair + "accounts for frames that never came");
      return;
    }
    const uint64_t first = *stream.accepted.begin();
    const uint64_t highest = *stream.accepted.rbegin();
    const uint64_t received = stream.accepted.size();
    expect(pair + "received", report.current.received, received);
    expect(pair + "missing", report.current.missing, highest - first + 1 - received);
    expect(pair + "late", report.current.late, stream.late);
    expect(pair + "duplicates", report.current.duplicates, stream.duplicates);
    expect(pair + "too_old", report.current.too_old, stream.too_old);
    expect(pair + "too_far_ahead", report.current.too_far_ahead, 0);
    expect(pair + "first_frame_seq", report.first_frame_seq, first);
    expect(pair + "highest_frame_seq", report.highest_frame_seq, highest);
    expect(pair + "psn_mismatches", report.psn_mismatches, 0);
  }

  // In every stage: received = forwarded + dropped, and each gets what the one before forwarded.
  void check_stages(uint32_t life, uint64_t sent) {
    const Life& of = log_.lives[life];
    const std::string who = index_.name(life) + ": ";
    const StageTotals& counted = of.counters;
    check_stage(who + "receive", counted.receive, of.copies_given);
    check_stage(who + "reliability", counted.reliability,
                counted.receive.forwarded - counted.received_link);
    expect(who + "transmitted_packets", counted.transmitted_packets, sent);
  }
  void check_stage(const std::string& name, const node::StageCounters& stage, uint64_t received) {
    expect(name + " received", stage.received, received);
    expect(name + " forwarded + dropped", stage.forwarded + stage.drops.total(), stage.received);
  }

  void expect(const std::string& what, uint64_t found, uint64_t wanted) {
    if (found == wanted) return;
    list_.add(what + " is " + std::to_string(found) + ", should be " + std::to_string(wanted));
  }

  const Log& log_;
  const LogIndex index_;
  ViolationList list_;
};

}  // namespace

Violations check_frames(const Scenario& scenario, const Log& log) {
  return Frames(scenario, log).run();
}

}  // namespace lambdacast::sim
