// SPDX-License-Identifier: BSD-3-Clause
#include "capture/pcapng.h"

#include <gtest/gtest.h>

#include "capture_support.h"

namespace lambdacast::capture::pcapng {
namespace {

// Option `code` of a block whose options begin at `at`; throws if there is none.
std::vector<uint8_t> option(const test::FileBlock& block, size_t at, uint16_t code) {
  while (at + 4 <= block.body.size()) {
    const uint32_t head = block.word(at);
    const size_t bytes = head >> 16;
    if ((head & 0xffff) == code) {
      const auto begin = block.body.begin() + static_cast<ptrdiff_t>(at + 4);
      return {begin, begin + static_cast<ptrdiff_t>(bytes)};
    }
    at += 4 + (bytes + 3) / 4 * 4;
  }
  throw std::runtime_error("no such option");
}

std::string text(const std::vector<uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

uint64_t number(const std::vector<uint8_t>& bytes) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

TEST(PcapngTest, append_a_section__expect_the_magic_version_1_and_the_application) {
  Bytes out;
  append_section(out, "abcde");
  const auto blocks = test::blocks_of(out);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].type, 0x0a0d0d0au);
  EXPECT_EQ(blocks[0].word(0), 0x1a2b3c4du);
  EXPECT_EQ(blocks[0].word(4), 1u);  // major 1, minor 0
  EXPECT_EQ(text(option(blocks[0], 16, 4)), "abcde");
}

TEST(PcapngTest, append_an_interface__expect_its_names_mac_and_nanoseconds) {
  Bytes out;
  append_interface(out, {"node0", "port net_odbss0", {{2, 0, 0, 0, 0, 9}}, 96});
  const auto blocks = test::blocks_of(out);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].type, 1u);
  EXPECT_EQ(blocks[0].word(0), 1u);  // Ethernet
  EXPECT_EQ(blocks[0].word(4), 96u);
  EXPECT_EQ(text(option(blocks[0], 8, 2)), "node0");
  EXPECT_EQ(text(option(blocks[0], 8, 3)), "port net_odbss0");
  EXPECT_EQ(option(blocks[0], 8, 6), (std::vector<uint8_t>{2, 0, 0, 0, 0, 9}));
  EXPECT_EQ(option(blocks[0], 8, 9), std::vector<uint8_t>{9});
}

TEST(PcapngTest, append_packets_of_every_length_to_40__expect_their_bytes_back) {
  Bytes out;
  std::vector<std::vector<uint8_t>> wanted;
  for (uint8_t bytes = 0; bytes <= 40; ++bytes) {
    wanted.emplace_back(bytes, static_cast<uint8_t>(bytes * 3 + 1));
    append_packet(out,
                  {bytes, 0x123456789abcdef0u + bytes, 1000u + bytes,
                   bytes % 2 == 0 ? Direction::kIn : Direction::kOut},
                  wanted.back());
  }
  const auto packets = test::packets_of(test::blocks_of(out));
  ASSERT_EQ(packets.size(), wanted.size());
  for (uint32_t i = 0; i < packets.size(); ++i) {
    EXPECT_EQ(packets[i].interface, i);
    EXPECT_EQ(packets[i].time_ns, 0x123456789abcdef0u + i);
    EXPECT_EQ(packets[i].original_bytes, 1000u + i);
    EXPECT_EQ(packets[i].direction, i % 2 == 0 ? 1u : 2u);
    EXPECT_EQ(packets[i].data, wanted[i]);
  }
}

TEST(PcapngTest, append_statistics__expect_times_as_two_words_and_counts_as_one) {
  Bytes out;
  append_statistics(out, {3, 0x1111111122222222, 0x3333333344444444, 500, 7});
  const auto blocks = test::blocks_of(out);
  ASSERT_EQ(blocks.size(), 1u);
  EXPECT_EQ(blocks[0].type, 5u);
  EXPECT_EQ(blocks[0].word(0), 3u);
  EXPECT_EQ(blocks[0].word(4), 0x33333333u);
  EXPECT_EQ(blocks[0].word(8), 0x44444444u);
  EXPECT_EQ(number(option(blocks[0], 12, 2)), 0x2222222211111111u);  // high word first
  EXPECT_EQ(number(option(blocks[0], 12, 3)), 0x4444444433333333u);
  EXPECT_EQ(number(option(blocks[0], 12, 4)), 500u);
  EXPECT_EQ(number(option(blocks[0], 12, 5)), 7u);
}

TEST(PcapngTest, walk_blocks_by_their_heads__expect_packets_told_from_others) {
  Bytes out;
  append_section(out, "x");
  append_interface(out, {"a", "b", {}, 0});
  append_packet(out, {17, 1, 3, Direction::kIn}, std::vector<uint8_t>{1, 2, 3});
  std::vector<std::optional<uint32_t>> seen;
  for (size_t at = 0; at < out.size();) {
    const BlockHead head = head_of({&out[at], out.size() - at});
    seen.push_back(head.packet_of);
    at += head.bytes;
  }
  EXPECT_EQ(seen, (std::vector<std::optional<uint32_t>>{std::nullopt, std::nullopt, 17}));
}

}  // namespace
}  // namespace lambdacast::capture::pcapng
