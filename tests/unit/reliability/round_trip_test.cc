// SPDX-License-Identifier: BSD-3-Clause
#include "reliability/round_trip.h"

#include <gtest/gtest.h>

namespace lambdacast::reliability {
namespace {

TEST(RoundTrip, before_the_first_sample__expect_the_initial_value) {
  const RoundTrip round_trip(80);
  EXPECT_EQ(round_trip.smoothed_ns(), 80u);
  EXPECT_EQ(round_trip.variation_ns(), 40u);
  EXPECT_EQ(round_trip.samples(), 0u);
}

TEST(RoundTrip, sample_once__expect_it_taken_as_it_is) {
  RoundTrip round_trip(1'000'000);
  round_trip.sample(400);
  EXPECT_EQ(round_trip.smoothed_ns(), 400u);
  EXPECT_EQ(round_trip.variation_ns(), 200u);
}

// RFC 6298, 2.3, with alpha 1/8 and beta 1/4.
TEST(RoundTrip, sample_twice__expect_rfc_6298s_smoothing) {
  RoundTrip round_trip;
  round_trip.sample(400);
  round_trip.sample(800);
  EXPECT_EQ(round_trip.variation_ns(), (3u * 200 + 400) / 4);
  EXPECT_EQ(round_trip.smoothed_ns(), (7u * 400 + 800) / 8);
}

// The first one was heard behind a pause of 9 ms.
TEST(RoundTrip, sample_a_pause_first__expect_the_next_to_begin_anew) {
  RoundTrip round_trip;
  round_trip.sample(9'000'000);
  EXPECT_GT(round_trip.retry_ns(), 20'000'000u);
  round_trip.sample(6'000);
  EXPECT_EQ(round_trip.smoothed_ns(), 6'000u);
  EXPECT_EQ(round_trip.retry_ns(), 6'000u + 4 * 3'000);
  for (int i = 0; i < 8; ++i) round_trip.sample(6'000);
  round_trip.sample(2'000);
  EXPECT_GT(round_trip.smoothed_ns(), 5'000u) << "later ones are smoothed";
}

TEST(RoundTrip, sample_longer_ones__expect_the_least_remembered_and_slowly_forgotten) {
  RoundTrip round_trip;
  EXPECT_EQ(round_trip.least_ns(), 0u);
  round_trip.sample(8'000);
  round_trip.sample(2'000);
  round_trip.sample(9'000);
  EXPECT_GE(round_trip.least_ns(), 2'000u);
  EXPECT_LT(round_trip.least_ns(), 2'100u);
  for (int i = 0; i < 10'000; ++i) round_trip.sample(100'000);
  EXPECT_GT(round_trip.least_ns(), 50'000u);
  EXPECT_LE(round_trip.least_ns(), 100'000u);
}

TEST(RoundTrip, ask_for_the_retry__expect_the_longer_of_both_rules) {
  RoundTrip round_trip;
  round_trip.sample(400);
  EXPECT_EQ(round_trip.retry_ns(), 400u + 4 * 200);
  for (int i = 0; i < 100; ++i) round_trip.sample(400);
  EXPECT_LT(round_trip.variation_ns(), 50u);
  EXPECT_EQ(round_trip.retry_ns(), 600u);
}

TEST(RoundTrip, sample_an_echo__expect_the_time_less_what_the_peer_held_it_back_and_once) {
  RoundTrip round_trip;
  wire::StatusEntry entry;
  round_trip.sample_echo(entry, 5'000);  // of nothing
  EXPECT_EQ(round_trip.samples(), 0u);
  entry.echo_timestamp_ns = 1'000;
  entry.echo_delay_ns = 300;
  round_trip.sample_echo(entry, 1'800);
  EXPECT_EQ(round_trip.smoothed_ns(), 500u);
  round_trip.sample_echo(entry, 9'000);
  EXPECT_EQ(round_trip.samples(), 1u);
  entry.echo_timestamp_ns = 2'000;
  round_trip.sample_echo(entry, 2'300);  // faster than nothing
  entry.echo_timestamp_ns = 3'000;
  round_trip.sample_echo(entry, 2'000);  // not our clock
  entry.echo_timestamp_ns = ~uint64_t{0} - 10;
  round_trip.sample_echo(entry, 2'000);
  entry.echo_timestamp_ns = 4'000;
  entry.echo_delay_ns = ~uint32_t{0};  // 4.29 s or more: nobody knows
  round_trip.sample_echo(entry, 20'000'000'000);
  EXPECT_EQ(round_trip.samples(), 1u);
}

TEST(RoundTrip, sample_nonsense__expect_it_bounded) {
  RoundTrip round_trip;
  round_trip.sample(0);
  EXPECT_EQ(round_trip.smoothed_ns(), 1u);
  RoundTrip other;
  other.sample(~uint64_t{0});
  EXPECT_EQ(other.smoothed_ns(), 10'000'000'000u);
}

}  // namespace
}  // namespace lambdacast::reliability
