// SPDX-License-Identifier: BSD-3-Clause
#include "settings.h"

#include <charconv>
#include <sstream>

#include "fabric/rate_queue.h"
#include "wire/roce/bth.h"

namespace lambdacast::verbs {
namespace {

std::string text_of(Environment get, const char* name) {
  const char* value = get(name);
  return value == nullptr ? std::string() : std::string(value);
}

base::Result<std::optional<uint32_t>> number(Environment get, const char* name) {
  const std::string text = text_of(get, name);
  if (text.empty()) return std::optional<uint32_t>();
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return base::fail(std::string(name) + "=" + text + " is not a number.");
  }
  return std::optional<uint32_t>(value);
}

base::Result<std::vector<uint16_t>> pkeys(Environment get) {
  const std::string text = text_of(get, "LAMBDACAST_PKEYS");
  if (text.empty()) return std::vector<uint16_t>{wire::kDefaultPkey};
  std::vector<uint16_t> keys;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const size_t skip = part.starts_with("0x") ? 2 : 0;
    uint16_t key = 0;
    const char* const last = part.data() + part.size();
    const auto [end, error] = std::from_chars(part.data() + skip, last, key, 16);
    if (error != std::errc() || end != last) keys.resize(kMaxPkeys);
    keys.push_back(key);
  }
  if (!keys.empty() && keys.size() <= kMaxPkeys) return keys;
  return base::fail("LAMBDACAST_PKEYS=" + text +
                    " is not a list of 1 to 16 partition keys such as 0xffff,0x8001.");
}

}  // namespace

std::optional<uint64_t> parse_rate(const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  const std::string unit(end, text.data() + text.size());
  uint64_t factor = 0;
  if (unit.empty()) factor = 1;
  if (unit == "M") factor = 1'000'000;
  if (unit == "G") factor = 1'000'000'000;
  if (factor == 0 || value > fabric::kMaxRateBps / factor) return std::nullopt;
  value *= factor;
  if (value != 0 && value < fabric::kMinRateBps) return std::nullopt;
  return value;
}

base::Result<Settings> read_settings(Environment get) {
  Settings settings;
  settings.fabric = text_of(get, "LAMBDACAST_FABRIC");
  settings.wavelength = text_of(get, "LAMBDACAST_WAVELENGTH");
  settings.config_file = text_of(get, "LAMBDACAST_CONFIG");
  settings.endpoint = text_of(get, "LAMBDACAST_ENDPOINT");
  if (!settings.config_file.empty() && !settings.fabric.empty()) {
    return base::fail("LAMBDACAST_CONFIG=" + settings.config_file + " and LAMBDACAST_FABRIC=" +
                      settings.fabric + " name two networks for one device; unset one of them.");
  }
  settings.stats_file = text_of(get, "LAMBDACAST_VERBS_STATS");

  const std::string rate = text_of(get, "LAMBDACAST_RATE");
  const auto rate_bps = rate.empty() ? std::optional(kDefaultRateBps) : parse_rate(rate);
  if (!rate_bps) {
    return base::fail("LAMBDACAST_RATE=" + rate + " is not a rate: 1M to 1600G, or 0 for none.");
  }
  settings.rate_bps = *rate_bps;

  const auto rate_pps = number(get, "LAMBDACAST_PACKET_RATE");
  if (!rate_pps) return tl::unexpected(rate_pps.error());
  settings.rate_pps = rate_pps->has_value() ? **rate_pps : kDefaultRatePps;
  settings.own_rate = rate_pps->has_value();

  const std::string address = text_of(get, "LAMBDACAST_ADDRESS");
  if (!address.empty()) {
    const auto gid = wire::parse_gid(address);
    if (!gid || !wire::is_ipv4_mapped(*gid) || wire::is_multicast(*gid) ||
        wire::ipv4_of(*gid) == 0) {
      return base::fail("LAMBDACAST_ADDRESS=" + address +
                        " is not the IPv4 address of a host, such as 10.77.0.1.");
    }
    settings.address = *gid;
  }

  auto keys = pkeys(get);
  if (!keys) return tl::unexpected(keys.error());
  settings.pkeys = std::move(*keys);
  settings.own_pkeys = !text_of(get, "LAMBDACAST_PKEYS").empty();
  const auto wavelengths = number(get, "LAMBDACAST_WAVELENGTHS");
  if (!wavelengths) return tl::unexpected(wavelengths.error());
  settings.wavelengths = *wavelengths;
  const auto slots = number(get, "LAMBDACAST_SLOTS");
  if (!slots) return tl::unexpected(slots.error());
  settings.slots = *slots;
  return settings;
}

}  // namespace lambdacast::verbs
