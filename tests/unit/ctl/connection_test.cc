// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/connection.h"

#include "support.h"

namespace lambdacast::ctl {
namespace {

class ConnectionTest : public ::testing::Test {
 protected:
  void say(const std::string& bytes) { test::write_all(pair_.theirs.get(), bytes); }
  // The frames that have come at the other end.
  std::string heard() {
    reader_.feed(test::read_all(pair_.theirs.get()));
    std::string text;
    while (const auto frame = *reader_.next()) text += frame->payload + ";";
    return text;
  }

  test::Pair pair_;
  FrameReader reader_{kMaxAnswerBytes};
  Connection connection_{std::move(pair_.ours), 1, {}, 100};
};

TEST_F(ConnectionTest, read_a_frame__expect_it_once) {
  say(encode(FrameType::kRequest, "x"));
  ASSERT_TRUE(connection_.read());
  EXPECT_TRUE(connection_.ready(100));
  EXPECT_EQ((*connection_.next(100))->payload, "x");
  EXPECT_FALSE(connection_.next(100)->has_value());
}

TEST_F(ConnectionTest, let_an_answer_wait__expect_no_further_frame_until_it_is_taken) {
  connection_.greeted();
  connection_.put(FrameType::kAnswer, std::string(1 << 20, 'x'));
  ASSERT_TRUE(connection_.send(200));
  say(encode(FrameType::kRequest, "x"));
  ASSERT_TRUE(connection_.read());
  EXPECT_FALSE(connection_.next(200)->has_value());
  EXPECT_EQ(connection_.stuck_since_ns(), 200u);
  while (heard().empty()) ASSERT_TRUE(connection_.send(300));
  EXPECT_EQ(connection_.stuck_since_ns(), std::nullopt);
  ASSERT_TRUE(connection_.read());
  EXPECT_EQ((*connection_.next(300))->payload, "x");
}

TEST_F(ConnectionTest, keep_silent__expect_it_to_be_stuck_until_it_greets) {
  ASSERT_TRUE(connection_.send(900));
  EXPECT_EQ(connection_.stuck_since_ns(), 100u);
  connection_.greeted();
  EXPECT_EQ(connection_.stuck_since_ns(), std::nullopt);
}

TEST_F(ConnectionTest, pause__expect_the_answer_when_the_time_is_over_and_no_frame_before) {
  connection_.greeted();
  connection_.pause(1000, {true, "done"});
  say(encode(FrameType::kRequest, "x"));
  ASSERT_TRUE(connection_.read());
  ASSERT_TRUE(connection_.send(999));
  EXPECT_EQ(heard(), "");
  EXPECT_FALSE(connection_.next(999)->has_value());
  ASSERT_TRUE(connection_.send(1000));
  EXPECT_EQ(heard(), std::string(1, '\0') + "done;");
  EXPECT_TRUE(connection_.next(1000)->has_value());
}

TEST_F(ConnectionTest, end_its_sending_side__expect_the_answer_still_to_go_out) {
  connection_.greeted();
  connection_.pause(1000, {true, "done"});
  ::shutdown(pair_.theirs.get(), SHUT_WR);
  EXPECT_TRUE(connection_.read());
  ASSERT_TRUE(connection_.send(1000));
  EXPECT_EQ(heard(), std::string(1, '\0') + "done;");
  EXPECT_TRUE(connection_.over());
}

TEST_F(ConnectionTest, go_away_in_a_pause__expect_it_to_be_noticed_at_once) {
  connection_.greeted();
  connection_.pause(1'000'000, {true, "done"});
  { const Descriptor gone = std::move(pair_.theirs); }
  EXPECT_FALSE(connection_.read());
}

TEST_F(ConnectionTest, publish__expect_events_of_who_subscribed_alone) {
  connection_.publish("a");
  connection_.subscribe(8);
  EXPECT_TRUE(connection_.subscribed());
  connection_.publish("b");
  connection_.publish("c");
  ASSERT_TRUE(connection_.send(100));
  EXPECT_EQ(heard(), "b;c;");
}

TEST_F(ConnectionTest, publish_without_end_to_one_who_does_not_read__expect_a_bound_and_a_count) {
  connection_.subscribe(4);
  const std::string event(10'000, 'e');
  for (int i = 0; i < 100; ++i) {
    connection_.publish(event);
    ASSERT_TRUE(connection_.send(100));
  }
  std::string all;
  for (int i = 0; i < 100; ++i) {
    all += heard();
    ASSERT_TRUE(connection_.send(200));
  }
  all += heard();
  EXPECT_NE(all.find("{\"event\":\"overflow\",\"lost\":"), std::string::npos);
  EXPECT_LT(all.size(), 60 * event.size());
}

}  // namespace
}  // namespace lambdacast::ctl
