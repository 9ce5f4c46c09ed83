// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "lambdacast-bench/cases/throughput.h"
#include "parse_words.h"

namespace lambdacast::bench {
namespace throughput_options_test {

std::optional<ThroughputOptions> parse(const app::Words& words) {
  return app::parse_words<ThroughputOptions>(add_options, words);
}

TEST(ThroughputOptionsTest, parse_nothing__expect_the_documented_defaults) {
  const auto options = parse({});
  ASSERT_TRUE(options);
  EXPECT_EQ(options->payload_bytes, 64u);
  EXPECT_EQ(options->seconds, 3);
  EXPECT_EQ(options->count, 0u);
  EXPECT_EQ(options->pace.text(), "window");
  EXPECT_EQ(options->fill, Fill::kEach);
  EXPECT_EQ(options->pair.icrc, wire::IcrcMode::kFull);
  EXPECT_EQ(check(*options), "");
}

TEST(ThroughputOptionsTest, parse_words__expect_each_and_a_refusal_of_others) {
  EXPECT_EQ(parse({"--fill", "never"})->fill, Fill::kNever);
  EXPECT_EQ(parse({"--icrc", "off"})->pair.icrc, wire::IcrcMode::kOff);
  EXPECT_EQ(parse({"--icrc", "generate"})->pair.icrc, wire::IcrcMode::kGenerate);
  EXPECT_EQ(parse({"--pace", "500"})->pace.per_second, 500u);
  for (const app::Words& wrong :
       {app::Words{"--fill", "once"}, app::Words{"--icrc", "half"}, app::Words{"--pace", "fast"},
        app::Words{"--payload", "0"}, app::Words{"--seconds", "-1"}, app::Words{"--lcores", "0"}}) {
    EXPECT_FALSE(parse(wrong)) << wrong[0] << wrong[1];
  }
}

TEST(ThroughputOptionsTest, parse_coalescing__expect_a_deadline_or_the_endpoints) {
  EXPECT_EQ(parse({})->coalesce_text(), "off");
  EXPECT_EQ(parse({"--coalesce", "on"})->coalesce_text(), "on");
  EXPECT_EQ(parse({"--coalesce", "25"})->coalesce_text(), "25");
  EXPECT_EQ(parse({"--coalesce", "10000"})->coalesce_us, 10'000u);
  for (const char* wrong : {"0", "10001", "-1", "yes", "5us", ""}) {
    EXPECT_FALSE(parse({"--coalesce", wrong})) << wrong;
  }
  EXPECT_EQ(rack_of(*parse({"--coalesce", "25"}))->endpoints[kSenderNode].coalesce_ns, 25'000u);
}

TEST(ThroughputOptionsTest, send_the_longest_message__expect_it_allowed_and_no_longer_one) {
  EXPECT_TRUE(rack_of(*parse({"--payload", "16777216"})));
  EXPECT_FALSE(parse({"--payload", "16777217"}));
}

TEST(ThroughputOptionsTest, make_a_rack__expect_its_rings_to_hold_four_mebibytes_unless_told) {
  const auto slots = [](const app::Words& words) { return rack_of(*parse(words))->fabric->slots; };
  EXPECT_EQ(slots({}), 4096u);
  EXPECT_EQ(slots({"--payload", "1024"}), 2048u);
  EXPECT_EQ(slots({"--payload", "4048"}), 512u);
  EXPECT_EQ(slots({"--payload", "4048", "--slots", "4096"}), 4096u);
  EXPECT_EQ(slots({"--coalesce", "on"}), 512u) << "packets are full";
  EXPECT_EQ(slots({"--payload", "4049"}), 4096u) << "a message of two packets";
}

TEST(ThroughputOptionsTest, give_it_no_end__expect_a_sentence) {
  EXPECT_EQ(check(*parse({"--seconds", "0"})), "--seconds 0 needs --count");
  EXPECT_EQ(check(*parse({"--seconds", "0", "--count", "5"})), "");
  EXPECT_NE(check(*parse({"--lcores", "1,1"})), "");
}

TEST(ThroughputOptionsTest, make_a_rack__expect_the_icrc_at_both_ends) {
  const auto rack = rack_of(*parse({"--icrc", "off"}));
  ASSERT_TRUE(rack) << rack.error();
  for (const config::Endpoint& endpoint : rack->endpoints) {
    EXPECT_EQ(endpoint.icrc, wire::IcrcMode::kOff);
  }
  EXPECT_EQ(rack->endpoints[kReceiverNode].groups, (std::vector<uint32_t>{kMessageGroup}));
}

}  // namespace throughput_options_test
}  // namespace lambdacast::bench
