#include "group/routes.h"

#include <gtest/gtest.h>

#include <string>

namespace lambdacast::group {
namespace {

struct Nobody final : Handlers {
  void delivered(const Delivery&, std::span<const uint8_t>) override {}
};

TEST(Routes, AsManyGroupsAsThereMayBeEachWithItsHandlersAndName) {
  Directory directory(256);
  Routes routes(256);
  std::vector<Nobody> handlers(256);
  for (size_t i = 0; i < 256; ++i)
    routes.set(*directory.enroll("group " + std::to_string(i)), &handlers[i]);
  for (size_t i = 0; i < 256; ++i) {
    const Route* const route = routes.find(directory.at(i).number);
    ASSERT_NE(route, nullptr);
    EXPECT_EQ(route->handlers, &handlers[i]);
    EXPECT_EQ(route->name(), "group " + std::to_string(i));
  }
  EXPECT_EQ(routes.find(7), nullptr) << "a number without a name";
}

TEST(Routes, WhoLeavesHasNoneAndMayComeBack) {
  Directory directory(8);
  Routes routes(8);
  Nobody first, second;
  Group& group = *directory.enroll("g");
  EXPECT_EQ(routes.find(group.number), nullptr);
  routes.set(group, &first);
  routes.set(group, nullptr);
  EXPECT_EQ(routes.find(group.number), nullptr);
  routes.set(group, &second);
  EXPECT_EQ(routes.find(group.number)->handlers, &second);
  routes.clear();
  EXPECT_EQ(routes.find(group.number), nullptr);
}

}  // namespace
}  // namespace lambdacast::group
