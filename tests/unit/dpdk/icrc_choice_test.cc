// SPDX-License-Identifier: BSD-3-Clause
#include "dpdk/icrc_choice.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "wire/roce/build.h"

namespace lambdacast::dpdk {
namespace {

wire::FrameFields fields(bool ipv6) {
  wire::FrameFields fields;
  fields.source_gid = wire::parse_gid(ipv6 ? "fd77::3" : "10.77.0.3").value();
  fields.destination_gid = wire::parse_gid(ipv6 ? "ff15::9" : "239.255.77.1").value();
  fields.destination_qpn = wire::kMulticastQpn;
  return fields;
}

// A frame's packet, from the IP header to the ICRC's place, as every candidate is given it.
TEST(IcrcCandidates, all_candidates__expect_equal_values) {
  const auto candidates = icrc_candidates();
  ASSERT_GE(candidates.size(), 2u);
  base::SplitMix64 random(3);
  for (const bool ipv6 : {false, true}) {
    const wire::FrameTemplate flow(fields(ipv6));
    for (size_t payload_bytes = 0; payload_bytes <= 4096; payload_bytes += 12) {
      std::vector<uint8_t> frame(wire::kMaxFrameBytes);
      for (uint8_t& byte : frame) byte = static_cast<uint8_t>(random());
      const size_t l3_offset = 14;
      const size_t bytes = flow.finish(frame.data(), payload_bytes, 1, 2) - 4 - l3_offset;
      const uint32_t expected = candidates.front().icrc(&frame[l3_offset], bytes);
      for (const auto& candidate : candidates) {
        if (bytes > candidate.max_bytes) continue;
        ASSERT_EQ(candidate.icrc(&frame[l3_offset], bytes), expected)
            << candidate.name << ' ' << ipv6 << ' ' << payload_bytes;
      }
    }
  }
}

uint32_t nothing(const uint8_t*, size_t) { return 0; }

IcrcTiming timing(const char* name, double short_ns, double long_ns) {
  return {{name, SIZE_MAX, nothing}, short_ns, long_ns};
}

TEST(ChooseIcrc, clearly_faster__expect_the_fastest_of_each_length) {
  const IcrcChoice choice =
      choose_icrc({timing("a", 20, 100), timing("b", 8, 400), timing("c", 12, 80)});
  EXPECT_EQ(choice.short_packets, 1u);
  EXPECT_EQ(choice.long_packets, 2u);
  EXPECT_EQ(choice.text(), "b up to 256 bytes (8.0 ns for 64), c beyond (80 ns for 4096)");
}

TEST(ChooseIcrc, within_the_noise__expect_the_first) {
  const IcrcChoice choice = choose_icrc({timing("a", 20, 100), timing("b", 18.5, 95)});
  EXPECT_EQ(choice.short_packets, 0u);
  EXPECT_EQ(choice.long_packets, 0u);
}

TEST(ChooseIcrc, takes_no_long_packets__expect_it_for_short_ones_only) {
  const IcrcChoice choice = choose_icrc({timing("a", 20, 100), timing("b", 8, 0)});
  EXPECT_EQ(choice.short_packets, 1u);
  EXPECT_EQ(choice.long_packets, 0u);
}

TEST(IcrcChoice, measured__expect_a_time_for_each_candidate_and_one_measurement) {
  const IcrcChoice& choice = icrc_choice();
  ASSERT_EQ(choice.timings.size(), icrc_candidates().size());
  for (const IcrcTiming& timing : choice.timings)
    EXPECT_GT(timing.short_ns, 0) << timing.method.name;
  EXPECT_GT(choice.timings[choice.long_packets].long_ns, 0);
  EXPECT_EQ(&icrc_choice(), &choice);
}

}  // namespace
}  // namespace lambdacast::dpdk
