// SPDX-License-Identifier: BSD-3-Clause
// Which queue pairs are attached to which group.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "queue_pair.h"
#include "wire/roce/gid.h"

namespace lambdacast::verbs {

inline constexpr size_t kMaxGroups = 4096;
inline constexpr size_t kMaxAttachedPerGroup = 256;

class Attachments {
 public:
  // ibv_attach_mcast(3): EINVAL for what is no group; ENOMEM beyond the limits above. Attaching
  // twice is one attachment.
  [[nodiscard]] int attach(QueuePair& qp, const wire::Gid& group);
  // EINVAL if it was not attached.
  [[nodiscard]] int detach(QueuePair& qp, const wire::Gid& group);
  void forget(QueuePair& qp);

  // Raised whenever there is a group more or less.
  [[nodiscard]] uint64_t changes() const { return changes_; }
  [[nodiscard]] std::vector<wire::Gid> all() const;

  [[nodiscard]] std::span<QueuePair* const> of(const wire::Gid& group) const {
    const auto found = groups_.find(group);
    if (found == groups_.end()) return {};
    return found->second;
  }

 private:
  std::unordered_map<wire::Gid, std::vector<QueuePair*>, wire::GidHash> groups_;
  uint64_t changes_ = 0;
};

}  // namespace lambdacast::verbs
