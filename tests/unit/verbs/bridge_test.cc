// SPDX-License-Identifier: BSD-3-Clause
#include "bridge.h"

#include <gtest/gtest.h>

#include "port.h"

namespace lambdacast::verbs {
namespace {

// The test program has no library of bridges beside it.
TEST(Bridge, WithoutItsLibraryAPortIsRefusedInOneSentence) {
  const BridgeOrder order{"a.toml", "", "none"};
  const std::string sentence =
      "LAMBDACAST_CONFIG wants liblambdacast-verbs-bridge.so: it is not "
      "beside this library";
  const auto checked = check_bridge(order);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message, sentence);
  const auto opened = open_bridge(order);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message, sentence);
  EXPECT_FALSE(opening_bridge());

  Settings settings;
  settings.config_file = "a.toml";
  const auto port = Port::open(settings);
  ASSERT_FALSE(port);
  EXPECT_EQ(port.error().message, sentence);
}

}  // namespace
}  // namespace lambdacast::verbs
