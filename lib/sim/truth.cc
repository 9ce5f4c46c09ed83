#include "sim/truth.h"

#include <algorithm>
#include <set>

#include "reliability/sequence_tracker.h"

namespace lambdacast::sim {

namespace {

using counters::DropReason;

// One receiver's view of one sender.
struct Stream {
  bool known = false;
  std::set<uint64_t> accepted;       // frame_seq
  uint64_t first_accepted = 0;       // by time
  std::set<uint64_t> corrupted;      // at least one damaged copy came
  std::set<uint64_t> behind_window;  // at least one intact copy came too late
  std::set<uint64_t> no_room;        // at least one intact copy found the peer table full
};

class Replay {
 public:
  Replay(const Scenario& scenario, const Report& report)
      : scenario_(scenario),
        log_(report.log),
        nodes_(scenario.nodes.size()),
        streams_(nodes_, std::vector<Stream>(nodes_)),
        peers_(nodes_, 0) {
    truth_.pairs.assign(nodes_, std::vector<PairTruth>(nodes_));
  }

  Truth run() {
    for (const Arrival& arrival : log_.arrivals) replay(arrival);
    for (const Sent& sent : log_.sent) {
      for (size_t receiver = 0; receiver < nodes_; ++receiver) {
        if (receiver != sent.sender) classify(sent, receiver);
      }
    }
    for (size_t sender = 0; sender < nodes_; ++sender) {
      for (size_t receiver = 0; receiver < nodes_; ++receiver) close(sender, receiver);
    }
    return std::move(truth_);
  }

 private:
  [[nodiscard]] uint64_t sequence(const Sent& sent) const {
    return scenario_.nodes[sent.sender].first_frame_seq + sent.number;
  }
  [[nodiscard]] bool subscribed(size_t receiver, uint32_t group) const {
    return std::ranges::count(scenario_.nodes[receiver].subscribe, group) != 0;
  }

  void replay(const Arrival& arrival) {
    const Sent& sent = log_.sent[arrival.frame];
    if (arrival.corrupted && says_damaged(arrival.outcome)) {
      streams_[sent.sender][arrival.receiver].corrupted.insert(sequence(sent));
      return;
    }
    // A flip in a field that the ICRC does not cover leaves the frame as good as intact.
    const DropReason expected = judge(sent, arrival.receiver);
    if (arrival.outcome == expected) return;
    truth_.wrong_outcomes.push_back(
        "at " + std::to_string(arrival.at_ns) + " ns node " + std::to_string(arrival.receiver) +
        " got message " + std::to_string(sent.number) + " of node " + std::to_string(sent.sender) +
        (arrival.corrupted ? " (damaged)" : "") + ": outcome " + counters::name(arrival.outcome) +
        ", should be " + counters::name(expected));
  }

  // What should become of an intact copy; moves the receiver's state.
  DropReason judge(const Sent& sent, size_t receiver) {
    if (sent.sender == receiver) return DropReason::kOwnFrame;
    Stream& stream = streams_[sent.sender][receiver];
    PairTruth& pair = truth_.pairs[sent.sender][receiver];
    const uint64_t seq = sequence(sent);
    if (!stream.known) {
      if (peers_[receiver] == scenario_.nodes[receiver].max_peers) {
        stream.no_room.insert(seq);
        return DropReason::kPeerTableFull;
      }
      ++peers_[receiver];
      stream.known = true;
      stream.first_accepted = seq;
    }
    if (!stream.accepted.empty()) {
      const uint64_t highest = *stream.accepted.rbegin();
      if (seq + reliability::SequenceTracker::kWindow <= highest) {
        ++pair.too_old;
        stream.behind_window.insert(seq);
        return DropReason::kTooOld;
      }
      if (stream.accepted.contains(seq)) {
        ++pair.duplicates;
        return DropReason::kDuplicate;
      }
      if (seq < highest) ++pair.late;
      if (seq > highest + 1) ++pair.gaps;
    }
    stream.accepted.insert(seq);
    return subscribed(receiver, sent.group) ? DropReason::kNone : DropReason::kNotSubscribed;
  }

  void classify(const Sent& sent, size_t receiver) {
    const Stream& stream = streams_[sent.sender][receiver];
    PairTruth& pair = truth_.pairs[sent.sender][receiver];
    const uint64_t seq = sequence(sent);
    ++pair.sent;
    if (stream.accepted.contains(seq)) {
      ++(subscribed(receiver, sent.group) ? pair.to_deliver : pair.not_subscribed);
    } else if (sent.lost_at_transmitter) {
      ++pair.lost_at_transmitter;
    } else if (stream.behind_window.contains(seq)) {
      ++pair.lost_too_old;
    } else if (stream.no_room.contains(seq)) {
      ++pair.lost_peer_table_full;
    } else if (stream.corrupted.contains(seq)) {
      ++pair.lost_corrupted;
    } else {
      ++pair.lost_at_receiver;
    }
  }

  void close(size_t sender, size_t receiver) {
    const Stream& stream = streams_[sender][receiver];
    PairTruth& pair = truth_.pairs[sender][receiver];
    pair.known = stream.known;
    if (stream.accepted.empty()) return;
    const uint64_t highest = *stream.accepted.rbegin();
    if (highest + 1 != scenario_.nodes[sender].first_frame_seq + pair.sent) ++pair.gaps;
    pair.psn_wraps = (highest >> 24) - (stream.first_accepted >> 24);
  }

  const Scenario& scenario_;
  const Log& log_;
  size_t nodes_;
  std::vector<std::vector<Stream>> streams_;  // [sender][receiver]
  std::vector<size_t> peers_;                 // learnt, by receiver
  Truth truth_;
};

}  // namespace

Truth derive_truth(const Scenario& scenario, const Report& report) {
  return Replay(scenario, report).run();
}

bool says_damaged(DropReason outcome) {
  return outcome != DropReason::kNone && outcome <= DropReason::kBadIcrc;
}

}  // namespace lambdacast::sim
