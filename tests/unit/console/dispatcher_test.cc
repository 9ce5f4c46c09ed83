// SPDX-License-Identifier: BSD-3-Clause
#include "console/dispatcher.h"

#include <gtest/gtest.h>

#include "console/catalogue.h"
#include "fake_client.h"

namespace lambdacast::console {
namespace {

class DispatcherTest : public ::testing::Test {
 protected:
  Reply run(const std::string& line, Format format = Format::kText) {
    return dispatcher_.run(line, format, client_);
  }

  test::FakeClient client_;
  test::FakeClient other_;
  Dispatcher dispatcher_{
      {{{fixed("ping")}, 0, "Answers.", [](const Arguments&) { return "pong\n"; }},
       {{fixed("nest")}, 0, "Lets another client type.", [this](const Arguments&) {
          (void)dispatcher_.run("wait 1", Format::kText, other_);
          return "";
        }}}};
};

TEST_F(DispatcherTest, run_a_command__expect_its_answer_and_nothing_asked_of_the_client) {
  const Reply reply = run("ping");
  EXPECT_TRUE(reply.ok);
  EXPECT_EQ(reply.text, "pong\n");
  EXPECT_EQ(client_.asked(), "");
}

TEST_F(DispatcherTest, run_what_is_no_command__expect_a_refusal) {
  EXPECT_FALSE(run("pong").ok);
  EXPECT_FALSE(run("wait soon").ok);
  EXPECT_TRUE(run("").ok);
  EXPECT_TRUE(run("# ping").ok);
}

TEST_F(DispatcherTest, run_what_is_about_the_client__expect_it_to_be_asked) {
  for (const char* line : {"wait 0.25", "load x", "events", "events 4k", "drain", "quit"})
    EXPECT_TRUE(run(line).ok) << line;
  EXPECT_EQ(client_.asked(), "wait 0.250000; load x; events 1024; events 4000; drain; quit; ");
}

TEST_F(DispatcherTest, ask_for_what_is_not_allowed__expect_a_refusal_and_nothing_asked) {
  for (const char* line : {"wait -1", "wait 1e6", "events 0", "events 4097", "events many"})
    EXPECT_FALSE(run(line).ok) << line;
  EXPECT_EQ(client_.asked(), "");
}

TEST_F(DispatcherTest, be_refused_by_the_client__expect_its_sentence) {
  client_.refusal = "not here";
  const Reply reply = run("load x");
  EXPECT_FALSE(reply.ok);
  EXPECT_EQ(reply.text, "not here\nusage: load FILE\n");
}

TEST_F(DispatcherTest, let_another_client_type_within_a_command__expect_each_to_be_asked_its_own) {
  EXPECT_TRUE(run("nest").ok);
  EXPECT_EQ(other_.asked(), "wait 1.000000; ");
  EXPECT_TRUE(run("wait 2").ok);
  EXPECT_EQ(client_.asked(), "wait 2.000000; ");
}

TEST_F(DispatcherTest, ask_for_json__expect_text_of_what_has_no_json_in_an_object) {
  EXPECT_EQ(run("ping", Format::kJson).text, "{\"text\":\"pong\\n\"}");
  EXPECT_EQ(run("wait 1", Format::kJson).text, "");
  EXPECT_EQ(run("help", Format::kJson).text, catalogue_json(dispatcher_.grammar().commands()));
}

}  // namespace
}  // namespace lambdacast::console
