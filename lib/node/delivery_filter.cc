// SPDX-License-Identifier: BSD-3-Clause
#include "node/delivery_filter.h"

#include <algorithm>

namespace lambdacast::node {
namespace {

// A message is given up behind so many gaps at least: after a pause there is time to read what
// waits.
constexpr uint64_t kGapsInTimeout = 4;

}  // namespace

DeliveryFilter::DeliveryFilter(const DeliveryFilterConfig& config)
    : memory_(std::make_unique_for_overwrite<uint8_t[]>(config.reassembly.memory_bytes)),
      subscriptions_(config.ordering),
      reassembly_(config.reassembly, {memory_.get(), config.reassembly.memory_bytes}),
      clock_(std::max<uint64_t>(1, config.reassembly.timeout_ns / kGapsInTimeout)),
      all_group_messages_(config.all_group_messages),
      personal_group_(config.personal_group),
      lost_(config.max_peers) {}

// `unwanted`: nobody here subscribes to it, for that reason. A message of this endpoint's own is
// put together all the same: it may have to be sent once more (node/resumption.h).
DeliveryFilter::Outcome DeliveryFilter::accept_fragment(PacketInfo& info, const uint8_t* bytes,
                                                        counters::DropReason unwanted,
                                                        uint64_t now_ns) {
  const bool wanted = unwanted == counters::DropReason::kNone || goes_on(info);
  if (!wanted && info.peer != kNoPeer) return drop(unwanted);
  const ordering::Fragment fragment{
      info.rel_seq,         info.incarnation,    info.group, info.message_id, info.message_bytes,
      info.fragment_offset, info.fragment_bytes, info.peer,  info.qos,        info.kind};
  const auto outcome = reassembly_.accept(fragment, bytes, clock_.advance(now_ns));
  count_given_up();
  if (outcome.reason != counters::DropReason::kNone) return refuse_fragment(info, outcome.reason);
  if (outcome.message == ordering::Reassembly::kNoMessage) return {Step::kHold, {}};
  if (!wanted) {
    reassembly_.release(outcome.message);
    counters_.drops.add(unwanted, outcome.fragments);
    return {Step::kDrop, unwanted};
  }
  info.reassembly = outcome.message;
  info.message = reassembly_.content(outcome.message).data();
  counters_.forwarded += outcome.fragments;
  subscriptions_.count(info.group, outcome.fragments, 1, info.message_bytes);
  return {};
}

DeliveryFilter::Outcome DeliveryFilter::refuse_fragment(const PacketInfo& info,
                                                        counters::DropReason reason) {
  // A fragment sent once more (node/resumption.h).
  if (reason == counters::DropReason::kDuplicate) return drop(reason);
  const bool recoverable = info.qos != wire::Qos::kUnreliable;
  if (recoverable && reason == counters::DropReason::kReassemblyMemory &&
      reassembly_.completed_outstanding() != 0) {
    --counters_.received;  // it comes again
    return {Step::kWait, reason};
  }
  counters_.drops.add(reason);
  if (recoverable && info.peer < lost_.size()) lost_[info.peer].add(1);
  return {recoverable ? Step::kLost : Step::kDrop, reason};
}

void DeliveryFilter::count_given_up() {
  const uint64_t now = reassembly_.counters().given_up_fragments;
  if (now != given_up_)
    counters_.drops.add(counters::DropReason::kMessageIncomplete, now - given_up_);
  given_up_ = now;
}

}  // namespace lambdacast::node
