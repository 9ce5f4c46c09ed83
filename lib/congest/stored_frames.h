// SPDX-License-Identifier: BSD-3-Clause
// Reliable links of a switch, as published (FRANCIS, section 3.4.2): one stored frame an egress
// port and class, with the time at which it left. It goes when its acknowledgement comes, and is
// sent again when a look finds it too old. Stop and wait: one bit of sequence tells a frame that is
// sent again from the next one, since a link keeps its order.
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

class StoredFrames {
 public:
  StoredFrames(size_t ports, const TransportConfig& config)
      : config_(config), slots_(kClasses * ports) {}

  // The slot has to be free: a frame is never overwritten.
  template <typename Send>
  void store(size_t port, const Frame& frame, Send& send) {
    Slot& slot = slots_[index(port, frame.frame_class)];
    if (slot.stored) throw std::logic_error("a stored frame would be overwritten");
    slot.stored = true;
    slot.frame = frame;
    slot.frame.sequence = slot.sequence;
    ++stored_;
    transmit(port, slot, send);
  }
  // Acknowledges. True: the frame is for the engine; else it is an acknowledgement, or came before.
  template <typename Send>
  [[nodiscard]] bool on_frame(size_t port, const Frame& frame, uint64_t /*now_ns*/, Send& send) {
    Slot& slot = slots_[index(port, frame.frame_class)];
    if (frame.action == Action::kAcknowledge) {
      acknowledge(slot, frame);
      return false;
    }
    Frame ack{.frame_class = frame.frame_class};
    ack.acknowledged[class_index(frame.frame_class)] = frame.sequence;
    send(port, ack);
    if (frame.sequence != slot.expected) return false;
    slot.expected ^= 1;
    return true;
  }
  template <typename Send>
  void on_timer(uint64_t now_ns, Send& send) {
    deadline_ns_ = kNoDeadline;
    for (size_t i = 0; i < slots_.size(); ++i) {
      if (!slots_[i].stored) continue;
      if (look_ns(i) <= now_ns) {
        transmit(i / kClasses, slots_[i], send);
      } else {
        deadline_ns_ = std::min(deadline_ns_, look_ns(i));
      }
    }
  }
  // No later than the first look that finds something.
  [[nodiscard]] uint64_t next_deadline_ns() const { return deadline_ns_; }

  // All that was stored is acknowledged.
  [[nodiscard]] bool safe() const { return stored_ == 0; }
  // A frame of each class can be stored at each port.
  [[nodiscard]] bool room() const { return stored_ == 0; }

 private:
  struct Slot {
    Frame frame;
    uint64_t left_ns = 0;
    bool stored = false;
    uint8_t sequence = 0;  // of the frame that is or will be stored
    uint8_t expected = 0;  // of the next frame that comes
  };
  [[nodiscard]] static size_t class_index(FrameClass frame_class) {
    return static_cast<size_t>(frame_class);
  }
  [[nodiscard]] static size_t index(size_t port, FrameClass frame_class) {
    return kClasses * port + class_index(frame_class);
  }
  [[nodiscard]] uint64_t look_ns(size_t i) const {
    return first_look(i, slots_.size(), config_.check_ns, slots_[i].left_ns + config_.timeout_ns);
  }
  template <typename Send>
  void transmit(size_t port, Slot& slot, Send& send) {
    slot.left_ns = send(port, slot.frame);
    deadline_ns_ = std::min(deadline_ns_, look_ns(index(port, slot.frame.frame_class)));
  }
  void acknowledge(Slot& slot, const Frame& ack) {
    if (!slot.stored || ack.acknowledged[class_index(ack.frame_class)] != slot.sequence) return;
    slot.stored = false;
    slot.sequence ^= 1;
    --stored_;
  }

  const TransportConfig config_;
  std::vector<Slot> slots_;  // by port and class
  size_t stored_ = 0;
  uint64_t deadline_ns_ = kNoDeadline;
};

}  // namespace lambdacast::congest
