// SPDX-License-Identifier: BSD-3-Clause
// The log by pairs of lives: what checkers ask of it most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/multicast/log.h"
#include "sim/multicast/scenario.h"

namespace lambdacast::sim {

// The part of the log about one receiving life and one sending life.
struct PairLog {
  uint32_t sender = 0;
  uint32_t receiver = 0;
  bool welcomed = false;
  uint64_t open_at = 0;               // with `welcomed`
  bool evicted = false;               // at some time
  bool cut_off = false;               // at the end
  std::vector<uint32_t> told;         // indices in Log::told, in order
  std::vector<uint32_t> memberships;  // indices in Log::memberships, in order
};

class LogIndex {
 public:
  LogIndex(const Scenario& scenario, const Log& log);

  [[nodiscard]] const std::vector<PairLog>& pairs() const { return pairs_; }  // of different nodes
  // The recoverable message at a position of that life; null: none was sent there, or what was is
  // the protocol's own.
  [[nodiscard]] const Publication* at(uint32_t sender, uint64_t rel_seq) const;
  // The message that a position belongs to: of one of several packets that is not totally ordered
  // all of them, also if its sender did not come to its end.
  [[nodiscard]] const Publication* covering(uint32_t sender, uint64_t rel_seq) const;
  // When that position was first sent, by whatever took it; kNever: never.
  [[nodiscard]] uint64_t sent_ns(uint32_t sender, uint64_t rel_seq) const;
  // How many positions that life used.
  [[nodiscard]] uint64_t positions(uint32_t sender) const { return recoverable_[sender].size(); }
  [[nodiscard]] bool subscribed(uint32_t receiver, uint32_t group) const;
  [[nodiscard]] const NodeScenario& node(uint32_t life) const;
  [[nodiscard]] bool alive(uint32_t life) const { return log_.lives[life].died_ns == kNever; }
  [[nodiscard]] std::string name(uint32_t life) const;
  [[nodiscard]] std::string name(const PairLog& pair) const {
    return name(pair.receiver) + " of " + name(pair.sender);
  }

  // From when members may act upon a view: when somebody knows that it is chosen. Others and the
  // applications are told of it later.
  [[nodiscard]] uint64_t begun_ns(const InstalledView& view) const;

  // The highest epoch of a ballot that the life has spoken in by then; 0: none.
  [[nodiscard]] uint64_t last_ballot(uint32_t life, uint64_t at_ns) const;

 private:
  void cover();
  [[nodiscard]] const Publication* look(const std::vector<std::vector<uint32_t>>& all,
                                        uint32_t sender, uint64_t rel_seq) const;

  const Scenario& scenario_;
  const Log& log_;
  std::vector<std::vector<uint32_t>> recoverable_;  // by life and position: publication
  std::vector<std::vector<uint32_t>> covering_;     // by the same: covering()
  std::vector<std::vector<uint64_t>> marks_ns_;     // by the same: when marks were sent first
  std::vector<PairLog> pairs_;
};

}  // namespace lambdacast::sim
