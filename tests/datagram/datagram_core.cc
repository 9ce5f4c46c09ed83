// SPDX-License-Identifier: BSD-3-Clause
#include "datagram/datagram_core.h"

#include <algorithm>

namespace lambdacast::node {

using counters::DropReason;

DatagramCore::DatagramCore(const DatagramConfig& config)
    : addressee_(config.qpn, config.qkey, config.pkey, config.vlan_tci),
      path_mtu_(config.path_mtu),
      own_gids_(config.own_gids.begin(), config.own_gids.end()) {}

void DatagramCore::attach(const wire::Gid& group) {
  const GidWords gid(group);
  if (std::find(groups_.begin(), groups_.end(), gid) == groups_.end()) groups_.push_back(gid);
}

bool DatagramCore::detach(const wire::Gid& group) {
  return std::erase(groups_, GidWords(group)) != 0;
}

Destination DatagramCore::destination_of(const wire::Gid& gid) const {
  const GidWords words(gid);
  const auto has = [&](const std::vector<GidWords>& gids) {
    return std::find(gids.begin(), gids.end(), words) != gids.end();
  };
  if (has(own_gids_)) return Destination::kOwnGid;
  return has(groups_) ? Destination::kGroup : Destination::kOther;
}

DropReason DatagramCore::receive(const uint8_t* frame, size_t bytes, wire::FrameView& out) const {
  if (const DropReason r = wire::parse_frame(frame, bytes, out); r != DropReason::kNone) return r;
  if (!wire::icrc_ok(frame, out)) return DropReason::kBadIcrc;
  const DropReason r = addressee_.check(out, destination_of(out.destination_gid));
  if (r != DropReason::kNone) return r;
  return out.payload_bytes > path_mtu_ ? DropReason::kPayloadTooLong : DropReason::kNone;
}

}  // namespace lambdacast::node
