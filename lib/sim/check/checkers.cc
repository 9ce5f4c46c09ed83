// SPDX-License-Identifier: BSD-3-Clause
#include "sim/check/checkers.h"

#include <unordered_set>
#include <utility>

#include "sim/check/log_index.h"
#include "sim/check/order_log.h"
#include "sim/check/violations.h"

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
  std::vector<uint32_t> newest(log.lives.size());  // behind the last message first sent
  for (const SentFrame& frame : log.frames) {
    if (frame.relayed_by != kNobody) continue;  // as it was
    const auto who = [&] {
      return index.name(frame.life) + ": frame " + std::to_string(frame.frame_seq);
    };
    if (frame.frame_seq != frame_seq[frame.life]++) list.add(who() + " is out of order");
    if (frame.ends_none() && !frame.recoverable) {
      if (frame.repair || frame.rel_seq != rel_seq[frame.life])
        list.add(who() + ": a part of an unreliable message under a place of its own");
      continue;
    }
    if (frame.ends_none()) {
      const bool again = frame.rel_seq <= rel_seq[frame.life];
      if (frame.repair != again) list.add(who() + ": first transmission and repair confused");
      if (!again && frame.rel_seq != ++rel_seq[frame.life])
        list.add(who() + " has a wrong rel_seq");
      continue;
    }
    if (frame.publication == kNobody) {
      list.add(who() + " carries no message of its sender");
      continue;
    }
    const bool recoverable = log.publications[frame.publication].qos != wire::Qos::kUnreliable;
    if (recoverable && times[frame.publication] == 0) ++rel_seq[frame.life];
    for_each_publication(log, frame, [&](uint32_t number) {
      const Publication& publication = log.publications[number];
      const bool first = times[number]++ == 0;
      const uint64_t wanted = recoverable ? publication.rel_seq : rel_seq[frame.life];
      if (recoverable && first && number < newest[frame.life])
        list.add(who() + ": its message comes behind its successors");
      if (recoverable && first) newest[frame.life] = number + 1;
      if (frame.rel_seq != wanted || wanted > rel_seq[frame.life])
        list.add(who() + " has a wrong rel_seq");
      if (frame.repair == first) list.add(who() + ": first transmission and repair confused");
      if (!recoverable && !first) list.add(who() + " repeats an unreliable message");
    });
  }
  return list.take();
}

Violations check_integrity(const Scenario& scenario, const Log& log) {
  const LogIndex index(scenario, log);
  ViolationList list("Integrity");
  std::unordered_set<uint64_t> delivered;
  std::vector<uint32_t> rest(log.lives.size());  // messages of its last packet, by receiver
  const auto end_packet = [&](uint32_t receiver) {
    if (std::exchange(rest[receiver], 0) != 0)
      list.add(index.name(receiver) + " is not told all messages of a packet");
  };
  for (const Told& told : log.told) {
    if (!told.is_message() || told.place == 0) end_packet(told.receiver);
    if (told.is_gap() && told.sender == kNobody) list.add("a gap of nobody's stream");
    if (!told.is_message()) continue;
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
    if (publication.sent_ns <= told.at_ns) {
      if (told.place != publication.place) list.add(what() + "at a wrong place in its packet");
      rest[told.receiver] = publication.sharing - 1 - publication.place;
    }
    if (told.qos != publication.qos) list.add(what() + "under a wrong level of service");
    // Unordered, any of its packets may be the one that completes it.
    const bool among = told.parts && publication.qos == wire::Qos::kReliable &&
                       told.rel_seq >= publication.first_rel_seq &&
                       told.rel_seq <= publication.rel_seq;
    if (publication.qos != wire::Qos::kUnreliable && told.rel_seq != publication.rel_seq && !among)
      list.add(what() + "in a wrong position");
    const bool own = log.lives[told.receiver].node == log.lives[publication.life].node;
    if (own && (told.receiver != publication.life || !is_ordered(publication.qos)))
      list.add(what() + "delivered to its sender");
    if (is_ordered(told.qos) != (told.epoch != 0))
      list.add(what() + "with a place in an order that its level does not have, or without one");
    if (!index.subscribed(told.receiver, publication.group))
      list.add(what() + "delivered without a subscription");
    // In wild surroundings a node that is left alone in its view delivers what its port has not
    // taken yet.
    const bool alone = own && log.lives[told.receiver].wild && is_ordered(publication.qos);
    if ((alone ? publication.accepted_ns : publication.sent_ns) > told.at_ns)
      list.add(what() + "delivered before it was sent");
    if (!delivered.insert(uint64_t{told.receiver} << 32 | told.publication).second)
      list.add(what() + "delivered twice");
  }
  for (uint32_t life = 0; life < log.lives.size(); ++life) end_packet(life);
  return list.take();
}

Violations check_all(const Scenario& scenario, const Log& log) {
  Violations all;
  const auto note = [&](Violations found) {
    for (std::string& violation : found) all.push_back(std::move(violation));
  };
  for (const auto check :
       {check_numbering, check_integrity, check_source, check_bounds, check_frames, check_envelope,
        check_shares, check_paced, check_outside, check_starved, check_fair}) {
    note(check(scenario, log));
  }
  if (!scenario.membership.on) {
    for (const auto check : {check_slow, check_liveness}) note(check(scenario, log));
    note(check_ended(scenario, log));
    return all;
  }
  const OrderLog order(scenario, log);
  for (const auto check :
       {check_order,  check_ordered_source, check_synchrony, check_causality, check_safe,
        check_k,      check_majority,       check_held,      check_token,     check_max_n,
        check_stable, check_views,          check_excluded,  check_deaths,    check_progress,
        check_groups, check_handlers,       check_suspended, check_fenced,    check_calls}) {
    note(check(order));
  }
  const bool owed = progress_owed(order);
  note(check_ended(scenario, log, !owed));
  if (owed) note(check_liveness(scenario, log));
  return all;
}

}  // namespace lambdacast::sim
