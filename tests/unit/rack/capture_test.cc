// SPDX-License-Identifier: BSD-3-Clause
#include "rack/capture.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "capture_support.h"
#include "support.h"

namespace lambdacast::rack {
namespace {

constexpr char kTwoLcores[] =
    "[[lcore]]\nid = 1\nidle = \"sleep\"\n[[lcore]]\nid = 2\nidle = \"sleep\"\n";

// Publishes without end, and takes.
class Chatter final : public node::Stage {
 public:
  explicit Chatter(Endpoint& endpoint) : endpoint_(endpoint) {}
  [[nodiscard]] const char* name() const override { return "application"; }
  uint32_t poll(uint64_t) override {
    const uint32_t taken = endpoint_.take_deliveries(32, node::DeliverySink{});
    return taken + (test::publish(endpoint_, test::counting_bytes(20)) ? 1 : 0);
  }

 private:
  Endpoint& endpoint_;
};

std::unique_ptr<Rack> make_rack(const test::RackSpec& spec) {
  auto rack = Rack::create(test::rack_config(spec), {});
  if (!rack) throw std::runtime_error(rack.error().message);
  return std::move(*rack);
}

std::unique_ptr<Rack> running_rack() {
  auto rack = make_rack({.nodes = 2,
                         .defaults = "stages = { receive = 1, rate_control = 2, ordering = 1, "
                                     "reliability = 1 }",
                         .tables = kTwoLcores});
  for (size_t i = 0; i < 2; ++i) {
    rack->set_application(i, std::make_unique<Chatter>(rack->endpoint(i)));
  }
  if (auto started = rack->start(); !started) throw std::runtime_error(started.error().message);
  return rack;
}

// IPv4, untagged: its destination stands behind 14 + 16 bytes.
bool goes_to(const test::FilePacket& packet, const wire::Gid& gid) {
  return packet.data.size() >= 34 &&
         std::equal(gid.bytes.begin() + 12, gid.bytes.end(), packet.data.begin() + 30);
}

TEST(CaptureTest, capture_from_the_first_frame_to_the_last__expect_what_the_ports_count) {
  const test::TemporaryFile temporary;
  const auto rack = make_rack({.nodes = 2, .defaults = "lcore = 1"});
  Capture capture;
  ASSERT_TRUE(capture.start(*rack, temporary.path));
  EXPECT_TRUE(capture.running());
  for (size_t i = 0; i < 2; ++i) ASSERT_TRUE(rack->endpoint(i).port().start());
  for (int n = 0; n < 50; ++n) {
    for (size_t i = 0; i < 2; ++i) {
      ASSERT_TRUE(test::publish(rack->endpoint(i), test::counting_bytes(30)));
      test::run_dry(rack->endpoint(i));
      (void)test::deliveries_of(rack->endpoint(i));
    }
  }
  uint64_t counted = 0;
  uint64_t control = 0;
  for (size_t i = 0; i < 2; ++i) {
    test::run_dry(rack->endpoint(i));
    const dpdk::PortStatistics port = rack->endpoint(i).port().statistics();
    counted += port.rx_packets + port.tx_packets;
    control += rack->endpoint(i).control_packets();
  }
  const CaptureReport report = capture.stop();
  EXPECT_FALSE(capture.running());
  EXPECT_EQ(report.captured, counted);
  EXPECT_GT(control, 0u);
  EXPECT_EQ(counted, 200u + 2 * control);  // each sent and heard once
  EXPECT_EQ(report.dropped, 0u);
  EXPECT_EQ(report.error, "");
  EXPECT_EQ(report.path, temporary.path);

  const auto bytes = test::bytes_in(temporary.path);
  EXPECT_EQ(report.written_bytes, bytes.size());
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> frames;  // data, by interface and direction
  uint64_t control_frames = 0;
  std::set<std::string> sent;
  for (const test::FilePacket& packet : test::packets_of(test::blocks_of(bytes))) {
    if (goes_to(packet, rack->endpoint(0).identity().control_gid)) {
      ++control_frames;
    } else {
      ++frames[{packet.interface, packet.direction}];
    }
    EXPECT_EQ(packet.data.size(), packet.original_bytes);
    const std::string frame(packet.data.begin(), packet.data.end());
    if (packet.direction == 2) {
      EXPECT_TRUE(sent.insert(frame).second);
    } else {
      EXPECT_TRUE(sent.contains(frame));  // nothing is heard before it is sent
    }
  }
  EXPECT_EQ(control_frames, 2 * control);
  EXPECT_EQ(frames.size(), 4u);
  for (const auto& [where, count] : frames) EXPECT_EQ(count, 50u);
}

TEST(CaptureTest, start_and_stop_while_lcores_run__expect_each_file_whole_and_the_rack_to_go_on) {
  const auto rack = running_rack();
  for (int round = 0; round < 20; ++round) {
    const test::TemporaryFile temporary;
    Capture capture;
    ASSERT_TRUE(capture.start(*rack, temporary.path, {.buffer_bytes = 1 << 20}));
    ASSERT_TRUE(test::eventually([&] { return capture.status().captured > 100; }));
    const CaptureReport report = capture.stop();
    uint64_t last_ns = 0;
    const auto packets = test::packets_of(test::blocks_of(test::bytes_in(temporary.path)));
    EXPECT_EQ(packets.size(), report.captured);
    for (const test::FilePacket& packet : packets) {
      ASSERT_GE(packet.time_ns, last_ns);  // receive and rate_control run on two lcores
      last_ns = packet.time_ns;
    }
  }
  const uint64_t before = rack->snapshot()[0].ordering.counters.forwarded;
  EXPECT_TRUE(test::eventually(
      [&] { return rack->snapshot()[0].ordering.counters.forwarded > before + 100; }));
}

TEST(CaptureTest, capture_one_endpoint_with_a_snap_length__expect_only_its_frames_cut) {
  const test::TemporaryFile temporary;
  const auto rack = running_rack();
  Capture capture;
  ASSERT_TRUE(capture.start(*rack, temporary.path, {.snap_bytes = 54, .endpoint = "node1"}));
  ASSERT_TRUE(test::eventually([&] { return capture.status().captured > 10; }));
  (void)capture.stop();
  const auto blocks = test::blocks_of(test::bytes_in(temporary.path));
  EXPECT_EQ(std::count_if(blocks.begin(), blocks.end(), [](const auto& b) { return b.type == 1; }),
            1);
  for (const test::FilePacket& packet : test::packets_of(blocks)) {
    EXPECT_EQ(packet.interface, 0u);
    EXPECT_EQ(packet.data.size(), 54u);
    EXPECT_GT(packet.original_bytes, 54u);
  }
}

TEST(CaptureTest, capture_onto_a_full_disk__expect_the_sentence_and_the_rack_to_go_on) {
  const auto rack = running_rack();
  Capture capture;
  const auto started = capture.start(*rack, "/dev/full");
  ASSERT_FALSE(started);  // not even the header fits
  EXPECT_EQ(started.error().message,
            "capture into /dev/full has ended: No space left on device after 0 bytes, which are "
            "whole");
  EXPECT_FALSE(capture.running());
  const uint64_t before = rack->snapshot()[0].ordering.counters.forwarded;
  EXPECT_TRUE(test::eventually(
      [&] { return rack->snapshot()[0].ordering.counters.forwarded > before + 100; }));
}

TEST(CaptureTest, ask_for_what_cannot_be__expect_one_sentence_and_no_capture) {
  const test::TemporaryFile temporary;
  const auto rack = make_rack({.nodes = 2, .defaults = "lcore = 1"});
  Capture capture;
  const auto unknown = capture.start(*rack, temporary.path, {.endpoint = "nobody"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "no endpoint \"nobody\" to capture; there are: node0, node1");
  EXPECT_FALSE(std::filesystem::exists(temporary.path));
  EXPECT_FALSE(capture.start(*rack, "/nonesuch/a.pcapng"));
  ASSERT_TRUE(capture.start(*rack, temporary.path));
  const auto second = capture.start(*rack, temporary.path + "2");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message,
            "a capture into " + temporary.path + " runs already; stop it first");
  EXPECT_TRUE(capture.running());
}

TEST(CaptureTest, stop_without_a_capture__expect_nothing_and_later_the_last_one) {
  const test::TemporaryFile temporary;
  const auto rack = make_rack({.nodes = 1, .defaults = "lcore = 1"});
  Capture capture;
  EXPECT_EQ(capture.stop().path, "");
  ASSERT_TRUE(capture.start(*rack, temporary.path));
  (void)capture.stop();
  EXPECT_EQ(capture.stop().path, temporary.path);
  EXPECT_FALSE(capture.status().running);
}

}  // namespace
}  // namespace lambdacast::rack
