// SPDX-License-Identifier: BSD-3-Clause
#include "wire/roce/gid.h"

#include <arpa/inet.h>

#include <cstdio>
#include <utility>

namespace lambdacast::wire {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

tl::unexpected<base::Error> refuse(std::string_view text, std::string_view complaint) {
  std::string message = "'";
  message.append(text).append("' ").append(complaint);
  return base::fail(std::move(message));
}

}  // namespace

base::Result<MacAddress> parse_mac(std::string_view text) {
  constexpr size_t kTextBytes = 17;  // "52:54:00:77:00:03"
  MacAddress mac;
  bool good = text.size() == kTextBytes;
  for (size_t i = 0; good && i < mac.bytes.size(); ++i) {
    const int high = hex_digit(text[3 * i]);
    const int low = hex_digit(text[3 * i + 1]);
    good = high >= 0 && low >= 0 && (i == 5 || text[3 * i + 2] == ':');
    mac.bytes[i] = static_cast<uint8_t>(high * 16 + low);
  }
  if (good) return mac;
  return refuse(text,
                "is not a MAC address; six pairs of hexadecimal digits joined by colons are, for "
                "example 52:54:00:77:00:03");
}

std::string format(const MacAddress& mac) {
  const auto& b = mac.bytes;
  std::array<char, 18> text;
  std::snprintf(text.data(), text.size(), "%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3],
                b[4], b[5]);
  return text.data();
}

base::Result<Gid> parse_gid(std::string_view text) {
  const std::string terminated(text);  // inet_pton wants a C string
  std::array<uint8_t, 4> ipv4;
  Gid gid;
  // A NUL inside would end the C string early and hide what follows it.
  const bool no_nul = text.find('\0') == std::string_view::npos;
  if (no_nul && inet_pton(AF_INET, terminated.c_str(), ipv4.data()) == 1) {
    return gid_from_ipv4(base::load_be32(ipv4.data()));
  }
  if (no_nul && inet_pton(AF_INET6, terminated.c_str(), gid.bytes.data()) == 1) return gid;
  return refuse(text,
                "is not a GID; an IPv4 or IPv6 address is, for example 10.0.0.1, ::ffff:10.0.0.1 "
                "or fd77::1");
}

std::string format(const Gid& gid) {
  std::array<char, INET6_ADDRSTRLEN> text;
  if (is_ipv4_mapped(gid)) {
    inet_ntop(AF_INET, &gid.bytes[12], text.data(), text.size());
  } else {
    inet_ntop(AF_INET6, gid.bytes.data(), text.data(), text.size());
  }
  return text.data();
}

MacAddress multicast_mac(const Gid& gid) {
  const auto& b = gid.bytes;
  if (!is_ipv4_mapped(gid)) return {{0x33, 0x33, b[12], b[13], b[14], b[15]}};
  return {{0x01, 0x00, 0x5e, static_cast<uint8_t>(b[13] & 0x7f), b[14], b[15]}};
}

}  // namespace lambdacast::wire
