#include "sim/checkers.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "sim/log_index.h"
#include "sim/violations.h"

namespace lambdacast::sim {

Violations check_numbering(const Scenario& scenario, const Log& log) {
  const LogIndex index(scenario, log);
  ViolationList list("Numbering");
  std::vector<uint64_t> frame_seq;
  std::vector<uint64_t> rel_seq;
  for (const Life& life : log.lives) {
    frame_seq.push_back(life.first_frame_seq);
    rel_seq.push_back(life.first_rel_seq);
  }
  std::vector<uint32_t> times(log.publications.size());
  for (const SentFrame& frame : log.frames) {
    const auto who = [&] {
      return index.name(frame.life) + ": frame " + std::to_string(frame.frame_seq);
    };
    if (frame.frame_seq != frame_seq[frame.life]++) list.add(who() + " is out of order");
    if (frame.publication == kNobody) {
      list.add(who() + " carries no message of its sender");
      continue;
    }
    const Publication& publication = log.publications[frame.publication];
    const bool first = times[frame.publication]++ == 0;
    const bool recoverable = publication.qos != wire::Qos::kUnreliable;
    if (recoverable && first) ++rel_seq[frame.life];
    const uint64_t wanted = recoverable ? publication.rel_seq : rel_seq[frame.life];
    if (recoverable && first && publication.rel_seq != rel_seq[frame.life])
      list.add(who() + ": its message overtook another one");
    if (frame.rel_seq != wanted) list.add(who() + " has a wrong rel_seq");
    if (frame.repair == first) list.add(who() + ": first transmission and repair confused");
    if (!recoverable && !first) list.add(who() + " repeats an unreliable message");
  }
  return list.take();
}

Violations check_integrity(const Scenario& scenario, const Log& log) {
  const LogIndex index(scenario, log);
  ViolationList list("Integrity");
  std::unordered_set<uint64_t> delivered;
  for (const Told& told : log.told) {
    if (told.is_gap) {
      if (told.sender == kNobody) list.add("a gap of nobody's stream");
      continue;
    }
    const auto what = [&] {
      return index.name(told.receiver) + ", message " + std::to_string(told.publication) + " of " +
             index.name(told.sender) + ": ";
    };
    if (told.publication == kNobody) {
      list.add(what() + "delivered, and nobody published it");
      continue;
    }
    const Publication& publication = log.publications[told.publication];
    if (!told.intact) list.add(what() + "its bytes differ");
    if (told.sender != publication.life) list.add(what() + "under a wrong name");
    if (told.group != publication.group) list.add(what() + "under a wrong group");
    if (told.qos != publication.qos) list.add(what() + "under a wrong level of service");
    if (publication.qos != wire::Qos::kUnreliable && told.rel_seq != publication.rel_seq)
      list.add(what() + "in a wrong position");
    if (log.lives[told.receiver].node == log.lives[publication.life].node)
      list.add(what() + "delivered to its sender");
    if (!index.subscribed(told.receiver, publication.group))
      list.add(what() + "delivered without a subscription");
    if (publication.sent_ns > told.at_ns) list.add(what() + "delivered before it was sent");
    if (!delivered.insert(uint64_t{told.receiver} << 32 | told.publication).second)
      list.add(what() + "delivered twice");
  }
  return list.take();
}

namespace {

// The source-ordered messages of a sender's group, and how far a receiver is with them.
struct OrderedGroup {
  std::vector<uint64_t> positions;
  size_t next = 0;    // all before this one are decided
  uint64_t last = 0;  // position delivered
};

void check_order(const LogIndex& index, const Log& log, const PairLog& pair, ViolationList& list) {
  std::map<uint32_t, OrderedGroup> groups;
  const uint64_t before = log.lives[pair.sender].first_rel_seq;
  const uint64_t count = index.positions(pair.sender);
  for (uint64_t i = 1; i <= count; ++i) {
    const Publication* publication = index.at(pair.sender, before + i);
    if (publication->qos == wire::Qos::kSourceOrdered && pair.welcomed &&
        before + i >= pair.open_at) {
      groups[publication->group].positions.push_back(before + i);
    }
  }
  std::vector<bool> decided(count + 1);
  for (const uint32_t i : pair.told) {
    const Told& told = log.told[i];
    if (told.is_gap) {
      for (uint64_t at = 0; at < std::min<uint64_t>(told.count, count); ++at) {
        if (told.first + at > before && told.first + at - before <= count)
          decided[told.first + at - before] = true;
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
    if (!pair.told.empty()) check_order(index, log, pair, list);
  }
  std::map<std::pair<uint32_t, size_t>, uint32_t> newest;  // (receiver, sending node): life
  for (const Told& told : log.told) {
    if (told.sender == kNobody || (!told.is_gap && told.qos == wire::Qos::kUnreliable)) continue;
    uint32_t& life = newest[{told.receiver, log.lives[told.sender].node}];
    if (told.sender < life) {
      list.add(index.name(told.receiver) + " is told of " + index.name(told.sender) +
               " after a later life of it");
    }
    life = std::max(life, told.sender);
  }
  return list.take();
}

Violations check_all(const Scenario& scenario, const Log& log) {
  Violations all;
  for (const auto check : {check_numbering, check_integrity, check_source, check_ended,
                           check_bounds, check_slow, check_liveness, check_frames}) {
    for (std::string& violation : check(scenario, log)) all.push_back(std::move(violation));
  }
  return all;
}

}  // namespace lambdacast::sim
