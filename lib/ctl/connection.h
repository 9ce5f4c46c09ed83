// SPDX-License-Identifier: BSD-3-Clause
// One client of a server: what has come of its next frame, what waits to be sent to it, and what it
// waits for. All of it is bounded: while an answer waits no further request is read, and the kernel
// lets the client wait.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ctl/event_queue.h"
#include "ctl/frame.h"
#include "ctl/listener.h"
#include "ctl/message.h"
#include "ctl/outbox.h"

namespace lambdacast::ctl {

class Connection {
 public:
  Connection(Descriptor fd, unsigned number, Peer peer, uint64_t now_ns);

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] unsigned number() const { return number_; }
  [[nodiscard]] const Peer& peer() const { return peer_; }

  // --- what comes in ---
  // Reads once, unless an answer waits. False: the client has gone.
  [[nodiscard]] bool read();
  // The next frame, if there is one and this may go on.
  [[nodiscard]] base::Result<std::optional<Frame>> next(uint64_t now_ns);
  // A frame is there that next() would give.
  [[nodiscard]] bool ready(uint64_t now_ns) const { return takes(now_ns) && reader_.ready(); }
  // Reads on: no answer waits, and no time has to pass.
  [[nodiscard]] bool takes(uint64_t now_ns) const {
    return outbox_.empty() && now_ns >= paused_until_ns_ && !awaits_end_ && !closes_;
  }

  // --- what goes out ---
  void put(FrameType type, std::string_view payload) { outbox_.add(encode(type, payload)); }
  // Sends what the socket takes, of answers first and then of events. False: the client has gone.
  [[nodiscard]] bool send(uint64_t now_ns);
  [[nodiscard]] bool sends() const { return !outbox_.empty() || has_events(); }
  // Since when the client has taken nothing of what waits, or has not greeted; nothing: all is
  // well.
  [[nodiscard]] std::optional<uint64_t> stuck_since_ns() const;
  // Nothing comes any more, and all has been sent.
  [[nodiscard]] bool over() const { return closes_ && !sends(); }

  // --- its state ---
  void greeted() { greeted_ = true; }
  [[nodiscard]] bool has_greeted() const { return greeted_; }
  void close_when_sent() { closes_ = true; }
  // The answer to the last request goes out at that time.
  void pause(uint64_t until_ns, const Answer& answer);
  [[nodiscard]] uint64_t paused_until_ns() const { return paused_until_ns_; }
  void await_end() { awaits_end_ = true; }
  [[nodiscard]] bool awaits_end() const { return awaits_end_; }
  void end_came() { awaits_end_ = false; }
  void subscribe(size_t most) { events_.emplace(most); }
  [[nodiscard]] bool subscribed() const { return events_.has_value(); }
  void publish(const std::string& event) {
    if (events_) events_->push(event);
  }

 private:
  [[nodiscard]] bool has_events() const { return events_ && !events_->empty(); }
  void end_pause(uint64_t now_ns);

  Descriptor fd_;
  const unsigned number_;
  const Peer peer_;
  FrameReader reader_{kMaxRequestBytes};
  Outbox outbox_;
  std::optional<EventQueue> events_;
  std::optional<Answer> delayed_;  // until the pause ends
  uint64_t paused_until_ns_ = 0;
  uint64_t moved_ns_;  // when it last took something, or had all
  bool greeted_ = false;
  bool awaits_end_ = false;
  bool closes_ = false;
};

}  // namespace lambdacast::ctl
