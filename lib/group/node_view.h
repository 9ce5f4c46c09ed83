// SPDX-License-Identifier: BSD-3-Clause
// The view of the nodes: which ranks its members have, and which they had in the view before.
//
// Not thread-safe. Allocates at construction only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "group/event_id.h"
#include "group/members.h"
#include "wire/control/control.h"
#include "wire/control/view_control.h"

namespace lambdacast::group {

class NodeView {
 public:
  explicit NodeView(const wire::StreamName& self);

  // `members` by rank, this endpoint among them.
  void begin(uint64_t epoch, std::span<const wire::StreamName> members);
  void end();

  // The lineage of the groups: the name of the node that began them, in short. It is another one
  // when groups begin again, because that node was out of the view then.
  [[nodiscard]] uint32_t lineage() const { return lineage_; }
  void set_lineage(uint32_t lineage) { lineage_ = lineage; }
  // Groups begin with this view.
  void begin_lineage();

  [[nodiscard]] uint64_t epoch() const { return epoch_; }  // 0: in no view
  [[nodiscard]] EventId beginning() const { return {epoch_, wire::kViewIndex}; }
  [[nodiscard]] size_t size() const { return nodes_.size(); }
  [[nodiscard]] size_t own_rank() const { return own_rank_; }
  [[nodiscard]] const wire::StreamName& self_name() const { return self_; }
  [[nodiscard]] NodeSet self() const { return NodeSet::of(own_rank_); }
  [[nodiscard]] std::span<const wire::StreamName> nodes() const { return nodes_; }
  // size(): the node is not in the view.
  [[nodiscard]] size_t rank_of(const wire::StreamName& name) const;

  // Is this the first view that this endpoint is in?
  [[nodiscard]] bool first() const { return before_.empty(); }
  // The rank in this view of each rank of the view before, or kGone.
  [[nodiscard]] std::span<const uint8_t> now() const {
    return std::span(now_).first(before_.size());
  }

  using Names = std::array<wire::StreamName, wire::kMaxMembers>;
  // The names of those ranks, in `out`.
  [[nodiscard]] std::span<const wire::StreamName> names(NodeSet ranks, Names& out) const {
    return names(nodes_, ranks, out);
  }
  // The same of ranks in the view before.
  [[nodiscard]] std::span<const wire::StreamName> names_before(NodeSet ranks, Names& out) const {
    return names(before_, ranks, out);
  }

 private:
  [[nodiscard]] static std::span<const wire::StreamName> names(
      std::span<const wire::StreamName> nodes, NodeSet ranks, Names& out);

  const wire::StreamName self_;
  uint64_t epoch_ = 0;
  uint32_t lineage_ = 0;
  size_t own_rank_ = 0;
  std::vector<wire::StreamName> nodes_;   // by rank
  std::vector<wire::StreamName> before_;  // of the view before, by its ranks
  std::array<uint8_t, wire::kMaxMembers> now_{};
};

}  // namespace lambdacast::group
