// SPDX-License-Identifier: BSD-3-Clause
// The streams of all peers, as every part of the receiving half sees them: name, state, what came
// and when the peer was heard last. StreamLifecycle writes the states and names, StreamReceiver the
// windows; NackScheduler, NackDelay and StatusReporter only read.
//
// Times in nanoseconds, of the endpoint's clock or of its uptime. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/uptime_clock.h"
#include "reliability/designated_nackers.h"
#include "reliability/receive_window.h"
#include "reliability/reliability_config.h"
#include "wire/control/control.h"

namespace lambdacast::reliability {

// See stream_lifecycle.h.
enum class StreamState : uint8_t { kUnheard, kJoining, kOpen, kClosing };

// One peer's stream. It is as large as four cache lines, so that an index costs a shift.
struct alignas(256) PeerStream {
  explicit PeerStream(uint32_t positions) : window(positions) {}

  // The fields that a packet in order needs come first.
  ReceiveWindow window;
  uint64_t heard_timestamp_ns = 0;  // the newest frame's, by its sender's clock; 0: none
  uint64_t heard_ns = 0;            // when that frame came
  uint64_t heard_uptime_ns = 0;     // the same in uptime
  wire::StreamName name;            // with the incarnation that we hear
  StreamState state = StreamState::kUnheard;
  bool progressed = false;        // by note_progress(), since StatusReporter named it last
  bool known = false;             // its packets need no introduction
  bool listed = false;            // among known()
  bool left = false;              // the peer said that it ends
  bool member = false;            // of the view
  bool abandoned = false;         // it has gaps that nobody will fill, and is about to be expelled
  uint64_t limit = ~uint64_t{0};  // whoever takes what is handed on has room up to here
  uint64_t hash = 0;              // of the name, whatever the incarnation
  uint64_t given_up_uptime_ns = 0;  // listed and not known: since when its place may be another's
};
static_assert(sizeof(PeerStream) == 256);

class PeerStreams {
 public:
  explicit PeerStreams(const ReliabilityConfig& config)
      : clock_(config.heartbeat_max_ns),
        suspect_after_ns_(config.suspect_after_ns),
        streams_(config.max_peers, PeerStream(config.receive_window_pkts)) {
    known_.reserve(config.max_peers);
  }

  [[nodiscard]] PeerStream& operator[](size_t peer) { return streams_[peer]; }
  [[nodiscard]] const PeerStream& operator[](size_t peer) const { return streams_[peer]; }
  // The peers introduced, in the order in which their places were first taken.
  [[nodiscard]] std::span<const uint16_t> known() const { return known_; }

  // The peer of that place has a name; what the stream has besides is the caller's.
  void introduce(size_t peer, const wire::Gid& gid, uint32_t qpn) {
    PeerStream& stream = streams_[peer];
    stream.known = true;
    stream.name = {gid, qpn, 0};
    stream.hash = name_hash(stream.name);
    stream.heard_uptime_ns = clock_.uptime_ns();  // it is about to be
    if (!stream.listed) known_.push_back(static_cast<uint16_t>(peer));
    stream.listed = true;
    news_ = true;
  }
  // The next packet of that place may be another peer's: it has to be introduced.
  void give_up(size_t peer) {
    streams_[peer].known = false;
    streams_[peer].given_up_uptime_ns = clock_.uptime_ns();
  }
  // Uptime for which the peer of that place, whoever that is, has not been heard.
  [[nodiscard]] uint64_t silent_ns(const PeerStream& stream) const {
    const uint64_t last_ns = stream.known ? stream.heard_uptime_ns : stream.given_up_uptime_ns;
    return clock_.uptime_ns() - last_ns;
  }
  // Long enough that nothing is on its way any more, and that nobody counts as alive who may only
  // have been slow.
  [[nodiscard]] bool gone(const PeerStream& stream) const {
    const bool left = stream.known && stream.left;
    return stream.listed && !stream.member &&
           silent_ns(stream) > (left ? suspect_after_ns_ : 2 * suspect_after_ns_);
  }
  // The peer of that name; nothing: no peer has it.
  [[nodiscard]] std::optional<size_t> find(const wire::StreamName& name) const {
    const uint64_t hash = name_hash(name);
    for (const uint16_t peer : known_) {
      if (streams_[peer].hash == hash && streams_[peer].name == name) return peer;
    }
    return std::nullopt;
  }

  // The stream opened, or its window moved.
  void note_progress(PeerStream& stream) { stream.progressed = news_ = true; }
  // Peers were introduced or streams progressed since StatusReporter looked, which clears this.
  [[nodiscard]] bool news() const { return news_; }
  void clear_news() { news_ = false; }

  // A frame of the incarnation that we hear came.
  void note_heard(PeerStream& stream, uint64_t timestamp_ns, uint64_t now_ns) {
    stream.heard_timestamp_ns = timestamp_ns;
    stream.heard_ns = now_ns;
    stream.heard_uptime_ns = clock_.uptime_ns();
  }
  // The peer is there to hear us and to speak.
  [[nodiscard]] bool present(const PeerStream& stream) const {
    return stream.state != StreamState::kUnheard && !stream.left && !silent(stream);
  }
  [[nodiscard]] bool silent(const PeerStream& stream) const {
    return long_ago(stream.heard_uptime_ns);
  }
  // Longer than suspect_after.
  [[nodiscard]] bool long_ago(uint64_t uptime_ns) const {
    return clock_.uptime_ns() - uptime_ns > suspect_after_ns_;
  }
  [[nodiscard]] base::UptimeClock& clock() { return clock_; }
  [[nodiscard]] uint64_t uptime_ns() const { return clock_.uptime_ns(); }

 private:
  base::UptimeClock clock_;
  const uint64_t suspect_after_ns_;
  std::vector<PeerStream> streams_;  // by peer; sized once
  std::vector<uint16_t> known_;
  bool news_ = false;
};

}  // namespace lambdacast::reliability
