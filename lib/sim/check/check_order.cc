// SPDX-License-Identifier: BSD-3-Clause
// One order of each domain for all.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "sim/check/checkers.h"
#include "sim/check/order_log.h"
#include "sim/check/violations.h"

namespace lambdacast::sim {

namespace {

using Domain = std::pair<uint32_t, uint32_t>;  // view, domain
using Sequence = std::vector<uint32_t>;        // by index: publication, or kNobody

class Order {
 public:
  explicit Order(const OrderLog& order) : order_(order), log_(order.log()), list_("Order") {}

  Violations run() {
    find_shared_domains();
    for (uint32_t i = 0; i < log_.told.size(); ++i) {
      if (log_.told[i].is_ordered_message() && log_.told[i].publication != kNobody) check_place(i);
    }
    for (const Tenure& tenure : order_.tenures()) check_indices(tenure);
    return list_.take();
  }

 private:
  [[nodiscard]] std::string name(uint32_t i) const {
    const Told& told = log_.told[i];
    return order_.index().name(told.receiver) + " at " + std::to_string(told.at_ns) +
           " ns: message " + std::to_string(told.publication) + " at epoch " +
           std::to_string(told.epoch) + " domain " + std::to_string(told.domain) + " index " +
           std::to_string(told.index);
  }

  void find_shared_domains() {
    for (const Told& told : log_.told) {
      if (!told.is_ordered_message()) continue;
      const uint32_t first = group_of_.try_emplace(told.domain, told.group).first->second;
      if (first != told.group) shared_.insert(told.domain);
      seen_.insert(told.group);
    }
    // A group to which nobody subscribes may share any of them.
    unseen_ = std::any_of(log_.publications.begin(), log_.publications.end(),
                          [&](const Publication& each) {
                            return is_ordered(each.qos) && !seen_.contains(each.group);
                          });
  }

  // The same message at the same place at everybody: among those who go on with the view, whoever
  // is bound by the level, and whoever delivered before recovery had a say.
  void check_place(uint32_t i) {
    const Told& told = log_.told[i];
    const uint32_t tenure = order_.tenure_at(i);
    if (tenure == kNobody || told.epoch != order_.views()[order_.tenures()[tenure].view].epoch) {
      list_.add(name(i) + ", which is not the view that it is in");
      return;
    }
    if (told.index >= log_.publications.size()) {
      list_.add(name(i) + ", and so many were never published");
      return;
    }
    if (!order_.recovered(i)) agree(marked_, i);
    if (!order_.firm(i)) return;
    agree(firm_, i);
    if (order_.place(told.publication) != order_.place_told(i))
      list_.add(name(i) + ", and others have it at another place");
  }

  void agree(std::map<Domain, Sequence>& sequences, uint32_t i) {
    const Told& told = log_.told[i];
    Sequence& sequence = sequences[{order_.tenures()[order_.tenure_at(i)].view, told.domain}];
    if (sequence.size() <= told.index) sequence.resize(told.index + 1, kNobody);
    uint32_t& publication = sequence[told.index];
    if (publication != kNobody && publication != told.publication)
      list_.add(name(i) + ", where others have message " + std::to_string(publication));
    publication = told.publication;
  }

  // Ascending, and nothing left out that its receiver subscribes to.
  void check_indices(const Tenure& tenure) {
    std::unordered_map<uint32_t, uint64_t> next;  // by domain
    for (const uint32_t i : tenure.delivered) {
      const Told& told = log_.told[i];
      if (told.index >= log_.publications.size()) continue;  // said above
      uint64_t& expected = next[told.domain];
      if (told.index < expected) list_.add(name(i) + " comes after the one before it");
      for (; expected < told.index; ++expected) {
        if (!left_out(tenure, i, expected)) continue;
        list_.add(name(i) + " comes, and index " + std::to_string(expected) + " did not");
        break;
      }
      expected = std::max(expected, told.index + 1);
    }
  }

  // What was delivered by a mark has its place in the order of the marks, the same for all.
  // Recovery may give those who go on another one: whoever is out of the view by then is not bound
  // by that.
  [[nodiscard]] bool left_out(const Tenure& tenure, uint32_t i, uint64_t index) const {
    const Told& told = log_.told[i];
    if (!unseen_ && !shared_.contains(told.domain)) return true;
    const Domain domain{tenure.view, told.domain};
    const bool recovered = order_.recovered(i);
    uint32_t publication = recovered ? kNobody : at(marked_, domain, index);
    if (publication == kNobody && (recovered || tenure.next != kNobody))
      publication = at(firm_, domain, index);
    return publication != kNobody &&
           order_.index().subscribed(tenure.life, log_.publications[publication].group);
  }

  [[nodiscard]] static uint32_t at(const std::map<Domain, Sequence>& sequences,
                                   const Domain& domain, uint64_t index) {
    const auto found = sequences.find(domain);
    return found == sequences.end() || index >= found->second.size() ? kNobody
                                                                     : found->second[index];
  }

  const OrderLog& order_;
  const Log& log_;
  ViolationList list_;
  std::unordered_map<uint32_t, uint32_t> group_of_;  // by domain: the first
  std::unordered_set<uint32_t> shared_;              // domains of several groups
  std::unordered_set<uint32_t> seen_;                // groups
  bool unseen_ = false;
  std::map<Domain, Sequence> marked_;
  std::map<Domain, Sequence> firm_;
};

}  // namespace

Violations check_order(const OrderLog& order) { return Order(order).run(); }

}  // namespace lambdacast::sim
