// SPDX-License-Identifier: BSD-3-Clause
#include "telemetry/server.h"

#include <atomic>
#include <thread>
#include <vector>

#include "client.h"
#include "counters/drop_reason.h"
#include "support.h"

namespace lambdacast::telemetry {
namespace {

using nlohmann::json;

// So many groups that their table takes several answers.
std::string many_groups() {
  std::string list = "1";
  for (int group = 2; group <= 400; ++group) list += ", " + std::to_string(group);
  return "lcore = 1\ngroups = [" + list + "]";
}

class ServerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (client_.connected()) return;
    if (test::Client::taken_by_another()) GTEST_SKIP() << "another process has the socket";
    FAIL() << "nobody answers at EAL's telemetry socket";
  }
  test::RunningRack running_{{.defaults = many_groups()}};
  Server server_{running_.source()};
  test::Client client_;
};

TEST_F(ServerTest, ask_for_each_subject__expect_the_figures_of_its_table) {
  const json subjects_told = client_.ask("/lambdacast/subjects");
  ASSERT_EQ(subjects_told.size(), subjects().size());
  for (const Subject& subject : subjects()) {
    const std::string name = subject.name;
    const json answer = client_.ask("/lambdacast/" + name);
    const Table table = running_.table(subject.name);
    ASSERT_EQ(answer["total"], table.rows.size()) << name;
    for (const Figure& figure : table.figures) {
      const json described = client_.ask("/lambdacast/figures," + name);
      EXPECT_TRUE(described.contains(figure.name)) << name << ' ' << figure.name;
      EXPECT_TRUE(table.rows.empty() || answer["rows"]["0"].contains(figure.name)) << name;
    }
  }
}

TEST_F(ServerTest, ask_for_one_endpoint__expect_its_figures_without_rows) {
  EXPECT_EQ(client_.ask("/lambdacast/endpoints"), json({"node0", "node1"}));
  EXPECT_TRUE(lambdacast::test::eventually(
      [&] { return client_.ask("/lambdacast/peers,node0")["total"] == 1; }));  // by its control
  const json answer = client_.ask("/lambdacast/endpoint,node1");
  EXPECT_EQ(answer["endpoint"], "node1");
  EXPECT_EQ(answer["delivered_messages"], 3);
  EXPECT_EQ(client_.ask("/lambdacast/peers,node1")["rows"]["0"]["received"], 3);
  EXPECT_EQ(client_.ask("/lambdacast/peers,node0")["rows"]["0"]["received"], 0);
}

TEST_F(ServerTest, ask_for_more_rows_than_an_answer_holds__expect_all_in_parts) {
  const Table table = running_.table("groups");
  size_t rows = 0, parts = 0;
  for (json answer = {{"next", 0}}; answer.contains("next");) {
    const auto next = answer["next"].get<size_t>();
    EXPECT_EQ(next, rows);
    answer = client_.ask("/lambdacast/groups,," + std::to_string(next));
    rows += answer["rows"].size();
    ASSERT_LT(++parts, 100u);
  }
  EXPECT_EQ(rows, table.rows.size());
  EXPECT_GT(parts, 1u);
}

TEST_F(ServerTest, read_a_table_in_parts__expect_all_of_one_snapshot) {
  const json first = client_.ask("/lambdacast/groups");
  const auto next = first["next"].get<size_t>();
  const auto id = first["snapshot"].get<uint64_t>();
  const std::string rest = "/lambdacast/groups,," + std::to_string(next);
  const json again = client_.ask("/lambdacast/groups");
  EXPECT_NE(again["snapshot"], id) << "a table that begins is a new one";
  const json by_number = client_.ask(rest + "," + std::to_string(id));
  EXPECT_EQ(by_number["total"], first["total"]);
  EXPECT_TRUE(by_number["rows"].contains(std::to_string(next)));
  EXPECT_EQ(client_.ask(rest + "," + std::to_string(id)),
            by_number.contains("next") ? by_number : json(nullptr))
      << "it has gone with its last part";
}

TEST_F(ServerTest, go_on_in_a_table_that_has_gone__expect_null_and_a_new_one_if_none_is_named) {
  EXPECT_TRUE(client_.ask("/lambdacast/groups,,1,999999").is_null());
  EXPECT_TRUE(client_.ask("/lambdacast/groups,,1,0").is_null());
  EXPECT_TRUE(client_.ask("/lambdacast/groups,,1,").is_null());
  EXPECT_FALSE(client_.ask("/lambdacast/groups,,1").is_null());
}

TEST_F(ServerTest, ask_for_what_is_not_there__expect_null) {
  for (const char* line : {"/lambdacast/peers,nobody", "/lambdacast/endpoint,nobody",
                           "/lambdacast/figures,nothing", "/lambdacast/peers,node1,x",
                           "/lambdacast/peers,node1,0x", "/lambdacast/peers,node1,0,1,2"}) {
    EXPECT_TRUE(client_.ask(line).is_null()) << line;
  }
}

TEST_F(ServerTest, ask_why_packets_are_dropped__expect_a_sentence_each) {
  const json reasons = client_.ask("/lambdacast/drop_reasons");
  EXPECT_EQ(reasons.size(), counters::kDropReasons - 1);
  EXPECT_EQ(reasons["bad_icrc"], help(counters::DropReason::kBadIcrc));
}

TEST_F(ServerTest, ask_from_several_threads_at_once__expect_each_to_be_answered) {
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      test::Client client;
      for (int i = 0; i < 50; ++i) right += client.ask("/lambdacast/stages")["total"] == 10 ? 1 : 0;
    });
  }
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(take_snapshot(running_.source(), {}).endpoints[1].stages.ordering.counters.forwarded,
              3u);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 150);
}

TEST(ServerEndTest, ask_when_no_server_is_left__expect_null) {
  test::RunningRack running;
  { const Server server(running.source()); }
  test::Client client;
  if (!client.connected() && test::Client::taken_by_another()) {
    GTEST_SKIP() << "another process has the socket";
  }
  ASSERT_TRUE(client.connected()) << "nobody answers at EAL's telemetry socket";
  EXPECT_TRUE(client.ask("/lambdacast/peers").is_null());
}

}  // namespace
}  // namespace lambdacast::telemetry
