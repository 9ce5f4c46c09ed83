// SPDX-License-Identifier: BSD-3-Clause
// Those who go from one view to the next have delivered the same in it, and nothing comes before
// what caused it.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/random.h"
#include "sim/check/checkers.h"
#include "sim/check/order_log.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {

namespace {

// What a life delivered of a group in a view, in order.
struct Digest {
  uint64_t messages = 0;
  uint64_t hash = 0;
  bool operator==(const Digest&) const = default;
};

using Groups = std::map<uint32_t, Digest>;

Groups digest(const Log& log, const Tenure& tenure) {
  Groups groups;
  for (const uint32_t i : tenure.delivered) {
    Digest& of = groups[log.told[i].group];
    ++of.messages;
    of.hash = base::mix64(of.hash ^ (log.told[i].publication + uint64_t{1}));
  }
  return groups;
}

}  // namespace

Violations check_synchrony(const OrderLog& order) {
  const Log& log = order.log();
  ViolationList list("Virtual synchrony");
  for (const View& view : order.views()) {
    struct First {
      uint32_t life;
      Digest digest;
    };
    std::map<std::pair<uint32_t, uint32_t>, First> firsts;  // (next view, group)
    std::vector<std::pair<const Tenure*, Groups>> all;
    std::map<uint32_t, bool> groups;
    for (const uint32_t number : view.tenures) {
      const Tenure& tenure = order.tenures()[number];
      if (tenure.next == kNobody) continue;
      all.emplace_back(&tenure, digest(log, tenure));
      for (const auto& [group, of] : all.back().second) groups[group] = true;
    }
    for (auto& [tenure, delivered] : all) {
      for (const auto& [group, unused] : groups) {
        if (!order.index().subscribed(tenure->life, group)) continue;
        const Digest& of = delivered[group];
        const First& first =
            firsts.try_emplace({tenure->next, group}, First{tenure->life, of}).first->second;
        if (first.digest == of) continue;
        list.add(order.name(view) + ", group " + std::to_string(group) + ": " +
                 order.index().name(tenure->life) + " delivered " + std::to_string(of.messages) +
                 " messages before " + order.name(order.views()[tenure->next]) + ", " +
                 order.index().name(first.life) + " " + std::to_string(first.digest.messages) +
                 (of.messages == first.digest.messages ? " others" : ""));
      }
    }
  }
  return list.take();
}

namespace {

// The domain of each group of which anybody delivered an ordered message.
std::unordered_map<uint32_t, uint32_t> domains(const Log& log) {
  std::unordered_map<uint32_t, uint32_t> domains;
  for (const Told& told : log.told) {
    if (told.is_ordered_message()) domains.emplace(told.group, told.domain);
  }
  return domains;
}

}  // namespace

// Lamport 1978, in a domain: what a life has delivered there comes before what it publishes then.
Violations check_causality(const OrderLog& order) {
  const Log& log = order.log();
  ViolationList list("Causality");
  const auto domain_of = domains(log);
  std::vector<std::vector<uint32_t>> published(log.lives.size());  // ordered, in order of time
  for (uint32_t i = 0; i < log.publications.size(); ++i) {
    const Publication& each = log.publications[i];
    if (is_ordered(each.qos) && domain_of.contains(each.group)) published[each.life].push_back(i);
  }
  std::vector<std::vector<uint32_t>> delivered(log.lives.size());  // firmly
  for (uint32_t i = 0; i < log.told.size(); ++i) {
    if (order.firm(i) && log.told[i].publication != kNobody)
      delivered[log.told[i].receiver].push_back(i);
  }
  for (uint32_t life = 0; life < log.lives.size(); ++life) {
    std::unordered_map<uint32_t, std::pair<Place, uint32_t>> last;  // by domain: and publication
    size_t next = 0;
    for (const uint32_t effect : published[life]) {
      const Publication& each = log.publications[effect];
      for (; next < delivered[life].size(); ++next) {
        const Told& told = log.told[delivered[life][next]];
        if (told.at_ns >= each.accepted_ns) break;
        auto& [place, cause] = last[told.domain];
        const Place now = order.place_told(delivered[life][next]);
        if (place < now) cause = told.publication;
        place = std::max(place, now);
      }
      const auto before = last.find(domain_of.at(each.group));
      const auto place = order.place(effect);
      if (before == last.end() || !place || *place > before->second.first) continue;
      list.add("message " + std::to_string(effect) + " of " + order.index().name(life) +
               " comes before message " + std::to_string(before->second.second) +
               ", which its sender had delivered before it published that");
    }
  }
  return list.take();
}

}  // namespace lambdacast::sim
