// SPDX-License-Identifier: BSD-3-Clause
// Which requests of callers outside the view have had their place in a group's order: a request is
// executed at most once, however often its caller repeats it and by whichever entry it comes.
//
// A session is a caller's name with its incarnation. Its id is the place at which it was opened, so
// that a session that was pushed out and opened again is another one: what came before it is never
// executed behind it. The table is the group's, at its members with state, and equal after the same
// events: it is told to newcomers in front of the application's state. Nothing here may depend on
// time, so the session that is pushed out is the one used longest ago by place.
//
// Not thread-safe. Allocates as sessions are opened, up to its bound.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "group/members.h"
#include "wire/control/request.h"

namespace lambdacast::group {

class Sessions {
 public:
  using Place = wire::RequestPlace;

  explicit Sessions(size_t most);  // at a time, 1 or more

  // The id of the caller's session; zeros: it has none.
  [[nodiscard]] Place id_of(const wire::StreamName& caller) const;
  [[nodiscard]] size_t size() const { return used_.size(); }
  // Sessions that others have pushed out.
  [[nodiscard]] uint64_t expired() const { return expired_; }

  // The caller's session, opened at that place unless it has one. Places rise from event to event.
  Place open(const wire::StreamName& caller, const Place& at);

  enum class Verdict : uint8_t {
    kNew,         // it takes its number here, and is executed or refused
    kRepetition,  // it has been executed, or it is up to its floor
    kRefused,     // it has been refused, and so are its repetitions
    kExpired      // there is no such session, or no more
  };
  // A request at its place. It is load_envelope()'s: within kRequestsUnderWay above its floor.
  Verdict take(const wire::Envelope& request, const Place& at);
  // The request just taken is refused, as it is for all.
  void refuse(const wire::Envelope& request);
  // The request just taken is answered by the holder of its handler, or by nobody (kGone).
  void ask(const wire::Envelope& request, uint8_t rank);
  // Who was asked; kGone: nobody, or it has departed since.
  [[nodiscard]] uint8_t asked(const wire::Envelope& request) const;
  // Has it been taken before, and not refused?
  [[nodiscard]] bool took(const wire::Envelope& request) const;
  // Ranks that have departed are asked no more; the others have the ranks of a new view.
  void move(std::span<const uint8_t> now);

  void clear() { used_.clear(); }
  // Appends all sessions, for newcomers.
  void save(std::vector<uint8_t>& out) const;
  // False: the bytes are not what save() writes; the table is empty then.
  [[nodiscard]] bool load(std::span<const uint8_t> in, size_t ranks);

 private:
  // What has become of a number: free, refused, or taken, by the rank that was asked.
  static constexpr uint8_t kFree = 0xfd;
  static constexpr uint8_t kWasRefused = 0xfe;
  static_assert(wire::kMaxMembers < kFree);  // and kGone: taken, and nobody is asked

  struct Session {
    wire::StreamName caller;
    Place id;
    Place last_use;
    uint64_t floor = 0;
    std::array<uint8_t, wire::kRequestsUnderWay> numbers;  // by number, modulo

    [[nodiscard]] uint8_t& of(uint64_t number) { return numbers[number % numbers.size()]; }
    void raise(uint64_t to);
  };
  [[nodiscard]] Session* find(const wire::StreamName& caller);
  [[nodiscard]] Session* find(const wire::Envelope& request);
  // The state of a request whose number is above its session's floor. kFree: none is known.
  [[nodiscard]] uint8_t number_of(const wire::Envelope& request) const;

  size_t most_;
  std::vector<Session> used_;
  uint64_t expired_ = 0;
};

}  // namespace lambdacast::group
