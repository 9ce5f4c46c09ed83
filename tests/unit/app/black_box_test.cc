// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast/black_box.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace lambdacast::appliance {
namespace {

class BlackBoxTest : public ::testing::Test {
 protected:
  ~BlackBoxTest() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  static std::string make_folder() {
    std::string name = std::filesystem::temp_directory_path() / "black_box_XXXXXX";
    return ::mkdtemp(name.data()) == nullptr ? std::string() : name;
  }

  const std::string folder_ = make_folder();
  const std::string path_ = folder_ + "/rack.blackbox";
  BlackBox box_{path_, "lambdacast 1"};
};

TEST_F(BlackBoxTest, nothing_happens__expect_no_file) {
  box_.note("said\n");
  box_.keep_figures("{}\n");
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(BlackBoxTest, ask_for_it__expect_the_newest_figures_and_all_notes) {
  box_.note("first\n");
  box_.keep_figures("{\"old\":1}\n");
  box_.keep_figures("{\"new\":1}\n");
  box_.note("second\n");
  ASSERT_TRUE(box_.write());
  EXPECT_EQ(text_of(path_), "lambdacast 1, process " + std::to_string(::getpid()) +
                                ": asked for by SIGUSR1\n--- figures ---\n{\"new\":1}\n"
                                "\n--- notes, the newest last ---\nfirst\nsecond\n");
  struct stat file;
  ASSERT_EQ(::stat(path_.c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0007, 0u);  // addresses of a site are nobody else's to read
}

TEST_F(BlackBoxTest, note_more_than_it_holds__expect_the_newest_whole) {
  for (int i = 0; i < 20'000; ++i) box_.note("note " + std::to_string(i) + "\n");
  ASSERT_TRUE(box_.write());
  const std::string text = text_of(path_);
  EXPECT_EQ(text.find("note 1000\n"), std::string::npos);
  EXPECT_NE(text.find("note 19998\nnote 19999\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("note 19999\n"));
}

TEST_F(BlackBoxTest, keep_figures_longer_than_it_holds__expect_their_beginning) {
  box_.keep_figures(std::string(BlackBox::kFiguresBytes + 1, 'x'));
  ASSERT_TRUE(box_.write());
  EXPECT_LT(std::filesystem::file_size(path_), BlackBox::kFiguresBytes + 200);
}

TEST_F(BlackBoxTest, write_where_it_cannot__expect_a_sentence_with_the_path) {
  BlackBox box(folder_ + "/none/x", "lambdacast 1");
  EXPECT_EQ(box.write().error().message,
            "black box " + folder_ + "/none/x: No such file or directory");
  EXPECT_FALSE(BlackBox("", "lambdacast 1").write());
}

TEST_F(BlackBoxTest, put_a_link_in_its_place__expect_it_not_followed) {
  std::filesystem::create_symlink(folder_ + "/other", path_);
  EXPECT_FALSE(box_.write());
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/other"));
}

TEST_F(BlackBoxTest, abort__expect_the_file_and_the_process_ended_by_that_signal) {
  box_.note("the last thing\n");
  EXPECT_EXIT(
      {
        const BlackBoxSignals signals(box_);
        std::abort();
      },
      ::testing::KilledBySignal(SIGABRT), "");
  const std::string text = text_of(path_);
  EXPECT_NE(text.find(": SIGABRT\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("the last thing\n"));
}

TEST_F(BlackBoxTest, send_SIGUSR1__expect_it_asked_for_once) {
  BlackBoxSignals signals(box_);
  EXPECT_FALSE(signals.asked());
  ::raise(SIGUSR1);
  EXPECT_TRUE(signals.asked());
  EXPECT_FALSE(signals.asked());
}

}  // namespace
}  // namespace lambdacast::appliance
