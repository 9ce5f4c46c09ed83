// SPDX-License-Identifier: BSD-3-Clause
#include "wire/net/arp.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace lambdacast::wire {
namespace {

// "Who has 10.77.0.2? Tell 10.77.0.1", as Linux sends it.
constexpr std::array<uint8_t, kArpBytes> kLinuxRequest = {0, 1,    8, 0, 6,  4,  0, 1, 0x52, 0x54,
                                                          0, 0x77, 0, 3, 10, 77, 0, 1, 0,    0,
                                                          0, 0,    0, 0, 10, 77, 0, 2};

TEST(Arp, parse_a_request_of_linux__expect_its_fields) {
  ArpMessage m;
  ASSERT_EQ(parse_arp(kLinuxRequest.data(), kLinuxRequest.size(), m), Parsed::kMessage);
  EXPECT_FALSE(m.is_reply);
  EXPECT_EQ(format(m.sender_mac), "52:54:00:77:00:03");
  EXPECT_EQ(m.sender, 0x0a4d0001u);
  EXPECT_EQ(m.target_mac, MacAddress{});
  EXPECT_EQ(m.target, 0x0a4d0002u);
}

TEST(Arp, store_what_was_parsed__expect_the_same_bytes) {
  ArpMessage m;
  ASSERT_EQ(parse_arp(kLinuxRequest.data(), kLinuxRequest.size(), m), Parsed::kMessage);
  std::array<uint8_t, kArpBytes> out;
  store_arp(m, out.data());
  EXPECT_EQ(out, kLinuxRequest);
  m.is_reply = true;
  store_arp(m, out.data());
  EXPECT_EQ(out[7], 2);
}

TEST(Arp, parse_padded_and_cut_messages__expect_only_the_whole_one) {
  ArpMessage m;
  std::vector<uint8_t> padded(kLinuxRequest.begin(), kLinuxRequest.end());
  padded.resize(46);
  EXPECT_EQ(parse_arp(padded.data(), padded.size(), m), Parsed::kMessage);
  for (size_t bytes = 0; bytes < kArpBytes; ++bytes) {
    const std::vector<uint8_t> cut(kLinuxRequest.begin(), kLinuxRequest.begin() + long(bytes));
    EXPECT_EQ(parse_arp(cut.data(), cut.size(), m), Parsed::kMalformed) << bytes;
  }
}

TEST(Arp, parse_other_hardware_protocols_and_operations__expect_other) {
  ArpMessage m;
  for (const size_t at : {1, 3, 4, 5, 7}) {
    auto bytes = kLinuxRequest;
    bytes.at(at) = 0x7f;
    EXPECT_EQ(parse_arp(bytes.data(), bytes.size(), m), Parsed::kOther) << at;
  }
}

TEST(Arp, parse_senders_that_cannot_be__expect_malformed) {
  ArpMessage m;
  auto group_mac = kLinuxRequest;
  group_mac[8] = 0x01;
  EXPECT_EQ(parse_arp(group_mac.data(), group_mac.size(), m), Parsed::kMalformed);
  auto group_sender = kLinuxRequest;
  group_sender[14] = 239;
  EXPECT_EQ(parse_arp(group_sender.data(), group_sender.size(), m), Parsed::kMalformed);
  auto broadcast_sender = kLinuxRequest;
  std::fill_n(broadcast_sender.begin() + 14, 4, uint8_t{0xff});
  EXPECT_EQ(parse_arp(broadcast_sender.data(), broadcast_sender.size(), m), Parsed::kMalformed);
}

}  // namespace
}  // namespace lambdacast::wire
