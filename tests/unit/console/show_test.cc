// SPDX-License-Identifier: BSD-3-Clause
#include "console/show.h"

#include <nlohmann/json.hpp>

#include "../telemetry/support.h"
#include "console/grammar.h"

namespace lambdacast::console {
namespace {

class ShowTest : public ::testing::Test {
 protected:
  std::string run(const std::string& line) { return grammar_.run(line); }

  telemetry::test::RunningRack running_;
  Show show_{running_.source()};
  Grammar grammar_{show_.commands()};
};

TEST_F(ShowTest, show_each_subject__expect_its_figures) {
  for (const telemetry::Subject& subject : telemetry::subjects()) {
    const std::string text = run(std::string("show ") + subject.words);
    for (const telemetry::Figure& figure : subject.table({}).figures) {
      EXPECT_NE(text.find(figure.name), std::string::npos) << subject.name << ' ' << figure.name;
    }
  }
}

TEST_F(ShowTest, show_each_subject_as_json__expect_its_figures_in_each_row) {
  for (const telemetry::Subject& subject : telemetry::subjects()) {
    const Reply reply = grammar_.run(std::string("show ") + subject.words, Format::kJson);
    ASSERT_TRUE(reply.ok) << subject.name;
    const auto json = nlohmann::json::parse(reply.text);
    EXPECT_EQ(json.at("subject"), subject.name);
    for (const telemetry::Figure& figure : subject.table({}).figures) {
      EXPECT_EQ(json.at("figures").at(figure.name).at("kind"), name(figure.kind)) << figure.name;
      for (const auto& row : json.at("rows")) EXPECT_TRUE(row.contains(figure.name));
    }
  }
  const Reply one = grammar_.run("show endpoint node1", Format::kJson);
  ASSERT_EQ(nlohmann::json::parse(one.text).at("rows").size(), 1u);
}

TEST_F(ShowTest, show_one_endpoint__expect_nothing_of_the_other) {
  for (const char* line : {"show stages node1", "show port stats node1"}) {
    const std::string text = run(line);
    EXPECT_NE(text.find("node1"), std::string::npos);
    EXPECT_EQ(text.find("node0"), std::string::npos);
  }
  EXPECT_NE(run("show stages node2").find("usage: show stages [ENDPOINT]"), std::string::npos);
  EXPECT_NE(run("show port stats").find("usage: show port stats all|ENDPOINT"), std::string::npos);
}

TEST_F(ShowTest, clear_stats__expect_what_is_shown_to_begin_anew_and_what_counts_to_go_on) {
  EXPECT_NE(run("show group node1").find("3         3     60"), std::string::npos);
  EXPECT_EQ(run("clear stats"), "");
  EXPECT_NE(run("show group node1").find("0         0      0"), std::string::npos);
  EXPECT_EQ(take_snapshot(running_.source(), {}).endpoints[1].stages.ordering.delivered.packets,
            3u);
}

TEST_F(ShowTest, show_port_stats_twice__expect_rates_since_the_first) {
  EXPECT_NE(run("show port stats node1").find("rx_pps"), std::string::npos);
  const std::string text = run("show port stats node1");
  const size_t rate = text.find("rx_pps");
  ASSERT_NE(rate, std::string::npos);
  EXPECT_NE(text.find("  packets/s", rate), std::string::npos);
}

}  // namespace
}  // namespace lambdacast::console
