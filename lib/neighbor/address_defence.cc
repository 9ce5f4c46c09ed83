// SPDX-License-Identifier: BSD-3-Clause
#include "neighbor/address_defence.h"

#include <algorithm>

namespace lambdacast::neighbor {

void AddressDefence::start(uint64_t now_ns) {
  probes_left_ = config_.probes;
  announcements_left_ = config_.announcements;
  due_ns_ = now_ns + between(0, config_.probe_wait_ns);
}

void AddressDefence::announce(uint64_t now_ns) {
  probes_left_ = 0;
  announcements_left_ = config_.announcements;
  due_ns_ = now_ns;
}

void AddressDefence::conflict(const wire::MacAddress& mac, uint64_t now_ns) {
  if (!seen_) seen_ = AddressConflict{mac, now_ns, now_ns, 0};
  seen_->mac = mac;
  seen_->last_ns = now_ns;
  ++seen_->count;
  // Two that defend at once would flood the network: RFC 5227, 2.4 (c).
  if (defended_ && now_ns - defended_ns_ < config_.defend_interval_ns) return;
  defended_ = true;
  defended_ns_ = now_ns;
  probes_left_ = 0;
  announcements_left_ = std::max(announcements_left_, 1u);
  due_ns_ = now_ns;
}

AddressDefence::Claim AddressDefence::poll(uint64_t now_ns) {
  if (now_ns < due_ns_) return Claim::kNone;
  if (probes_left_ != 0) {
    --probes_left_;
    due_ns_ = now_ns + (probes_left_ != 0 ? between(config_.probe_min_ns, config_.probe_max_ns)
                                          : config_.announce_wait_ns);
    return Claim::kProbe;
  }
  if (announcements_left_ != 0) --announcements_left_;
  due_ns_ = announcements_left_ != 0 ? now_ns + config_.announce_interval_ns : kNever;
  return Claim::kAnnounce;
}

}  // namespace lambdacast::neighbor
