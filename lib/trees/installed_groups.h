// SPDX-License-Identifier: BSD-3-Clause
// A controller installs this in normal time: for each switch the groups whose trees pass through
// it, in an order that is the same everywhere. A switch reads its own part of it alone: the groups
// that it has members of, and their sources.
//
// Immutable; any thread may read it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "congest/graph.h"

namespace lambdacast::trees {

class InstalledGroups {
 public:
  struct Group {
    congest::NodeId source = 0;              // the switch of the sender's rack
    std::vector<congest::NodeId> receivers;  // those of the receivers' racks
  };

  // Each group beside a switch that its tree passes through.
  explicit InstalledGroups(std::vector<std::pair<congest::NodeId, Group>> groups) {
    for (auto& [through, group] : groups) {
      Element& element = elements_[through];
      const auto number = static_cast<uint32_t>(element.groups.size());
      element.members.emplace_back(group.source, number);
      for (const congest::NodeId receiver : group.receivers)
        element.members.emplace_back(receiver, number);
      element.groups.push_back(std::move(group));
    }
    for (auto& [through, element] : elements_)
      std::sort(element.members.begin(), element.members.end());
  }

  [[nodiscard]] std::span<const Group> through(congest::NodeId failed) const {
    const auto found = elements_.find(failed);
    if (found == elements_.end()) return {};
    return found->second.groups;
  }
  // visit(number) for each group through `failed` that `node` has members of, its source's or
  // receivers'.
  template <typename Visit>
  void each_at(congest::NodeId failed, congest::NodeId node, Visit visit) const {
    const auto found = elements_.find(failed);
    if (found == elements_.end()) return;
    const auto& members = found->second.members;
    auto at = std::lower_bound(members.begin(), members.end(), std::pair(node, uint32_t{0}));
    for (; at != members.end() && at->first == node; ++at) visit(at->second);
  }

 private:
  struct Element {
    std::vector<Group> groups;
    std::vector<std::pair<congest::NodeId, uint32_t>> members;  // switch and number of its group
  };
  std::map<congest::NodeId, Element> elements_;
};

}  // namespace lambdacast::trees
