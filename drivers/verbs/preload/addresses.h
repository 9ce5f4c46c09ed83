// SPDX-License-Identifier: BSD-3-Clause
// The identity of a device: its MAC address and GIDs. Those of a real port come from the network
// and the configuration file, and the bridge asks for the MAC address of a GID. On the fabric
// nobody resolves addresses (there is no ARP), so a MAC address follows from either GID: 02:4f and
// the four bytes of the IPv4 address; the link-local GID is that MAC address as a modified EUI-64
// (RFC 4291, appendix A).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "wire/roce/gid.h"

namespace lambdacast::verbs {

inline constexpr int kGidTableEntries = 16;  // those above the second are empty

[[nodiscard]] wire::MacAddress mac_of_ipv4(uint32_t address);
[[nodiscard]] wire::Gid link_local(const wire::MacAddress& mac);
// fe80::.../64 with ff:fe in the middle of its interface identifier; nothing for another address.
[[nodiscard]] std::optional<wire::MacAddress> mac_of_link_local(const wire::Gid& gid);
[[nodiscard]] bool is_link_local(const wire::Gid& gid);

// The Ethernet destination of a GID: of a group by the standard mappings, of a device as above, and
// broadcast for what is neither, since everybody hears everything and the GID decides.
[[nodiscard]] wire::MacAddress destination_mac(const wire::Gid& gid);

class Addresses {
 public:
  Addresses() = default;
  explicit Addresses(uint32_t ipv4)
      : mac_(mac_of_ipv4(ipv4)), gids_{link_local(mac_), wire::gid_from_ipv4(ipv4)} {}

  // The addresses of a real port.
  Addresses(const wire::MacAddress& mac, const wire::Gid& gid)
      : mac_(mac), gids_{link_local(mac), gid} {}

  [[nodiscard]] const wire::MacAddress& mac() const { return mac_; }
  // Zeros for an empty entry. index < kGidTableEntries.
  [[nodiscard]] wire::Gid gid(size_t index) const {
    return index < gids_.size() ? gids_[index] : wire::Gid{};
  }
  [[nodiscard]] bool is_own(const wire::Gid& gid) const {
    return gid == gids_[1] || gid == gids_[0];
  }
  // Network order in memory, as verbs has it: the interface identifier of the link-local GID.
  [[nodiscard]] uint64_t guid() const { return base::load_raw<uint64_t>(&gids_[0].bytes[8]); }

 private:
  wire::MacAddress mac_;
  std::array<wire::Gid, 2> gids_{};
};

}  // namespace lambdacast::verbs
