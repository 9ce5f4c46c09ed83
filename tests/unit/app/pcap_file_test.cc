// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast-sim/pcap_file.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <iterator>
#include <vector>

#include "base/bytes.h"

namespace lambdacast::sim_program {
namespace {

TEST(PcapFile, add_frames__expect_each_behind_its_time_and_length) {
  const std::string path = ::testing::TempDir() + "lambdacast_pcap_file_test.pcap";
  const std::vector<uint8_t> first{1, 2, 3}, second{4};
  PcapFile file(path);
  file.add(first, 5);
  file.add(second, 7'000'000'009);
  ASSERT_TRUE(file.end());

  std::ifstream stream(path, std::ios::binary);
  const std::vector<uint8_t> bytes(std::istreambuf_iterator<char>(stream), {});
  std::remove(path.c_str());
  ASSERT_EQ(bytes.size(), 24u + 16 + 3 + 16 + 1);
  const auto word = [&](size_t at) { return base::load_raw<uint32_t>(&bytes[at]); };
  EXPECT_EQ(word(0), 0xa1b23c4d);
  EXPECT_EQ(word(20), 1u);
  EXPECT_EQ(word(24), 0u);
  EXPECT_EQ(word(28), 5u);
  EXPECT_EQ(word(32), 3u);
  EXPECT_EQ(word(36), 3u);
  EXPECT_EQ(bytes[42], 3);
  EXPECT_EQ(word(43), 7u);
  EXPECT_EQ(word(47), 9u);
  EXPECT_EQ(bytes.back(), 4);
}

TEST(PcapFile, make_where_nothing_can_be__expect_it_said_at_the_end) {
  PcapFile file("/nowhere/at/all.pcap");
  file.add(std::vector<uint8_t>{1}, 0);
  EXPECT_FALSE(file.end());
}

}  // namespace
}  // namespace lambdacast::sim_program
