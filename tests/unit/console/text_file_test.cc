// SPDX-License-Identifier: BSD-3-Clause
#include "console/text_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace lambdacast::console {
namespace {

class TextFileTest : public ::testing::Test {
 protected:
  ~TextFileTest() override { std::filesystem::remove_all(path_); }
  const std::string path_ = ::testing::TempDir() + "text_file" + std::to_string(::getpid());
};

TEST_F(TextFileTest, write_and_read__expect_the_same_and_no_other_file) {
  ASSERT_TRUE(write_file(path_, "one\ntwo"));
  EXPECT_EQ(*read_file(path_), "one\ntwo");
  ASSERT_TRUE(write_file(path_, "three"));
  EXPECT_EQ(*read_file(path_), "three");
  EXPECT_FALSE(std::filesystem::exists(path_ + ".new"));
}

TEST_F(TextFileTest, read_what_is_not_there__expect_its_name) {
  const auto text = read_file(path_);
  ASSERT_FALSE(text);
  EXPECT_TRUE(text.error().message.starts_with(path_ + " cannot be read"));
}

TEST_F(TextFileTest, write_where_it_cannot_be__expect_its_name_and_nothing_left) {
  const auto nowhere = write_file(path_ + "/no/such", "x");
  ASSERT_FALSE(nowhere);
  EXPECT_NE(nowhere.error().message.find("cannot be written"), std::string::npos);
  std::filesystem::create_directories(path_ + "/inside");
  EXPECT_FALSE(write_file(path_, "x"));  // a directory
  EXPECT_FALSE(std::filesystem::exists(path_ + ".new"));
}

}  // namespace
}  // namespace lambdacast::console
