// SPDX-License-Identifier: BSD-3-Clause
// Keys of [endpoint.reliability]: bounds, where values go, and what must agree.
#include "support.h"

namespace lambdacast::config {
namespace reliability_keys_test {

std::string endpoint_line(const std::string& line) { return problems_of(kMinimal + line); }

TEST(ReliabilityKeys, values_out_of_range_expect_them_named_with_what_is_allowed) {
  const std::pair<const char*, const char*> bad[] = {
      {"reliability.transmit_window = 1000", "a power of two, 64..1048576 packets"},
      {"reliability.receive_window = 65536", "a power of two, 64..32768 packets"},
      {"reliability.in_flight = 15", "16..1048576 packets"},
      {"reliability.hold = 63", "64..1048576 packets"},
      {"reliability.status_us = 0", "1..100000 us"},
      {"reliability.heartbeat_us = 99", "100..1000000 us"},
      {"reliability.repair_share = 0", "1..99 percent"},
      {"reliability.late_join = \"never\"", "\"now\" or \"retained\""},
      {"reliability.retain_ms = 0", "1..3600000 ms"},
  };
  for (const auto& [line, allowed] : bad) {
    const std::string problem = endpoint_line(line);
    EXPECT_NE(problem.find(std::string("is not allowed; allowed: ") + allowed + "\n"),
              std::string::npos)
        << line << ": " << problem;
  }
}

TEST(ReliabilityKeys, every_value_expect_it_in_its_place) {
  const auto config = parse(kMinimal +
                                "reliability = { transmit_window = 128, receive_window = 256, "
                                "in_flight = 77, hold = 99, slow_receiver = \"evict\", "
                                "late_join = \"retained\", evict_lag_ms = 7, heartbeat_us = 900 }\n"
                                "traffic = { qos = \"source\" }\n",
                            "t");
  ASSERT_TRUE(config) << text(config.error());
  const reliability::ReliabilityConfig& r = config->endpoints[0].reliability;
  EXPECT_EQ(r.transmit_window_pkts, 128u);
  EXPECT_EQ(r.receive_window_pkts, 256u);
  EXPECT_EQ(r.in_flight_pkts, 77u);
  EXPECT_EQ(r.hold_pkts, 99u);
  EXPECT_EQ(r.slow_receiver, reliability::SlowReceiver::kEvict);
  EXPECT_EQ(r.late_join, reliability::LateJoin::kRetained);
  EXPECT_EQ(r.heartbeat_max_ns, 900'000u);
  EXPECT_EQ(r.status_max_ns, 900'000u);
  EXPECT_EQ(r.evict_lag_ns, 7'000'000u);
  EXPECT_EQ(config->endpoints[0].traffic.qos, wire::Qos::kSourceOrdered);
}

TEST(ReliabilityKeys, give_up_a_packet_before_its_sender_expect_a_problem) {
  EXPECT_EQ(
      endpoint_line("reliability.repair_deadline_ms = 2000"),
      "t:8: endpoint.reliability.repair_deadline_ms: 2000 makes endpoint \"a\" give up a "
      "packet after 2000 ms, and its sender only after 2000 ms; allowed: a repair_deadline_ms "
      "above suspect_after_ms\n");
  EXPECT_EQ(
      endpoint_line("reliability.evict_lag_ms = 10001"),
      "t:8: endpoint.reliability.evict_lag_ms: 10001 lets a receiver of endpoint \"a\" lag by "
      "10001 ms, and packets are retained for 10000 ms; allowed: an evict_lag_ms of at most "
      "retain_ms\n");
}

TEST(ReliabilityKeys, be_silent_for_longer_than_another_waits_expect_a_problem) {
  EXPECT_EQ(endpoint_line("reliability.suspect_after_ms = 31"), "");
  EXPECT_EQ(
      endpoint_line("reliability.suspect_after_ms = 30"),
      "t:8: endpoint.reliability.suspect_after_ms: 30 lets endpoint \"a\" be silent for 10000 "
      "us where endpoint \"a\" counts a peer as gone after 30000 us; allowed: a heartbeat_us "
      "of at most 9999, or a longer suspect_after_ms\n");
  EXPECT_EQ(endpoint_line("reliability.heartbeat_us = 700000\n" + kSecond),
            "t:8: endpoint.reliability.heartbeat_us: 700000 lets endpoint \"a\" be silent for "
            "700000 us where endpoint \"a\" counts a peer as gone after 2000000 us; allowed: a "
            "heartbeat_us of at most 666666, or a longer suspect_after_ms\n");
  EXPECT_EQ(endpoint_line("reliability.heartbeat_us = 400000\n" + kSecond +
                          "reliability.suspect_after_ms = 1000"),
            "t:8: endpoint.reliability.heartbeat_us: 400000 lets endpoint \"a\" be silent for "
            "400000 us where endpoint \"b\" counts a peer as gone after 1000000 us; allowed: a "
            "heartbeat_us of at most 333333, or a longer suspect_after_ms\n");
}

}  // namespace reliability_keys_test
}  // namespace lambdacast::config
