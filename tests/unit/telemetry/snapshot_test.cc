#include "telemetry/snapshot.h"

#include <gtest/gtest.h>

#include "../dataplane/support.h"

namespace lambdacast::telemetry {
namespace {

namespace test = dataplane::test;

std::unique_ptr<dataplane::Rack> running_rack(const test::RackSpec& spec) {
  auto rack = dataplane::Rack::create(test::rack_config(spec), {});
  EXPECT_TRUE(rack) << rack.error().message;
  const auto started = (*rack)->start();
  EXPECT_TRUE(started) << started.error().message;
  return std::move(*rack);
}

TEST(SnapshotTest, look_at_a_running_rack__expect_every_endpoint_lcore_and_stage) {
  const auto rack = running_rack({.defaults = "lcore = 1", .extra = {"", "lcore = 2"}});
  const Snapshot snapshot = take_snapshot(*rack, {.ports = true, .groups = true});
  ASSERT_EQ(snapshot.endpoints.size(), 2u);
  EXPECT_EQ(snapshot.name(1), "node1");
  ASSERT_EQ(snapshot.endpoints[0].groups.size(), 1u);
  EXPECT_EQ(snapshot.endpoints[0].groups[0].group, 1u);
  EXPECT_EQ(snapshot.lcores.size(), 2u);
  EXPECT_EQ(snapshot.polled.size(), 10u);  // four stages and a publisher each
  EXPECT_EQ(snapshot.polled[9].endpoint, 1u);
  EXPECT_EQ(snapshot.polled[9].lcore, 2u);
}

TEST(SnapshotTest, do_not_ask_for_groups_and_ports__expect_none) {
  const auto rack = running_rack({.defaults = "lcore = 1"});
  const Snapshot snapshot = take_snapshot(*rack, {});
  EXPECT_TRUE(snapshot.endpoints[0].groups.empty());
  EXPECT_TRUE(snapshot.endpoints[0].port.extended.empty());
}

}  // namespace
}  // namespace lambdacast::telemetry
