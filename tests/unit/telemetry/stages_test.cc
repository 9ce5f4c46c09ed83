#include <gtest/gtest.h>

#include "../dataplane/support.h"
#include "telemetry/subject.h"

namespace lambdacast::telemetry {
namespace {

namespace test = dataplane::test;

uint64_t figure(const Table& table, const std::vector<Value>& row, const std::string& name) {
  for (size_t i = 0; i < row.size(); ++i) {
    if (name == table.figures[i].name) return std::get<uint64_t>(row[i]);
  }
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

TEST(StagesTest, send_between_two_endpoints__expect_each_stage_to_have_counted_it) {
  auto rack = dataplane::Rack::create(test::rack_config({.defaults = "lcore = 1"}), {});
  ASSERT_TRUE(rack);
  ASSERT_TRUE(test::publish((*rack)->endpoint(0), test::counting_bytes(20)));
  ASSERT_TRUE((*rack)->start());
  Table table;
  ASSERT_TRUE(test::eventually([&] {
    table = stages_table(take_snapshot(**rack, {}));
    return figure(table, table.rows.at(7), "forwarded") == 1;
  }));
  ASSERT_EQ(table.rows.size(), 10u);
  EXPECT_EQ(table.rows[3][1], Value("publisher"));
  EXPECT_EQ(table.rows[4][1], Value("rate_control"));
  EXPECT_EQ(figure(table, table.rows[4], "received"), 1u);
  EXPECT_EQ(table.rows[5][1], Value("receive"));
  for (size_t i = 5; i < 8; ++i) {
    EXPECT_EQ(table.rows[i][0], Value("node1"));
    EXPECT_EQ(figure(table, table.rows[i], "received"), 1u);
    EXPECT_EQ(figure(table, table.rows[i], "dropped"), 0u);
  }
  EXPECT_GE(figure(table, table.rows[0], "polls"), figure(table, table.rows[0], "empty_polls"));
}

}  // namespace
}  // namespace lambdacast::telemetry
