#include "console/show.h"

#include <gtest/gtest.h>

#include "../dataplane/support.h"
#include "console/grammar.h"
#include "telemetry/subject.h"

namespace lambdacast::console {
namespace {

class ShowTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto rack =
        dataplane::Rack::create(dataplane::test::rack_config({.defaults = "lcore = 1"}), {});
    ASSERT_TRUE(rack);
    rack_ = std::move(*rack);
    ASSERT_TRUE(rack_->start());
    grammar_ = std::make_unique<Grammar>(show_commands(*rack_));
  }

  std::unique_ptr<dataplane::Rack> rack_;
  std::unique_ptr<Grammar> grammar_;
};

TEST_F(ShowTest, show_each_subject__expect_its_figures) {
  for (const telemetry::Subject& subject : telemetry::subjects()) {
    const std::string text = grammar_->run(std::string("show ") + subject.name);
    for (const telemetry::Figure& figure : subject.table({}).figures) {
      EXPECT_NE(text.find(figure.name), std::string::npos) << subject.name << ' ' << figure.name;
    }
  }
}

TEST_F(ShowTest, show_one_endpoint__expect_nothing_of_the_other) {
  const std::string text = grammar_->run("show stages node1");
  EXPECT_NE(text.find("node1"), std::string::npos);
  EXPECT_EQ(text.find("node0"), std::string::npos);
  EXPECT_NE(grammar_->run("show stages node2").find("usage: show stages [ENDPOINT]"),
            std::string::npos);
}

}  // namespace
}  // namespace lambdacast::console
