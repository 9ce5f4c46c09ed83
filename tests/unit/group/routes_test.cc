// SPDX-License-Identifier: BSD-3-Clause
#include "group/routes.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lambdacast::group {
namespace {

struct Nobody final : Handlers {
  void delivered(const Delivery&, std::span<const uint8_t>) override {}
};

TEST(Routes, AsManyGroupsAsThereMayBeEachWithItsHandlersAndName) {
  Directory directory(256);
  Routes routes(256);
  std::vector<Nobody> handlers(256);
  for (uint32_t i = 0; i < 256; ++i) {
    const Group& group = *directory.enroll("group " + std::to_string(i));
    routes.set(i, {&handlers[i], group.number, directory.key_of(group)});
  }
  for (uint32_t i = 0; i < 256; ++i) {
    const uint32_t number = directory.at(i).number;
    const Route* const route = routes.find(number, i);
    ASSERT_NE(route, nullptr);
    EXPECT_EQ(route->handlers, &handlers[i]);
    EXPECT_EQ(directory.name(route->name), "group " + std::to_string(i));
    EXPECT_EQ(routes.find(number, i + 1), nullptr) << "another group's place";
  }
}

TEST(Routes, WhateverPlaceIsNamed) {
  Directory directory(8);
  Routes routes(8);
  Nobody nobody;
  const Group& group = *directory.enroll("g");
  EXPECT_EQ(routes.find(group.number, ~0u), nullptr);
  routes.set(~0u, {&nobody, group.number, directory.key_of(group)});
  EXPECT_EQ(routes.find(group.number, ~0u)->handlers, &nobody);
  EXPECT_EQ(routes.find(kNoGroup, 0), nullptr) << "a free place is nobody's";
}

TEST(Routes, WhoLeavesHasNoneAndMayComeBack) {
  Directory directory(8);
  Routes routes(8);
  Nobody first, second;
  const Group& group = *directory.enroll("g");
  const Group& other = *directory.enroll("h");
  const NameKey name = directory.key_of(group);
  routes.set(3, {&first, group.number, name});
  routes.forget(other.number, 3);
  EXPECT_EQ(routes.find(group.number, 3)->handlers, &first) << "only its own is forgotten";
  routes.forget(group.number, 3);
  EXPECT_EQ(routes.find(group.number, 3), nullptr);
  routes.set(3, {&second, group.number, name});
  EXPECT_EQ(routes.find(group.number, 3)->handlers, &second);
  routes.clear();
  EXPECT_EQ(routes.find(group.number, 3), nullptr);
}

TEST(Directory, ANameOfAnyLengthByItsKey) {
  Directory directory(64);
  for (size_t bytes = 1; bytes <= wire::kMaxGroupNameBytes; ++bytes) {
    const std::string name(bytes, 'x');
    EXPECT_EQ(directory.name(directory.key_of(*directory.enroll(name))), name);
  }
}

}  // namespace
}  // namespace lambdacast::group
