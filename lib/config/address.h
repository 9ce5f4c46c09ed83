// SPDX-License-Identifier: BSD-3-Clause
// Addresses as configuration writes them: IPv4 or IPv6 text, MAC text, DPDK device strings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wire/roce/gid.h"

namespace lambdacast::config {

struct IpAddress {
  wire::Gid gid;
  bool is_v6 = false;
  std::string text;  // as written

  // Two spellings of one address are the same address.
  friend bool operator==(const IpAddress& a, const IpAddress& b) { return a.gid == b.gid; }
};

// Returns nothing unless text is an address. An IPv4 address in its IPv6 form (::ffff:10.0.0.1) is
// refused: it would hide that two endpoints have the same GID, and which family their frames use.
[[nodiscard]] std::optional<IpAddress> parse_ip(std::string_view text);

[[nodiscard]] bool is_multicast(const IpAddress& address);
// Usable as an endpoint's own: not multicast, broadcast, loopback or unspecified.
[[nodiscard]] bool is_unicast(const IpAddress& address);
[[nodiscard]] bool is_unicast_text(std::string_view text);

[[nodiscard]] bool is_unicast(const wire::MacAddress& mac);  // no group address, not all zero

// A DPDK device: a PCI address ("0000:3b:00.0") or a virtual device's name ("net_af_packet0"), then
// perhaps ",argument=value" pairs. Whether the device exists only EAL can tell.
[[nodiscard]] bool is_device(std::string_view text);
[[nodiscard]] std::string_view device_name(
    std::string_view device);  // the part before the first comma

// "verbs:mlx5_0", or "verbs:mlx5_0/2" for its second port: a device of libibverbs in place of
// DPDK's. Nothing for other text.
struct VerbsPort {
  std::string_view device;
  uint8_t port = 1;
};
[[nodiscard]] std::optional<VerbsPort> verbs_port(std::string_view text);
// Either of the two.
[[nodiscard]] bool is_port(std::string_view text);

}  // namespace lambdacast::config
