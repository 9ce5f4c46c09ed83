// SPDX-License-Identifier: BSD-3-Clause
// The engine of one switch: an algorithm of synchronous rounds without loss, on links that lose,
// delay and duplicate frames. The synchroniser (Alpha, Beta, ByIteration, FreeRunning) says when
// the next round begins, and the transport (StoredFrames, LinkWindow) sends again what is lost.
// Final states equal those of run_synchronously() with the same seed. right_under.h says which
// algorithm may run under which synchroniser.
//
// Pure: frames and the time come in, and `send(port, frame)` takes frames out and returns when they
// have left. A message of the next round waits, one a port, until this switch has begun that round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "congest/algorithm.h"
#include "congest/message.h"
#include "congest/right_under.h"
#include "congest/step.h"
#include "congest/transport.h"

namespace lambdacast::congest {

template <typename AlgorithmType, typename SynchroniserType, typename TransportType>
class Engine {
  static_assert(kRightUnder<AlgorithmType, SynchroniserType>,
                "the algorithm counts rounds, and this synchroniser has none (right_under.h)");

 public:
  using Algorithm = AlgorithmType;
  using Synchroniser = SynchroniserType;
  using Transport = TransportType;

  Engine(const NodeView& self, const typename Algorithm::Config& config,
         const typename Synchroniser::Config& place, const TransportConfig& transport,
         uint64_t seed)
      : self_(self),
        seed_(seed),
        algorithm_(self, config),
        synchroniser_(self, place),
        transport_(self.ports(), transport),
        early_(self.ports()),
        spoken_(self.ports()) {}

  // Begins the run, if it is for this switch to begin.
  template <typename Send>
  void start(Send& send) {
    if (!synchroniser_.begins()) return;
    begin_round(false, send);
    advance(send);
  }
  template <typename Send>
  void on_frame(size_t port, const Frame& frame, uint64_t now_ns, Send& send) {
    if (transport_.on_frame(port, frame, now_ns, send)) deliver(port, frame, send);
    advance(send);
  }
  template <typename Send>
  void on_timer(uint64_t now_ns, Send& send) {
    transport_.on_timer(now_ns, send);
  }
  [[nodiscard]] uint64_t next_deadline_ns() const { return transport_.next_deadline_ns(); }

  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] uint64_t rounds() const { return rounds_; }      // begun
  [[nodiscard]] uint64_t messages() const { return messages_; }  // of the algorithm, sent once each
  [[nodiscard]] const Algorithm& algorithm() const { return algorithm_; }

 private:
  template <typename Send>
  class Sink final : public MessageSink {
   public:
    Sink(Engine& engine, Send& send) : engine_(engine), send_(send) {}
    void take(size_t port, const Message& message) override {
      engine_.say(port, Action::kMessage, message, send_);
      ++engine_.messages_;
    }

   private:
    Engine& engine_;
    Send& send_;
  };
  struct Early {
    Message message;
    bool is_message = false;
  };

  // The parity by which neighbours tell a message of the next round: the first has number 0. Where
  // rounds are steps of a phase that nobody is told of, it is the phase's.
  [[nodiscard]] bool odd_round() const {
    return (Synchroniser::kSteps ? at_.phase : rounds_ - 1) % 2 != 0;
  }

  template <typename Send>
  void say(size_t port, Action action, const Message& message, Send& send) {
    spoken_.set(port);
    transport_.store(port, {.action = action, .odd_round = odd_round(), .message = message}, send);
  }
  template <typename Send>
  void to_children(Frame frame, Send& send) {
    FilterPorts::each(synchroniser_.children(),
                      [&](size_t port) { transport_.store(port, frame, send); });
  }
  template <typename Send>
  void begin_round(bool begins_phase, Send& send) {
    if (rounds_++ != 0)
      at_ = begins_phase ? RoundNumber{at_.phase + 1, 0} : RoundNumber{at_.phase, at_.round + 1};
    synchroniser_.round_begins();
    if constexpr (Synchroniser::kSteps) synchroniser_.phase_begins();
    to_children({.frame_class = FrameClass::kSynchroniser,
                 .action = Action::kSync,
                 .begins_phase = begins_phase},
                send);
    spoken_.clear();
    run_round(send);
    if constexpr (Synchroniser::kSaysNothing) {
      FilterPorts::each(self_.alive(), [&](size_t port) {
        if (!spoken_.test(port)) say(port, Action::kNothing, {}, send);
      });
    }
    // Messages that have come too early are taken up again, as a switch recirculates a packet.
    for (size_t port = 0; port < early_.size(); ++port) {
      if (!early_[port].is_message) continue;
      early_[port].is_message = false;
      algorithm_.on_message(port, early_[port].message);
      if constexpr (Synchroniser::kSteps) synchroniser_.heard(false);
    }
  }
  template <typename Send>
  void run_round(Send& send) {
    Sink<Send> sink(*this, send);
    Round round(at_, seed_, self_.id(), self_.alive(), sink);
    algorithm_.on_round(round);
    synchroniser_.note(round.sent() || algorithm_.active(), algorithm_.more());
  }
  template <typename Send>
  void deliver(size_t port, const Frame& frame, Send& send) {
    switch (frame.action) {
      case Action::kSync:
        return begin_round(frame.begins_phase, send);
      case Action::kComplete:
        return synchroniser_.child_completed(frame);
      case Action::kEnd:
        return end(send);
      case Action::kMessage:
      case Action::kNothing:
        return hear(port, frame);
      case Action::kAcknowledge:
        return;
    }
  }
  void hear(size_t port, const Frame& frame) {
    // Before the first round a switch waits for the messages of that one.
    const bool early = Synchroniser::kRounds && (rounds_ == 0 || frame.odd_round != odd_round());
    synchroniser_.heard(early);
    if (frame.action == Action::kNothing) return;
    if (early) {
      early_[port] = {frame.message, true};
    } else {
      algorithm_.on_message(port, frame.message);
    }
  }
  template <typename Send>
  void end(Send& send) {
    ended_ = true;
    synchroniser_.end();
    to_children({.frame_class = FrameClass::kSynchroniser, .action = Action::kEnd}, send);
  }
  template <typename Send>
  void advance(Send& send) {
    for (;;) {
      if constexpr (!Synchroniser::kRounds) synchroniser_.finished(algorithm_.finished());
      if constexpr (Synchroniser::kSteps)
        synchroniser_.iterated(algorithm_.iterated(), algorithm_.more());
      switch (synchroniser_.next(transport_)) {
        case Step::kWait:
          return;
        case Step::kTellParent:
          transport_.store(synchroniser_.parent(), synchroniser_.complete(), send);
          return;
        case Step::kStep:
          ++rounds_;
          ++at_.round;
          run_round(send);
          break;
        case Step::kNextRound:
          begin_round(false, send);
          break;
        case Step::kNextPhase:
          begin_round(true, send);
          break;
        case Step::kEnd:
          return end(send);
      }
    }
  }

  NodeView self_;
  uint64_t seed_;
  Algorithm algorithm_;
  Synchroniser synchroniser_;
  Transport transport_;
  std::vector<Early> early_;  // by port: a message of the next round
  Filter spoken_;             // of this round: to whom something was said
  RoundNumber at_;
  uint64_t rounds_ = 0;
  uint64_t messages_ = 0;
  bool ended_ = false;
};

}  // namespace lambdacast::congest
