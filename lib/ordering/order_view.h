// SPDX-License-Identifier: BSD-3-Clause
// The view that order is made in: its members' streams by rank, who orders which domain, and
// whether anything may be ordered in it now.
//
//   begin() --> runs --freeze()--> stands --end()--> ends, until all of it is delivered --> begin()
//
// Not thread-safe: the lcore of the ordering stage owns it. Allocates at construction only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "ordering/ordering_config.h"
#include "wire/control/view_control.h"

namespace lambdacast::ordering {

// The domain of a group. The number of `domains` that groups share by hash is a power of two. One
// more, which has that number, is rate control's alone.
[[nodiscard]] inline uint32_t domain_of(uint32_t group, uint32_t domains) {
  if (group == wire::kRateGroup) [[unlikely]]
    return domains;
  return static_cast<uint32_t>(base::mix64(group)) & (domains - 1);
}
// Markers, by number: each member of a view by its rank, as a sequencer, and the token ring.
inline constexpr size_t kRing = wire::kMaxMembers;
inline constexpr size_t kMarkers = wire::kMaxMembers + 1;
static_assert(kRing < 0xff);

// The domains that the ring orders, of those that groups share.
struct RingDomains {
  uint32_t first = 0;
  uint32_t count = 0;
  [[nodiscard]] bool has(uint32_t domain) const { return domain - first < count; }
};
[[nodiscard]] constexpr RingDomains ring_domains(Order order, uint32_t domains) {
  if (order == Order::kSequencer) return {};
  const uint32_t first = order == Order::kRing ? 0 : domains / 2;
  return {first, domains - first};
}

// The rank of the domain's sequencer in a view of so many members.
[[nodiscard]] inline size_t sequencer_of(uint32_t domain, size_t members) {
  return base::mix64(domain + 0x9e37u) % members;
}

class OrderView {
 public:
  static constexpr uint8_t kNoMember = 0xff;

  explicit OrderView(size_t streams, const TotalOrderConfig& config = {})
      : ring_(ring_domains(config.order, config.domains)), stream_rank_(streams, kNoMember) {
    rank_stream_.reserve(wire::kMaxMembers);
  }

  // `streams`: by rank, of which the first `stayed` were in the view before; 0: none, in a first
  // view. A view that was frozen while the one before ended stands at once.
  void begin(uint64_t epoch, std::span<const size_t> streams, size_t own_rank, size_t stayed = 0) {
    epoch_ = epoch;
    own_rank_ = own_rank;
    stayed_ = stayed;
    rank_stream_.assign(streams.begin(), streams.end());
    std::fill(stream_rank_.begin(), stream_rank_.end(), kNoMember);
    for (size_t rank = 0; rank < streams.size(); ++rank)
      stream_rank_[streams[rank]] = static_cast<uint8_t>(rank);
    ends_ = false;
  }
  void freeze() { frozen_ = true; }
  void end() {
    ends_ = true;
    frozen_ = false;
  }
  // The view delivers nothing more.
  void give_up() { ends_ = false; }

  [[nodiscard]] bool runs() const { return members() != 0 && !frozen_ && !ends_; }
  [[nodiscard]] bool stands() const { return frozen_ && !ends_; }
  [[nodiscard]] bool ends() const { return ends_; }

  [[nodiscard]] uint64_t epoch() const { return epoch_; }  // 0: in no view yet
  [[nodiscard]] size_t members() const { return rank_stream_.size(); }
  [[nodiscard]] size_t own_rank() const { return own_rank_; }
  [[nodiscard]] size_t stayed() const { return stayed_; }
  [[nodiscard]] std::span<const size_t> streams() const { return rank_stream_; }  // by rank
  // kNoMember: of none.
  [[nodiscard]] uint8_t rank_of(size_t stream) const { return stream_rank_[stream]; }
  [[nodiscard]] bool has(size_t stream) const { return stream_rank_[stream] != kNoMember; }
  // The marker of the domain: kRing, or the rank of its sequencer.
  [[nodiscard]] size_t marker_of(uint32_t domain) const {
    return ring_.has(domain) ? kRing : sequencer_of(domain, members());
  }

 private:
  const RingDomains ring_;
  uint64_t epoch_ = 0;
  size_t own_rank_ = 0;
  size_t stayed_ = 0;
  std::vector<size_t> rank_stream_;
  std::vector<uint8_t> stream_rank_;
  bool frozen_ = true;
  bool ends_ = false;
};

}  // namespace lambdacast::ordering
