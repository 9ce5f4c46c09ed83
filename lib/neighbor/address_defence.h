// SPDX-License-Identifier: BSD-3-Clause
// Whether the endpoint's address is its own: asks the network at the start, announces it, and
// notices whoever else claims it (RFC 5227 for IPv4; RFC 4862, 5.4 for IPv6). An operator gave the
// address, so that the endpoint speaks at once, beside the asking, and keeps its address in a
// conflict: what it does is to say so, and to announce itself again at most every
// defend_interval_ns.
#pragma once

#include <cstdint>
#include <optional>

#include "base/random.h"
#include "neighbor/neighbor_table.h"
#include "wire/roce/gid.h"

namespace lambdacast::neighbor {

struct DefenceConfig {
  uint32_t probes = 3;                     // PROBE_NUM; DupAddrDetectTransmits
  uint64_t probe_wait_ns = 1'000'000'000;  // the first comes within it, at random
  uint64_t probe_min_ns = 1'000'000'000;   // between probes, at random
  uint64_t probe_max_ns = 2'000'000'000;
  uint64_t announce_wait_ns = 2'000'000'000;  // behind the last probe
  uint32_t announcements = 2;                 // ANNOUNCE_NUM
  uint64_t announce_interval_ns = 2'000'000'000;
  uint64_t defend_interval_ns = 10'000'000'000;
  [[nodiscard]] static DefenceConfig ipv4() { return {}; }
  [[nodiscard]] static DefenceConfig ipv6() {
    return {1, 1'000'000'000, 1'000'000'000, 1'000'000'000, 1'000'000'000,
            2, 1'000'000'000, 10'000'000'000};
  }
};

struct AddressConflict {
  wire::MacAddress mac;  // who else claims the address, the last one heard
  uint64_t first_ns = 0;
  uint64_t last_ns = 0;
  uint64_t count = 0;
};

class AddressDefence {
 public:
  enum class Claim : uint8_t { kNone, kProbe, kAnnounce };

  AddressDefence(const DefenceConfig& config, uint64_t seed) : config_(config), random_(seed) {}

  void start(uint64_t now_ns);
  // The network may have forgotten us: the address is announced at once, and again.
  void announce(uint64_t now_ns);
  void stop() { due_ns_ = kNever; }
  void conflict(const wire::MacAddress& mac, uint64_t now_ns);

  // Returns the claim to send now.
  [[nodiscard]] Claim poll(uint64_t now_ns);
  [[nodiscard]] uint64_t next_deadline_ns() const { return due_ns_; }
  // Still asking whether the address is free.
  [[nodiscard]] bool probing() const { return probes_left_ != 0; }
  [[nodiscard]] const std::optional<AddressConflict>& seen() const { return seen_; }

 private:
  [[nodiscard]] uint64_t between(uint64_t least_ns, uint64_t most_ns) {
    return least_ns + random_.below(most_ns - least_ns + 1);
  }

  DefenceConfig config_;
  base::SplitMix64 random_;
  uint32_t probes_left_ = 0;
  uint32_t announcements_left_ = 0;
  uint64_t due_ns_ = kNever;
  uint64_t defended_ns_ = 0;
  bool defended_ = false;
  std::optional<AddressConflict> seen_;
};

}  // namespace lambdacast::neighbor
