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

// Rows with names as they may come from elsewhere, and one after them.
Table foreign() {
  Table table{{{"name", Kind::kLabel, Unit::kNone, "N."}}, {}};
  std::string long_name;
  for (int i = 0; i < 31; ++i) long_name += "\xc3\xa9";
  for (const std::string& name :
       {std::string("\xc3\xa9t\xc3\xa9"), std::string("\xe9t\xe9"), std::string("\xc2\x9b\n\x7f"),
        std::string("a\\b"), long_name, std::string(5000, 'x'), std::string("last")}) {
    table.rows.push_back({Value(name)});
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
          "/test/foreign",
          [](const char*, const char*, rte_tel_data* data) {
            reply_rows(data, foreign(), 0);
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

TEST_F(ReplyTest, reply_with_text_from_elsewhere__expect_ascii_that_loses_nothing) {
  const json rows = client_.ask("/test/foreign")["rows"];
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows["0"]["name"], "\\u00e9t\\u00e9");
  EXPECT_EQ(rows["1"]["name"], "\\xe9t\\xe9");
  EXPECT_EQ(rows["2"]["name"], "\\xc2\\x9b\\x0a\\x7f");
  EXPECT_EQ(rows["3"]["name"], "a\\\\b");
  const auto first = rows["4"]["name"].get<std::string>();
  const auto second = rows["4"]["name/2"].get<std::string>();
  EXPECT_EQ(first.size(), 126u) << "21 characters: 127 bytes cut the next";
  EXPECT_EQ(second.size(), 60u);
  EXPECT_EQ(rows["5"]["name/8"].get<std::string>().size(), 127u);
  EXPECT_FALSE(rows["5"].contains("name/9"));
  EXPECT_EQ(rows["6"]["name"], "last");
}

TEST_F(ReplyTest, describe_figures__expect_kind_unit_and_help) {
  const json answer = client_.ask("/test/figures");
  EXPECT_EQ(answer["count"], "counter packets C.");
  EXPECT_EQ(answer["level"], "gauge - L.");
}

}  // namespace
}  // namespace lambdacast::telemetry
