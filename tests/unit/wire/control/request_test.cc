// SPDX-License-Identifier: BSD-3-Clause
#include "wire/control/request.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace lambdacast::wire {
namespace request_test {

using Bytes = std::vector<uint8_t>;

Envelope example() {
  Envelope envelope;
  envelope.type = RequestType::kRequest;
  envelope.want = RequestWant::kAnswers;
  envelope.k = 3;
  envelope.status = AnswerStatus::kDeclined;
  envelope.handler = 0x01020304;
  envelope.caller = {gid_from_ipv4(0x0a4d0001), 0x11, 0x05060708};
  envelope.number = 0x1112131415161720;
  envelope.floor = 0x11121314151616f0;
  envelope.session = {0x21, 0x22};
  envelope.stamp = {0x31, 0x32};
  envelope.most_answer_bytes = 0x41424344;
  envelope.patience_ms = 0x51525354;
  return envelope;
}

Bytes stored(const Envelope& envelope) {
  Bytes out(kEnvelopeBytes);
  store_envelope(envelope, out.data());
  return out;
}

TEST(RequestEnvelope, store__expect_these_bytes_and_the_same_back) {
  const Bytes wanted{
      2,    3,    3,    1,    1,    2,    3,    4,                                      //
      0,    0,    0,    0,    0,    0,    0,    0,    0, 0, 0xff, 0xff,                 //
      0x0a, 0x4d, 0,    1,    0,    0,    0,    0x11, 5, 6, 7,    8,                    //
      0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x20,                                   //
      0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x16, 0xf0,                                   //
      0,    0,    0,    0,    0,    0,    0,    0x21, 0, 0, 0,    0,    0, 0, 0, 0x22,  //
      0,    0,    0,    0,    0,    0,    0,    0x31, 0, 0, 0,    0,    0, 0, 0, 0x32,  //
      0x41, 0x42, 0x43, 0x44, 0x51, 0x52, 0x53, 0x54};
  EXPECT_EQ(stored(example()), wanted);
  Envelope back;
  ASSERT_TRUE(load_envelope(wanted, back));
  EXPECT_EQ(back, example());
}

TEST(RequestEnvelope, a_message_that_is_too_short__expect_it_refused) {
  Bytes bytes = stored(example());
  Envelope out;
  bytes.push_back(1);
  EXPECT_TRUE(load_envelope(bytes, out)) << "what is behind it is the application's";
  for (size_t most = 0; most < kEnvelopeBytes; ++most)
    EXPECT_FALSE(load_envelope(std::span(bytes).first(most), out)) << most;
}

TEST(RequestEnvelope, unknown_types_wants_and_statuses__expect_them_refused) {
  Envelope out;
  for (const uint8_t type : {0, 9, 255}) {
    Bytes bytes = stored(example());
    bytes[0] = type;
    EXPECT_FALSE(load_envelope(bytes, out)) << int{type};
  }
  for (const auto& [at, value] : {std::pair<size_t, uint8_t>{1, 4}, {3, 8}}) {
    Bytes bytes = stored(example());
    bytes[at] = value;
    EXPECT_FALSE(load_envelope(bytes, out)) << at;
  }
}

TEST(RequestEnvelope, a_number_that_its_floor_does_not_allow__expect_it_refused) {
  Envelope out;
  Envelope envelope = example();
  for (const auto& [floor, number, fits] : {std::tuple<uint64_t, uint64_t, bool>{0, 0, false},
                                            {0, 1, true},
                                            {5, 5, false},
                                            {5, 4, false},
                                            {5, 5 + kRequestsUnderWay, true},
                                            {5, 6 + kRequestsUnderWay, false}}) {
    envelope.floor = floor;
    envelope.number = number;
    EXPECT_EQ(load_envelope(stored(envelope), out), fits) << floor << " " << number;
  }
}

TEST(PersonalGroup, many_endpoints__expect_them_in_their_range_and_as_a_rule_apart) {
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < 80; ++i)
    all.push_back(personal_group(gid_from_ipv4(0x0a4d0001 + i), 16));
  for (const uint32_t group : all) {
    EXPECT_GE(group, kFirstPersonalGroup);
    EXPECT_LT(group, kFirstPersonalGroup + kPersonalGroups);
  }
  std::sort(all.begin(), all.end());
  EXPECT_GE(std::unique(all.begin(), all.end()) - all.begin(), 78);
  EXPECT_NE(personal_group(gid_from_ipv4(1), 16), personal_group(gid_from_ipv4(1), 17));
}

}  // namespace request_test
}  // namespace lambdacast::wire
