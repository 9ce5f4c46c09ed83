// SPDX-License-Identifier: BSD-3-Clause
#include "group/node_view.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/random.h"

namespace lambdacast::group {

NodeView::NodeView(const wire::StreamName& self) : self_(self) {
  nodes_.reserve(wire::kMaxMembers);
  before_.reserve(wire::kMaxMembers);
}

void NodeView::begin(uint64_t epoch, std::span<const wire::StreamName> members) {
  before_.swap(nodes_);
  nodes_.assign(members.begin(), members.end());
  epoch_ = epoch;
  own_rank_ = rank_of(self_);
  for (size_t rank = 0; rank < before_.size(); ++rank) {
    const size_t found = rank_of(before_[rank]);
    now_[rank] = found == nodes_.size() ? kGone : static_cast<uint8_t>(found);
  }
}

void NodeView::begin_lineage() {
  const wire::StreamName& first = nodes_.front();
  uint64_t hash = base::mix64(uint64_t{first.qpn} << 32 | first.incarnation);
  for (size_t at = 0; at < first.gid.bytes.size(); at += 8)
    hash = base::mix64(hash ^ base::load_be64(&first.gid.bytes[at]));
  lineage_ = static_cast<uint32_t>(hash >> 32);
}

void NodeView::end() {
  epoch_ = 0;
  nodes_.clear();
}

size_t NodeView::rank_of(const wire::StreamName& name) const {
  return static_cast<size_t>(std::find(nodes_.begin(), nodes_.end(), name) - nodes_.begin());
}

std::span<const wire::StreamName> NodeView::names(std::span<const wire::StreamName> nodes,
                                                  NodeSet ranks, Names& out) {
  size_t count = 0;
  ranks.for_each([&](size_t rank) { out[count++] = nodes[rank]; });
  return std::span(out).first(count);
}

}  // namespace lambdacast::group
