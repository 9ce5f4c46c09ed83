// SPDX-License-Identifier: BSD-3-Clause
// Reliable links of a switch with a window: some frames a direction and class may be on their way,
// every frame that goes the other way acknowledges all that have come, and a frame that does
// nothing else goes only when none has for half a timeout. When the oldest frame is too old, all
// behind it are sent again: a link keeps its order, so that a gap means a loss.
//
// With a window of one and bare acknowledgements it does what StoredFrames does, frame for frame.
//
// `send(port, frame)` gives a frame to the link and returns when it has left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "congest/message.h"
#include "congest/transport.h"

namespace lambdacast::congest {

class LinkWindow {
 public:
  LinkWindow(size_t ports, const TransportConfig& config)
      : config_(config),
        streams_(kClasses * ports),
        frames_(streams_.size() * config.window),
        acknowledge_ns_(ports, kNoDeadline) {}

  // There has to be room in the window.
  template <typename Send>
  void store(size_t port, const Frame& frame, Send& send) {
    const size_t i = index(port, frame.frame_class);
    Stream& stream = streams_[i];
    if (stream.stored == config_.window) throw std::logic_error("the window is full");
    const auto sequence = static_cast<uint8_t>(stream.oldest + stream.stored);
    Stored& stored = at(i, sequence);
    stored.frame = frame;
    stored.frame.sequence = sequence;
    count(frame.frame_class, stream.stored, stream.stored + 1u);
    ++stream.stored;
    transmit(port, stored, send);
  }
  // True: the frame is for the engine; else it is an acknowledgement, or came before.
  template <typename Send>
  [[nodiscard]] bool on_frame(size_t port, const Frame& frame, uint64_t now_ns, Send& send) {
    if (!config_.bare) {
      acknowledged(port, FrameClass::kSynchroniser, frame);
      acknowledged(port, FrameClass::kAlgorithm, frame);
    }
    if (frame.action == Action::kAcknowledge) {
      if (config_.bare) acknowledged(port, frame.frame_class, frame);
      return false;
    }
    Stream& stream = streams_[index(port, frame.frame_class)];
    const bool next = frame.sequence == stream.expected;
    if (next) ++stream.expected;
    if (config_.bare) {
      acknowledge(port, frame.frame_class, send);
    } else if (acknowledge_ns_[port] == kNoDeadline) {
      acknowledge_ns_[port] = now_ns + config_.timeout_ns / 2;
      deadline_ns_ = std::min(deadline_ns_, acknowledge_ns_[port]);
    }
    return next;
  }
  template <typename Send>
  void on_timer(uint64_t now_ns, Send& send) {
    deadline_ns_ = kNoDeadline;
    for (size_t i = 0; i < streams_.size(); ++i) {
      const Stream& stream = streams_[i];
      if (stream.stored == 0) continue;
      if (look_ns(i) > now_ns) {
        deadline_ns_ = std::min(deadline_ns_, look_ns(i));
        continue;
      }
      for (unsigned k = 0; k < stream.stored; ++k)
        transmit(i / kClasses, at(i, static_cast<uint8_t>(stream.oldest + k)), send);
    }
    for (size_t port = 0; port < acknowledge_ns_.size(); ++port) {
      if (acknowledge_ns_[port] <= now_ns) acknowledge(port, FrameClass::kSynchroniser, send);
      deadline_ns_ = std::min(deadline_ns_, acknowledge_ns_[port]);
    }
  }
  // No later than the first look that finds something.
  [[nodiscard]] uint64_t next_deadline_ns() const { return deadline_ns_; }

  // All frames of the algorithm are acknowledged, and one of the synchroniser fits at each port.
  [[nodiscard]] bool safe() const {
    return stored_of_algorithm_ == 0 && full_[static_cast<size_t>(FrameClass::kSynchroniser)] == 0;
  }
  // A frame of each class can be stored at each port.
  [[nodiscard]] bool room() const { return full_[0] == 0 && full_[1] == 0; }

 private:
  struct Stream {
    uint8_t oldest = 0;  // the number of the first frame that is stored
    uint8_t stored = 0;
    uint8_t expected = 0;  // the number of the next frame that comes
  };
  struct Stored {
    Frame frame;
    uint64_t left_ns = 0;
  };
  [[nodiscard]] static size_t index(size_t port, FrameClass frame_class) {
    return kClasses * port + static_cast<size_t>(frame_class);
  }
  [[nodiscard]] Stored& at(size_t stream, uint8_t sequence) {
    return frames_[stream * config_.window + sequence % config_.window];
  }
  [[nodiscard]] uint64_t look_ns(size_t i) {
    return first_look(i, streams_.size(), config_.check_ns,
                      at(i, streams_[i].oldest).left_ns + config_.timeout_ns);
  }
  template <typename Send>
  uint64_t carry(size_t port, Frame frame, Send& send) {
    for (size_t of = 0; of < kClasses; ++of)
      frame.acknowledged[of] = streams_[kClasses * port + of].expected;
    acknowledge_ns_[port] = kNoDeadline;
    return send(port, frame);
  }
  template <typename Send>
  void transmit(size_t port, Stored& stored, Send& send) {
    stored.left_ns = carry(port, stored.frame, send);
    deadline_ns_ = std::min(deadline_ns_, look_ns(index(port, stored.frame.frame_class)));
  }
  template <typename Send>
  void acknowledge(size_t port, FrameClass frame_class, Send& send) {
    (void)carry(port, {.frame_class = frame_class}, send);
  }
  void acknowledged(size_t port, FrameClass frame_class, const Frame& frame) {
    Stream& stream = streams_[index(port, frame_class)];
    const auto gone =
        static_cast<uint8_t>(frame.acknowledged[static_cast<size_t>(frame_class)] - stream.oldest);
    if (gone > stream.stored) return;  // older than what is stored
    count(frame_class, stream.stored, stream.stored - gone);
    stream.oldest = static_cast<uint8_t>(stream.oldest + gone);
    stream.stored = static_cast<uint8_t>(stream.stored - gone);
  }
  void count(FrameClass frame_class, size_t before, size_t after) {
    size_t& full = full_[static_cast<size_t>(frame_class)];
    full -= before == config_.window;
    full += after == config_.window;
    if (frame_class == FrameClass::kAlgorithm) stored_of_algorithm_ += after - before;
  }

  const TransportConfig config_;
  std::vector<Stream> streams_;           // by port and class
  std::vector<Stored> frames_;            // by stream, `window` each
  std::vector<uint64_t> acknowledge_ns_;  // by port: when an acknowledgement goes by itself
  size_t full_[kClasses] = {};            // streams without room
  size_t stored_of_algorithm_ = 0;
  uint64_t deadline_ns_ = kNoDeadline;
};

}  // namespace lambdacast::congest
