// SPDX-License-Identifier: BSD-3-Clause
// Random joins, leaves, publications, crashes and newcomers over a simulated order. When all is
// quiet, every endpoint must have the same groups, and every member of a group the same state and
// the same views.
#pragma once

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "unit/group/group_network.h"

namespace lambdacast::group {

// The last two ask for the same number first.
inline constexpr std::array kNames{"a", "b", "c", "group 5613", "group 45646"};

class History {
 public:
  explicit History(uint64_t seed) : network_(seed), random_(seed ^ 0x5eed) {
    network_.config.names = random_.below(8) == 0 ? 4 : 8;
    // At times room for the directory and little more.
    if (random_.below(4) == 0) network_.config.state_bytes = 1400 + random_.below(3000);
    constexpr std::array<size_t, 4> kBytes{8, 300, 300, 1500};
    application_bytes_ = kBytes[random_.below(kBytes.size())];
    minimum_ = static_cast<uint8_t>(random_.below(4));
    network_.start(1 + random_.below(4));
    for (auto& node : network_.nodes) node->refuse = random_.below(3) * 30;
  }

  void go() {
    const uint64_t steps = 200 + random_.below(1500);
    for (uint64_t i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      const uint64_t drawn = random_.below(100);
      if (drawn < 4) {
        act();
      } else if (drawn == 4 && random_.below(6) == 0) {
        change();
      } else {
        network_.step();
      }
      check_bounds();
    }
    network_.settle();
    check();
  }

 private:
  void act() {
    auto& node = network_[random_.below(network_.nodes.size())];
    const std::string name = kNames[random_.below(kNames.size())];
    switch (random_.below(7)) {
      case 0:
      case 1:
        node.application(name).state_bytes = application_bytes_;
        (void)node.join(name, {minimum_of(name)});
        return;
      case 5:
      case 6:
        return lock(node, name);
      case 2:
        (void)node.leave(name);
        return;
      default:
        (void)node.publish_to(
            name, random_(),
            random_.below(4) == 0 ? wire::Qos::kReliable : wire::Qos::kTotallyOrdered);
    }
  }

  // As a rule none.
  [[nodiscard]] uint8_t minimum_of(const std::string& name) const {
    return name == "b" ? minimum_ : 0;
  }
  void lock(GroupNetwork::Node& node, const std::string& name) {
    const auto handler = static_cast<uint32_t>(random_.below(3));
    const auto held = node.core.holds(name, handler);
    const auto& heir = network_[random_.below(network_.nodes.size())].self;
    switch (random_.below(4)) {
      case 0:
        (void)node.core.withdraw(name, handler);
        return;
      case 1:
        if (held) (void)node.core.release(name, handler, *held, &heir);
        return;
      case 2:
        if (held) (void)node.core.release(name, handler, *held);
        return;
      default:
        (void)node.core.acquire(name, handler, random_.below(4) == 0);
    }
  }

  void change() {
    std::set<uint32_t> gone;
    const size_t stay = network_.nodes.size() == 1 ? 0 : random_.below(network_.nodes.size());
    for (size_t i = 0; i < network_.nodes.size(); ++i) {
      if (i != stay && random_.below(3) == 0) gone.insert(network_[i].self.incarnation);
    }
    const size_t room = 8 - (network_.nodes.size() - gone.size());
    network_.change([&](auto& node) { return gone.contains(node.self.incarnation); },
                    random_.below(std::min<size_t>(room, 3) + 1));
    for (auto& node : network_.nodes) node->refuse = random_.below(3) * 30;
  }

  void check_bounds() {
    for (auto& node : network_.nodes) {
      ASSERT_LE(node->core.waiting_bytes(), network_.config.state_bytes);
      size_t wanted = 1;  // the directory
      for (size_t i = 0; i < node->core.directory().size(); ++i)
        wanted += node->core.directory().at(i).members.waiting.count();
      ASSERT_LE(node->core.sending(), wanted) << "states that nobody waits for";
    }
  }

