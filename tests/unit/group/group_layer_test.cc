// SPDX-License-Identifier: BSD-3-Clause
#include "group/group_layer.h"

#include "group_network.h"

namespace lambdacast::group {
namespace {

using wire::Qos;

TEST(GroupLayer, TheFirstMemberIsInWithoutState) {
  GroupNetwork network(1);
  network.start(2);
  EXPECT_EQ(network[0].join("orders"), Result::kOk);
  EXPECT_FALSE(network[0].core.is_member("orders"));
  network.settle();
  HashApplication& application = network[0].application("orders");
  EXPECT_TRUE(network[0].core.is_member("orders"));
  EXPECT_EQ(application.views, 1);
  EXPECT_EQ(application.restored, 0);
  EXPECT_EQ(application.members, std::vector{network[0].self});
  EXPECT_EQ(application.joined, std::vector{network[0].self});
}

TEST(GroupLayer, WhoJoinsLaterGetsStateThenTheViewThenMessages) {
  GroupNetwork network(2);
  network.start(2);
  EXPECT_EQ(network[0].join("orders"), Result::kOk);
  network.settle();
  EXPECT_EQ(network[0].publish_to("orders", 7), Result::kOk);
  network.settle();
  EXPECT_EQ(network[1].join("orders"), Result::kOk);
  EXPECT_EQ(network[0].publish_to("orders", 8), Result::kOk);
  network.settle();
  HashApplication& first = network[0].application("orders");
  HashApplication& second = network[1].application("orders");
  EXPECT_EQ(first.snapshots, 1);
  EXPECT_EQ(second.restored, 1);
  EXPECT_EQ(second.hash, first.hash);
  EXPECT_EQ(second.members, (std::vector{network[0].self, network[1].self}));
  EXPECT_EQ(first.members, second.members);
  EXPECT_EQ(first.joined, std::vector{network[1].self});
  EXPECT_LE(second.deliveries, 1) << "what came before the join is in the state";
}

TEST(GroupLayer, PublishesByNameWithoutBeingAMember) {
  GroupNetwork network(3);
  network.start(2);
  EXPECT_EQ(network[1].publish_to("orders", 1), Result::kUnknownGroup);
  EXPECT_EQ(network[0].join("orders"), Result::kOk);
  network.settle();
  EXPECT_EQ(network[1].publish_to("orders", 1), Result::kOk);
  EXPECT_EQ(network[1].publish_to("orders", 2, Qos::kReliable), Result::kOk);
  network.settle();
  EXPECT_EQ(network[0].application("orders").deliveries, 2);
  EXPECT_FALSE(network[1].core.is_member("orders"));
}

TEST(GroupLayer, SaysWhatIsWrong) {
  GroupNetwork network(4);
  network.start(1);
  EXPECT_EQ(network[0].join(""), Result::kBadName);
  EXPECT_EQ(network[0].join(std::string(64, 'a')), Result::kBadName);
  EXPECT_EQ(network[0].join("a\nb"), Result::kBadName);
  EXPECT_EQ(network[0].join("\xe9t\xe9"), Result::kBadName);
  EXPECT_EQ(network[0].join("a\xc2\x9b"), Result::kBadName);
  EXPECT_EQ(network[0].publish_to("a\nb", 1), Result::kBadName);
  EXPECT_EQ(network[0].join(std::string(63, 'a')), Result::kOk);
  EXPECT_EQ(network[0].join(std::string(63, 'a')), Result::kAlreadyJoined);
  EXPECT_EQ(network[0].core.leave("b"), Result::kNotJoined);
}

TEST(GroupLayer, LeavesAndMayJoinAgain) {
  GroupNetwork network(5);
  network.start(2);
  EXPECT_EQ(network[0].join("orders"), Result::kOk);
  EXPECT_EQ(network[1].join("orders"), Result::kOk);
  network.settle();
  EXPECT_EQ(network[0].core.leave("orders"), Result::kOk);
  EXPECT_TRUE(network[0].core.is_member("orders")) << "until the order says so";
  network.settle();
  EXPECT_EQ(network[0].application("orders").end, End::kLeft);
  EXPECT_TRUE(network[0].subscribed.empty());
  EXPECT_EQ(network[1].application("orders").members, std::vector{network[1].self});
  EXPECT_EQ(network[1].application("orders").departed, std::vector{network[0].self});
  EXPECT_EQ(network[1].publish_to("orders", 5), Result::kOk);
  network.settle();
  EXPECT_EQ(network[0].join("orders"), Result::kOk);
  network.settle();
  EXPECT_EQ(network[0].application("orders").hash, network[1].application("orders").hash);
}

TEST(GroupLayer, LeavesWhatItHasNotJoinedYet) {
  GroupNetwork network(6);
  network.start(1);
  EXPECT_EQ(network[0].join("orders"), Result::kOk);
  EXPECT_EQ(network[0].core.leave("orders"), Result::kOk);
  EXPECT_EQ(network[0].application("orders").end, End::kLeft);
  EXPECT_EQ(network[0].join("orders"), Result::kOk);
  network[0].poll();  // its registration is on its way
  EXPECT_EQ(network[0].core.leave("orders"), Result::kOk);
  network.settle();
  EXPECT_EQ(network[0].core.joined(), 0u);
  EXPECT_EQ(network[0].core.directory().find("orders")->members.all, NodeSet{});
}

TEST(GroupLayer, CompletionsComeInOrderWhenStable) {
  struct Log final : Completion {
    void stable(uint64_t token) override { tokens.push_back(token); }
    void unknown(uint64_t token) override { unknowns.push_back(token); }
    std::vector<uint64_t> tokens, unknowns;
  } log;
  GroupNetwork network(7);
  network.config.completions = 4;
  network.start(1);
  const uint8_t byte = 1;
  for (uint64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(network[0].core.publish(5, {&byte, 1}, Qos::kReliable, &log, i), Result::kOk);
  }
  EXPECT_EQ(network[0].core.publish(5, {&byte, 1}, Qos::kReliable, &log, 9), Result::kAgain);
  EXPECT_EQ(network[0].publications, 4u) << "nothing was published without its completion";
  network[0].poll();
  EXPECT_TRUE(log.tokens.empty());
  network[0].stable_publications = 3;
  network[0].poll();
  EXPECT_EQ(log.tokens, (std::vector<uint64_t>{0, 1, 2}));
  network[0].core.out(End::kExcluded);
  EXPECT_EQ(log.unknowns, std::vector<uint64_t>{3});
}

TEST(GroupLayer, GroupsThatShareAPlaceEachGetTheirOwn) {
  struct Named final : Handlers {
    void delivered(const Delivery& delivery, std::span<const uint8_t>) override {
      names.emplace_back(delivery.name);
    }
    std::vector<std::string> names;
  } first, second;
  GroupNetwork network(13);
  network.start(1);
  GroupLayer& core = network[0].core;
  EXPECT_EQ(core.join("first", first), Result::kOk);
  EXPECT_EQ(core.join("2nd", second), Result::kOk);
  network.settle();
  const auto deliver = [&](const char* name, uint32_t place) {
    Delivery delivery;
    delivery.group = core.directory().find(name)->number;
    core.deliver(delivery, {}, place);
  };
  for (const uint32_t place : {3u, 3u, 5u, 3u}) {
    deliver("first", place);
    deliver("2nd", 3);
  }
  EXPECT_EQ(first.names, std::vector<std::string>(4, "first"));
  EXPECT_EQ(second.names, std::vector<std::string>(4, "2nd"));

  deliver("first", 3);
  EXPECT_EQ(core.leave("2nd"), Result::kOk);
  network.settle();
  deliver("2nd", 3);
  deliver("first", 3);
  EXPECT_EQ(core.leave("first"), Result::kOk);
  network.settle();
  for (const uint32_t place : {3u, 5u}) {
    deliver("first", place);
    deliver("2nd", place);
  }
  EXPECT_EQ(first.names.size(), 6u);
  EXPECT_EQ(second.names.size(), 4u) << "nothing comes to who has left";
}

TEST(GroupLayer, OutOfTheViewEndsAll) {
  GroupNetwork network(8);
  network.start(2);
  EXPECT_EQ(network[0].join("a"), Result::kOk);
  EXPECT_EQ(network[0].join("b"), Result::kOk);
  network.settle();
  network[0].core.out(End::kExcluded);
  EXPECT_EQ(network[0].application("a").end, End::kExcluded);
  EXPECT_EQ(network[0].application("b").end, End::kExcluded);
  EXPECT_EQ(network[0].join("a"), Result::kNotInView);
  EXPECT_TRUE(network[0].subscribed.empty());
}

TEST(GroupLayer, ADirectoryIsFullAndSaysSo) {
  GroupNetwork network(9);
  network.config.names = 2;
  network.start(1);
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(network[0].join(name), Result::kOk);
  network.settle();
  EXPECT_TRUE(network[0].core.is_member("b"));
  EXPECT_EQ(network[0].application("c").end, End::kDirectoryFull);
}

TEST(GroupLayer, SubscriptionsAreFullAndSaysSo) {
  GroupNetwork network(10);
  network.start(1);
  network[0].most_subscriptions = 1;
  for (const char* name : {"a", "b"}) EXPECT_EQ(network[0].join(name), Result::kOk);
  network.settle();
  EXPECT_EQ(network[0].application("b").end, End::kNoRoom);
}

TEST(GroupLayer, RefusesWhatMakesNoSense) {
  GroupNetwork network(11);
  network.start(2);
  Delivery from;
  from.source = network[1].self;
  from.group = wire::kFirstNamedGroup + 5;
  from.qos = Qos::kTotallyOrdered;
  const uint8_t nonsense[] = {9, 0, 0, 0, 0, 0, 0, 0};
  network[0].core.group_message(from, nonsense);
  EXPECT_EQ(network[0].core.counters().refused, 1u);
  const uint8_t join[] = {2, 0, 0, 0, 0, 0, 0, 0};
  from.qos = Qos::kReliable;
  network[0].core.group_message(from, join);
  from.qos = Qos::kTotallyOrdered;
  from.group = 5;  // not a named group's
  network[0].core.group_message(from, join);
  from.group = wire::kFirstNamedGroup + 5;
  from.source.incarnation = 1;  // not in the view
  network[0].core.group_message(from, join);
  EXPECT_EQ(network[0].core.counters().refused, 4u);
  EXPECT_EQ(network[0].core.directory().size(), 0u);
}

}  // namespace
}  // namespace lambdacast::group
