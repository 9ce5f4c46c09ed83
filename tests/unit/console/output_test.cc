// SPDX-License-Identifier: BSD-3-Clause
#include "console/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

namespace lambdacast::console {
namespace {

class OutputTest : public testing::Test {
 protected:
  OutputTest() {
    std::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(::pipe2(ends_, O_CLOEXEC), 0);
  }
  ~OutputTest() override {
    close_reader();
    ::close(ends_[1]);
  }
  void close_reader() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }
  // Until so many bytes have come.
  std::string read(size_t bytes) {
    std::string text(bytes, '\0');
    size_t got = 0;
    while (got < bytes) {
      const ssize_t more = ::read(ends_[0], text.data() + got, bytes - got);
      if (more <= 0) break;
      got += static_cast<size_t>(more);
    }
    text.resize(got);
    return text;
  }
  [[nodiscard]] int writer() const { return ends_[1]; }

 private:
  int ends_[2] = {-1, -1};
};

TEST_F(OutputTest, print__expect_all_of_it_in_order) {
  Output output(writer());
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    const std::string line = "line " + std::to_string(i) + "\n";
    output.print(line);
    expected += line;
  }
  EXPECT_EQ(read(expected.size()), expected);
  EXPECT_EQ(output.dropped(), 0u);
}

TEST_F(OutputTest, end_with_a_reader__expect_what_waits_written) {
  const std::string text(60'000, 'x');  // less than a pipe holds
  { Output(writer()).print(text); }
  EXPECT_EQ(read(text.size()), text);
}

TEST_F(OutputTest, nobody_reads__expect_no_wait_and_what_finds_no_room_counted_and_told) {
  Output output(writer(), 100'000);
  const std::string block(50'000, 'x');
  for (int i = 0; i < 20; ++i) output.print(block);
  // A pipe holds 65,536 bytes, and 100,000 may wait.
  const uint64_t dropped = output.dropped();
  EXPECT_GE(dropped, 16u);
  EXPECT_EQ(read((20 - dropped) * block.size()).size(), (20 - dropped) * block.size());
  output.print("again\n");
  const std::string told = "(" + std::to_string(dropped) + " texts are missing here)\nagain\n";
  EXPECT_EQ(read(told.size()), told);
}

TEST_F(OutputTest, end_while_nobody_reads__expect_an_end) {
  Output output(writer());
  output.print(std::string(500'000, 'x'));
}

TEST_F(OutputTest, the_reader_is_gone__expect_texts_counted_and_an_end) {
  close_reader();
  {
    Output output(writer());
    output.print("to nobody\n");
    while (output.dropped() == 0) std::this_thread::yield();
    output.print("to nobody either\n");
    while (output.dropped() < 2) std::this_thread::yield();
  }
}

TEST(OutputToNothing, the_descriptor_is_closed__expect_texts_counted_and_an_end) {
  Output output(-1);
  output.print("to nobody\n");
  while (output.dropped() == 0) std::this_thread::yield();
}

TEST(OutputToAFullDisk, print__expect_it_counted) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  {
    Output output(full);
    output.print("no room\n");
    while (output.dropped() == 0) std::this_thread::yield();
  }
  ::close(full);
}

}  // namespace
}  // namespace lambdacast::console
