// SPDX-License-Identifier: BSD-3-Clause
// A congestion window for an endpoint that agrees with nobody on rates: how many bytes of its
// stream may be under way to the slowest receiver (RMP 1996, section 7 and Figure 1; the window
// itself grows and shrinks as in Jacobson's TCP).
//
// A byte is under way from its first transmission until every admitted receiver has heard of it. In
// a turn, a round trip and the interval of statuses behind it, the window grows by what was heard
// of (slow start) or by one frame, and only if the turn used it. It halves at most once a turn, at
// a first loss of the receiver that has missed packets in most of the last eight turns: if the
// losses of all receivers counted, the window would shrink with their number.
//
// Bytes are those on the wire; positions are those of the stream (rel_seq). Time comes as now_ns.
// Pure; not thread-safe: the lcore of rate_control owns it. Allocates at construction only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rate_control/limits.h"

namespace lambdacast::rate_control {

struct WindowConfig {
  uint64_t longest_frame = 0;  // on the wire
  uint32_t burst = 1;          // longest frames sent at once, at most
  uint32_t positions = 0;      // sent and not stable, at most; a power of two
  size_t max_peers = 0;
};

struct WindowCounters {
  uint64_t reductions = 0;  // halvings for a loss
  uint64_t timeouts = 0;    // falls to one frame because nothing was heard
};

class Window {
 public:
  // The way to the receivers and back, as it is at present.
  struct Path {
    uint64_t round_trip_ns = 0;  // of the farthest
    uint64_t variation_ns = 0;   // of that round trip
    uint64_t status_ns = 0;      // in which a receiver tells of any progress
  };
  // A receiver's last word about the stream.
  struct Status {
    uint64_t incarnation = 0;
    uint64_t heard_of = 0;      // the highest position that it knows of
    uint64_t first_losses = 0;  // positions that it missed at first
  };
  struct Report {
    uint64_t bytes = 0;
    uint64_t under_way = 0;  // bytes
    uint64_t threshold = 0;  // bytes; kUnlimitedBps: of a slow start without a loss so far
    uint16_t slowest = Limits::kNobody;  // as slowest()
    WindowCounters counters;
  };

  static constexpr uint64_t kAnyNumber = ~uint64_t{0};
  static constexpr uint16_t kNobody = Limits::kNobody;

  explicit Window(const WindowConfig& config);

  // --- what is sent -----------------------------------------------------------------------------
  // The next position of the stream has gone out for the first time.
  void sent(uint64_t position, uint64_t bytes);
  // The number of further frames of the greatest length that may go.
  [[nodiscard]] uint64_t frames() const;
  // Data waits, for frames() or for the pace.
  void refused(uint64_t now_ns);

  // --- what is heard ----------------------------------------------------------------------------
  void status(size_t peer, const Status& said);
  // Every admitted receiver has heard of everything up to that position.
  void heard(uint64_t position, const Path& path);
  // No receiver is admitted: there is nobody to protect.
  void nobody();
  // Time passes: at deadline_ns() at the latest, behind whatever was heard by then.
  void look(uint64_t now_ns);
  [[nodiscard]] uint64_t deadline_ns() const;

  // The pace between statuses. It changes only when revision() does.
  [[nodiscard]] const Limits& limits() const { return limits_; }
  [[nodiscard]] uint64_t revision() const { return revision_; }
  // The peer whose losses count; kNobody: none has lost anything.
  [[nodiscard]] uint16_t slowest() const { return slowest_; }
  [[nodiscard]] Report report() const {
    return {window_, under_way_, threshold_, slowest_, counters_};
  }

 private:
  struct Peer {
    Status said;
    uint8_t turns = 0;  // in which it missed something: a bit each, the current one last
  };

  [[nodiscard]] uint64_t least() const { return config_.longest_frame; }
  [[nodiscard]] uint64_t bytes_through(uint64_t position) const;
  void grow(uint64_t bytes);
  void reduce();
  void begin_anew(uint64_t window);
  void end_turn();
  void pace();

  const WindowConfig config_;
  std::vector<uint64_t> through_;  // by position: bytes of the stream up to and with it
  std::vector<Peer> peers_;
  uint64_t last_ = 0;   // position sent
  uint64_t bytes_ = 0;  // of the stream so far
  uint64_t heard_bytes_ = 0;
  uint64_t grown_bytes_ = 0;  // of those, what the window has grown by
  uint64_t under_way_ = 0;
  uint64_t window_;
  uint64_t threshold_ = kUnlimitedBps;
  uint64_t credit_ = 0;        // of the growth of one frame a turn
  uint64_t turn_ends_at_ = 0;  // a position that all have to have heard of
  uint64_t recovers_at_ = 0;   // losses up to that position have been answered
  bool open_ = true;           // nobody is admitted
  bool used_ = false;          // in this turn
  uint16_t slowest_ = kNobody;
  uint32_t timeouts_in_a_row_ = 0;
  bool waits_ = false;  // for word of progress, since the window was found closed
  uint64_t waits_since_ns_ = 0;
  Path path_;
  Limits limits_;
  uint64_t revision_ = 0;
  WindowCounters counters_;
};

}  // namespace lambdacast::rate_control
