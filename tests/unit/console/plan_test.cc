// SPDX-License-Identifier: BSD-3-Clause
#include "console/plan.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "config/effective.h"
#include "config/plan.h"
#include "console/grammar.h"
#include "fake_appliance.h"

namespace lambdacast::console {
namespace {

class PlanCommandsTest : public ::testing::Test {
 protected:
  Reply run(const std::string& line, Format format = Format::kText) {
    return grammar_.run(line, format);
  }
  // The configuration that runs, with that in place of `what`.
  void write(const std::string& what, const std::string& with) {
    file_ = effective(live_.config());
    const size_t at = file_.find(what);
    ASSERT_NE(at, std::string::npos) << what << file_;
    file_.replace(at, what.size(), with);
  }

  test::FakeAppliance appliance_;
  const config::Config loaded_ = lambdacast::test::rack_config({});
  LiveConfig live_{appliance_, loaded_};
  std::string file_;
  Grammar grammar_{plan_commands(
      live_, {[this](const std::string& path) -> base::Result<std::string> {
                if (path != "x.toml") return base::fail(path + " cannot be read");
                return file_;
              },
              [this](const std::string& path, const std::string& text) -> base::Result<void> {
                if (path != "x.toml") return base::fail(path + " cannot be written");
                file_ = text;
                return {};
              }})};
};

TEST_F(PlanCommandsTest, save_and_plan__expect_what_loads_to_the_same_and_nothing_to_do) {
  live_.set_rate_pps(1, 1234);
  EXPECT_EQ(run("save x.toml").text, "");
  const auto again = config::parse(file_, "saved");
  ASSERT_TRUE(again) << config::text(again.error());
  EXPECT_TRUE(config::plan(live_.config(), *again).empty());
  EXPECT_EQ(again->endpoints[1].traffic.rate_pps, 1234u);
  EXPECT_EQ(run("plan x.toml").text, "Nothing differs.\n");
  EXPECT_FALSE(run("save y.toml").ok);
}

TEST_F(PlanCommandsTest, plan_a_change__expect_its_values_and_effect_and_nothing_done) {
  write("[endpoint.traffic]\n", "[endpoint.traffic]\nrate_pps = 500\n");
  const std::string text = run("plan x.toml").text;
  EXPECT_NE(text.find("endpoint.node0.traffic.rate_pps"), std::string::npos) << text;
  EXPECT_NE(text.find("live"), std::string::npos);
  const auto json = nlohmann::json::parse(run("plan x.toml", Format::kJson).text);
  ASSERT_EQ(json.at("rows").size(), 1u);
  EXPECT_EQ(json.at("rows")[0].at("wanted"), "500");
  EXPECT_EQ(appliance_.done(), "");
}

TEST_F(PlanCommandsTest, apply__expect_what_is_live_done_once_and_the_rest_told) {
  write("[endpoint.traffic]\n", "[endpoint.traffic]\nrate_pps = 500\n");
  const size_t burst = file_.find("# burst = 32");
  ASSERT_NE(burst, std::string::npos);
  file_.replace(burst, 12, "burst = 64");
  const std::string text = run("apply x.toml").text;
  EXPECT_EQ(appliance_.done(), "rate 0 500; ");
  EXPECT_NE(text.find("endpoint.node0.traffic.rate_pps = 500\n"), std::string::npos) << text;
  EXPECT_NE(text.find("These remain:\n"), std::string::npos);
  EXPECT_NE(text.find("endpoint.node0.burst"), std::string::npos);
  const auto again = nlohmann::json::parse(run("apply x.toml", Format::kJson).text);
  EXPECT_TRUE(again.at("done").at("rows").empty());
  EXPECT_EQ(again.at("remaining").at("rows").size(), 1u);
  EXPECT_EQ(appliance_.done(), "");
}

TEST_F(PlanCommandsTest, apply_several_faults__expect_the_port_to_be_asked_once) {
  write("# loss = 0\n", "loss = 0.25\ndelay_ns = 9\n");
  EXPECT_TRUE(run("apply x.toml").ok);
  EXPECT_EQ(appliance_.done(), "faults 0; ");
  EXPECT_EQ(live_.config().endpoints[0].faults.loss, 0.25);
  EXPECT_EQ(live_.config().endpoints[0].faults.delay_ns, 9u);
}

TEST_F(PlanCommandsTest, apply_what_the_port_refuses__expect_the_setting_and_its_sentence) {
  write("# loss = 0\n", "loss = 0.25\n");
  appliance_.refusal = "the port is gone";
  const Reply reply = run("apply x.toml");
  EXPECT_FALSE(reply.ok);
  EXPECT_NE(reply.text.find("endpoint.node0.faults.loss: the port is gone"), std::string::npos);
}

TEST_F(PlanCommandsTest, plan_and_apply_a_wrong_file__expect_its_problems_and_nothing_done) {
  write("# burst = 32", "burst = 0");
  for (const char* line : {"plan x.toml", "apply x.toml"}) {
    const Reply reply = run(line);
    EXPECT_FALSE(reply.ok);
    EXPECT_NE(reply.text.find("x.toml:"), std::string::npos);
    EXPECT_NE(reply.text.find("burst: 0 is not allowed"), std::string::npos) << reply.text;
  }
  EXPECT_FALSE(run("plan y.toml").ok);
  EXPECT_EQ(appliance_.done(), "");
}

}  // namespace
}  // namespace lambdacast::console
