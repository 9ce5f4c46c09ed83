// SPDX-License-Identifier: BSD-3-Clause
#include "wire/control/rate_message.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::wire {
namespace rate_message_test {

using Bytes = std::vector<uint8_t>;

const RateAnnouncement kAnnouncement{300'000'000, 10'000'000'000, 970'000'000, 400'000'000,
                                     30'000'000,  262'144,        {4, 17}};

Bytes announced(const RateAnnouncement& announcement) {
  Bytes out(kAnnounceBytes);
  store_rate_announcement(announcement, out.data());
  return out;
}

TEST(RateMessage, store_an_announcement__expect_these_bytes_and_the_same_back) {
  const Bytes bytes = announced(kAnnouncement);
  const Bytes wanted{16, 0, 0, 0,    0,    0,    0,    0,                               //
                     0,  0, 0, 0,    0x11, 0xe1, 0xa3, 0,                               // need
                     0,  0, 0, 0x02, 0x54, 0x0b, 0xe4, 0,                               // line
                     0,  0, 0, 0,    0x39, 0xd1, 0x06, 0x80,                            // room
                     0,  0, 0, 0,    0x17, 0xd7, 0x84, 0,                               // each
                     0,  0, 0, 0,    0x01, 0xc9, 0xc3, 0x80,                            // reserve
                     0,  0, 0, 0,    0,    4,    0,    0,                               // buffer
                     0,  0, 0, 0,    0,    0,    0,    4,    0, 0, 0, 0, 0, 0, 0, 17};  // settled
  EXPECT_EQ(bytes, wanted);
  EXPECT_EQ(std::get<RateAnnouncement>(load_rate_message(bytes)), kAnnouncement);
}

TEST(RateMessage, store_a_reserve__expect_these_bytes_and_the_same_back) {
  const RateReserve reserve{250'000'000, {5, 2}};
  Bytes bytes(kReserveBytes);
  store_rate_reserve(reserve, bytes.data());
  const Bytes wanted{17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0e, 0xe6, 0xb2, 0x80,
                     0,  0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0,    0,    0,    2};
  EXPECT_EQ(bytes, wanted);
  EXPECT_EQ(std::get<RateReserve>(load_rate_message(bytes)), reserve);
}

TEST(RateMessage, a_longer_one_of_a_later_version__expect_the_rest_ignored) {
  Bytes bytes = announced(kAnnouncement);
  bytes.resize(200, 0xff);
  EXPECT_EQ(std::get<RateAnnouncement>(load_rate_message(bytes)), kAnnouncement);
}

TEST(RateMessage, a_shorter_one_at_any_length__expect_none) {
  const Bytes bytes = announced(kAnnouncement);
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_EQ(load_rate_message({bytes.data(), length}).index(), 0u) << length;
}

TEST(RateMessage, a_type_or_a_zero_that_is_none__expect_none) {
  for (const size_t at : {0, 1, 7}) {
    Bytes bytes = announced(kAnnouncement);
    ++bytes[at];
    bytes[0] = at == 0 ? 18 : 16;
    EXPECT_EQ(load_rate_message(bytes).index(), 0u) << at;
  }
}

TEST(RateMessage, rates_at_their_bounds_and_beyond__expect_none_beyond) {
  const auto taken = [](uint64_t RateAnnouncement::*field, uint64_t bps) {
    RateAnnouncement announcement = kAnnouncement;
    announcement.*field = bps;
    return load_rate_message(announced(announcement)).index() != 0;
  };
  for (const auto field :
       {&RateAnnouncement::line_bps, &RateAnnouncement::room_bps, &RateAnnouncement::each_bps}) {
    EXPECT_TRUE(taken(field, 0));
    EXPECT_FALSE(taken(field, 1));
    EXPECT_FALSE(taken(field, kLeastBps - 1));
    EXPECT_TRUE(taken(field, kLeastBps));
    EXPECT_TRUE(taken(field, kMostBps));
    EXPECT_FALSE(taken(field, kMostBps + 1));
  }
  for (const auto field : {&RateAnnouncement::need_bps, &RateAnnouncement::reserve_bps}) {
    EXPECT_TRUE(taken(field, 0));
    EXPECT_TRUE(taken(field, 1));
    EXPECT_TRUE(taken(field, kMostBps));
    EXPECT_FALSE(taken(field, kMostBps + 1));
  }
  Bytes reserve(kReserveBytes);
  store_rate_reserve({128 * kMostBps + 1, {}}, reserve.data());
  EXPECT_EQ(load_rate_message(reserve).index(), 0u);
}

}  // namespace rate_message_test
}  // namespace lambdacast::wire
