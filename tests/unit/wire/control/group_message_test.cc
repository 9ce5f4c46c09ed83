#include "wire/control/group_message.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lambdacast::wire {
namespace {

TEST(GroupMessage, ARegistrationHasAName) {
  uint8_t payload[128];
  const size_t bytes = store_group_register("orders", payload);
  GroupMessage message;
  ASSERT_TRUE(load_group_message({payload, bytes}, message));
  EXPECT_EQ(message.type, GroupMessageType::kRegister);
  EXPECT_EQ(message.name, "orders");
  EXPECT_FALSE(load_group_message({payload, kGroupHeaderBytes}, message)) << "no name";
  payload[10] = '\n';
  EXPECT_FALSE(load_group_message({payload, bytes}, message));
}

TEST(GroupMessage, NamesThatCanBe) {
  EXPECT_TRUE(valid_group_name("a"));
  EXPECT_TRUE(valid_group_name(std::string(63, 'x')));
  EXPECT_TRUE(valid_group_name("prices \xe2\x82\xac"));
  EXPECT_FALSE(valid_group_name(""));
  EXPECT_FALSE(valid_group_name(std::string(64, 'x')));
  EXPECT_FALSE(valid_group_name(std::string("a\0b", 3)));
  EXPECT_FALSE(valid_group_name("a\x7f"));
}

TEST(GroupMessage, JoinAndLeaveAreAHeaderOnly) {
  uint8_t payload[16] = {};
  GroupMessage message;
  for (const auto type : {GroupMessageType::kJoin, GroupMessageType::kLeave}) {
    const size_t bytes = store_group_message(type, payload);
    EXPECT_EQ(bytes, 8u);
    ASSERT_TRUE(load_group_message({payload, bytes}, message));
    EXPECT_EQ(message.type, type);
    EXPECT_FALSE(load_group_message({payload, bytes - 1}, message));
    EXPECT_FALSE(load_group_message({payload, bytes + 1}, message));
  }
}

TEST(GroupMessage, PiecesMakeUpAState) {
  std::vector<uint8_t> state(250);
  for (size_t i = 0; i < state.size(); ++i) state[i] = static_cast<uint8_t>(i);
  std::vector<uint8_t> together;
  for (size_t offset = 0; offset < state.size(); offset = together.size()) {
    uint8_t payload[148];
    const GroupPiece piece{3, 9, 0b101, state.size(), offset};
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
  const size_t bytes = store_group_piece({1, 1, 1, 12, 0}, state, sizeof payload, payload);
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
  const size_t bytes = store_group_refuse({3, 9, 0b101, 0, 0}, payload);
  GroupMessage message;
  ASSERT_TRUE(load_group_message({payload, bytes}, message));
  EXPECT_EQ(message.type, GroupMessageType::kRefuse);
  EXPECT_EQ(message.piece, (GroupPiece{3, 9, 0b101, 0, 0}));
  EXPECT_FALSE(load_group_message({payload, bytes + 1}, message));
  EXPECT_FALSE(load_group_message({payload, bytes - 1}, message));
}

TEST(GroupMessage, OtherTypesAreNone) {
  uint8_t payload[8] = {};
  GroupMessage message;
  EXPECT_FALSE(load_group_message(payload, message));
  payload[0] = 6;
  EXPECT_FALSE(load_group_message(payload, message));
  EXPECT_FALSE(load_group_message({}, message));
}

}  // namespace
}  // namespace lambdacast::wire
