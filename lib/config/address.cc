#include "config/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace lambdacast::config {
namespace {

constexpr std::size_t kMaxDeviceChars = 256;
constexpr std::size_t kMaxDeviceNameChars = 63;  // DPDK: RTE_DEV_NAME_MAX_LEN less the final zero

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// "x" stands for one hexadecimal digit, "0" for 0..7, any other character for itself.
bool matches(std::string_view text, std::string_view pattern) {
  return std::equal(text.begin(), text.end(), pattern.begin(), pattern.end(), [](char c, char p) {
    if (p == 'x') return hex_value(c) >= 0;
    if (p == '0') return c >= '0' && c <= '7';
    return c == p;
  });
}

bool is_pci_address(std::string_view name) {
  return matches(name, "xxxx:xx:xx.0") || matches(name, "xx:xx.0");
}

bool is_v4_mapped(const std::array<uint8_t, 16>& gid) {
  constexpr uint8_t kPrefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::memcmp(gid.data(), kPrefix, sizeof kPrefix) == 0;
}

}  // namespace

std::optional<IpAddress> parse_ip(std::string_view text) {
  IpAddress address;
  address.text = text;
  // inet_pton reads to the first zero: a zero inside the text would hide what follows it.
  if (text.find('\0') != std::string_view::npos) return std::nullopt;
  if (inet_pton(AF_INET, address.text.c_str(), &address.gid[12]) == 1) {
    address.gid[10] = address.gid[11] = 0xff;
    return address;
  }
  address.is_v6 = true;
  if (inet_pton(AF_INET6, address.text.c_str(), address.gid.data()) != 1) return std::nullopt;
  if (is_v4_mapped(address.gid)) return std::nullopt;
  return address;
}

bool is_multicast(const IpAddress& address) {
  if (address.is_v6) return address.gid[0] == 0xff;
  return address.gid[12] >= 224 && address.gid[12] <= 239;
}

bool is_unicast(const IpAddress& address) {
  if (is_multicast(address)) return false;
  if (!address.is_v6) {
    const uint8_t first = address.gid[12];
    return first != 0 && first != 127 && first < 240;
  }
  // Neither "::" nor "::1".
  const bool prefix_is_zero =
      std::all_of(address.gid.begin(), address.gid.end() - 1, [](uint8_t b) { return b == 0; });
  return !(prefix_is_zero && address.gid[15] <= 1);
}

bool is_unicast_text(std::string_view text) {
  const auto address = parse_ip(text);
  return address && is_unicast(*address);
}

std::optional<MacBytes> parse_mac(std::string_view text) {
  if (!matches(text, "xx:xx:xx:xx:xx:xx")) return std::nullopt;
  MacBytes mac{};
  for (std::size_t i = 0; i < mac.size(); ++i) {
    mac[i] = static_cast<uint8_t>(hex_value(text[3 * i]) * 16 + hex_value(text[3 * i + 1]));
  }
  return mac;
}

bool is_unicast(const MacBytes& mac) { return (mac[0] & 1) == 0 && mac != MacBytes{}; }

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
