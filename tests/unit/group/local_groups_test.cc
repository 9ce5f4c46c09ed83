// SPDX-License-Identifier: BSD-3-Clause
#include "group/local_groups.h"

#include <gtest/gtest.h>

#include <set>

#include "recording_handlers.h"

namespace lambdacast::group {
namespace local_groups_test {

using wire::GroupMessageType;

// Takes `room` messages, and has room for `subscriptions`.
struct Spoken final : Carrier {
  bool say(std::span<const uint8_t> payload, uint32_t group, wire::Qos) override {
    if (room == 0) return false;
    --room;
    said.emplace_back(static_cast<GroupMessageType>(payload[0]), group);
    return true;
  }
  Result publish(std::span<const uint8_t>, uint32_t, wire::Qos) override { return Result::kAgain; }
  Result request(std::span<const uint8_t>, std::span<const uint8_t>, uint32_t, wire::Qos) override {
    return Result::kAgain;
  }
  Result answer(std::span<const uint8_t>, const Content&, uint32_t) override {
    return Result::kAgain;
  }
  bool subscribe(uint32_t group) override {
    if (subscribed.size() == subscriptions) return subscribed.contains(group);
    subscribed.insert(group);
    return true;
  }
  void unsubscribe(uint32_t group) override { subscribed.erase(group); }
  uint64_t published() const override { return 0; }
  uint64_t stable() const override { return 0; }
  uint64_t operational() const override { return 0; }

  size_t room = 1000;
  size_t subscriptions = 1000;
  std::set<uint32_t> subscribed;
  std::vector<std::pair<GroupMessageType, uint32_t>> said;
};

struct Bench {
  // Registers and joins a group, and makes it a member.
  LocalGroup& enter(const char* name) {
    EXPECT_EQ(locals.join(name, handlers), Result::kOk);
    locals.poll();
    locals.registered(name, directory.enroll(name) != nullptr);
    locals.poll();
    LocalGroup& local = *locals.of(*directory.find(name));
    local.move_to(LocalGroup::State::kMember);
    return local;
  }
  Standing standing(const char* name) { return locals.standing(*directory.find(name)); }

