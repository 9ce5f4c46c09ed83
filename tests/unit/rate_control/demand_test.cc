// SPDX-License-Identifier: BSD-3-Clause
#include "rate_control/demand.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace lambdacast::rate_control {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kLine = 1'000'000'000;

// An endpoint alone on its receivers, which have that room: its share is its need, at most the
// room.
class DemandTest : public ::testing::Test {
 protected:
  // Offers so many bits a second in each of `ms` milliseconds, and announces what it is told to.
  void run(uint64_t ms, const std::function<uint64_t(uint64_t)>& offered) {
    for (uint64_t i = 0; i < ms; ++i, now_ns_ += kMs) {
      const uint64_t share = std::min(need_, room_);
      const uint64_t wanted = offered(now_ns_ / kMs);
      demand_.used(std::min(wanted, share) / 8 / 1'000);
      demand_.polled(wanted != 0, wanted > share);
      const auto need = demand_.look({need_, kLine, need_ <= room_, true, members_}, now_ns_,
                                     [&] { return room_; });
      if (!need) continue;
      EXPECT_NE(*need, need_);
      need_ = *need;
      said_ms_.push_back(now_ns_ / kMs);
    }
  }
  void steady(uint64_t ms, uint64_t bps) {
    run(ms, [bps](uint64_t) { return bps; });
  }

  Demand demand_;
  uint64_t now_ns_ = 0;
  uint64_t need_ = Demand::kFloorBps;
  uint64_t room_ = kLine;
  size_t members_ = 4;
  std::vector<uint64_t> said_ms_;
};

TEST_F(DemandTest, flat_out_from_nothing__expect_the_line_within_three_announcements) {
  steady(200, 10 * kLine);
  EXPECT_EQ(need_, kLine);
  EXPECT_LE(said_ms_.size(), 3u);
}

TEST_F(DemandTest, a_steady_sender__expect_the_need_a_quarter_above_it_and_then_silence) {
  steady(500, 300'000'000);
  EXPECT_LE(said_ms_.size(), 4u);
  EXPECT_GE(need_, 300'000'000u);
  EXPECT_LE(need_, 300'000'000u / 7 * 10);
  said_ms_.clear();
  steady(5'000, 300'000'000);
  EXPECT_TRUE(said_ms_.empty());
}

TEST_F(DemandTest, a_use_between_seven_tenths_and_all_of_the_need__expect_silence) {
  steady(500, 300'000'000);
  const uint64_t need = need_;
  said_ms_.clear();
  run(5'000, [need](uint64_t ms) { return need / 10 * (ms % 20 < 10 ? 8 : 10); });
  EXPECT_TRUE(said_ms_.empty());
}

TEST_F(DemandTest, on_and_off_with_any_period__expect_at_most_three_announcements_a_change) {
  for (const uint64_t half_ms : {1, 3, 10, 37, 100, 500}) {
    demand_ = Demand();
    need_ = Demand::kFloorBps;
    now_ns_ = 0;
    steady(500, 300'000'000);
    said_ms_.clear();
    run(20 * half_ms, [half_ms](uint64_t ms) {
      return (ms / half_ms) % 2 == 0 ? uint64_t{0} : uint64_t{300'000'000};
    });
    EXPECT_LE(said_ms_.size(), 3u * 20) << half_ms;
    if (half_ms <= 37) {
      EXPECT_LE(said_ms_.size(), 3u) << half_ms;  // shorter than what it remembers
    }
  }
}

TEST_F(DemandTest, stop_sending__expect_the_floor_in_one_announcement) {
  steady(500, 300'000'000);
  said_ms_.clear();
  steady(500, 0);
  EXPECT_EQ(need_, Demand::kFloorBps);
  EXPECT_LE(said_ms_.size(), 2u);
}

TEST_F(DemandTest, a_receiver_is_full__expect_no_more_need_than_helps) {
  room_ = 100'000'000;
  steady(1'000, 10 * kLine);
  EXPECT_GE(need_, room_);
  EXPECT_LE(need_, 2 * room_ + 2 * Demand::kFloorBps);
}

TEST_F(DemandTest, many_members__expect_announcements_further_apart) {
  members_ = 80;
  run(2'000, [](uint64_t ms) { return ms / 300 % 2 == 0 ? uint64_t{0} : 10 * kLine; });
  for (size_t i = 1; i < said_ms_.size(); ++i) EXPECT_GE(said_ms_[i] - said_ms_[i - 1], 110u);
}

TEST_F(DemandTest, the_last_announcement_is_on_its_way__expect_none) {
  for (uint64_t ms = 0; ms < 100; ++ms) {
    demand_.polled(true, true);
    const auto need = demand_.look({need_, kLine, true, false, 4}, ms * kMs, [] { return kLine; });
    EXPECT_FALSE(need);
  }
}

}  // namespace
}  // namespace lambdacast::rate_control
