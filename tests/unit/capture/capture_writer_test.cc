// SPDX-License-Identifier: BSD-3-Clause
#include "capture/capture_writer.h"

#include <gtest/gtest.h>

#include <thread>

#include "capture_support.h"
#include "support.h"

namespace lambdacast::capture {
namespace {

constexpr uint32_t kFrameBytes = 60;

class CaptureWriterTest : public ::testing::Test {
 protected:
  // Taps of port 0 alone, and the writer of what they see.
  CaptureWriter& write(const std::string& path, size_t taps, size_t ring_bytes = 1 << 20) {
    for (size_t i = 0; i < taps; ++i) {
      taps_.push_back(
          std::make_unique<CaptureTap>(clock_, std::vector<uint16_t>{0}, ring_bytes, 1000));
    }
    auto file = CaptureFile::create(path);
    if (!file) throw std::runtime_error(file.error().message);
    writer_ = std::make_unique<CaptureWriter>(clock_, taps_, 1, std::move(*file));
    return *writer_;
  }
  rte_mbuf* frame() {
    rte_mbuf* m = pool_.packet();
    m->port = 0;
    std::fill_n(rte_pktmbuf_append(m, kFrameBytes), kFrameBytes, char{1});
    return m;
  }

  dpdk::TscClock clock_;
  test::Pool pool_;
  std::vector<std::unique_ptr<CaptureTap>> taps_;
  std::unique_ptr<CaptureWriter> writer_;
};

TEST_F(CaptureWriterTest, show_frames_to_four_taps_at_once__expect_all_of_them_in_time_order) {
  constexpr uint32_t kBursts = 5000;
  const test::TemporaryFile temporary;
  CaptureWriter& writer = write(temporary.path, 4);
  std::vector<rte_mbuf*> shown;
  for (int i = 0; i < 4; ++i) shown.push_back(frame());
  std::vector<std::thread> lcores;
  for (size_t i = 0; i < 4; ++i) {
    lcores.emplace_back([this, i, &shown] {
      for (uint32_t burst = 0; burst < kBursts; ++burst) taps_[i]->received(&shown[i], 1);
    });
  }
  for (std::thread& lcore : lcores) lcore.join();
  writer.finish();
  const auto packets = test::packets_of(test::blocks_of(test::bytes_in(temporary.path)));
  uint64_t dropped = 0;
  for (const auto& tap : taps_) dropped += tap->dropped(0);
  EXPECT_EQ(packets.size() + dropped, 4u * kBursts);
  EXPECT_EQ(packets.size(), writer.captured(0));
  EXPECT_EQ(writer.discarded(0), 0u);
  for (size_t i = 1; i < packets.size(); ++i) {
    ASSERT_GE(packets[i].time_ns, packets[i - 1].time_ns) << "packet " << i;
  }
  rte_pktmbuf_free_bulk(shown.data(), 4);
}

TEST_F(CaptureWriterTest, capture_for_a_while__expect_the_file_to_grow_before_the_end) {
  const test::TemporaryFile temporary;
  CaptureWriter& writer = write(temporary.path, 1);
  rte_mbuf* shown = frame();
  taps_[0]->received(&shown, 1);
  EXPECT_TRUE(test::eventually([&] { return writer.captured(0) == 1; }));
  EXPECT_EQ(test::packets_of(test::blocks_of(test::bytes_in(temporary.path))).size(), 1u);
  EXPECT_EQ(writer.written_bytes(), 104u);
  rte_pktmbuf_free(shown);
}

TEST_F(CaptureWriterTest, end_it__expect_statistics_that_tell_of_the_frames_dropped) {
  const test::TemporaryFile temporary;
  CaptureWriter& writer = write(temporary.path, 1, 512);
  std::vector<rte_mbuf*> burst;
  for (int i = 0; i < 10; ++i) burst.push_back(frame());
  taps_[0]->received(burst.data(), 10);  // 96 bytes each: five fit, at once
  writer.finish();
  const auto blocks = test::blocks_of(test::bytes_in(temporary.path));
  EXPECT_EQ(test::packets_of(blocks).size(), 5u);
  ASSERT_EQ(blocks.back().type, 5u);
  EXPECT_EQ(blocks.back().word(12 + 24), 4 | 8u << 16);  // behind the times: isb_ifrecv
  EXPECT_EQ(blocks.back().word(12 + 28), 10u);
  EXPECT_EQ(blocks.back().word(12 + 36), 5 | 8u << 16);  // isb_ifdrop
  EXPECT_EQ(blocks.back().word(12 + 40), 5u);
  rte_pktmbuf_free_bulk(burst.data(), 10);
}

TEST_F(CaptureWriterTest, write_to_a_full_disk__expect_every_frame_counted_and_the_rings_drained) {
  CaptureWriter& writer = write("/dev/full", 1, 4096);
  rte_mbuf* shown = frame();
  taps_[0]->received(&shown, 1);
  EXPECT_TRUE(test::eventually([&] { return writer.failed(); }));
  EXPECT_EQ(writer.error(),
            "capture into /dev/full has ended: No space left on device after 0 bytes, which are "
            "whole");
  uint32_t more = 0;
  EXPECT_TRUE(test::eventually([&] {  // more than the ring holds
    taps_[0]->received(&shown, 1);
    return ++more > 1000 && writer.discarded(0) > 100;
  }));
  writer.finish();
  EXPECT_EQ(writer.captured(0), 0u);
  EXPECT_EQ(writer.discarded(0) + taps_[0]->dropped(0), 1 + more);
  rte_pktmbuf_free(shown);
}

TEST_F(CaptureWriterTest, end_it_twice__expect_the_second_time_to_do_nothing) {
  const test::TemporaryFile temporary;
  CaptureWriter& writer = write(temporary.path, 1);
  writer.finish();
  const size_t bytes = test::bytes_in(temporary.path).size();
  writer.finish();
  EXPECT_EQ(test::bytes_in(temporary.path).size(), bytes);
}

}  // namespace
}  // namespace lambdacast::capture
