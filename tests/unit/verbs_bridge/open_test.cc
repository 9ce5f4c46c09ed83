// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "bridge.h"

namespace lambdacast::verbs {

// As the library exports them (drivers/verbs/bridge/open.cc).
extern "C" bool lambdacast_check_bridge(const BridgeOrder& order, std::string& error);
extern "C" Bridge* lambdacast_open_bridge(const BridgeOrder& order, std::string& error);

namespace {

TEST(Open, OfAFileThatIsNotThereSaysSo) {
  const BridgeOrder order{"/nowhere/at/all.toml", "", "none"};
  std::string error;
  EXPECT_FALSE(lambdacast_check_bridge(order, error));
  EXPECT_EQ(error, "/nowhere/at/all.toml: cannot be read: No such file or directory");
  error.clear();
  EXPECT_EQ(lambdacast_open_bridge(order, error), nullptr);
  EXPECT_NE(error, "");
}

}  // namespace
}  // namespace lambdacast::verbs
