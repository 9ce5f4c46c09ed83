// SPDX-License-Identifier: BSD-3-Clause
// GID -> MAC address, for one endpoint on a real network: who is where, how surely, and whom to ask
// next. The states are those of RFC 4861, 7.3.2 (without DELAY: nothing above tells of reachability
// soon), for ARP and neighbor discovery alike:
//
//   incomplete --answer--> reachable --reachable_ns--> stale --asked for--> probe --answer-->
//   reachable
//        |                                                                    |
//        +--no answer--> failed (let alone for a while, longer each time)  <--+-- no answer:
//        incomplete
//
// Bounded: a newcomer takes the place of the one least recently asked for. What strangers make us
// learn only takes places that nobody here has asked for, so that no flood forgets a peer in use.
//
// Not thread-safe: one lcore owns it. MacDirectory is what others may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "wire/roce/gid.h"

namespace lambdacast::neighbor {

inline constexpr uint64_t kNever = ~uint64_t{0};

struct TableConfig {
  size_t max_neighbors = 256;
  uint32_t attempts = 3;                   // MAX_MULTICAST_SOLICIT, MAX_UNICAST_SOLICIT
  uint64_t retry_ns = 1'000'000'000;       // RETRANS_TIMER, doubled with each attempt
  uint64_t max_retry_ns = 60'000'000'000;  // the longest a failed one is let alone
  uint64_t reachable_ns = 30'000'000'000;  // REACHABLE_TIME
  uint64_t min_gap_ns = 10'000'000;        // between any two questions
};

enum class NeighborState : uint8_t {
  kNone,        // not in the table
  kIncomplete,  // asked for, no address yet
  kReachable,   // answered a short time ago
  kStale,       // an address that nobody has confirmed lately; usable
  kProbe,       // the same, and being asked; usable
  kFailed,      // does not answer
  kPermanent,   // of the configuration
};
[[nodiscard]] const char* name(NeighborState state);

// mac: only in the states that are usable.
struct Lookup {
  NeighborState state = NeighborState::kNone;
  std::optional<wire::MacAddress> mac;
};

// A peer's message about an address.
struct Heard {
  wire::Gid gid;
  wire::MacAddress mac;
  bool answer = false;   // to us, who asked: both directions work
  bool replaces = true;  // false: does not overrule an address known (ND's O flag)
  bool to_us = false;    // it will be spoken to: worth a place
};

// Ask for `target`, by group or broadcast, or of the one who was there last (`mac`).
struct Question {
  wire::Gid target;
  std::optional<wire::MacAddress> mac;
};

class NeighborTable {
 public:
  struct Entry {
    wire::Gid gid;
    wire::MacAddress mac;
    NeighborState state = NeighborState::kNone;
    uint32_t attempts = 0;      // questions of this round
    uint32_t failures = 0;      // rounds in vain, one after the other
    uint64_t due_ns = kNever;   // of the next question, or of the end of kReachable or kFailed
    uint64_t asked_for_ns = 0;  // by this endpoint, last; 0: never
    [[nodiscard]] bool usable() const {
      return state == NeighborState::kReachable || state == NeighborState::kStale ||
             state == NeighborState::kProbe || state == NeighborState::kPermanent;
    }
  };
  enum class Learnt : uint8_t { kNothing, kResolved, kFull };

  explicit NeighborTable(const TableConfig& config);

  // Returns false if there is no place. Permanent entries never change and are never displaced.
  bool add_permanent(const wire::Gid& gid, const wire::MacAddress& mac);

  // Looks without asking.
  [[nodiscard]] Lookup find(const wire::Gid& gid) const;
  // Returns what is known, and starts to ask if that is missing or old. kNone: the table is full.
  Lookup resolve(const wire::Gid& gid, uint64_t now_ns);
  // kResolved: it has an address now and had none, or another.
  Learnt hear(const Heard& heard, uint64_t now_ns);

  // The question that is due, if any. `given_up` is raised by one for each round in vain.
  [[nodiscard]] std::optional<Question> poll(uint64_t now_ns, uint64_t& given_up);
  // The time before which nothing is due. It may be early and is never late.
  [[nodiscard]] uint64_t next_deadline_ns() const { return deadline_ns_; }

  // All places, the empty ones (kNone) too; an entry keeps its place.
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  // Raised by each change of a gid, an address or of whether it is usable.
  [[nodiscard]] uint64_t generation() const { return generation_; }

 private:
  [[nodiscard]] Entry* lookup(const wire::Gid& gid);
  [[nodiscard]] Entry* place_for(const wire::Gid& gid, bool stranger);
  void set(Entry& entry, NeighborState state, uint64_t due_ns);
  void give_up(Entry& entry, uint64_t now_ns, uint64_t& given_up);
  [[nodiscard]] uint64_t backed_off(uint32_t doublings) const;

  TableConfig config_;
  std::vector<Entry> entries_;  // sized once
  uint64_t deadline_ns_ = kNever;
  uint64_t next_question_ns_ = 0;  // min_gap_ns after the last
  uint64_t generation_ = 0;
};

}  // namespace lambdacast::neighbor
