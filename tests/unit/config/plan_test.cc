// SPDX-License-Identifier: BSD-3-Clause
#include "config/plan.h"

#include "config/effective.h"
#include "support.h"

namespace lambdacast::config {
namespace {

// "setting: before -> after (effect); " of each change.
std::string text_of(const std::vector<Change>& changes) {
  std::string text;
  for (const Change& each : changes) {
    text +=
        each.setting + ": " + each.before + " -> " + each.after + " (" + name(each.effect) + "); ";
  }
  return text;
}

std::string plan_of(const std::string& running, const std::string& wanted) {
  return text_of(plan(loaded(running), loaded(wanted)));
}

TEST(PlanTest, compare_the_same_written_otherwise__expect_nothing) {
  const std::string other =
      "# another order, defaults written out\n[[endpoint]]\nwavelength = \"C21\"\nburst = 32\n"
      "address = \"10.0.0.1\"\nname = \"a\"\n[fabric]\nname = \"lab\"\n";
  EXPECT_EQ(plan_of(kMinimal, other), "");
  EXPECT_EQ(plan_of(kMinimal, effective(loaded(kMinimal))), "");
}

TEST(PlanTest, change_what_the_console_sets__expect_live) {
  EXPECT_EQ(plan_of(kMinimal, kMinimal + "[endpoint.traffic]\nenabled = true\nrate_pps = 5\n"
                                         "[endpoint.faults]\nloss = 0.5\n"),
            "endpoint.a.faults.loss: 0 -> 0.5 (live); "
            "endpoint.a.traffic.enabled: false -> true (live); "
            "endpoint.a.traffic.rate_pps: 0 -> 5 (live); ");
}

TEST(PlanTest, change_what_an_endpoint_is_made_of__expect_a_new_incarnation) {
  EXPECT_EQ(plan_of(kMinimal, kMinimal + "burst = 64\n"),
            "endpoint.a.burst: 32 -> 64 (new incarnation); ");
  EXPECT_EQ(plan_of(kMinimal + "vlan = 7\n", kMinimal),
            "endpoint.a.vlan: 7 ->  (new incarnation); ");
}

TEST(PlanTest, change_memory_lcores_or_the_fabric__expect_a_restart) {
  EXPECT_EQ(plan_of(kMinimal, kMinimal + "mbufs = 16384\n"),
            "endpoint.a.mbufs: 8192 -> 16384 (restart); ");
  EXPECT_NE(plan_of(kMinimal, kMinimal + "lcore = 3\n")
                .find("endpoint.a.stages.receive: 0 -> 3 (restart); "),
            std::string::npos);
  EXPECT_NE(plan_of(kMinimal, kMinimal + "[eal]\nargs = [\"-m\", \"64\"]\n")
                .find("eal.args: [] -> [\"-m\", \"64\"] (restart); "),
            std::string::npos);
}

TEST(PlanTest, add_and_remove_an_endpoint__expect_one_change_each) {
  EXPECT_EQ(plan_of(kMinimal, kMinimal + kSecond), "endpoint.b:  -> \"b\" (restart); ");
  EXPECT_EQ(plan_of(kMinimal + kSecond, kMinimal), "endpoint.b: \"b\" ->  (restart); ");
}

TEST(PlanTest, take_over_what_is_live__expect_the_rest_to_remain_and_nothing_live) {
  const Config running = loaded(kMinimal);
  const Config wanted = loaded(kMinimal + "burst = 64\n[endpoint.traffic]\nrate_pps = 5\n" +
                               "[endpoint.faults]\nloss = 0.5\ndelay_ns = 10\n");
  EXPECT_EQ(text_of(plan(with_live(running, wanted), wanted)),
            "endpoint.a.burst: 32 -> 64 (new incarnation); ");
}

}  // namespace
}  // namespace lambdacast::config