  void check() {
    auto& first = network_[0];
    for (auto& node : network_.nodes) {
      ASSERT_TRUE(node->core.informed());
      EXPECT_EQ(node->core.counters().refused, 0u);
      EXPECT_EQ(node->core.directory().size(), first.core.directory().size());
    }
    std::set<uint32_t> numbers;
    for (const char* name : kNames) check_group(name, numbers);
  }

  void check_group(const std::string& name, std::set<uint32_t>& numbers) {
    const Group* const group = network_[0].core.directory().find(name);
    if (group != nullptr) {
      EXPECT_TRUE(numbers.insert(group->number).second) << "a number shared";
    }
    const HashApplication* somebody = nullptr;
    for (size_t rank = 0; rank < network_.nodes.size(); ++rank) {
      auto& node = network_[rank];
      const Group* const own = node.core.directory().find(name);
      ASSERT_EQ(own == nullptr, group == nullptr) << name;
      if (own == nullptr) {
        EXPECT_FALSE(node.application(name).in) << "of a directory that is full";
        continue;
      }
      EXPECT_EQ(own->number, group->number);
      EXPECT_EQ(own->members, group->members) << name;
      EXPECT_EQ(own->members.waiting, NodeSet{}) << name << ": nobody waits for ever";
      const bool in = own->members.all.contains(rank);
      ASSERT_EQ(node.core.is_member(name), in) << name;
      const HashApplication& application = node.application(name);
      EXPECT_EQ(application.in, in);
      EXPECT_EQ(application.wanted, in) << "as it was asked to, or ended";
      EXPECT_EQ(node.subscribed.contains(own->number), in) << name;
      if (!in) continue;
      if (somebody == nullptr) somebody = &application;
      EXPECT_EQ(application.hash, somebody->hash) << name << ", rank " << rank;
      EXPECT_EQ(application.members, somebody->members) << name;
      EXPECT_EQ(application.members.size(), own->members.all.count());
      EXPECT_EQ(application.suspended, own->suspended()) << name;
      EXPECT_EQ(own->suspended(), own->members.all.count() < own->minimum);
      check_locks(node, *own, application);
      check_views(application.history, somebody->history);
    }
  }

  // The application has been told of just the locks that are held, by members; each node has the
  // same.
  void check_locks(GroupNetwork::Node& node, const Group& group, const HashApplication& told) {
    std::map<uint32_t, HashApplication::Held> held;
    node.core.locks().for_each_of(group.number, [&](const Lock& lock) {
      EXPECT_TRUE(lock.held() || (lock.queued != 0 && group.suspended()));
      for (const uint8_t rank : lock.waiting()) EXPECT_TRUE(group.members.all.contains(rank));
      if (!lock.held()) return;
      ASSERT_TRUE(group.members.all.contains(lock.holder));
      held[lock.handler] = {network_[lock.holder].self.incarnation,
                            {node.core.lineage(), lock.token.epoch, lock.token.place},
                            network_[lock.holder].self == node.self};
    });
    EXPECT_EQ(told.locks, held) << "as the node has them";
    EXPECT_EQ(node.core.locks().size(), network_[0].core.locks().size());
    for (const auto& [handler, lock] : held) {
      const Lock* const other = network_[0].core.locks().find(group.number, handler);
      ASSERT_NE(other, nullptr);
      EXPECT_EQ(network_[other->holder].self.incarnation, lock.holder);
      EXPECT_EQ(node.core.holds(group.name(), handler).has_value(), lock.own);
    }
  }

  // Compares the views from the time on when both were in the group.
  static void check_views(std::span<const std::set<uint32_t>> one,
                          std::span<const std::set<uint32_t>> other) {
    const size_t common = std::min(one.size(), other.size());
    EXPECT_TRUE(std::ranges::equal(one.last(common), other.last(common))) << "other views";
  }

  GroupNetwork network_;
  base::SplitMix64 random_;
  size_t application_bytes_ = 0;
  uint8_t minimum_ = 0;
};

}  // namespace lambdacast::group
