// SPDX-License-Identifier: BSD-3-Clause
// The groups that a set of failed switches affects, numbered alike at all switches that know the
// set: those through the first of them, then those through the second, and so on. A group that
// passes through two of them has two numbers, which does no harm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trees/installed_groups.h"
#include "trees/repair_frame.h"

namespace lambdacast::trees {

// The most groups that a flood can be about: numbers have two bytes.
inline constexpr size_t kMostGroups = size_t{1} << 16;

class GroupIndex {
 public:
  GroupIndex() = default;
  // `failed` ascends. What is beyond kMostGroups is left to the controller.
  GroupIndex(const InstalledGroups& installed, std::span<const NodeId> failed)
      : installed_(&installed), failed_(failed.begin(), failed.end()) {
    for (const NodeId node : failed_) {
      first_.push_back(groups_);
      groups_ = std::min(kMostGroups, groups_ + installed.through(node).size());
    }
  }

  [[nodiscard]] size_t groups() const { return groups_; }
  [[nodiscard]] const InstalledGroups::Group& group(size_t number) const {
    size_t element = failed_.size() - 1;
    while (first_[element] > number) --element;
    return installed_->through(failed_[element])[number - first_[element]];
  }
  // visit(number) for each group that `node` has members of.
  template <typename Visit>
  void each_at(NodeId node, Visit visit) const {
    for (size_t element = 0; element < failed_.size(); ++element) {
      installed_->each_at(failed_[element], node, [&](uint32_t number) {
        if (first_[element] + number < groups_) visit(first_[element] + number);
      });
    }
  }

 private:
  const InstalledGroups* installed_ = nullptr;
  std::vector<NodeId> failed_;
  std::vector<size_t> first_;  // by failed switch: the number of its first group
  size_t groups_ = 0;
};

}  // namespace lambdacast::trees
