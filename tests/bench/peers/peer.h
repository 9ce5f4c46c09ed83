// SPDX-License-Identifier: BSD-3-Clause
// What a peer of bench-vs-peers has to bring: a sender and a receiver over its library. The rest
// (pace, account, report) is the same for all.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "options.h"

namespace lambdacast::peers {

class Recorder;

// A library said no; the text says to what.
struct Failure {
  std::string what;
};

class Sender {
 public:
  virtual ~Sender() = default;
  // False: not now; the message was not taken.
  virtual bool send(std::span<const std::byte> message) = 0;
  // Whatever send() may have kept back goes out.
  virtual void flush() {}
  // Called between messages and when send() says no: repairs, timers, events of the library.
  virtual void serve() {}
  // A library with threads of its own needs the core between two messages.
  [[nodiscard]] virtual bool sleeps() const { return false; }
  // The account of a peer that delivers to its sender, too.
  [[nodiscard]] virtual const Recorder* own_deliveries() const { return nullptr; }
};

class Receiver {
 public:
  virtual ~Receiver() = default;
  // Hands what has come to the recorder; returns within some 10 ms.
  virtual void poll(Recorder& recorder) = 0;
};

// Of the one peer that a program is linked with.
extern const char* const kPeerName;
std::unique_ptr<Sender> make_sender(const Options& options);
std::unique_ptr<Receiver> make_receiver(const Options& options);

}  // namespace lambdacast::peers
