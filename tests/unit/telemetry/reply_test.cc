// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/reply.h"

#include <limits>

#include "client.h"
#include "support.h"

namespace lambdacast::telemetry {
namespace {

using nlohmann::json;

// 300 rows with every kind of value.
Table example() {
  Table table{{{"name", Kind::kLabel, Unit::kNone, "N."},
               {"count", Kind::kCounter, Unit::kPackets, "C."},
               {"level", Kind::kGauge, Unit::kNone, "L."}},
              {}};
  for (uint64_t i = 0; i < 300; ++i) {
    table.rows.push_back({Value("a \"quoted\" name"), Value(~uint64_t{0} - i),
                          i == 0 ? Value(int64_t{-50}) : Value(int64_t{-1} << 40)});
  }
  return table;
}

class ReplyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    static const bool offered = [] {
      rte_telemetry_register_cmd(
          "/test/rows",
          [](const char*, const char* first, rte_tel_data* data) {
            reply_rows(data, example(), std::stoul(first));
            return 0;
          },
          "Rows");
      rte_telemetry_register_cmd(
          "/test/figures",
          [](const char*, const char*, rte_tel_data* data) {
            reply_figures(data, example());
            return 0;
          },
          "Figures");
      return true;
    }();
    ASSERT_TRUE(offered);
    if (client_.connected()) return;
    if (test::Client::taken_by_another()) GTEST_SKIP() << "another process has the socket";
    FAIL() << "nobody answers at EAL's telemetry socket";
  }
  test::Client client_;
};

TEST_F(ReplyTest, reply_with_rows__expect_their_values) {
  const json answer = client_.ask("/test/rows,0");
  EXPECT_EQ(answer["total"], 300);
  EXPECT_EQ(answer["rows"]["0"]["name"], "a \"quoted\" name");
  EXPECT_EQ(answer["rows"]["1"]["count"], ~uint64_t{0} - 1);
  EXPECT_EQ(answer["rows"]["0"]["level"], -50);
  EXPECT_EQ(answer["rows"]["1"]["level"], std::numeric_limits<int>::min());  // all DPDK carries
}

TEST_F(ReplyTest, reply_with_more_than_fits__expect_where_to_go_on) {
  const json answer = client_.ask("/test/rows,0");
  const auto next = answer["next"].get<size_t>();
  EXPECT_EQ(answer["rows"].size(), next);
  const json last = client_.ask("/test/rows,299");
  EXPECT_EQ(last["rows"].size(), 1u);
  EXPECT_FALSE(last.contains("next"));
  EXPECT_EQ(client_.ask("/test/rows,1000")["rows"].size(), 0u);
}

TEST_F(ReplyTest, describe_figures__expect_kind_unit_and_help) {
  const json answer = client_.ask("/test/figures");
  EXPECT_EQ(answer["count"], "counter packets C.");
  EXPECT_EQ(answer["level"], "gauge - L.");
}

}  // namespace
}  // namespace lambdacast::telemetry
