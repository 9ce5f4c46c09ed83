// SPDX-License-Identifier: BSD-3-Clause
#include "console/trace_packets.h"

#include <nlohmann/json.hpp>

#include "../telemetry/support.h"
#include "console/grammar.h"

namespace lambdacast::console {
namespace {

class TracePacketsTest : public ::testing::Test {
 protected:
  Reply run(const std::string& line, Format format = Format::kText) {
    return grammar_.run(line, format);
  }

  telemetry::test::RunningRack running_;
  rack::PacketTracer tracer_{*running_.rack};
  Grammar grammar_{trace_packets_commands(tracer_, running_.config)};
};

TEST_F(TracePacketsTest, follow_packets__expect_their_steps_with_their_names) {
  EXPECT_EQ(run("trace add receive 64 node1").text, "");
  running_.rack->loop(1).run_here([&] {
    EXPECT_TRUE(lambdacast::test::publish(running_.rack->endpoint(0),
                                          lambdacast::test::counting_bytes(20)));
  });
  ASSERT_TRUE(lambdacast::test::eventually([&] {
    const auto shown = run("trace show", Format::kJson);
    return shown.text.find("\"ordering\"") != std::string::npos;
  }));
  const auto json = nlohmann::json::parse(run("trace show", Format::kJson).text);
  EXPECT_EQ(json.at("subject"), "packets");
  for (const auto& row : json.at("rows")) EXPECT_EQ(row.at("endpoint"), "node1");
  EXPECT_NE(run("trace show").text.find("reliability"), std::string::npos);
  EXPECT_EQ(run("trace stop").text, "");
  EXPECT_TRUE(run("trace show").ok);
}

TEST_F(TracePacketsTest, ask_for_what_cannot_be_followed__expect_a_refusal) {
  EXPECT_FALSE(run("trace show").ok);
  for (const char* line : {"trace add receive 0", "trace add receive 65", "trace add receive some",
                           "trace add nothing 1", "trace add receive 1 node9"})
    EXPECT_FALSE(run(line).ok) << line;
  EXPECT_EQ(dpdk::PacketTrace::active(), nullptr);
}

}  // namespace
}  // namespace lambdacast::console
