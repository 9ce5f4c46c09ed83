// SPDX-License-Identifier: BSD-3-Clause
// The value of a ballot, which becomes a view: its entries, the old view's members by rank and the
// joiners behind them. It travels in parts: they are cut and put together here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "membership/view.h"
#include "wire/control/view_control.h"

namespace lambdacast::membership {

struct Value {
  std::vector<wire::BallotEntry> entries;  // capacity for 2 * kMaxMembers, from the start
  // The ballot that made it: the view's name, whichever ballot it is chosen by.
  uint64_t round = 0;
  uint32_t coordinator = 0;  // incarnation

  Value() { entries.reserve(2 * wire::kMaxMembers); }
  [[nodiscard]] const wire::BallotEntry* find(const wire::StreamName& name) const {
    for (const wire::BallotEntry& entry : entries) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }
  // Is it of two views of at most kMaxMembers, with nobody twice?
  [[nodiscard]] bool sound() const {
    for (size_t i = 1; i < entries.size(); ++i) {
      if (find(entries[i].name) != &entries[i]) return false;
    }
    return count(wire::kEntryOld) <= wire::kMaxMembers &&
           count(wire::kEntryNew) <= wire::kMaxMembers;
  }
  // Is it about a view that only nodes with kMemberWide can be in?
  [[nodiscard]] bool wide() const {
    return count(wire::kEntryOld) > wire::kMaxNarrowMembers ||
           count(wire::kEntryNew) > wire::kMaxNarrowMembers;
  }
  [[nodiscard]] size_t count(uint8_t flag) const {
    size_t found = 0;
    for (const wire::BallotEntry& entry : entries) found += (entry.flags & flag) != 0 ? 1 : 0;
    return found;
  }
};

[[nodiscard]] inline wire::ControlHeader control_header(const wire::StreamName& self,
                                                        wire::ControlKind kind, size_t entries,
                                                        bool wide = false) {
  wire::ControlHeader header;
  if (wide) header.version = wire::kWideVersion;
  header.kind = kind;
  header.incarnation = self.incarnation;
  header.data_qpn = self.qpn;
  header.entries = static_cast<uint16_t>(entries);
  return header;
}

// Says a value in as many frames as it takes.
class ValueParts {
 public:
  void begin() { next_ = 0; }
  void stop() { next_ = kDone; }
  [[nodiscard]] bool pending() const { return next_ != kDone; }

  // Writes the next part, as many entries as there is room for; pending(). Returns its bytes.
  size_t write(uint8_t* payload, size_t room, const wire::StreamName& self,
               const wire::BallotId& id, const wire::ViewId& previous, wire::BallotPhase phase,
               const Value& value) {
    const size_t most = (room - wire::kBallotBytes) / wire::kBallotEntryBytes;
    const size_t first = next_;
    const size_t count = std::min(most, value.entries.size() - first);
    wire::store_control_header(
        control_header(self, wire::ControlKind::kBallot, count, value.wide()), payload);
    wire::store_ballot({id, previous.round, previous.coordinator, phase,
                        static_cast<uint16_t>(value.entries.size()), static_cast<uint16_t>(first),
                        value.round, value.coordinator},
                       payload);
    for (size_t i = 0; i < count; ++i)
      wire::store_ballot_entry(value.entries[first + i], payload, i);
    next_ = first + count == value.entries.size() ? kDone : first + count;
    return wire::kBallotBytes + count * wire::kBallotEntryBytes;
  }

 private:
  static constexpr size_t kDone = ~size_t{0};
  size_t next_ = kDone;  // entry
};

// One ballot, or report of one, as it comes in.
class Assembly {
 public:
  Assembly() : here_(2 * wire::kMaxMembers) {}

  void reset() { started_ = false; }
  // Parts of two ballots, or of the lists before and after the cuts were chosen, never mix: the
  // first part of another one begins anew.
  void take(const wire::BallotFrame& frame, const uint8_t* payload, size_t entries) {
    const bool with_cuts = frame.phase != wire::BallotPhase::kPrepare;
    if (!started_ || frame.ballot != id_ || frame.total != total_ || with_cuts != with_cuts_) {
      started_ = true;
      id_ = frame.ballot;
      previous_ = {id_.epoch - 1, frame.previous_round, frame.previous_coordinator};
      total_ = frame.total;
      with_cuts_ = with_cuts;
      missing_ = total_;
      value_.entries.assign(total_, wire::BallotEntry{});
      value_.round = frame.made_round;
      value_.coordinator = frame.made_by;
      here_.assign(here_.size(), false);
      checked_ = false;
    }
    for (size_t i = 0; i < entries; ++i) {
      const size_t at = frame.first + i;
      if (here_[at]) continue;
      here_[at] = true;
      --missing_;
      value_.entries[at] = wire::load_ballot_entry(payload, i);
      if (value_.entries[at].holder >= total_) value_.entries[at].holder = 0;
    }
    if (missing_ == 0 && !checked_) {
      checked_ = true;
      sound_ = value_.sound();
    }
  }
  // Was it complete before this part of it came?
  [[nodiscard]] bool has_all_of(const wire::BallotFrame& frame) const {
    return complete() && is(frame.ballot) &&
           with_cuts_ == (frame.phase != wire::BallotPhase::kPrepare);
  }
  // The value is here already.
  void adopt(const wire::BallotId& id, const wire::ViewId& previous, const Value& value) {
    started_ = with_cuts_ = true;
    id_ = id;
    previous_ = previous;
    total_ = value.entries.size();
    missing_ = 0;
    value_ = value;
    here_.assign(here_.size(), true);
    checked_ = sound_ = true;
  }
  // All parts are here, and make a sound value.
  [[nodiscard]] bool complete() const { return started_ && missing_ == 0 && sound_; }
  [[nodiscard]] bool with_cuts() const { return with_cuts_; }
  [[nodiscard]] bool is(const wire::BallotId& id) const { return started_ && id_ == id; }
  [[nodiscard]] const wire::BallotId& id() const { return id_; }
  [[nodiscard]] const wire::ViewId& previous() const { return previous_; }
  [[nodiscard]] const Value& value() const { return value_; }

 private:
  bool started_ = false;
  bool with_cuts_ = false;
  wire::BallotId id_;
  wire::ViewId previous_;
  size_t total_ = 0;
  size_t missing_ = 0;
  bool checked_ = false;
  bool sound_ = false;
  Value value_;
  std::vector<bool> here_;
};

}  // namespace lambdacast::membership
