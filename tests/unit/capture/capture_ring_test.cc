// SPDX-License-Identifier: BSD-3-Clause
#include "capture/capture_ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <thread>

#include "base/random.h"

namespace lambdacast::capture {
namespace {

constexpr size_t kRingBytes = 4096;

bool stage(CaptureRing& ring, uint64_t number, uint32_t bytes) {
  uint8_t* data = ring.stage({number, bytes, bytes, 0, pcapng::Direction::kIn});
  if (data == nullptr) return false;
  std::fill_n(data, bytes, static_cast<uint8_t>(number));
  return true;
}

// Number and length of the next frame, which must have the bytes that stage() gave it.
std::pair<uint64_t, uint32_t> take(CaptureRing& ring) {
  const CapturedFrame* front = ring.front(ring.published());
  if (front == nullptr) return {~uint64_t{0}, 0};
  const std::pair<uint64_t, uint32_t> result{front->time_ns, front->captured_bytes};
  for (const uint8_t byte : CaptureRing::data_of(*front)) {
    EXPECT_EQ(byte, static_cast<uint8_t>(front->time_ns));
  }
  ring.pop(*front);
  return result;
}

TEST(CaptureRingTest, stage_publish_withdraw_and_take_at_random__expect_a_queue) {
  base::SplitMix64 random(20260714);
  CaptureRing ring(kRingBytes);
  std::deque<std::pair<uint64_t, uint32_t>> model;
  uint64_t number = 0;
  uint64_t refused = 0;
  uint64_t withdrawn = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::vector<std::pair<uint64_t, uint32_t>> staged;
    std::vector<uint64_t> places{ring.staged()};
    for (uint64_t n = random.below(6); n > 0; --n) {
      const auto bytes = static_cast<uint32_t>(random.below(random.below(4) == 0 ? 1500 : 100));
      if (!stage(ring, number, bytes)) {
        ++refused;
        break;
      }
      staged.emplace_back(number++, bytes);
      places.push_back(ring.staged());
    }
    const size_t kept = random.below(staged.size() + 1);
    withdrawn += staged.size() - kept;
    ring.publish(places[kept]);
    model.insert(model.end(), staged.begin(), staged.begin() + static_cast<ptrdiff_t>(kept));
    for (uint64_t n = random.below(4); n > 0 && !model.empty(); --n) {
      ASSERT_EQ(take(ring), model.front()) << "round " << round;
      model.pop_front();
    }
    if (model.empty()) {
      ASSERT_EQ(ring.front(ring.published()), nullptr);
    }
  }
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(withdrawn, 1000u);
}

TEST(CaptureRingTest, fill_it__expect_the_frames_that_fit_and_then_none_until_one_is_taken) {
  CaptureRing ring(kRingBytes);
  uint64_t fitted = 0;
  while (stage(ring, fitted, 100)) ++fitted;
  ring.publish(ring.staged());
  EXPECT_EQ(fitted, kRingBytes / 128);  // 24 + 100 bytes, in units of 32
  EXPECT_EQ(take(ring).first, 0u);
  EXPECT_TRUE(stage(ring, fitted, 100));
  EXPECT_FALSE(stage(ring, fitted, 100));
}

TEST(CaptureRingTest, stage_a_frame_larger_than_the_ring__expect_it_refused_and_the_ring_usable) {
  CaptureRing ring(kRingBytes);
  EXPECT_FALSE(stage(ring, 0, kRingBytes));
  EXPECT_TRUE(stage(ring, 1, 64));
  ring.publish(ring.staged());
  EXPECT_EQ(take(ring).first, 1u);
}

TEST(CaptureRingTest, publish_nothing__expect_nothing_to_take) {
  CaptureRing ring(kRingBytes);
  const uint64_t place = ring.staged();
  EXPECT_TRUE(stage(ring, 0, 64));
  EXPECT_EQ(ring.front(ring.published()), nullptr);
  ring.publish(place);
  EXPECT_EQ(ring.front(ring.published()), nullptr);
}

TEST(CaptureRingTest, a_producer_and_a_consumer_at_once__expect_every_frame_once_and_in_order) {
  constexpr uint64_t kFrames = 200'000;
  CaptureRing ring(kRingBytes);
  std::thread producer([&] {
    base::SplitMix64 random(1);
    for (uint64_t i = 0; i < kFrames;) {
      if (stage(ring, i, static_cast<uint32_t>(random.below(300)))) {
        ring.publish(ring.staged());
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  });
  for (uint64_t wanted = 0; wanted < kFrames;) {
    const uint64_t got = take(ring).first;
    if (got == ~uint64_t{0}) {
      std::this_thread::yield();
      continue;
    }
    if (got != wanted) ADD_FAILURE() << got << " instead of " << wanted;
    wanted = got + 1;
  }
  producer.join();
}

}  // namespace
}  // namespace lambdacast::capture
