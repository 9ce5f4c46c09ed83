// SPDX-License-Identifier: BSD-3-Clause
#include "node/packet_run.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace lambdacast::node {
namespace {

// Eight that follow each other, and none before or behind them that would.
std::vector<PacketInfo> packets(wire::Qos qos = wire::Qos::kSourceOrdered) {
  std::vector<PacketInfo> out(8);
  for (uint64_t i = 0; i < out.size(); ++i) {
    PacketInfo& info = out[i];
    info = PacketInfo{};
    info.frame_seq = 0xfffffc + i;  // the PSN wraps on the way
    info.psn = static_cast<uint32_t>(info.frame_seq & wire::kPsnMask);
    info.rel_seq = 100 + (qos == wire::Qos::kUnreliable ? 0 : i);
    info.incarnation = 7;
    info.peer = 3;
    info.kind = wire::Kind::kData;
    info.qos = qos;
  }
  return out;
}

uint32_t length(const std::vector<PacketInfo>& all, uint32_t first = 0) {
  return run_length(first, static_cast<uint32_t>(all.size()),
                    [&](uint32_t i) -> const PacketInfo& { return all[i]; });
}

TEST(PacketRun, packets_that_follow_each_other__expect_all_of_them) {
  EXPECT_EQ(length(packets()), 8u);
  EXPECT_EQ(length(packets(wire::Qos::kUnreliable)), 8u);
  EXPECT_EQ(length(packets(), 5), 3u);
  EXPECT_EQ(length(packets(), 7), 1u);
}

TEST(PacketRun, one_that_differs__expect_the_run_ends_before_it) {
  const std::vector<std::function<void(PacketInfo&)>> differences = {
      [](PacketInfo& info) { ++info.frame_seq; },
      [](PacketInfo& info) { ++info.rel_seq; },
      [](PacketInfo& info) { --info.rel_seq; },
      [](PacketInfo& info) { info.psn ^= 1; },
      [](PacketInfo& info) { ++info.peer; },
      [](PacketInfo& info) { ++info.incarnation; },
      [](PacketInfo& info) { info.qos = wire::Qos::kTotallyOrdered; },
      [](PacketInfo& info) { info.kind = wire::Kind::kControl; },
  };
  for (size_t i = 0; i < differences.size(); ++i) {
    std::vector<PacketInfo> all = packets();
    differences[i](all[5]);
    EXPECT_EQ(length(all), 5u) << i;
  }
}

TEST(PacketRun, control_frames__expect_each_alone) {
  std::vector<PacketInfo> all = packets();
  for (PacketInfo& info : all) info.kind = wire::Kind::kControl;
  EXPECT_EQ(length(all), 1u);
}

// What judge_burst asks for, in its order: "4+3" a run from 4 on, in brackets if it is refused.
std::string asked(const std::vector<PacketInfo>& all, const std::function<bool(uint32_t)>& takes) {
  std::string out;
  judge_burst(
      static_cast<uint32_t>(all.size()), [&](uint32_t i) -> const PacketInfo& { return all[i]; },
      [&](uint32_t first, uint32_t count) {
        const bool taken = takes(first);
        const std::string run = std::to_string(first) + "+" + std::to_string(count);
        out += taken ? run + " " : "(" + run + ") ";
        return taken;
      },
      [&](uint32_t i) { out += std::to_string(i) + " "; });
  return out;
}

TEST(PacketRun, burst_of_one_run__expect_it_at_once) {
  EXPECT_EQ(asked(packets(), [](uint32_t) { return true; }), "0+8 ");
  EXPECT_EQ(asked({}, [](uint32_t) { return true; }), "");
}

TEST(PacketRun, first_one_behind_a_loss__expect_the_others_at_once) {
  EXPECT_EQ(asked(packets(), [](uint32_t first) { return first != 0; }), "(0+8) 0 1+7 ");
}

TEST(PacketRun, none_can_be_taken_at_once__expect_each_by_itself_in_order) {
  EXPECT_EQ(asked(packets(), [](uint32_t) { return false; }), "(0+8) 0 (1+7) 1 2 3 4 5 6 7 ");
}

TEST(PacketRun, burst_with_a_gap__expect_two_runs) {
  std::vector<PacketInfo> all = packets();
  all.erase(all.begin() + 3);
  EXPECT_EQ(asked(all, [](uint32_t first) { return first != 3; }), "0+3 (3+4) 3 4+3 ");
}

}  // namespace
}  // namespace lambdacast::node
