// SPDX-License-Identifier: BSD-3-Clause
// Logs of views and ordered messages, written by hand: for each rule of the checkers one that keeps
// it and one that breaks it. One microsecond passes with every line of a script.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/check/checkers.h"
#include "sim/check/order_log.h"

namespace lambdacast::sim {

using Lives = std::vector<uint32_t>;
inline constexpr uint32_t kScriptGroup = 7;
inline constexpr uint32_t kOtherGroup = 8;
inline constexpr uint64_t kStepNs = 1'000;

class OrderScript {
 public:
  explicit OrderScript(size_t nodes = 4) : scenario_(quiet_scenario(nodes)) {
    scenario_.membership.on = log_.membership = true;
    scenario_.membership.views.suspect_after_ns = 10'000'000;
    scenario_.fabric.faults_end_ns = 1'000'000'000;
    for (size_t node = 0; node < nodes; ++node) {
      scenario_.nodes[node].subscribe = {kScriptGroup, kOtherGroup};
      start(node);
    }
  }

  uint32_t start(size_t node) {
    Life life;
    life.node = node;
    life.incarnation = 1 + static_cast<uint32_t>(log_.lives.size());
    life.born_ns = step();
    log_.lives.push_back(life);
    epochs_.push_back(0);
    last_rel_seq_.push_back(0);
    return static_cast<uint32_t>(log_.lives.size() - 1);
  }
  void crash(uint32_t life) { log_.lives[life].died_ns = step(); }
  void leave(uint32_t life) { log_.lives[life].left_ns = step(); }
  void pass(uint64_t ns) { now_ns_ += ns; }

  // Installed by `by`, at one time; nobody named: by all members.
  void install(uint64_t epoch, const Lives& members, Lives by = {}, uint64_t round = 1) {
    if (by.empty()) by = members;
    step();
    install_now(epoch, members, by, round);
  }
  void install_now(uint64_t epoch, const Lives& members, const Lives& by, uint64_t round = 1) {
    if (std::pair(epoch, members) != last_view_) {
      before_ = std::exchange(last_view_, {epoch, members}).second;
    }
    const auto stayed =
        static_cast<size_t>(std::count_if(members.begin(), members.end(), [&](uint32_t life) {
          return std::find(before_.begin(), before_.end(), life) != before_.end();
        }));
    for (const uint32_t life : by) {
      Told told = entry(Told::What::kView, life);
      told.view = static_cast<uint32_t>(log_.views.size());
      log_.views.push_back({life, now_ns_, epoch, round, 1, members, stayed});
      log_.told.push_back(told);
      epochs_[life] = epoch;
    }
  }
  // They speak in a ballot for the view of that epoch.
  void speak(const Lives& lives, uint64_t epoch) {
    step();
    for (const uint32_t life : lives) log_.ballots.push_back({life, now_ns_, epoch});
  }
  void exclude(uint32_t life) {
    step();
    log_.told.push_back(entry(Told::What::kExcluded, life));
  }

  // Heard by all other lives; or by `heard_by`.
  uint32_t publish(uint32_t life, wire::Qos qos, uint32_t group = kScriptGroup) {
    Lives all;
    for (uint32_t other = 0; other < log_.lives.size(); ++other) {
      if (other != life) all.push_back(other);
    }
    return publish_to(life, qos, all, group);
  }
  uint32_t publish_to(uint32_t life, wire::Qos qos, const Lives& heard_by,
                      uint32_t group = kScriptGroup) {
    Publication publication;
    publication.life = life;
    publication.group = group;
    publication.qos = qos;
    publication.accepted_ns = publication.sent_ns = step();
    publication.rel_seq = publication.first_rel_seq = ++last_rel_seq_[life];
    publication.transmissions = 1;
    const auto number = static_cast<uint32_t>(log_.publications.size());
    log_.publications.push_back(publication);
    SentFrame frame;
    frame.life = life;
    frame.rel_seq = publication.rel_seq;
    frame.publication = number;
    log_.frames.push_back(frame);
    for (const uint32_t receiver : heard_by)
      log_.arrivals.push_back({static_cast<uint32_t>(log_.frames.size() - 1), receiver, {}});
    return number;
  }

  // At each of them, in the view that it is in.
  void deliver(const Lives& by, uint32_t publication, uint64_t index) {
    step();
    deliver_now(by, publication, index);
  }
  void deliver_now(const Lives& by, uint32_t publication, uint64_t index,
                   uint32_t domain = kNobody) {
    const Publication& of = log_.publications[publication];
    for (const uint32_t life : by) {
      Told told = entry(Told::What::kMessage, life);
      told.sender = of.life;
      told.publication = publication;
      told.intact = true;
      told.group = of.group;
      told.qos = of.qos;
      told.rel_seq = of.rel_seq;
      if (is_ordered(of.qos)) {
        told.epoch = epochs_[life];
        told.index = index;
        told.domain = domain == kNobody ? of.group : domain;
      }
      log_.told.push_back(told);
    }
  }
  void call_stable(uint32_t publication) {
    log_.publications[publication].stable_ns = step();
    log_.publications[publication].stable_arrivals = static_cast<uint32_t>(log_.arrivals.size());
  }
  // A source-ordered one.
  void deliver(const Lives& by, uint32_t publication) { deliver(by, publication, 0); }

  using Checker = Violations (*)(const OrderLog&);
  [[nodiscard]] size_t violations(Checker checker) const {
    return checker(OrderLog(scenario_, log_)).size();
  }

  [[nodiscard]] uint64_t now_ns() const { return now_ns_; }
  uint64_t step() { return now_ns_ += kStepNs; }
  Scenario scenario_;
  Log log_;

 private:
  [[nodiscard]] Told entry(Told::What what, uint32_t life) const {
    Told told;
    told.what = what;
    told.receiver = life;
    told.at_ns = now_ns_;
    told.arrivals = static_cast<uint32_t>(log_.arrivals.size());
    return told;
  }

  uint64_t now_ns_ = 0;
  std::pair<uint64_t, Lives> last_view_;  // epoch and members
  Lives before_;                          // in the view before that
  std::vector<uint64_t> epochs_;
  std::vector<uint64_t> last_rel_seq_;
};

// A run in which everything is right: node 3 crashes, its last message is recovered, and it comes
// back. Messages 0 to 4.
inline OrderScript true_story() {
  OrderScript script;
  script.install(1, {0, 1, 2, 3});
  const uint32_t first = script.publish(0, wire::Qos::kTotallyResilient);
  script.deliver({0, 1, 2, 3}, first, 0);
  const uint32_t second = script.publish(1, wire::Qos::kKResilient);
  script.deliver({0, 1, 2}, second, 1);
  const uint32_t lost = script.publish_to(3, wire::Qos::kTotallyOrdered, {0});
  script.crash(3);
  script.speak({0, 1, 2}, 2);
  script.step();
  script.deliver_now({0, 1, 2}, lost, 2);
  script.install_now(2, {0, 1, 2}, {0, 1, 2});
  const uint32_t third = script.publish(0, wire::Qos::kMajority);
  script.deliver({0, 1, 2}, third, 0);
  const uint32_t again = script.start(3);
  script.install(3, {0, 1, 2, again});
  const uint32_t last = script.publish(again, wire::Qos::kTotallyOrdered);
  script.deliver({0, 1, 2, again}, last, 0);
  return script;
}

}  // namespace lambdacast::sim
