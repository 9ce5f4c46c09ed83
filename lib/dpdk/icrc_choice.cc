// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/icrc_choice.h"

#include <rte_cycles.h>
#include <rte_log.h>
#include <rte_net_crc.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

#include "base/bytes.h"
#include "wire/roce/crc32.h"
#include "wire/roce/icrc_mask.h"

namespace lambdacast::dpdk {
namespace {

// DPDK's CRC takes no seed and so no second part: the packet has to be copied whole to be masked,
// and the seed is XORed into the copy's first word in place of the one it starts with.
template <size_t kHeadBytes>
uint32_t rte_net_icrc(const uint8_t* l3, size_t bytes, const wire::HeadMask<kHeadBytes>& mask) {
  alignas(64) std::array<uint8_t, wire::kShortIcrcBytes> packet;
  const size_t head_bytes = std::min(bytes, kHeadBytes);
  std::memcpy(packet.data(), l3, bytes);
  for (size_t i = 0; i < head_bytes; ++i) packet[i] |= mask[i];
  base::store_raw(packet.data(), base::load_raw<uint32_t>(packet.data()) ^ wire::kIcrcSeed);
  return rte_net_crc_calc(packet.data(), static_cast<uint32_t>(bytes), RTE_NET_CRC32_ETH);
}

uint32_t icrc_by_rte_net(const uint8_t* l3, size_t bytes) {
  return l3[0] >> 4 == 4 ? rte_net_icrc(l3, bytes, wire::kIpv4Mask)
                         : rte_net_icrc(l3, bytes, wire::kIpv6Mask);
}

constexpr size_t kBurst = 32;
constexpr size_t kEthernetBytes = 14;

struct Sample {
  size_t bytes;    // of a packet, before its ICRC
  size_t packets;  // measured at a time
  size_t repeats;
};
constexpr size_t kHeadersBytes = 48;  // IPv4, UDP, BTH, DETH
constexpr Sample kShortSample{kHeadersBytes + 64, kBurst, 64};
constexpr Sample kLongSample{kHeadersBytes + 4096, 4, 64};

// The best of the repeats: what disturbs only makes it longer.
double time_ns(const wire::IcrcMethod& method, const Sample& sample) {
  if (sample.bytes > method.max_bytes) return 0;
  const size_t stride = kEthernetBytes + sample.bytes;
  std::vector<uint8_t> frames(stride * sample.packets, 0x45);
  uint64_t best = ~uint64_t{0};
  for (size_t repeat = 0; repeat < sample.repeats; ++repeat) {
    uint32_t all = 0;
    const uint64_t start = rte_rdtsc_precise();
    for (size_t i = 0; i < sample.packets; ++i) {
      all ^= method.icrc(&frames[i * stride + kEthernetBytes], sample.bytes);
    }
    const uint64_t ticks = rte_rdtsc_precise() - start;
    frames[kEthernetBytes + 1] = static_cast<uint8_t>(all);  // TOS: used, and changes nothing
    best = std::min(best, ticks);
  }
  return static_cast<double>(best) * 1e9 / static_cast<double>(rte_get_tsc_hz()) /
         static_cast<double>(sample.packets);
}

size_t fastest(const std::vector<IcrcTiming>& timings, double IcrcTiming::*time) {
  constexpr double kClearly = 0.9;
  size_t best = 0;
  for (size_t i = 1; i < timings.size(); ++i) {
    const double bar = best == 0 ? timings[0].*time * kClearly : timings[best].*time;
    if (timings[i].*time > 0 && timings[i].*time < bar) best = i;
  }
  return best;
}

IcrcChoice measure() {
  std::vector<IcrcTiming> timings;
  for (const wire::IcrcMethod& method : icrc_candidates()) {
    timings.push_back({method, time_ns(method, kShortSample), time_ns(method, kLongSample)});
  }
  IcrcChoice choice = choose_icrc(std::move(timings));
  wire::use_icrc_methods(choice.timings[choice.short_packets].method,
                         choice.timings[choice.long_packets].method);
  return choice;
}

}  // namespace

std::vector<wire::IcrcMethod> icrc_candidates() {
  // At its first use rte_net_crc tells everybody which instructions it does not take.
  rte_log_set_level_pattern("lib.net", RTE_LOG_NOTICE);
  const auto own = wire::icrc_methods();
  std::vector<wire::IcrcMethod> candidates(own.begin(), own.end());
  candidates.push_back({"rte_net_crc", wire::kShortIcrcBytes, icrc_by_rte_net});
  return candidates;
}

IcrcChoice choose_icrc(std::vector<IcrcTiming> timings) {
  IcrcChoice choice;
  choice.timings = std::move(timings);
  choice.short_packets = fastest(choice.timings, &IcrcTiming::short_ns);
  choice.long_packets = fastest(choice.timings, &IcrcTiming::long_ns);
  return choice;
}

std::string IcrcChoice::text() const {
  char line[160];
  std::snprintf(
      line, sizeof line, "%s up to %zu bytes (%.1f ns for 64), %s beyond (%.0f ns for 4096)",
      timings[short_packets].method.name, wire::kShortIcrcBytes, timings[short_packets].short_ns,
      timings[long_packets].method.name, timings[long_packets].long_ns);
  return line;
}

const IcrcChoice& icrc_choice() {
  static const IcrcChoice choice = measure();
  return choice;
}

}  // namespace lambdacast::dpdk
