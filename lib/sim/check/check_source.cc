// SPDX-License-Identifier: BSD-3-Clause
// A sender's messages of a group come in the order in which it published them.
#include <algorithm>
#include <map>

#include "sim/check/checkers.h"
#include "sim/check/log_index.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {

namespace {

// The source-ordered messages of a sender's group, and how far a receiver is with them.
struct OrderedGroup {
  std::vector<uint64_t> positions;
  size_t next = 0;    // all before this one are decided
  uint64_t last = 0;  // position delivered
};

void check_pair(const LogIndex& index, const Log& log, const PairLog& pair, ViolationList& list) {
  std::map<uint32_t, OrderedGroup> groups;
  const uint64_t before = log.lives[pair.sender].first_rel_seq;
  const uint64_t count = index.positions(pair.sender);
  for (uint64_t i = 1; i <= count; ++i) {
    const Publication* publication = index.at(pair.sender, before + i);
    if (publication == nullptr) continue;
    if (publication->qos == wire::Qos::kSourceOrdered && pair.welcomed &&
        before + i >= pair.open_at) {
      groups[publication->group].positions.push_back(before + i);
    }
  }
  std::vector<bool> decided(count + 1);
  for (const uint32_t i : pair.told) {
    const Told& told = log.told[i];
    if (told.is_gap()) {
      for (uint64_t at = 0; at < std::min<uint64_t>(told.count, count); ++at) {
        if (told.first + at <= before || told.first + at - before > count) continue;
        decided[told.first + at - before] = true;
        // A message of which a packet is lost is lost.
        const Publication* publication = index.covering(pair.sender, told.first + at);
        if (publication != nullptr && publication->sent_ns != kNever)
          decided[publication->rel_seq - before] = true;
      }
      continue;
    }
    if (told.rel_seq <= before || told.rel_seq - before > count) continue;
    if (told.qos == wire::Qos::kUnreliable) continue;
    decided[told.rel_seq - before] = true;
    if (told.qos != wire::Qos::kSourceOrdered) continue;
    OrderedGroup& group = groups[told.group];
    while (group.next < group.positions.size() && decided[group.positions[group.next] - before])
      ++group.next;
    const bool all_before =
        group.next == group.positions.size() || group.positions[group.next] > told.rel_seq;
    if (!all_before) {
      list.add(index.name(pair) + ": rel_seq " + std::to_string(told.rel_seq) +
               " delivered before " + std::to_string(group.positions[group.next]));
    }
    if (group.last > told.rel_seq)
      list.add(index.name(pair) + ": rel_seq " + std::to_string(told.rel_seq) + " behind " +
               std::to_string(group.last));
    group.last = std::max(group.last, told.rel_seq);
  }
}

}  // namespace

Violations check_source(const Scenario& scenario, const Log& log) {
  const LogIndex index(scenario, log);
  ViolationList list("Source");
  for (const PairLog& pair : index.pairs()) {
    if (!pair.told.empty()) check_pair(index, log, pair, list);
  }
  std::map<std::pair<uint32_t, size_t>, uint32_t> newest;  // (receiver, sending node): life
  for (const Told& told : log.told) {
    if (told.sender == kNobody || (told.is_message() && told.qos == wire::Qos::kUnreliable))
      continue;
    uint32_t& life = newest[{told.receiver, log.lives[told.sender].node}];
    if (told.sender < life) {
      list.add(index.name(told.receiver) + " is told of " + index.name(told.sender) +
               " after a later life of it");
    }
    life = std::max(life, told.sender);
  }
  return list.take();
}

}  // namespace lambdacast::sim
