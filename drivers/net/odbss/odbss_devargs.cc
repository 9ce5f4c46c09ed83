// SPDX-License-Identifier: BSD-3-Clause
#include "odbss_devargs.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

#include "../devargs.h"

namespace lambdacast::odbss {
namespace {

using Value = const char*;

constexpr char kWavelengthAllowed[] =
    "C21 to C60, H21 to H60 on the 50GHz grid, an index from 0 to 79, or none";

template <typename T>
bool whole_number(Value value, T& out) {
  const std::string_view text = value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

bool number_in(Value value, double least, double most, double& out) {
  char* end = nullptr;
  out = std::strtod(value, &end);
  return end != value && *end == '\0' && out >= least && out <= most;
}
bool probability(Value value, double& out) { return number_in(value, 0, 1, out); }

bool number_in(Value value, uint64_t least, uint64_t most, uint64_t& out) {
  return whole_number(value, out) && out >= least && out <= most;
}
bool delay(Value value, uint64_t& out) { return number_in(value, 0, fabric::kMaxDelayNs, out); }
bool rate(Value value, uint64_t& out) {
  return number_in(value, 0, fabric::kMaxRateBps, out) && (out == 0 || out >= fabric::kMinRateBps);
}

bool one_wavelength(std::string_view value, Wavelength& out) {
  if (const auto channel = wdm::channel_from_name(value)) {
    out = *channel;
    return true;
  }
  uint32_t index = 0;
  if (!whole_number(std::string(value).c_str(), index)) return false;
  out = index;
  return index < fabric::kMaxWavelengths;
}

bool wavelength_list(std::string_view value, std::vector<Wavelength>& out) {
  if (value == "all") return true;
  for (;;) {
    const std::size_t colon = value.find(':');
    if (!one_wavelength(value.substr(0, colon), out.emplace_back())) return false;
    if (colon == std::string_view::npos) return true;
    value.remove_prefix(colon + 1);
  }
}

bool grid(Value value, std::optional<uint32_t>& out) {
  const auto named = wdm::grid_from_name(value);
  if (named) out = spacing_ghz(*named);
  return named.has_value();
}

bool one_of(Value value, const char* no, const char* yes, bool& out) {
  out = std::strcmp(value, yes) == 0;
  return out || std::strcmp(value, no) == 0;
}

bool geometry_value(Value value, std::optional<uint32_t>& out) {
  uint32_t number = 0;
  if (!whole_number(value, number)) return false;
  out = number;
  return true;
}

constexpr net::Argument<Devargs> kArguments[] = {
    {"fabric", "a name of 1 to 32 letters, digits, '_', '.' or '-'",
     [](Value v, Devargs& d) { return !(d.fabric = v).empty(); }},
    {"wavelength", kWavelengthAllowed,
     [](Value v, Devargs& d) {
       if (std::strcmp(v, "none") == 0) return true;
       return one_wavelength(v, d.wavelength.emplace());
     },
     net::Times::kOnce},
    {"select", kSelectAllowed, [](Value v, Devargs& d) { return wavelength_list(v, d.select); }},
    {"loopback", "0 or 1", [](Value v, Devargs& d) { return one_of(v, "0", "1", d.loopback); }},
    {"rx_queues", "one or wavelength",
     [](Value v, Devargs& d) { return one_of(v, "one", "wavelength", d.queue_per_wavelength); }},
    {"mac", "a unicast address such as 02:00:00:00:00:01",
     [](Value v, Devargs& d) {
       return rte_ether_unformat_addr(v, &d.mac.emplace()) == 0 &&
              rte_is_valid_assigned_ether_addr(&*d.mac);
     }},
    {"wavelengths", "1 to 80",
     [](Value v, Devargs& d) { return geometry_value(v, d.attach.wavelengths); }},
    {"slots", "a power of two from 64 to 1048576",
     [](Value v, Devargs& d) { return geometry_value(v, d.attach.slots); }},
    {"frame_bytes", "64 to 16384 bytes",
     [](Value v, Devargs& d) { return geometry_value(v, d.attach.frame_bytes); }},
    {"grid", "100GHz or 50GHz", [](Value v, Devargs& d) { return grid(v, d.attach.grid_ghz); }},
    {"loss", "a probability from 0 to 1",
     [](Value v, Devargs& d) { return probability(v, d.faults.loss); }},
    {"corrupt", "a probability from 0 to 1",
     [](Value v, Devargs& d) { return probability(v, d.faults.corrupt); }},
    {"duplicate", "a probability from 0 to 1",
     [](Value v, Devargs& d) { return probability(v, d.faults.duplicate); }},
    {"burst_enter", "a probability from 0 to 0.5",
     [](Value v, Devargs& d) {
       return number_in(v, 0.0, fabric::kMaxBurstEnter, d.faults.burst_enter);
     }},
    {"burst_leave", "a probability from 1e-6 to 1",
     [](Value v, Devargs& d) {
       return number_in(v, fabric::kMinBurstLeave, 1.0, d.faults.burst_leave);
     }},
    {"burst_loss", "a probability from 0 to 1",
     [](Value v, Devargs& d) { return probability(v, d.faults.burst_loss); }},
    {"delay_ns", "0 to 100000000 ns",
     [](Value v, Devargs& d) { return delay(v, d.faults.delay_ns); }},
    {"jitter_ns", "0 to 100000000 ns",
     [](Value v, Devargs& d) { return delay(v, d.faults.jitter_ns); }},
    {"line_rate", "0, or 1000000 to 1600000000000 bit/s",
     [](Value v, Devargs& d) { return rate(v, d.line_rate_bps); }},
    {"rx_rate", "0, or 1000000 to 1600000000000 bit/s",
     [](Value v, Devargs& d) { return rate(v, d.faults.rx_rate_bps); }},
    {"rx_buffer", "16408 to 67108864 bytes",
     [](Value v, Devargs& d) {
       return number_in(v, fabric::kMinRxBufferBytes, fabric::kMaxQueueBytes,
                        d.faults.rx_buffer_bytes);
     }},
    {"seed", "a whole number below 2^64",
     [](Value v, Devargs& d) { return whole_number(v, d.faults.seed); }},
};

}  // namespace

std::string text(const Wavelength& wavelength) {
  const auto* channel = std::get_if<wdm::Channel>(&wavelength);
  return channel ? wdm::channel_name(*channel) : std::to_string(std::get<uint32_t>(wavelength));
}

base::Result<uint32_t> index_of(const Wavelength& wavelength, wdm::Grid grid) {
  const auto* channel = std::get_if<wdm::Channel>(&wavelength);
  if (channel == nullptr) return std::get<uint32_t>(wavelength);
  if (const auto index = wdm::index_on(grid, *channel)) return *index;
  return base::fail("it is not on the fabric's grid, " + std::string(wdm::name(grid)) +
                    "; use C21 to C60, or a fabric with grid=50GHz");
}

base::Result<Devargs> parse_devargs(const char* text) {
  Devargs devargs;
  const auto read = net::parse_devargs<Devargs>(text, kArguments, ODBSS_DEVARGS_HELP, devargs);
  if (!read) return base::fail(read.error().message);
  return devargs;
}

}  // namespace lambdacast::odbss
