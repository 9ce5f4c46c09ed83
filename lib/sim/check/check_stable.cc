// SPDX-License-Identifier: BSD-3-Clause
// Completion: what a sender calls stable is with everybody whom it is for.
#include <algorithm>
#include <map>
#include <optional>

#include "sim/check/checkers.h"
#include "sim/check/order_log.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {

namespace {

class Stable {
 public:
  explicit Stable(const OrderLog& order)
      : order_(order), log_(order.log()), firsts_(log_.publications.size()), list_("Stable") {
    for (uint32_t i = 0; i < log_.arrivals.size(); ++i) {
      const Arrival& arrival = log_.arrivals[i];
      if (arrival.outcome != counters::DropReason::kNone) continue;
      for_each_publication(log_, log_.frames[arrival.frame], [&](uint32_t publication) {
        firsts_[publication].try_emplace(arrival.receiver, i);
      });
    }
    for (const Told& told : log_.told) {
      if (told.is_gap() && told.sender != kNobody)
        gaps_[{told.receiver, told.sender}].push_back({told.at_ns, told.first, told.count});
    }
  }

  Violations run() {
    for (uint32_t i = 0; i < log_.publications.size(); ++i) {
      const Publication& publication = log_.publications[i];
      if (publication.stable_ns == kNever) continue;
      if (const Tenure* tenure = tenure_at(publication.life, publication.stable_ns))
        check(i, *tenure);
    }
    return list_.take();
  }

 private:
  // The tenure of the last view that the life had installed by then, or null if there is none.
  [[nodiscard]] const Tenure* tenure_at(uint32_t life, uint64_t at_ns) const {
    const Tenure* last = nullptr;
    for (const uint32_t number : order_.tenures_of(life)) {
      const Tenure& tenure = order_.tenures()[number];
      if (tenure.begin_ns <= at_ns) last = &tenure;
    }
    return last;
  }

  // Has that life declared it lost by then, and its application been told so?
  [[nodiscard]] bool given_up(const Publication& publication, uint32_t life) const {
    const auto gaps = gaps_.find({life, publication.life});
    return gaps != gaps_.end() &&
           std::any_of(gaps->second.begin(), gaps->second.end(), [&](const Gap& gap) {
             return gap.at_ns <= publication.stable_ns && publication.rel_seq >= gap.first &&
                    publication.rel_seq - gap.first < gap.count;
           });
  }

  // Has its sender cut off that life for a silence, or heard the end of it, and not admitted it
  // since, or only behind the message? A node that leaves before its first view may be in that view
  // yet, as its ballot goes on. That it was silent, or had said its end, is Ended's.
  [[nodiscard]] bool parted(const Publication& publication, uint32_t life) const {
    using What = reliability::ReceiverEvent::What;
    bool parted = false;
    for (const Membership& each : log_.memberships) {
      if (each.sender != publication.life || each.receiver != life) continue;
      if (each.at_ns > publication.stable_ns) break;
      parted = each.what == What::kEvictedSilent || each.what == What::kLeft ||
               (each.what == What::kJoined && each.position > publication.rel_seq);
    }
    return parted;
  }

  // Before its first view a sender waits only for the receivers that it has admitted, from where it
  // admitted them last. It may say so when that view has begun.
  [[nodiscard]] bool joined_behind(uint32_t number, uint32_t life) const {
    const Publication& publication = log_.publications[number];
    if (!order_.before_first_view(number, publication.life)) return false;
    std::optional<uint64_t> begins;
    for (const Membership& each : log_.memberships) {
      if (each.sender == publication.life && each.receiver == life &&
          each.what == reliability::ReceiverEvent::What::kJoined &&
          each.at_ns <= publication.stable_ns)
        begins = each.position;
    }
    return !begins || *begins > publication.rel_seq;
  }

  // The application may hear of later views later than its node has them: who is not in one of them
  // is not waited for any more.
  [[nodiscard]] bool left_behind(const Tenure& tenure, uint64_t at_ns, uint32_t life) const {
    const uint64_t epoch = order_.views()[tenure.view].epoch;
    const uint64_t last = order_.last_epoch(tenure, at_ns);
    return std::any_of(order_.views().begin(), order_.views().end(), [&](const View& view) {
      return view.epoch > epoch && view.epoch <= last && view.has(tenure.life) && !view.has(life);
    });
  }

  // Had its sender gone on to a view that was chosen, and that no application was told of before
  // its node died? The log does not have the members of such a view: it left out whom its sender
  // had parted from.
  [[nodiscard]] bool left_behind_unseen(const Tenure& tenure, const Publication& publication,
                                        uint32_t life) const {
    if (order_.alone_untold(tenure, publication.stable_ns) != 0) return true;
    const uint64_t epoch = order_.views()[tenure.view].epoch;
    const uint64_t last = order_.last_epoch(tenure, publication.stable_ns);
    return std::ranges::any_of(log_.chosen,
                               [&](const ChosenSaid& said) {
                                 return said.epoch > epoch && said.epoch <= last &&
                                        said.at_ns <= publication.stable_ns && !installed(said);
                               }) &&
           parted(publication, life);
  }
  [[nodiscard]] bool installed(const ChosenSaid& said) const {
    return std::ranges::any_of(order_.views(), [&](const View& view) {
      return view.epoch == said.epoch && view.round == said.round;
    });
  }

  void check(uint32_t number, const Tenure& tenure) {
    const Publication& publication = log_.publications[number];
    const View& view = order_.views()[tenure.view];
    for (const uint32_t life : view.members) {
      if (life == publication.life || log_.lives[life].died_ns <= publication.stable_ns) continue;
      if (order_.before_first_view(number, life)) continue;  // it joined behind it
      if (joined_behind(number, life)) continue;
      if (left_behind(tenure, publication.stable_ns, life) ||
          left_behind_unseen(tenure, publication, life))
        continue;
      if (!is_ordered(publication.qos) &&
          (given_up(publication, life) || parted(publication, life)))
        continue;
      const auto first = firsts_[number].find(life);
      if (first != firsts_[number].end() && first->second < publication.stable_arrivals) continue;
      list_.add(order_.index().name(publication.life) + " calls message " + std::to_string(number) +
                " stable at " + std::to_string(publication.stable_ns) + " ns, and " +
                order_.index().name(life) + " of " + order_.name(view) + " does not hold it");
    }
  }

  struct Gap {
    uint64_t at_ns;
    uint64_t first;
    uint64_t count;
  };

  const OrderLog& order_;
  const Log& log_;
  std::vector<std::map<uint32_t, uint32_t>> firsts_;  // by publication: (receiver, first arrival)
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Gap>> gaps_;  // by receiver and sender
  ViolationList list_;
};

}  // namespace

Violations check_stable(const OrderLog& order) { return Stable(order).run(); }

}  // namespace lambdacast::sim
