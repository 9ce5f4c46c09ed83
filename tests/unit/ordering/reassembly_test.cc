// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/reassembly.h"

#include <gtest/gtest.h>

namespace lambdacast::ordering {
namespace reassembly_test {

using counters::DropReason;
using Outcome = Reassembly::Outcome;

constexpr uint16_t kNone = Reassembly::kNoMessage;

class ReassemblyTest : public ::testing::Test {
 protected:
  static constexpr uint16_t kEach = 10;

  // 25 bytes in fragments of 10, 10 and 5.
  static Fragment fragment(uint32_t place, uint32_t message_id = 1, uint16_t peer = 0) {
    Fragment f;
    f.rel_seq = 10 * message_id + place;
    f.group = 7;
    f.message_id = message_id;
    f.message_bytes = 25;
    f.fragment_bytes = kEach;
    f.fragment_offset = place * kEach;
    f.peer = peer;
    return f;
  }
  Outcome accept(const Fragment& f, uint64_t now_ns = 0) {
    std::vector<uint8_t> bytes;
    for (uint32_t i = 0; i < kEach && f.fragment_offset + i < f.message_bytes; ++i) {
      bytes.push_back(static_cast<uint8_t>(f.message_id * 100 + f.fragment_offset + i));
    }
    return core_.accept(f, bytes.data(), now_ns);
  }
  static std::vector<uint8_t> whole(uint32_t message_id = 1) {
    std::vector<uint8_t> bytes;
    for (uint32_t i = 0; i < 25; ++i) bytes.push_back(static_cast<uint8_t>(message_id * 100 + i));
    return bytes;
  }
  std::vector<uint8_t> content(uint16_t message) const {
    const auto bytes = core_.content(message);
    return {bytes.begin(), bytes.end()};
  }

