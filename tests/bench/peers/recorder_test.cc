// SPDX-License-Identifier: BSD-3-Clause
#include "recorder.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace lambdacast::peers {
namespace {

constexpr uint32_t kBytes = 64;
using Message = std::array<std::byte, kBytes>;

Message message(Kind kind, uint64_t number, uint64_t sent_ns = 0) {
  Message result{};
  const Header header{kind, kBytes, number, sent_ns};
  std::memcpy(result.data(), &header, sizeof(header));
  return result;
}

TEST(Recorder, counts_each_number_once) {
  Recorder recorder(kBytes);
  for (const uint64_t number : {0, 1, 3, 1, 2}) {
    recorder.receive(message(Kind::kMeasured, number), 100);
  }
  EXPECT_EQ(recorder.received(), 4u);
  EXPECT_EQ(recorder.repeated(), 1u);
  EXPECT_EQ(recorder.out_of_order(), 1u);  // 2 after 3
  EXPECT_EQ(recorder.strange(), 0u);
}

TEST(Recorder, is_complete_when_as_many_came_as_were_sent) {
  Recorder recorder(kBytes);
  recorder.receive(message(Kind::kMeasured, 0), 1);
  EXPECT_FALSE(recorder.sent());
  recorder.receive(message(Kind::kEnd, 2), 2);
  ASSERT_TRUE(recorder.sent());
  EXPECT_EQ(*recorder.sent(), 2u);
  EXPECT_FALSE(recorder.complete());
  recorder.receive(message(Kind::kMeasured, 0), 3);  // again: not the one that is missing
  EXPECT_FALSE(recorder.complete());
  recorder.receive(message(Kind::kMeasured, 1), 4);
  EXPECT_TRUE(recorder.complete());
}

TEST(Recorder, measures_from_the_first_measured_message_to_the_last) {
  Recorder recorder(kBytes);
  recorder.receive(message(Kind::kWarmUp, 0, 10), 20);
  for (uint64_t number = 0; number < 5; ++number) {
    const uint64_t sent_ns = 1'000'000'000 + number * 500'000'000;
    recorder.receive(message(Kind::kMeasured, number, sent_ns), sent_ns + 100 + number);
  }
  recorder.receive(message(Kind::kEnd, 5), 9'000'000'000);
  EXPECT_EQ(recorder.received(), 5u);
  EXPECT_NEAR(recorder.seconds(), 2.0, 1e-6);
  EXPECT_NEAR(recorder.per_second(), 2.0, 1e-6);  // four intervals
  EXPECT_EQ(recorder.latency_ns().count(), 5u);
  EXPECT_EQ(recorder.latency_ns().min(), 100u);
  EXPECT_EQ(recorder.latency_ns().max(), 104u);
  EXPECT_EQ(recorder.last_ns(), 3'000'000'104u);  // the end mark is no sign of life
}

TEST(Recorder, of_nothing_has_no_rate) {
  const Recorder recorder(kBytes);
  EXPECT_EQ(recorder.per_second(), 0);
  EXPECT_FALSE(recorder.complete());
}

TEST(Recorder, counts_what_is_no_message_of_ours_as_strange) {
  Recorder recorder(kBytes);
  const Message good = message(Kind::kMeasured, 0, 50);
  recorder.receive(std::span(good).first(kBytes - 1), 100);           // cut
  recorder.receive(message(static_cast<Kind>(7), 0), 100);            // of no kind
  recorder.receive(message(Kind::kMeasured, ~uint64_t{0}, 50), 100);  // a number out of this world
  recorder.receive(good, 49);                                         // before it was sent
  EXPECT_EQ(recorder.strange(), 4u);
  EXPECT_EQ(recorder.received(), 0u);
  recorder.receive(good, 100);
  EXPECT_EQ(recorder.received(), 1u);
}

TEST(Recorder, holds_more_messages_than_it_reserved) {
  Recorder recorder(kBytes);
  recorder.receive(message(Kind::kMeasured, uint64_t{1} << 27), 100);
  recorder.receive(message(Kind::kMeasured, uint64_t{1} << 27), 100);
  EXPECT_EQ(recorder.received(), 1u);
  EXPECT_EQ(recorder.repeated(), 1u);
}

}  // namespace
}  // namespace lambdacast::peers
