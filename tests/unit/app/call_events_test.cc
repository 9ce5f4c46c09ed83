// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast/call_events.h"

#include <gtest/gtest.h>

#include <vector>

namespace lambdacast::appliance {
namespace call_events_test {

CallNews of_orders() {
  CallNews news;
  const std::string_view name = "orders";
  std::copy(name.begin(), name.end(), news.group.begin());
  return news;
}

NodeName node(uint32_t number) {
  NodeName name;
  name.gid = wire::gid_from_ipv4(0x0a4d0000 + number);
  return name;
}

std::string answered(std::string_view text) {
  CallNews news = of_orders();
  news.take(node(2), {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  return sentence("node0", news);
}

TEST(CallEvents, answer__expect_who_and_what) {
  EXPECT_EQ(answered("hello"), "node0: call to group orders: 10.77.0.2 answers: hello\n");
  EXPECT_EQ(answered("\x1b"), "node0: call to group orders: 10.77.0.2 answers: \\x1b\n");
  EXPECT_EQ(answered(std::string(1025, 'x')), "node0: call to group orders: 10.77.0.2 answers: " +
                                                  std::string(1024, 'x') + " ... (1025 bytes)\n");
}

TEST(CallEvents, end_of_a_call__expect_whether_delivered_and_who_has_not_answered) {
  using Fate = Asked::Fate;
  const std::vector<Asked> asked = {{node(1), Fate::kAnswered},
                                    {node(2), Fate::kDeclined},
                                    {node(3), Fate::kSilent},
                                    {node(4), Fate::kDeparted},
                                    {node(5), Fate::kForgotten}};
  Outcome outcome;
  outcome.what = Outcome::What::kTimeout;
  outcome.delivered = Outcome::Delivered::kYes;
  outcome.epoch = 3;
  outcome.index = 17;
  outcome.asked = asked;
  CallNews news = of_orders();
  news.take(outcome);
  EXPECT_EQ(sentence("node0", news),
            "node0: call to group orders: no answer in time; delivered at 3.17; 10.77.0.2 has "
            "declined, 10.77.0.3 has not answered, 10.77.0.4 has departed, "
            "10.77.0.5 keeps no answer\n");
  outcome = {};
  outcome.what = Outcome::What::kRefused;
  outcome.delivered = Outcome::Delivered::kNo;
  news.take(outcome);
  EXPECT_EQ(sentence("node0", news),
            "node0: call to group orders: the group is suspended or has changed, or no entry took "
            "the request; never delivered\n");
  outcome.what = Outcome::What::kUnknown;
  outcome.delivered = Outcome::Delivered::kUnknown;
  news.take(outcome);
  EXPECT_EQ(sentence("node0", news),
            "node0: call to group orders: this endpoint is out of the view; perhaps delivered\n");
}

}  // namespace call_events_test
}  // namespace lambdacast::appliance
