// SPDX-License-Identifier: BSD-3-Clause
// A million mutations of frames that Soft-RoCE sent, under the normal build and, in the sanitizer
// builds, with AddressSanitizer watching. Usage: frame_mutation_test DIRECTORY-OF-PCAPS.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "base/random.h"
#include "fuzz/frame_check.h"
#include "fuzz/frame_mutator.h"
#include "wire/control/transport.h"
#include "wire/roce/build.h"
#include "wire/roce/frame.h"

namespace lambdacast::fuzz {
namespace {

using counters::DropReason;

constexpr int kMutations = 1'000'000;

std::string directory;

TEST(FrameMutation, NoBytesBreakARule) {
  const std::vector<Frame> golden = golden_frames(directory);
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

// A frame like Soft-RoCE's with a transport header of ours, which theirs never have, and `bytes`
// behind it.
Frame frame_with(const Frame& like, const wire::TransportHeader& header, size_t bytes) {
  wire::FrameView view;
  EXPECT_EQ(wire::parse_frame(like.data(), like.size(), view), DropReason::kNone);
  Frame payload(wire::transport_header_bytes(header.kind) + bytes, 0x5a);
  wire::store_transport(header, payload.data());
  Frame frame(like.size() + payload.size() + wire::kMaxPadBytes);
  frame.resize(
      wire::build_frame(wire::fields_of(like.data(), view), payload, frame.data(), frame.size()));
  return frame;
}

TEST(FrameMutation, our_own_frames_of_each_kind__expect_no_rule_broken) {
  const std::vector<Frame> golden = golden_frames(directory);
  const Frame& like = *std::find_if(golden.begin(), golden.end(), [](const Frame& frame) {
    return check_frame(frame.data(), frame.size()).rebuilt;
  });
  base::SplitMix64 random(20261122);
  constexpr uint32_t kBytes = 100;
  for (const wire::Kind kind :
       {wire::Kind::kData, wire::Kind::kMessages, wire::Kind::kFragment, wire::Kind::kGroup,
        wire::Kind::kRequest, wire::Kind::kRequestMessages, wire::Kind::kRequestFragment}) {
    wire::TransportHeader header;
    header.kind = kind;
    header.message_bytes = kBytes;
    if (wire::is_fragment(kind)) {
      header.message_bytes = 50 * kBytes;
      header.fragment_offset = 3 * kBytes;
      header.fragment_bytes = kBytes;
    }
    const Frame whole = frame_with(like, header, kBytes);
    ASSERT_TRUE(check_frame(whole.data(), whole.size()).rebuilt);
    for (int i = 0; i < kMutations / 20; ++i) {
      Frame frame = whole;
      for (uint64_t n = random.below(4); n > 0; --n) mutate_once(frame, random);
      if (random.below(8) != 0) mend_ipv4_checksum(frame.data(), frame.size());
      const Verdict verdict = check_frame(frame.data(), frame.size());
      ASSERT_EQ(verdict.violated, nullptr) << "mutation " << i << ": " << verdict.violated;
    }
  }
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
