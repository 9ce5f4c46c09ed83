// SPDX-License-Identifier: BSD-3-Clause
#include "multicast.h"

#include <algorithm>
#include <cerrno>

namespace lambdacast::verbs {

int Attachments::attach(QueuePair& qp, const wire::Gid& group) {
  if (!wire::is_multicast(group)) return EINVAL;
  if (groups_.size() >= kMaxGroups && !groups_.contains(group)) return ENOMEM;
  auto& attached = groups_[group];
  changes_ += attached.empty() ? 1 : 0;
  if (std::ranges::find(attached, &qp) != attached.end()) return 0;
  if (attached.size() == kMaxAttachedPerGroup) return ENOMEM;
  attached.push_back(&qp);
  ++qp.groups;
  return 0;
}

int Attachments::detach(QueuePair& qp, const wire::Gid& group) {
  const auto found = groups_.find(group);
  if (found == groups_.end() || std::erase(found->second, &qp) == 0) return EINVAL;
  if (found->second.empty()) {
    groups_.erase(found);
    ++changes_;
  }
  --qp.groups;
  return 0;
}

void Attachments::forget(QueuePair& qp) {
  for (auto at = groups_.begin(); at != groups_.end();) {
    std::erase(at->second, &qp);
    changes_ += at->second.empty() ? 1 : 0;
    at = at->second.empty() ? groups_.erase(at) : std::next(at);
  }
  qp.groups = 0;
}

std::vector<wire::Gid> Attachments::all() const {
  std::vector<wire::Gid> gids;
  for (const auto& [gid, attached] : groups_) gids.push_back(gid);
  return gids;
}

}  // namespace lambdacast::verbs
