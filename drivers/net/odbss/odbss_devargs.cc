#include "odbss_devargs.h"

#include <rte_kvargs.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "wdm/channel.h"

namespace lambdacast::odbss {
namespace {

using Value = const char*;

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

bool wavelength_index(std::string_view text, uint32_t& out) {
  if (const auto channel = wdm::channel_from_name(text)) {
    out = channel->index;
    return true;
  }
  return whole_number(std::string(text).c_str(), out) && out < fabric::kMaxWavelengths;
}

bool wavelength_list(std::string_view text, std::vector<uint32_t>& out) {
  if (text == "all") return true;
  for (;;) {
    const std::size_t colon = text.find(':');
    uint32_t index = 0;
    if (!wavelength_index(text.substr(0, colon), index)) return false;
    if (std::find(out.begin(), out.end(), index) != out.end()) return false;
    out.push_back(index);
    if (colon == std::string_view::npos) return true;
    text.remove_prefix(colon + 1);
  }
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

struct Argument {
  const char* key;
  const char* allowed;
  std::function<bool(Value, Devargs&)> parse;
};

const std::vector<Argument>& arguments() {
  static const std::vector<Argument> list = {
      {"fabric", "a name of 1 to 32 letters, digits, '_', '.' or '-'",
       [](Value v, Devargs& d) { return !(d.fabric = v).empty(); }},
      {"wavelength", "C21 to C60, an index from 0 to 79, or none",
       [](Value v, Devargs& d) {
         if (std::strcmp(v, "none") == 0) return true;
         return wavelength_index(v, d.wavelength.emplace());
       }},
      {"select", "all, or wavelengths (C21 to C60, or 0 to 79) separated by ':', none twice",
       [](Value v, Devargs& d) { return wavelength_list(v, d.select); }},
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
  return list;
}

struct Visit {
  const Argument* argument;
  Devargs* devargs;
  std::string error;
};

int visit(const char* key, const char* value, void* opaque) {
  auto& v = *static_cast<Visit*>(opaque);
  if (value != nullptr && v.argument->parse(value, *v.devargs)) return 0;
  v.error = std::string(key) + "=" + (value == nullptr ? "" : value) +
            " is not allowed; allowed: " + v.argument->allowed;
  return -1;
}

}  // namespace

base::Result<Devargs> parse_devargs(const char* text) {
  std::vector<const char*> keys;
  for (const Argument& argument : arguments()) keys.push_back(argument.key);
  keys.push_back(nullptr);
  const std::unique_ptr<rte_kvargs, decltype(&rte_kvargs_free)> list(
      rte_kvargs_parse(text, keys.data()), rte_kvargs_free);
  if (list == nullptr) {
    return base::fail(std::string("cannot read device arguments \"") + text +
                      "\"; known: " ODBSS_DEVARGS_HELP);
  }
  Devargs devargs;
  for (const Argument& argument : arguments()) {
    if (rte_kvargs_count(list.get(), argument.key) > 1) {
      return base::fail(std::string(argument.key) + " is given twice; allowed: once");
    }
    Visit v{&argument, &devargs, {}};
    if (rte_kvargs_process(list.get(), argument.key, visit, &v) != 0) return base::fail(v.error);
  }
  if (rte_kvargs_count(list.get(), "wavelength") == 0) {
    return base::fail("wavelength is missing; allowed: C21 to C60, an index from 0 to 79, or none");
  }
  return devargs;
}

}  // namespace lambdacast::odbss
