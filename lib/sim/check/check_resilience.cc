// SPDX-License-Identifier: BSD-3-Clause
// What the levels above totally ordered promise: who holds a message when it is delivered, who
// still delivers it after failures, and one order whatever the partitions.
#include <algorithm>
#include <map>
#include <set>

#include "sim/check/checkers.h"
#include "sim/check/order_log.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {

namespace {

// If anyone delivers a message of that level in a view that `binds`, all who go on to the next one
// deliver it first.
template <typename Binds>
Violations check_survivors(const OrderLog& order, const char* checker, wire::Qos level,
                           Binds&& binds) {
  const Log& log = order.log();
  ViolationList list(checker);
  std::vector<uint32_t> delivered_in(log.publications.size(), kNobody);  // the last such tenure
  for (const View& view : order.views()) {
    if (!binds(view)) continue;
    std::vector<uint32_t> bound;  // publications
    for (const uint32_t number : view.tenures) {
      for (const uint32_t i : order.tenures()[number].delivered) {
        if (log.told[i].qos == level && log.told[i].publication != kNobody)
          bound.push_back(log.told[i].publication);
      }
    }
    std::sort(bound.begin(), bound.end());
    bound.erase(std::unique(bound.begin(), bound.end()), bound.end());
    for (const uint32_t number : view.tenures) {
      const Tenure& tenure = order.tenures()[number];
      if (tenure.next == kNobody || bound.empty()) continue;
      for (const uint32_t i : tenure.delivered) {
        if (log.told[i].publication != kNobody) delivered_in[log.told[i].publication] = number;
      }
      for (const uint32_t publication : bound) {
        if (delivered_in[publication] == number ||
            !order.index().subscribed(tenure.life, log.publications[publication].group)) {
          continue;
        }
        list.add(order.index().name(tenure.life) + " did not deliver message " +
                 std::to_string(publication) + " in " + order.name(view) +
                 ", where another member did");
      }
    }
  }
  return list.take();
}

// Who of a view holds a message.
class Holders {
 public:
  explicit Holders(const Log& log) : log_(log), firsts_(log.publications.size()) {
    for (uint32_t i = 0; i < log.arrivals.size(); ++i) {
      const Arrival& arrival = log.arrivals[i];
      if (arrival.outcome != counters::DropReason::kNone &&
          arrival.outcome != counters::DropReason::kNotSubscribed)
        continue;
      for_each_publication(log, log.frames[arrival.frame], [&](uint32_t publication) {
        if (log.publications[publication].qos >= wire::Qos::kKResilient)
          firsts_[publication].try_emplace(arrival.receiver, i);
      });
    }
  }
  [[nodiscard]] size_t count(const View& view, uint32_t publication, uint32_t arrivals) const {
    const auto& firsts = firsts_[publication];
    return static_cast<size_t>(
        std::count_if(view.members.begin(), view.members.end(), [&](uint32_t life) {
          const auto first = firsts.find(life);
          return life == log_.publications[publication].life ||
                 (first != firsts.end() && first->second < arrivals);
        }));
  }

 private:
  const Log& log_;
  std::vector<std::map<uint32_t, uint32_t>> firsts_;  // by publication: (receiver, first arrival)
};

// The orders in which lives delivered the messages of a domain that bind a majority. Equal orders
// are there once.
using Orders = std::set<std::vector<uint32_t>>;

void check_opposite(const OrderLog& order, const Orders& orders, uint32_t domain,
                    ViolationList& list) {
  std::vector<size_t> rank(order.log().publications.size());
  for (auto one = orders.begin(); one != orders.end(); ++one) {
    std::fill(rank.begin(), rank.end(), 0);
    for (size_t i = 0; i < one->size(); ++i) rank[(*one)[i]] = i + 1;
    for (auto other = std::next(one); other != orders.end(); ++other) {
      size_t highest = 0;
      for (const uint32_t publication : *other) {
        if (rank[publication] == 0) continue;
        if (rank[publication] < highest) {
          list.add("domain " + std::to_string(domain) + ": message " + std::to_string(publication) +
                   " and message " + std::to_string((*one)[highest - 1]) +
                   " were delivered in both orders");
          return;
        }
        highest = rank[publication];
      }
    }
  }
}

}  // namespace

Violations check_safe(const OrderLog& order) {
  return check_survivors(order, "Safe", wire::Qos::kTotallyResilient,
                         [](const View&) { return true; });
}

Violations check_k(const OrderLog& order) {
  return check_survivors(order, "K", wire::Qos::kKResilient, [&](const View& view) {
    return order.departed(view) <= order.scenario().membership.order.k;
  });
}

Violations check_majority(const OrderLog& order) {
  const Log& log = order.log();
  Violations all =
      check_survivors(order, "Majority", wire::Qos::kMajority, [](const View&) { return true; });
  ViolationList list("Majority");
  std::map<uint32_t, std::vector<std::vector<uint32_t>>> delivered;  // by domain and life
  for (const Told& told : log.told) {
    if (!told.is_message() || told.qos < wire::Qos::kMajority || told.publication == kNobody)
      continue;
    std::vector<std::vector<uint32_t>>& lives = delivered[told.domain];
    lives.resize(log.lives.size());
    lives[told.receiver].push_back(told.publication);
  }
  for (auto& [domain, lives] : delivered)
    check_opposite(order, Orders(lives.begin(), lives.end()), domain, list);
  for (std::string& violation : list.take()) all.push_back(std::move(violation));
  return all;
}

Violations check_held(const OrderLog& order) {
  const Log& log = order.log();
  ViolationList list("Held");
  const Holders holders(log);
  for (uint32_t i = 0; i < log.told.size(); ++i) {
    const Told& told = log.told[i];
    if (!told.is_message() || told.qos < wire::Qos::kKResilient || told.publication == kNobody)
      continue;
    if (order.tenure_at(i) == kNobody || order.recovered(i)) continue;
    const View& view = order.views()[order.tenures()[order.tenure_at(i)].view];
    size_t needed = view.members.size();
    if (told.qos == wire::Qos::kKResilient)
      needed = std::min<size_t>(needed, order.scenario().membership.order.k + 1);
    if (told.qos == wire::Qos::kMajority) needed = view.members.size() / 2 + 1;
    const size_t held = holders.count(view, told.publication, told.arrivals);
    if (held >= needed) continue;
    list.add(order.index().name(told.receiver) + " at " + std::to_string(told.at_ns) +
             " ns: message " + std::to_string(told.publication) + " delivered and held by " +
             std::to_string(held) + " members of " + order.name(view) + ", " +
             std::to_string(needed) + " are needed");
  }
  return list.take();
}

}  // namespace lambdacast::sim