  // Room for four messages, each with a block of bytes and a block of marks.
  std::vector<uint8_t> memory_ = std::vector<uint8_t>(8 * BuddyArena::kMinBlockBytes);
  Reassembly core_{{1000, 4, 100}, memory_};
};

TEST_F(ReassemblyTest, receive_all_fragments__expect_the_message_with_the_last) {
  EXPECT_EQ(accept(fragment(0)).message, kNone);
  EXPECT_EQ(accept(fragment(1)).message, kNone);
  EXPECT_EQ(core_.counters().held_fragments, 2u);
  const Outcome last = accept(fragment(2));
  ASSERT_NE(last.message, kNone);
  EXPECT_EQ(last.fragments, 3u);
  EXPECT_EQ(content(last.message), whole());
  EXPECT_EQ(core_.counters().held_fragments, 0u);
  EXPECT_EQ(core_.completed_outstanding(), 1u);
  core_.release(last.message);
  EXPECT_EQ(core_.completed_outstanding(), 0u);
  EXPECT_EQ(core_.free_bytes(), core_.total_bytes());
}

TEST_F(ReassemblyTest, receive_them_backwards__expect_the_same_message) {
  EXPECT_EQ(accept(fragment(2)).message, kNone);
  EXPECT_EQ(accept(fragment(1)).message, kNone);
  const Outcome last = accept(fragment(0));
  ASSERT_NE(last.message, kNone);
  EXPECT_EQ(content(last.message), whole());
}

TEST_F(ReassemblyTest, receive_two_messages_mixed__expect_each_whole) {
  for (uint32_t place = 0; place < 2; ++place) {
    EXPECT_EQ(accept(fragment(place, 1)).message, kNone);
    EXPECT_EQ(accept(fragment(place, 2)).message, kNone);
  }
  EXPECT_EQ(content(accept(fragment(2, 2)).message), whole(2));
  EXPECT_EQ(content(accept(fragment(2, 1)).message), whole(1));
}

TEST_F(ReassemblyTest, receive_one_id_of_two_peers_and_incarnations__expect_three_messages) {
  Fragment later = fragment(0);
  later.incarnation = 1;
  EXPECT_EQ(accept(fragment(0, 1, 0)).reason, DropReason::kNone);
  EXPECT_EQ(accept(fragment(0, 1, 1)).reason, DropReason::kNone);
  EXPECT_EQ(accept(later).reason, DropReason::kNone);
  EXPECT_EQ(core_.counters().held_fragments, 3u);
}

TEST_F(ReassemblyTest, receive_a_fragment_twice__expect_a_duplicate_and_no_early_completion) {
  EXPECT_EQ(accept(fragment(0)).reason, DropReason::kNone);
  EXPECT_EQ(accept(fragment(0)).reason, DropReason::kDuplicate);
  EXPECT_EQ(accept(fragment(2)).message, kNone);
  EXPECT_NE(accept(fragment(1)).message, kNone);
}

TEST_F(ReassemblyTest, receive_a_contradiction__expect_mismatch_and_the_message_unharmed) {
  EXPECT_EQ(accept(fragment(0)).reason, DropReason::kNone);
  Fragment longer = fragment(1);
  longer.message_bytes = 26;
  EXPECT_EQ(accept(longer).reason, DropReason::kFragmentMismatch);
  Fragment finer = fragment(1);
  finer.fragment_bytes = 5;
  EXPECT_EQ(accept(finer).reason, DropReason::kFragmentMismatch);
  Fragment elsewhere = fragment(1);
  elsewhere.group = 8;
  EXPECT_EQ(accept(elsewhere).reason, DropReason::kFragmentMismatch);
  Fragment ordered = fragment(1);
  ordered.qos = wire::Qos::kReliable;
  EXPECT_EQ(accept(ordered).reason, DropReason::kFragmentMismatch);
  EXPECT_EQ(accept(fragment(1)).reason, DropReason::kNone);
  EXPECT_EQ(content(accept(fragment(2)).message), whole());
}

TEST_F(ReassemblyTest, receive_of_a_message_too_long__expect_it_refused) {
  Fragment f = fragment(0);
  f.message_bytes = 1001;
  EXPECT_EQ(accept(f).reason, DropReason::kMessageTooLong);
  f.message_bytes = 1000;
  EXPECT_EQ(accept(f).reason, DropReason::kNone);
}

TEST_F(ReassemblyTest, hear_nothing_for_the_timeout__expect_given_up_and_a_late_one_held_anew) {
  EXPECT_EQ(accept(fragment(0), 1000).reason, DropReason::kNone);
  EXPECT_EQ(accept(fragment(1), 1050).reason, DropReason::kNone);
  core_.expire(1150);
  EXPECT_EQ(core_.counters().given_up_messages, 0u);
  core_.expire(1151);
  EXPECT_EQ(core_.counters().given_up_messages, 1u);
  EXPECT_EQ(core_.counters().given_up_fragments, 2u);
  EXPECT_EQ(core_.free_bytes(), core_.total_bytes());
  EXPECT_EQ(accept(fragment(2), 1200).message, kNone);
  EXPECT_EQ(core_.counters().held_fragments, 1u);
}

TEST_F(ReassemblyTest, expire_with_several__expect_only_the_silent_ones_to_go) {
  EXPECT_EQ(accept(fragment(0, 1), 0).reason, DropReason::kNone);
  EXPECT_EQ(accept(fragment(0, 2), 10).reason, DropReason::kNone);
  EXPECT_EQ(accept(fragment(1, 1), 90).reason, DropReason::kNone);
  core_.expire(111);
  EXPECT_EQ(core_.counters().given_up_fragments, 1u);
  EXPECT_NE(accept(fragment(2, 1), 111).message, kNone);
}

TEST_F(ReassemblyTest, clock_steps_back__expect_nothing_given_up) {
  EXPECT_EQ(accept(fragment(0), 1'000'000).reason, DropReason::kNone);
  core_.expire(5);
  EXPECT_EQ(core_.counters().given_up_messages, 0u);
}

TEST_F(ReassemblyTest, fill_the_memory_from_one_peer__expect_its_oldest_to_make_room) {
  for (uint32_t id = 1; id <= 4; ++id) EXPECT_EQ(accept(fragment(0, id)).reason, DropReason::kNone);
  EXPECT_EQ(accept(fragment(1, 1)).reason, DropReason::kNone);  // 2 is now the one silent longest
  EXPECT_EQ(accept(fragment(0, 5)).reason, DropReason::kNone);
  EXPECT_EQ(core_.counters().given_up_fragments, 1u);
  EXPECT_NE(accept(fragment(2, 1)).message, kNone);
}

TEST_F(ReassemblyTest, another_peer_fills_the_memory__expect_refusal_and_the_first_unharmed) {
  EXPECT_EQ(accept(fragment(0, 1, 0)).reason, DropReason::kNone);
  for (uint32_t id = 1; id <= 3; ++id) (void)accept(fragment(0, id, 1));
  EXPECT_EQ(accept(fragment(0, 1, 2)).reason, DropReason::kReassemblyMemory);
  EXPECT_EQ(accept(fragment(0, 9, 1)).reason, DropReason::kNone);  // pushes out one of its own
  EXPECT_EQ(accept(fragment(1, 1, 0)).message, kNone);
  EXPECT_NE(accept(fragment(2, 1, 0)).message, kNone);
}

TEST_F(ReassemblyTest, application_keeps_messages__expect_their_memory_kept_until_release) {
  std::vector<uint16_t> kept;
  for (uint32_t id = 1; id <= 4; ++id) {
    for (uint32_t place = 0; place < 2; ++place) (void)accept(fragment(place, id));
    kept.push_back(accept(fragment(2, id)).message);
  }
  EXPECT_EQ(accept(fragment(0, 5)).reason, DropReason::kReassemblyMemory);
  for (uint32_t id = 1; id <= 4; ++id) EXPECT_EQ(content(kept[id - 1]), whole(id));
  core_.release(kept[2]);
  EXPECT_EQ(accept(fragment(0, 5)).reason, DropReason::kNone);
}

// --- recoverable messages come whole -------------------------------------------------------------

class RecoverableTest : public ReassemblyTest {
 protected:
  static Fragment of(wire::Qos qos, uint32_t place, uint32_t message_id = 1, uint16_t peer = 0) {
    Fragment f = fragment(place, message_id, peer);
    f.qos = qos;
    return f;
  }
  static constexpr uint64_t kRecoverableNs = 60'000'000'000;
};

TEST_F(RecoverableTest, be_silent_for_the_timeout__expect_them_kept_until_their_sender_is_gone) {
  EXPECT_EQ(accept(of(wire::Qos::kReliable, 0, 1)).reason, DropReason::kNone);
  EXPECT_EQ(accept(of(wire::Qos::kSourceOrdered, 0, 2)).reason, DropReason::kNone);
  EXPECT_EQ(accept(of(wire::Qos::kTotallyOrdered, 0, 3)).reason, DropReason::kNone);
  core_.expire(kRecoverableNs);
  EXPECT_EQ(core_.counters().given_up_messages, 0u);
  core_.expire(kRecoverableNs + 1);
  EXPECT_EQ(core_.counters().given_up_messages, 2u);
  core_.expire(1000 * kRecoverableNs);
  EXPECT_EQ(core_.counters().given_up_messages, 2u) << "the view says when an ordered one ends";
  EXPECT_EQ(accept(of(wire::Qos::kTotallyOrdered, 1, 3)).reason, DropReason::kNone);
  EXPECT_NE(accept(of(wire::Qos::kTotallyOrdered, 2, 3)).message, kNone);
}

TEST_F(RecoverableTest, lose_a_packet_of_a_message__expect_it_mortal_and_no_others) {
  EXPECT_EQ(accept(of(wire::Qos::kSourceOrdered, 0, 1, 0)).reason, DropReason::kNone);
  EXPECT_EQ(accept(of(wire::Qos::kSourceOrdered, 0, 1, 1)).reason, DropReason::kNone);
  core_.doom(0, 12, 1, 1000);
  core_.expire(1100);
  EXPECT_EQ(core_.counters().given_up_messages, 0u) << "a moment longer";
  core_.expire(1101);
  EXPECT_EQ(core_.counters().given_up_messages, 1u);
  EXPECT_EQ(accept(of(wire::Qos::kSourceOrdered, 1, 1, 1)).reason, DropReason::kNone);
}

// A departing member's stream has losses before the view that delivers its last messages.
TEST_F(RecoverableTest, lose_packets_of_a_sender__expect_its_ordered_messages_kept_for_the_view) {
  EXPECT_EQ(accept(of(wire::Qos::kTotallyOrdered, 0, 2)).reason, DropReason::kNone);
  core_.doom(0, 0, 1000, 1000);
  core_.expire(kRecoverableNs - 1);
  EXPECT_EQ(accept(of(wire::Qos::kTotallyOrdered, 1, 2)).reason, DropReason::kNone);
  EXPECT_NE(accept(of(wire::Qos::kTotallyOrdered, 2, 2)).message, kNone);
}

// What was lost was another message's, this one's end came later than mortal messages are waited
// for, and its receiver was told of no loss (tests/sim/patches/any_loss_dooms.patch).
TEST_F(RecoverableTest, lose_what_is_not_of_the_message__expect_it_whole_however_late) {
  EXPECT_EQ(accept(of(wire::Qos::kReliable, 1, 2)).reason, DropReason::kNone);
  core_.doom(0, 0, 20, 1000);   // up to it
  core_.doom(0, 23, 70, 1000);  // and all behind it
  core_.expire(2000);
  EXPECT_EQ(accept(of(wire::Qos::kReliable, 0, 2)).message, kNone);
  EXPECT_NE(accept(of(wire::Qos::kReliable, 2, 2)).message, kNone);
}

TEST_F(RecoverableTest, lose_its_first_or_last_packet_or_more__expect_it_given_up) {
  constexpr std::pair<uint64_t, uint64_t> kLost[] = {{20, 1}, {22, 1}, {0, 21}, {22, 9}, {3, 99}};
  for (const auto& [first, count] : kLost) {
    const uint64_t before = core_.counters().given_up_messages;
    EXPECT_EQ(accept(of(wire::Qos::kReliable, 1, 2)).reason, DropReason::kNone);
    core_.doom(0, first, count, 1000);
    core_.expire(1101);
    EXPECT_EQ(core_.counters().given_up_messages, before + 1) << first << " + " << count;
  }
}

TEST_F(RecoverableTest, a_view_goes_on_without_a_sender__expect_its_ordered_messages_mortal) {
  EXPECT_EQ(accept(of(wire::Qos::kTotallyOrdered, 0, 1, 0)).reason, DropReason::kNone);
  EXPECT_EQ(accept(of(wire::Qos::kTotallyOrdered, 0, 1, 1)).reason, DropReason::kNone);
  EXPECT_EQ(accept(of(wire::Qos::kSourceOrdered, 0, 2, 1)).reason, DropReason::kNone);
  core_.doom_ordered(0, [](const Fragment& about) { return about.peer == 1; });
  core_.expire(101);
  EXPECT_EQ(core_.counters().given_up_messages, 1u);
  EXPECT_EQ(accept(of(wire::Qos::kTotallyOrdered, 1, 1, 0)).reason, DropReason::kNone);
  EXPECT_EQ(accept(of(wire::Qos::kSourceOrdered, 1, 2, 1)).reason, DropReason::kNone);
}

TEST_F(RecoverableTest, fill_the_memory__expect_mortal_messages_to_make_room_and_no_others) {
  for (uint32_t id = 1; id <= 3; ++id)
    EXPECT_EQ(accept(of(wire::Qos::kReliable, 0, id)).reason, DropReason::kNone);
  EXPECT_EQ(accept(fragment(0, 4, 1)).reason, DropReason::kNone);
  EXPECT_EQ(accept(fragment(0, 5, 0)).reason, DropReason::kReassemblyMemory);
  EXPECT_EQ(accept(of(wire::Qos::kReliable, 0, 6)).reason, DropReason::kNone);
  EXPECT_EQ(core_.counters().given_up_messages, 1u) << "the other peer's unreliable one";
  EXPECT_EQ(accept(of(wire::Qos::kReliable, 0, 7)).reason, DropReason::kReassemblyMemory);
  for (uint32_t id : {1, 2, 3, 6}) {
    EXPECT_EQ(accept(of(wire::Qos::kReliable, 1, id)).reason, DropReason::kNone);
    const Outcome last = accept(of(wire::Qos::kReliable, 2, id));
    ASSERT_NE(last.message, kNone);
    core_.release(last.message);
  }
}

TEST_F(RecoverableTest, the_beginning_was_before__expect_the_rest_refused_where_order_is_kept) {
  EXPECT_EQ(accept(of(wire::Qos::kReliable, 1, 1)).reason, DropReason::kNone);
  EXPECT_EQ(accept(of(wire::Qos::kSourceOrdered, 1, 2)).reason, DropReason::kMessageIncomplete);
  EXPECT_EQ(accept(of(wire::Qos::kMajority, 2, 3)).reason, DropReason::kMessageIncomplete);
  EXPECT_EQ(core_.counters().held_fragments, 1u);
}

}  // namespace reassembly_test
}  // namespace lambdacast::ordering
