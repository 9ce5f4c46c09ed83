// A million mutations of frames that Soft-RoCE sent, under the normal build and, in the sanitizer
// builds, with AddressSanitizer watching. Usage: frame_mutation_test DIRECTORY-OF-PCAPS.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "base/bytes.h"
#include "base/random.h"
#include "fuzz/frame_check.h"
#include "vectors/pcap.h"

namespace lambdacast::fuzz {
namespace {

using counters::DropReason;
using vectors::Frame;

constexpr int kMutations = 1'000'000;
constexpr size_t kSmallBytes = 300;  // larger frames only add payload, and cost time

std::string directory;

std::vector<Frame> golden_frames() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() == ".pcap") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());  // the order of a directory is no one's promise
  std::vector<Frame> frames;
  for (const std::string& path : paths) {
    for (Frame& frame : vectors::read_pcap(path)) {
      if (frame.size() <= kSmallBytes) frames.push_back(std::move(frame));
    }
  }
  return frames;
}

// Positions in the headers are as likely as all the rest together.
size_t some_offset(const Frame& frame, base::SplitMix64& random) {
  const size_t range = random.below(2) == 0 ? std::min<size_t>(frame.size(), 80) : frame.size();
  return random.below(range);
}

void insert_vlan_tag(Frame& frame, base::SplitMix64& random) {
  if (frame.size() < 14) return;
  const auto tci = static_cast<uint8_t>(random());
  const Frame tag{static_cast<uint8_t>(random.below(2) == 0 ? 0x81 : 0x88),
                  static_cast<uint8_t>(random.below(2) == 0 ? 0x00 : 0xa8), tci, tci};
  frame.insert(frame.begin() + 12, tag.begin(), tag.end());
}

// Where an untagged IPv6 frame has its source or its destination.
void insert_mapped_prefix(Frame& frame, base::SplitMix64& random) {
  constexpr uint8_t kPrefix[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  const size_t at = random.below(2) == 0 ? 22 : 38;
  if (at + std::size(kPrefix) > frame.size()) return;
  std::copy(std::begin(kPrefix), std::end(kPrefix), frame.begin() + static_cast<ptrdiff_t>(at));
}

void mutate_once(Frame& frame, base::SplitMix64& random) {
  constexpr uint16_t kInteresting[] = {0, 1, 3, 4, 20, 40, 0x7fff, 0x8000, 0xffff, 4791, 0x86dd};
  if (frame.empty()) return;
  const size_t at = some_offset(frame, random);
  switch (random.below(8)) {
    case 0:
      frame[at] ^= static_cast<uint8_t>(1u << random.below(8));
      break;
    case 1:
      frame[at] = static_cast<uint8_t>(random());
      break;
    case 2:
      if (at + 2 <= frame.size()) {
        base::store_be16(&frame[at], kInteresting[random.below(std::size(kInteresting))]);
      }
      break;
    case 3:
      frame.resize(random.below(4) == 0 ? at : frame.size() - random.below(5) % frame.size());
      break;
    case 4:
      frame.resize(frame.size() + random.below(64), static_cast<uint8_t>(random()));
      break;
    case 5:
      insert_vlan_tag(frame, random);
      break;
    case 6:
      insert_mapped_prefix(frame, random);
      break;
    default:
      frame.erase(frame.begin() + static_cast<ptrdiff_t>(at));
  }
}

TEST(FrameMutation, NoBytesBreakARule) {
  const std::vector<Frame> golden = golden_frames();
  ASSERT_GT(golden.size(), 100u);
  base::SplitMix64 random(20250611);
  counters::DropCounters outcomes;
  int rebuilt = 0;
  int shaped = 0;
  int icrc_right = 0;
  for (int i = 0; i < kMutations; ++i) {
    Frame frame = golden[random.below(golden.size())];
    for (uint64_t n = random.below(4); n > 0; --n) mutate_once(frame, random);
    if (random.below(8) != 0) mend_ipv4_checksum(frame.data(), frame.size());
    const Verdict verdict = check_frame(frame.data(), frame.size());
    ASSERT_EQ(verdict.violated, nullptr) << "mutation " << i << ": " << verdict.violated;
    outcomes.add(verdict.parsed);
    rebuilt += verdict.rebuilt;
    shaped += verdict.shaped;
    icrc_right += verdict.icrc_right;
  }
  // Each way through the parser was taken; only a frame of 64 KiB is out of the mutations' reach.
  for (auto reason = DropReason::kTooShort; reason < DropReason::kBadIcrc;
       reason = static_cast<DropReason>(static_cast<int>(reason) + 1)) {
    EXPECT_GT(outcomes[reason], 10u) << counters::name(reason);
  }
  EXPECT_GT(rebuilt, kMutations / 10);
  EXPECT_GT(shaped, kMutations / 20);
  EXPECT_GT(icrc_right, kMutations / 20);
  EXPECT_GT(outcomes[DropReason::kNone], static_cast<uint64_t>(icrc_right) + kMutations / 20);
}

}  // namespace
}  // namespace lambdacast::fuzz

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc != 2) {
    std::cerr << "usage: frame_mutation_test DIRECTORY-OF-PCAPS\n";
    return 2;
  }
  lambdacast::fuzz::directory = argv[1];
  return RUN_ALL_TESTS();
}
