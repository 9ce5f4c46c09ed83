// SPDX-License-Identifier: BSD-3-Clause
#include "wire/control/group_message.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lambdacast::wire {
namespace {

base::NodeSet ranks(uint64_t low, uint64_t high = 0) {
  base::NodeSet set;
  set.set_word(0, low);
  set.set_word(1, high);
  return set;
}

TEST(GroupMessage, ARegistrationHasAName) {
  uint8_t payload[128];
  const size_t bytes = store_group_register("orders", 2, payload);
  GroupMessage message;
  ASSERT_TRUE(load_group_message({payload, bytes}, message));
  EXPECT_EQ(message.type, GroupMessageType::kRegister);
  EXPECT_EQ(message.name, "orders");
  EXPECT_EQ(message.engine, 2);
  payload[1] = 3;
  EXPECT_FALSE(load_group_message({payload, bytes}, message)) << "no such engine";
  payload[1] = 0;
  EXPECT_FALSE(load_group_message({payload, kGroupHeaderBytes}, message)) << "no name";
  for (const uint8_t byte : {0x0a, 0x9b, 0xe9}) {
    payload[10] = byte;
    EXPECT_FALSE(load_group_message({payload, bytes}, message)) << int{byte};
  }
}

TEST(GroupMessage, NamesThatCanBe) {
  EXPECT_TRUE(valid_group_name("a"));
  EXPECT_TRUE(valid_group_name(std::string(63, 'x')));
  EXPECT_TRUE(valid_group_name("prices \xe2\x82\xac"));
  EXPECT_FALSE(valid_group_name(""));
  EXPECT_FALSE(valid_group_name(std::string(64, 'x')));
  EXPECT_FALSE(valid_group_name(std::string("a\0b", 3)));
  EXPECT_FALSE(valid_group_name("a\x7f"));
  EXPECT_FALSE(valid_group_name("\xe9t\xe9")) << "Latin-1";
  EXPECT_FALSE(valid_group_name("a\xc2\x9b")) << "a control of C1";
}

TEST(GroupMessage, JoinAndLeaveAreAHeaderOnly) {
  uint8_t payload[16] = {};
  GroupMessage message;
  for (const auto type : {GroupMessageType::kJoin, GroupMessageType::kLeave}) {
    const bool joins = type == GroupMessageType::kJoin;
    const size_t bytes = joins ? store_group_join(3, payload) : store_group_leave(payload);
    EXPECT_EQ(bytes, 8u);
    ASSERT_TRUE(load_group_message({payload, bytes}, message));
    EXPECT_EQ(message.type, type);
    EXPECT_EQ(message.minimum, 3) << "of the join; a leave has none";
    EXPECT_FALSE(load_group_message({payload, bytes - 1}, message));
    EXPECT_FALSE(load_group_message({payload, bytes + 1}, message));
  }
}

TEST(GroupMessage, LocksAreAskedForAndGivenBack) {
  uint8_t payload[kGroupReleaseBytes + 1] = {};
  GroupMessage message;
  for (const bool only_if_free : {false, true}) {
    const GroupLock asked{0x01020304, only_if_free, {}, {}};
    ASSERT_EQ(store_group_acquire(asked, payload), 16u);
    EXPECT_EQ(payload[0], 8);
    EXPECT_EQ(payload[8], 1) << "big-endian";
    ASSERT_TRUE(load_group_message({payload, 16}, message));
    EXPECT_EQ(message.type, GroupMessageType::kAcquire);
    EXPECT_EQ(message.lock, asked);
  }
  EXPECT_FALSE(load_group_message({payload, 15}, message));
  EXPECT_FALSE(load_group_message({payload, 17}, message));

  GroupLock given{7, false, {3, 9}, {}};
  given.heir.qpn = 0x11;
  given.heir.incarnation = 5;
  ASSERT_EQ(store_group_release(given, payload), 56u);
  EXPECT_EQ(payload[0], 9);
  ASSERT_TRUE(load_group_message({payload, 56}, message));
  EXPECT_EQ(message.type, GroupMessageType::kRelease);
  EXPECT_EQ(message.lock, given);
  EXPECT_FALSE(load_group_message({payload, 55}, message));
  EXPECT_FALSE(load_group_message({payload, 57}, message));
}

TEST(GroupMessage, PiecesMakeUpAState) {
  std::vector<uint8_t> state(250);
  for (size_t i = 0; i < state.size(); ++i) state[i] = static_cast<uint8_t>(i);
  std::vector<uint8_t> together;
  for (size_t offset = 0; offset < state.size(); offset = together.size()) {
    uint8_t payload[148];
    const GroupPiece piece{3, 9, ranks(0b101), state.size(), offset};
    const size_t bytes = store_group_piece(piece, state, sizeof payload, payload);
    GroupMessage message;
    ASSERT_TRUE(load_group_message({payload, bytes}, message));
    EXPECT_EQ(message.type, GroupMessageType::kPiece);
    EXPECT_EQ(message.piece, piece);
    EXPECT_LE(message.bytes.size(), 100u);
    together.insert(together.end(), message.bytes.begin(), message.bytes.end());
  }
  EXPECT_EQ(together, state);
}

TEST(GroupMessage, APieceLiesWithinItsState) {
  uint8_t payload[60];
  const std::vector<uint8_t> state(12);
  GroupMessage message;
  const size_t bytes = store_group_piece({1, 1, ranks(1), 12, 0}, state, sizeof payload, payload);
  ASSERT_EQ(bytes, sizeof payload);
  ASSERT_TRUE(load_group_message(payload, message));
  payload[39] = 11;  // bytes in all
  EXPECT_FALSE(load_group_message(payload, message));
  payload[39] = 12;
  payload[47] = 1;  // offset
  EXPECT_FALSE(load_group_message(payload, message));
  payload[40] = 0xff;  // far beyond
  EXPECT_FALSE(load_group_message(payload, message));
  EXPECT_FALSE(load_group_message(std::span(payload).first(47), message));
}

TEST(GroupMessage, ARefusalNamesTheState) {
  uint8_t payload[64];
  const size_t bytes = store_group_refuse({3, 9, ranks(0b101), 0, 0}, payload);
  GroupMessage message;
  ASSERT_TRUE(load_group_message({payload, bytes}, message));
  EXPECT_EQ(message.type, GroupMessageType::kRefuse);
  EXPECT_EQ(message.piece, (GroupPiece{3, 9, ranks(0b101), 0, 0}));
  EXPECT_FALSE(load_group_message({payload, bytes + 1}, message));
  EXPECT_FALSE(load_group_message({payload, bytes - 1}, message));
}

TEST(GroupMessage, SetsHaveOneWordInViewsOfUpTo64Members) {
  for (const size_t members : {1, 2, 63, 64}) EXPECT_EQ(rank_words(members), 1u) << members;
  for (const size_t members : {65, 80, 128}) EXPECT_EQ(rank_words(members), 2u) << members;
}

// Types 6 and 7 are none to a node that knows views of up to 64 members only.
TEST(GroupMessage, LargerViewsHaveTypesOfTheirOwn) {
  const std::vector<uint8_t> state(12, 0xab);
  uint8_t payload[128];
  GroupMessage message;
  const GroupPiece piece{3, 9, ranks(0b101, 0x8001), 12, 4, 2};
  size_t bytes = store_group_piece(piece, state, sizeof payload, payload);
  EXPECT_EQ(bytes, 56u + 8);
  EXPECT_EQ(payload[0], 6);
  EXPECT_EQ(payload[31], 0b101) << "ranks 0 to 63";
  EXPECT_EQ(payload[39], 0x01) << "ranks from 64 on";
  EXPECT_EQ(payload[38], 0x80);
  ASSERT_TRUE(load_group_message({payload, bytes}, message));
  EXPECT_EQ(message.type, GroupMessageType::kPiece);
  EXPECT_EQ(message.piece, piece);
  EXPECT_EQ(message.bytes.size(), 8u);
  EXPECT_FALSE(load_group_message({payload, 55}, message)) << "a head that is cut";
  bytes = store_group_refuse(piece, payload);
  EXPECT_EQ(bytes, 40u);
  EXPECT_EQ(payload[0], 7);
  ASSERT_TRUE(load_group_message({payload, bytes}, message));
  EXPECT_EQ(message.type, GroupMessageType::kRefuse);
  EXPECT_EQ(message.piece, (GroupPiece{3, 9, ranks(0b101, 0x8001), 0, 0, 2}));
  EXPECT_FALSE(load_group_message({payload, bytes - 8}, message));
}

TEST(GroupMessage, OtherTypesAreNone) {
  uint8_t payload[8] = {};
  GroupMessage message;
  EXPECT_FALSE(load_group_message(payload, message));
  payload[0] = 8;
  EXPECT_FALSE(load_group_message(payload, message));
  EXPECT_FALSE(load_group_message({}, message));
}

}  // namespace
}  // namespace lambdacast::wire