  Spoken carrier;
  Directory directory{8};
  RecordingHandlers handlers;
  LocalGroups locals{carrier, directory, {1000, 4}};
};

TEST(LocalGroups, RegistersThenJoins) {
  Bench bench;
  EXPECT_EQ(bench.locals.join("g", bench.handlers), Result::kOk);
  EXPECT_EQ(bench.locals.join("g", bench.handlers), Result::kAlreadyJoined);
  EXPECT_EQ(bench.locals.joined(), 1u);
  EXPECT_TRUE(bench.carrier.said.empty()) << "until it is polled";
  bench.carrier.room = 0;
  bench.locals.poll();
  bench.carrier.room = 1000;
  bench.locals.poll();
  bench.locals.poll();
  ASSERT_EQ(bench.carrier.said.size(), 1u);
  EXPECT_EQ(bench.carrier.said[0], (std::pair{GroupMessageType::kRegister, wire::kDirectoryGroup}));
  bench.locals.registered("another's", true);
  bench.locals.poll();
  EXPECT_EQ(bench.carrier.said.size(), 1u);
  const uint32_t number = bench.directory.enroll("g")->number;
  bench.locals.registered("g", true);
  bench.locals.poll();
  EXPECT_EQ(bench.carrier.said.back(), (std::pair{GroupMessageType::kJoin, number}));
  EXPECT_TRUE(bench.carrier.subscribed.contains(number));
  EXPECT_EQ(bench.standing("g"), Standing::kJoining);
}

TEST(LocalGroups, SaysALeaveOnce) {
  Bench bench;
  LocalGroup& local = bench.enter("g");
  EXPECT_EQ(bench.standing("g"), Standing::kMember);
  EXPECT_TRUE(bench.locals.is_member("g"));
  EXPECT_EQ(bench.locals.leave("g"), Result::kOk);
  EXPECT_EQ(bench.locals.leave("g"), Result::kOk);
  EXPECT_EQ(bench.locals.leave("h"), Result::kNotJoined);
  bench.locals.poll();
  bench.locals.poll();
  EXPECT_EQ(bench.carrier.said.size(), 3u);
  EXPECT_EQ(bench.carrier.said.back(), (std::pair{GroupMessageType::kLeave, local.number()}));
  EXPECT_EQ(bench.standing("g"), Standing::kLeaving);
  bench.locals.end(local, End::kLeft);
  EXPECT_EQ(bench.handlers.take(), Heard{"ended: left"});
  EXPECT_TRUE(bench.carrier.subscribed.empty());
  EXPECT_EQ(bench.standing("g"), Standing::kKnown);
  EXPECT_EQ(bench.locals.joined(), 0u);
  (void)bench.enter("g");
  EXPECT_EQ(bench.locals.leave("g"), Result::kOk);
  bench.locals.poll();
  EXPECT_EQ(bench.carrier.said.back().first, GroupMessageType::kLeave) << "another membership's";
}

TEST(LocalGroups, EndsWhatCannotBe) {
  Bench bench;
  EXPECT_EQ(bench.locals.join("g", bench.handlers), Result::kOk);
  bench.locals.poll();
  bench.locals.registered("g", false);
  EXPECT_EQ(bench.handlers.take().size(), 1u);
  bench.carrier.subscriptions = 0;
  bench.directory.enroll("h");
  EXPECT_EQ(bench.locals.join("h", bench.handlers), Result::kOk);
  bench.locals.poll();
  EXPECT_EQ(bench.handlers.take().size(), 1u);
  EXPECT_EQ(bench.locals.join("i", bench.handlers), Result::kOk);
  EXPECT_EQ(bench.locals.leave("i"), Result::kOk) << "nothing has been said of it";
  EXPECT_EQ(bench.handlers.take(), Heard{"ended: left"});
  EXPECT_EQ(bench.locals.joined(), 0u);
}

TEST(LocalGroups, DeliversToMembersAndRemembersTheirPlace) {
  Bench bench;
  LocalGroup& local = bench.enter("g");
  Delivery delivery;
  delivery.group = local.number();
  EXPECT_EQ(bench.locals.route(delivery.group, 3), nullptr);
  bench.locals.deliver(delivery, {}, 3);
  ASSERT_NE(bench.locals.route(delivery.group, 3), nullptr);
  EXPECT_EQ(bench.locals.route(delivery.group, 3)->handlers, &bench.handlers);
  bench.locals.deliver(delivery, {}, 5);
  EXPECT_EQ(bench.locals.route(delivery.group, 3), nullptr) << "it has moved";
  delivery.group = wire::kFirstNamedGroup + 1;
  bench.locals.deliver(delivery, {}, 6);
  EXPECT_EQ(bench.handlers.take(), (Heard{"message g", "message g"}));
  bench.locals.gap({});
  EXPECT_EQ(bench.handlers.take(), Heard{"gap"});
  bench.locals.end(local, End::kLeft);
  EXPECT_EQ(bench.locals.route(bench.directory.find("g")->number, 5), nullptr);
}

TEST(LocalGroups, LeavesWhenAMessageHasNoRoom) {
  Bench bench;
  LocalGroup& local = bench.enter("g");
  local.move_to(LocalGroup::State::kWaiting);
  EXPECT_EQ(bench.standing("g"), Standing::kWaiting);
  Delivery delivery;
  delivery.group = local.number();
  delivery.qos = wire::Qos::kTotallyOrdered;
  const std::vector<uint8_t> message(600);
  bench.locals.deliver(delivery, message, 0);
  EXPECT_GT(bench.locals.waiting_bytes(), 600u);
  bench.locals.deliver(delivery, message, 0);
  EXPECT_EQ(bench.locals.waiting_bytes(), 0u);
  EXPECT_EQ(bench.standing("g"), Standing::kLeaving);
  bench.locals.poll();
  EXPECT_EQ(bench.carrier.said.back().first, GroupMessageType::kLeave);
}

TEST(LocalGroups, EndsAll) {
  Bench bench;
  (void)bench.enter("g");
  EXPECT_EQ(bench.locals.join("h", bench.handlers), Result::kOk);
  bench.locals.end_all(End::kExcluded);
  EXPECT_EQ(bench.handlers.take().size(), 2u);
  EXPECT_EQ(bench.locals.joined(), 0u);
  EXPECT_TRUE(bench.carrier.subscribed.empty());
}

}  // namespace local_groups_test
}  // namespace lambdacast::group
