// SPDX-License-Identifier: BSD-3-Clause
// Random operations on a ring against a model that remembers every slot in plain words.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "../unit/fabric/support.h"

namespace lambdacast::fabric {
namespace {

constexpr Geometry kGeometry{1, 64, 200};

struct Slot {
  uint64_t index;
  bool complete;
};

// What the ring ought to hold.
struct Model {
  std::map<uint64_t, Slot> slots;  // by index % 64
  uint64_t next = 0;               // index of the next frame
  uint64_t head = 0;               // as published
  uint64_t epoch = 0;

  void begin() { slots[next % 64] = {next, false}; }
  void end() { slots[next++ % 64].complete = true; }
  [[nodiscard]] Peek at(uint64_t index) const {
    const auto slot = slots.find(index % 64);
    if (slot == slots.end() || slot->second.index < index) return Peek::kEmpty;
    if (slot->second.index > index) return Peek::kOverrun;
    return slot->second.complete ? Peek::kFrame : Peek::kEmpty;
  }
};

struct Reader {
  explicit Reader(const Receiver& r) : receiver(r), start(r.cursor()), cursor(r.cursor()) {}
  Receiver receiver;
  uint64_t start;
  uint64_t cursor;  // the model's
  uint64_t received = 0;
  uint64_t missed = 0;
};

class Walk {
 public:
  explicit Walk(uint64_t seed) : random_(seed) { take_over(); }

  void step() {
    switch (random_.below(8)) {
      case 0:
        return join();
      case 1:
        return crash();
      case 2:
        return send(64 + random_.below(200), 32);  // laps whoever sleeps
      case 3:
      case 4:
        return send(random_.below(33), 32);
      default:
        return read();
    }
  }
  void finish() {
    for (auto& reader : readers_) {
      take(*reader, ~uint64_t{0});
      EXPECT_EQ(reader->received + reader->missed, model_.next - reader->start);
    }
  }

 private:
  void take_over() {
    transmitter_ = segment_.transmitter();
    ++model_.epoch;
    model_.head = model_.next;
    ASSERT_EQ(transmitter_.next_index(), model_.next);
    ASSERT_EQ(transmitter_.epoch(), model_.epoch);
  }
  void join() {
    if (readers_.size() == 8) {
      readers_.erase(readers_.begin() + static_cast<long>(random_.below(8)));
    }
    readers_.push_back(std::make_unique<Reader>(segment_.receiver()));
    ASSERT_EQ(readers_.back()->cursor, model_.head);
  }
  void send_one() {
    model_.begin();
    test::send_frame(transmitter_);
    model_.end();
  }
  void send(uint64_t frames, uint64_t burst) {
    for (uint64_t i = 1; i <= frames; ++i) {
      send_one();
      if (i % burst == 0) publish();
    }
    publish();
  }
  void publish() {
    transmitter_.end_burst();
    model_.head = model_.next;
  }
  // Dies somewhere in a burst, perhaps in the middle of a frame; readers may look before the next
  // owner comes.
  void crash() {
    for (uint64_t left = random_.below(20); left > 0; --left) send_one();
    if (random_.below(2) == 0) {
      std::memset(transmitter_.begin_frame(), 0xee, kGeometry.frame_bytes);
      model_.begin();
    }
    if (random_.below(2) == 0) read();
    take_over();
  }
  void read() {
    if (!readers_.empty()) take(*readers_[random_.below(readers_.size())], random_.below(80));
  }
  void take(Reader& reader, uint64_t at_most) {
    for (; at_most > 0; --at_most) {
      const Peek peek = reader.receiver.peek();
      ASSERT_EQ(peek, model_.at(reader.cursor)) << reader.cursor;
      if (peek == Peek::kEmpty) return;
      if (peek == Peek::kOverrun) {
        const uint64_t target = model_.head - std::min<uint64_t>(model_.head, 32);
        const uint64_t next = std::max(reader.cursor + 1, target);
        ASSERT_EQ(reader.receiver.resume(), next - reader.cursor);
        reader.missed += next - reader.cursor;
        reader.cursor = next;
        continue;
      }
      ASSERT_TRUE(reader.receiver.copy_to(frame_.data()));
      ASSERT_TRUE(test::is_frame(frame_.data(), reader.receiver.length(), reader.cursor, 200));
      reader.receiver.advance();
      ++reader.cursor;
      ++reader.received;
    }
  }

  base::SplitMix64 random_;
  test::Segment segment_{kGeometry};
  Transmitter transmitter_;
  Model model_;
  std::vector<std::unique_ptr<Reader>> readers_;
  std::vector<uint8_t> frame_ = std::vector<uint8_t>(test::kAnyFrame);
};

TEST(FabricRing, random_operations_expect_what_the_model_says) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Walk walk(seed);
    for (int i = 0; i < 300 && !testing::Test::HasFatalFailure(); ++i) walk.step();
    walk.finish();
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace lambdacast::fabric
