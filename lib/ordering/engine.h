// SPDX-License-Identifier: BSD-3-Clause
// An engine says what comes next in the domains that are its: it writes packets of marks, and
// applies those of all members to the order (MarkSheet). Its packets are recoverable source ordered
// ones of their maker's stream, to a group of the protocol's own.
//
// A call of it goes by packets of marks or by turns of the endpoint, never by messages.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lambdacast::ordering {

// Has this node applied more than it has said? Awaited: the others wait for that with a message.
// Nobody need know at once of a message that is delivered as soon as it is marked.
enum class Progress : uint8_t { kNone, kApplied, kAwaited };

class Engine {
 public:
  virtual ~Engine() = default;

  // A view begins: no mark of it is applied yet.
  virtual void begin_view() = 0;
  // A packet of its marks, of a member and held, waits to be applied from now on.
  virtual void link(uint32_t at) = 0;
  // None does.
  virtual void unlink_all() = 0;
  // Applies what can be. In a view that ends everything counts as having come, and nothing is
  // acknowledged.
  virtual void apply(uint64_t now_ns) = 0;
  // Since it was asked last; of what others have to be told by member frames.
  [[nodiscard]] virtual Progress take_progress() = 0;

  // When this node has something to write, in a view that runs; ~0: it has nothing.
  [[nodiscard]] virtual uint64_t due_ns() const = 0;
  // Writes it at `payload`, in no more than `room` bytes; returns the bytes. What is not sent then
  // is due again.
  [[nodiscard]] virtual size_t write(uint8_t* payload, size_t room, uint64_t now_ns) = 0;
};

}  // namespace lambdacast::ordering
