// SPDX-License-Identifier: BSD-3-Clause
#include "neighbor/neighbor_table.h"

#include <algorithm>

namespace lambdacast::neighbor {

const char* name(NeighborState state) {
  switch (state) {
    case NeighborState::kNone:
      return "none";
    case NeighborState::kIncomplete:
      return "incomplete";
    case NeighborState::kReachable:
      return "reachable";
    case NeighborState::kStale:
      return "stale";
    case NeighborState::kProbe:
      return "probe";
    case NeighborState::kFailed:
      return "failed";
    case NeighborState::kPermanent:
      return "permanent";
  }
  return "?";
}

NeighborTable::NeighborTable(const TableConfig& config)
    : config_(config), entries_(std::max<size_t>(config.max_neighbors, 1)) {}

NeighborTable::Entry* NeighborTable::lookup(const wire::Gid& gid) {
  for (Entry& entry : entries_) {
    if (entry.state != NeighborState::kNone && entry.gid == gid) return &entry;
  }
  return nullptr;
}

// An empty place, or that of the one least recently asked for; never of one that is permanent or
// being asked. For a stranger only places of those never asked for.
NeighborTable::Entry* NeighborTable::place_for(const wire::Gid& gid, bool stranger) {
  Entry* best = nullptr;
  for (Entry& entry : entries_) {
    const bool empty = entry.state == NeighborState::kNone;
    const bool busy = entry.state == NeighborState::kPermanent ||
                      entry.state == NeighborState::kIncomplete ||
                      entry.state == NeighborState::kProbe;
    if (busy || (stranger && entry.asked_for_ns != 0)) continue;
    if (best == nullptr || empty || entry.asked_for_ns < best->asked_for_ns) best = &entry;
    if (empty) break;
  }
  if (best == nullptr) return nullptr;
  *best = Entry{};
  best->gid = gid;
  ++generation_;
  return best;
}

void NeighborTable::set(Entry& entry, NeighborState state, uint64_t due_ns) {
  const bool was_usable = entry.usable();
  entry.state = state;
  entry.due_ns = due_ns;
  deadline_ns_ = std::min(deadline_ns_, due_ns);
  if (entry.usable() != was_usable) ++generation_;
}

bool NeighborTable::add_permanent(const wire::Gid& gid, const wire::MacAddress& mac) {
  Entry* entry = lookup(gid);
  if (entry == nullptr) entry = place_for(gid, false);
  if (entry == nullptr) return false;
  entry->mac = mac;
  set(*entry, NeighborState::kPermanent, kNever);
  return true;
}

Lookup NeighborTable::find(const wire::Gid& gid) const {
  for (const Entry& entry : entries_) {
    if (entry.state == NeighborState::kNone || entry.gid != gid) continue;
    return {entry.state, entry.usable() ? std::optional(entry.mac) : std::nullopt};
  }
  return {};
}

Lookup NeighborTable::resolve(const wire::Gid& gid, uint64_t now_ns) {
  Entry* entry = lookup(gid);
  if (entry == nullptr) {
    entry = place_for(gid, false);
    if (entry == nullptr) return {};
    set(*entry, NeighborState::kIncomplete, now_ns);
  }
  entry->asked_for_ns = std::max<uint64_t>(now_ns, 1);
  const bool aged = entry->state == NeighborState::kReachable && now_ns >= entry->due_ns;
  if (aged || entry->state == NeighborState::kStale) {
    entry->attempts = 0;
    set(*entry, NeighborState::kProbe, now_ns);
  } else if (entry->state == NeighborState::kFailed && now_ns >= entry->due_ns) {
    entry->attempts = 0;
    set(*entry, NeighborState::kIncomplete, now_ns);
  }
  return {entry->state, entry->usable() ? std::optional(entry->mac) : std::nullopt};
}

NeighborTable::Learnt NeighborTable::hear(const Heard& heard, uint64_t now_ns) {
  Entry* entry = lookup(heard.gid);
  if (entry == nullptr) {
    if (!heard.to_us) return Learnt::kNothing;
    entry = place_for(heard.gid, true);
    if (entry == nullptr) return Learnt::kFull;
  }
  if (entry->state == NeighborState::kPermanent) return Learnt::kNothing;
  const bool had_address = entry->usable();
  const bool changes = !had_address || entry->mac != heard.mac;
  if (had_address && changes && !heard.replaces) {
    // Two answer for one address (RFC 4861, 7.2.5): stay with the first, and ask it when next used.
    if (entry->state == NeighborState::kReachable) set(*entry, NeighborState::kStale, kNever);
    return Learnt::kNothing;
  }
  const bool asked =
      entry->state == NeighborState::kIncomplete || entry->state == NeighborState::kProbe;
  entry->mac = heard.mac;
  if (changes) ++generation_;
  if (heard.answer && (asked || !changes)) {
    entry->failures = entry->attempts = 0;
    set(*entry, NeighborState::kReachable, now_ns + config_.reachable_ns);
  } else if (changes) {
    entry->failures = entry->attempts = 0;
    set(*entry, NeighborState::kStale, kNever);
  }
  return changes ? Learnt::kResolved : Learnt::kNothing;
}

uint64_t NeighborTable::backed_off(uint32_t doublings) const {
  constexpr uint32_t kMost = 20;  // a million times the first
  return std::min(config_.max_retry_ns, config_.retry_ns << std::min(doublings, kMost));
}

// A round of questions had no answer.
void NeighborTable::give_up(Entry& entry, uint64_t now_ns, uint64_t& given_up) {
  entry.attempts = 0;
  if (entry.state == NeighborState::kProbe) {  // perhaps it has moved: ask everybody
    set(entry, NeighborState::kIncomplete, now_ns);
    return;
  }
  ++given_up;
  set(entry, NeighborState::kFailed, now_ns + backed_off(config_.attempts + entry.failures));
  ++entry.failures;
}

std::optional<Question> NeighborTable::poll(uint64_t now_ns, uint64_t& given_up) {
  if (now_ns < deadline_ns_) return std::nullopt;
  std::optional<Question> question;
  deadline_ns_ = kNever;
  for (Entry& entry : entries_) {
    const bool asking =
        entry.state == NeighborState::kIncomplete || entry.state == NeighborState::kProbe;
    if (entry.state == NeighborState::kReachable && entry.due_ns <= now_ns) {
      set(entry, NeighborState::kStale, kNever);
    }
    if (!asking) {
      if (entry.state == NeighborState::kReachable) {
        deadline_ns_ = std::min(deadline_ns_, entry.due_ns);
      }
      continue;  // failed ones wait to be asked for again
    }
    if (entry.due_ns <= now_ns && entry.attempts >= config_.attempts) {
      give_up(entry, now_ns, given_up);
    }
    const bool due = entry.due_ns <= now_ns && (entry.state == NeighborState::kIncomplete ||
                                                entry.state == NeighborState::kProbe);
    if (due && !question && now_ns >= next_question_ns_) {
      question = Question{entry.gid, std::nullopt};
      if (entry.state == NeighborState::kProbe) question->mac = entry.mac;
      entry.due_ns = now_ns + backed_off(entry.attempts++);
      next_question_ns_ = now_ns + config_.min_gap_ns;
    }
    if (entry.state != NeighborState::kFailed) {
      deadline_ns_ = std::min(deadline_ns_, std::max(entry.due_ns, next_question_ns_));
    }
  }
  return question;
}

}  // namespace lambdacast::neighbor
