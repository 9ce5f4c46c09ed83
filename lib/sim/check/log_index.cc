// SPDX-License-Identifier: BSD-3-Clause
#include "sim/check/log_index.h"

#include <algorithm>

namespace lambdacast::sim {

LogIndex::LogIndex(const Scenario& scenario, const Log& log)
    : scenario_(scenario), log_(log), recoverable_(log.lives.size()), marks_ns_(log.lives.size()) {
  for (uint32_t i = 0; i < log.publications.size(); ++i) {
    const Publication& publication = log.publications[i];
    if (publication.qos == wire::Qos::kUnreliable || publication.sent_ns == kNever) continue;
    std::vector<uint32_t>& all = recoverable_[publication.life];
    const uint64_t at = publication.rel_seq - log.lives[publication.life].first_rel_seq;
    if (at == 0 || at > log.publications.size() + log.frames.size()) continue;  // no position
    if (all.size() < at) all.resize(at, kNobody);
    all[at - 1] = i;
  }
  for (const SentFrame& frame : log.frames) {
    std::vector<uint32_t>& all = recoverable_[frame.life];
    const uint64_t at = frame.rel_seq - log.lives[frame.life].first_rel_seq;
    if (!frame.ends_none() || !frame.recoverable || at == 0 || at > log.frames.size()) continue;
    if (at > all.size()) all.resize(at, kNobody);
    std::vector<uint64_t>& marks_ns = marks_ns_[frame.life];
    if (at > marks_ns.size()) marks_ns.resize(at, kNever);
    marks_ns[at - 1] = std::min(marks_ns[at - 1], frame.at_ns);
  }
  cover();
  const size_t lives = log.lives.size();
  std::vector<uint32_t> place(lives * lives, kNobody);
  for (uint32_t sender = 0; sender < lives; ++sender) {
    for (uint32_t receiver = 0; receiver < lives; ++receiver) {
      if (log.lives[sender].node == log.lives[receiver].node) continue;
      place[sender * lives + receiver] = static_cast<uint32_t>(pairs_.size());
      pairs_.push_back({.sender = sender, .receiver = receiver});
    }
  }
  const auto pair_of = [&](uint32_t sender, uint32_t receiver) -> PairLog* {
    if (sender >= lives || receiver >= lives) return nullptr;
    const uint32_t at = place[sender * lives + receiver];
    return at == kNobody ? nullptr : &pairs_[at];
  };
  for (uint32_t i = 0; i < log.told.size(); ++i) {
    if (PairLog* pair = pair_of(log.told[i].sender, log.told[i].receiver)) pair->told.push_back(i);
  }
  for (uint32_t i = 0; i < log.memberships.size(); ++i) {
    const Membership& membership = log.memberships[i];
    PairLog* pair = pair_of(membership.sender, membership.receiver);
    if (pair == nullptr) continue;
    pair->memberships.push_back(i);
    const bool joined = membership.what == reliability::ReceiverEvent::What::kJoined;
    pair->evicted |= !joined;
    pair->cut_off = !joined;
  }
  for (const Welcome& welcome : log.welcomes) {
    PairLog* pair = pair_of(welcome.sender, welcome.receiver);
    if (pair == nullptr || pair->welcomed) continue;
    pair->welcomed = true;
    pair->open_at = welcome.open_at;
  }
}

// Marks may go out between the packets of a message.
void LogIndex::cover() {
  covering_ = recoverable_;
  for (const SentFrame& frame : log_.frames) {
    if (!frame.recoverable || frame.part_of == kNobody) continue;
    if (is_ordered(log_.publications[frame.part_of].qos)) continue;
    std::vector<uint32_t>& all = covering_[frame.life];
    const uint64_t at = frame.rel_seq - log_.lives[frame.life].first_rel_seq;
    if (at != 0 && at <= all.size()) all[at - 1] = frame.part_of;
  }
}

const Publication* LogIndex::look(const std::vector<std::vector<uint32_t>>& all, uint32_t sender,
                                  uint64_t rel_seq) const {
  const uint64_t before = log_.lives[sender].first_rel_seq;
  if (rel_seq <= before || rel_seq - before > all[sender].size()) return nullptr;
  const uint32_t publication = all[sender][rel_seq - before - 1];
  return publication == kNobody ? nullptr : &log_.publications[publication];
}

const Publication* LogIndex::at(uint32_t sender, uint64_t rel_seq) const {
  return look(recoverable_, sender, rel_seq);
}

const Publication* LogIndex::covering(uint32_t sender, uint64_t rel_seq) const {
  return look(covering_, sender, rel_seq);
}

uint64_t LogIndex::sent_ns(uint32_t sender, uint64_t rel_seq) const {
  if (const Publication* publication = at(sender, rel_seq)) return publication->sent_ns;
  const uint64_t number = rel_seq - log_.lives[sender].first_rel_seq - 1;
  return number < marks_ns_[sender].size() ? marks_ns_[sender][number] : kNever;
}

bool LogIndex::subscribed(uint32_t receiver, uint32_t group) const {
  const std::vector<uint32_t>& groups = node(receiver).subscribe;
  return group == kEpilogueGroup || std::find(groups.begin(), groups.end(), group) != groups.end();
}

const NodeScenario& LogIndex::node(uint32_t life) const {
  return scenario_.nodes[log_.lives[life].node];
}

std::string LogIndex::name(uint32_t life) const {
  if (life >= log_.lives.size()) return "nobody";
  return "node " + std::to_string(log_.lives[life].node) + "/" +
         std::to_string(log_.lives[life].incarnation);
}

// A life has known for some turns what it says to others, or tells its application.
uint64_t LogIndex::begun_ns(const InstalledView& view) const {
  const auto chosen = std::ranges::find_if(log_.chosen, [&](const ChosenSaid& said) {
    return said.epoch == view.epoch && said.round == view.round;
  });
  uint64_t begun_ns = view.at_ns - std::min(view.at_ns, turns_ns(node(view.life)));
  if (chosen != log_.chosen.end())
    begun_ns =
        std::min(begun_ns, chosen->at_ns - std::min(chosen->at_ns, turns_ns(node(chosen->life))));
  return begun_ns;
}

uint64_t LogIndex::last_ballot(uint32_t life, uint64_t at_ns) const {
  uint64_t epoch = 0;
  for (const BallotSpeech& ballot : log_.ballots) {
    if (ballot.at_ns > at_ns) break;
    if (ballot.life == life) epoch = std::max(epoch, ballot.epoch);
  }
  return epoch;
}

}  // namespace lambdacast::sim
