// SPDX-License-Identifier: BSD-3-Clause
#include "config/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace lambdacast::config {
namespace {

constexpr std::size_t kMaxDeviceChars = 256;
constexpr std::size_t kMaxDeviceNameChars = 63;  // DPDK: RTE_DEV_NAME_MAX_LEN less the final zero

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// "x" stands for one hexadecimal digit, "0" for 0..7, any other character for itself.
bool matches(std::string_view text, std::string_view pattern) {
  return std::equal(text.begin(), text.end(), pattern.begin(), pattern.end(), [](char c, char p) {
    if (p == 'x') return is_hex_digit(c);
    if (p == '0') return c >= '0' && c <= '7';
    return c == p;
  });
}

bool is_pci_address(std::string_view name) {
  return matches(name, "xxxx:xx:xx.0") || matches(name, "xx:xx.0");
}

}  // namespace

std::optional<IpAddress> parse_ip(std::string_view text) {
  IpAddress address;
  address.text = text;
  // inet_pton reads to the first zero: a zero inside the text would hide what follows it.
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  std::array<uint8_t, 16>& bytes = address.gid.bytes;
  if (inet_pton(AF_INET, address.text.c_str(), &bytes[12]) == 1) {
    bytes[10] = bytes[11] = 0xff;
    return address;
  }
  address.is_v6 = true;
  if (inet_pton(AF_INET6, address.text.c_str(), bytes.data()) != 1) return std::nullopt;
  if (wire::is_ipv4_mapped(address.gid)) return std::nullopt;
  return address;
}

bool is_multicast(const IpAddress& address) { return wire::is_multicast(address.gid); }

bool is_unicast(const IpAddress& address) {
  if (is_multicast(address)) return false;
  const std::array<uint8_t, 16>& bytes = address.gid.bytes;
  if (!address.is_v6) {
    const uint8_t first = bytes[12];
    return first != 0 && first != 127 && first < 240;
  }
  // Neither "::" nor "::1".
  const bool prefix_is_zero =
      std::all_of(bytes.begin(), bytes.end() - 1, [](uint8_t b) { return b == 0; });
  return !(prefix_is_zero && bytes[15] <= 1);
}

bool is_unicast_text(std::string_view text) {
  const auto address = parse_ip(text);
  return address && is_unicast(*address);
}

bool is_unicast(const wire::MacAddress& mac) {
  return (mac.bytes[0] & 1) == 0 && mac != wire::MacAddress{};
}

namespace {
constexpr std::string_view kVerbsPrefix = "verbs:";
}

std::string_view device_name(std::string_view device) {
  return device.substr(0, std::min(device.find(','), device.size()));
}

std::optional<VerbsPort> verbs_port(std::string_view text) {
  constexpr std::size_t kMaxVerbsNameChars = 63;  // IBV_SYSFS_NAME_MAX and its end
  if (!text.starts_with(kVerbsPrefix)) return std::nullopt;
  VerbsPort out;
  out.device = text.substr(kVerbsPrefix.size());
  if (const auto slash = out.device.find('/'); slash != std::string_view::npos) {
    const std::string_view number = out.device.substr(slash + 1);
    out.device = out.device.substr(0, slash);
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), out.port);
    const bool whole = error == std::errc() && end == number.data() + number.size();
    if (!whole || out.port == 0 || out.port == UINT8_MAX) return std::nullopt;
  }
  const bool named = !out.device.empty() && out.device.size() <= kMaxVerbsNameChars &&
                     std::all_of(out.device.begin(), out.device.end(), [](char c) {
                       return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
                     });
  return named ? std::optional(out) : std::nullopt;
}

bool is_port(std::string_view text) {
  return text.starts_with(kVerbsPrefix) ? verbs_port(text).has_value() : is_device(text);
}

bool is_device(std::string_view text) {
  if (text.size() > kMaxDeviceChars || text.starts_with(kVerbsPrefix)) return false;
  const bool printable =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
  const std::string_view name = device_name(text);
  if (!printable || name.empty() || name.size() > kMaxDeviceNameChars) return false;
  if (is_pci_address(name)) return true;
  return is_letter(name[0]) && std::all_of(name.begin(), name.end(), [](char c) {
           return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.' || c == ':';
         });
}

}  // namespace lambdacast::config
