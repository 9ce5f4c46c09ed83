// SPDX-License-Identifier: BSD-3-Clause
// One writer and several readers at once, in threads on one address: what ThreadSanitizer can see.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "../unit/fabric/support.h"

namespace lambdacast::fabric {
namespace fabric_threads_test {

constexpr Geometry kGeometry{1, 64, 200};
constexpr uint64_t kFrames = 300'000;
constexpr uint64_t kOwners = 5;  // one after the other

struct Seen {
  uint64_t received = 0;
  uint64_t missed = 0;
  uint64_t wrong = 0;  // accepted, yet not the frame of that index
};

// Reads until the end, which is known once the last writer has gone.
Seen listen(Receiver receiver, const std::atomic<uint64_t>& end) {
  std::vector<uint8_t> frame(test::kAnyFrame);
  Seen seen;
  for (;;) {
    (void)receiver.available(32);
    receiver.prefetch(4);
    const Peek peek = receiver.peek();
    if (peek == Peek::kEmpty) {
      if (receiver.cursor() == end.load(std::memory_order_acquire)) return seen;
      std::this_thread::yield();
    } else if (peek == Peek::kOverrun || !receiver.copy_to(frame.data())) {
      seen.missed += receiver.resume();
    } else {
      seen.wrong += !test::is_frame(frame.data(), receiver.length(), receiver.cursor(), 200);
      ++seen.received;
      receiver.advance();
    }
  }
}

TEST(FabricThreads, one_writer_after_the_other_expect_only_whole_frames_and_an_exact_count) {
  test::Segment segment(kGeometry);
  std::atomic<uint64_t> end{~uint64_t{0}};
  std::vector<Seen> seen(3);
  std::vector<std::thread> readers;
  for (Seen& result : seen) {
    readers.emplace_back(
        [&result, &end, receiver = segment.receiver()] { result = listen(receiver, end); });
  }
  for (uint64_t owner = 1; owner <= kOwners; ++owner) {
    std::thread([&] {
      Transmitter transmitter = segment.transmitter();
      while (transmitter.next_index() < kFrames / kOwners * owner) {
        test::send_burst(transmitter, 1 + transmitter.next_index() % 32);
      }
      std::memset(transmitter.begin_frame(), 0xee, 200);  // and leaves a torn frame
    }).join();
  }
  end.store(segment.transmitter().next_index(), std::memory_order_release);
  for (std::thread& reader : readers) reader.join();
  for (const Seen& s : seen) {
    EXPECT_EQ(s.wrong, 0u);
    EXPECT_EQ(s.received + s.missed, end.load());
  }
}

}  // namespace fabric_threads_test
}  // namespace lambdacast::fabric
