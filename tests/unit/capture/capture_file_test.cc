// SPDX-License-Identifier: BSD-3-Clause
#include "capture/capture_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "capture_support.h"

namespace lambdacast::capture {
namespace {

void append_frames(CaptureFile& file, uint32_t count) {
  const std::vector<uint8_t> frame(100, 7);
  for (uint32_t i = 0; i < count; ++i) pcapng::append_packet(file.blocks(), {0, i, 100}, frame);
}

// Plain files end at `bytes`; beyond, writes are partial and then fail, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(uint64_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  sighandler_t handler_ = nullptr;
};

TEST(CaptureFileTest, flush_blocks__expect_them_in_the_file_and_told_of) {
  const test::TemporaryFile temporary;
  auto file = CaptureFile::create(temporary.path);
  ASSERT_TRUE(file);
  pcapng::append_section(file->blocks(), "test");
  append_frames(*file, 10);
  uint32_t blocks = 0;
  uint32_t packets = 0;
  ASSERT_TRUE(file->flush([&](const pcapng::BlockHead& head) {
    ++blocks;
    packets += head.packet_of ? 1 : 0;
  }));
  EXPECT_EQ(blocks, 11u);
  EXPECT_EQ(packets, 10u);
  EXPECT_TRUE(file->blocks().empty());
  const auto bytes = test::bytes_in(temporary.path);
  EXPECT_EQ(bytes.size(), file->bytes());
  EXPECT_EQ(test::packets_of(test::blocks_of(bytes)).size(), 10u);
}

TEST(CaptureFileTest,
     reach_the_end_of_the_disk_inside_a_block__expect_the_whole_ones_and_an_error) {
  const test::TemporaryFile temporary;
  auto file = CaptureFile::create(temporary.path);
  ASSERT_TRUE(file);
  const FileSizeLimit limit(10'000);
  uint32_t landed = 0;
  const auto count = [&](const pcapng::BlockHead&) { ++landed; };
  append_frames(*file, 50);
  ASSERT_TRUE(file->flush(count));
  append_frames(*file, 50);
  const auto flushed = file->flush(count);
  ASSERT_FALSE(flushed);
  EXPECT_EQ(flushed.error().message, "capture into " + temporary.path +
                                         " has ended: File too large after 9936 bytes, which are "
                                         "whole");
  EXPECT_EQ(landed, 69u);  // of 144 bytes each: the 70th would end at 10,080
  EXPECT_EQ(file->bytes(), 9936u);
  EXPECT_EQ(test::packets_of(test::blocks_of(test::bytes_in(temporary.path))).size(), 69u);

  append_frames(*file, 1);  // closed: it fails again, and adds nothing
  EXPECT_FALSE(file->flush(count));
  EXPECT_EQ(landed, 69u);
  EXPECT_EQ(test::bytes_in(temporary.path).size(), 9936u);
}

TEST(CaptureFileTest, write_to_a_device_that_is_full__expect_the_reason) {
  auto file = CaptureFile::create("/dev/full");
  ASSERT_TRUE(file);
  append_frames(*file, 1);
  const auto flushed = file->flush([](const pcapng::BlockHead&) { FAIL(); });
  ASSERT_FALSE(flushed);
  EXPECT_EQ(flushed.error().message,
            "capture into /dev/full has ended: No space left on device after 0 bytes, which are "
            "whole");
}

TEST(CaptureFileTest, replace_a_file__expect_nothing_of_the_old_one) {
  const test::TemporaryFile temporary;
  std::ofstream(temporary.path) << std::string(100'000, 'x');
  auto file = CaptureFile::create(temporary.path);
  ASSERT_TRUE(file);
  append_frames(*file, 1);
  ASSERT_TRUE(file->flush([](const pcapng::BlockHead&) {}));
  EXPECT_EQ(test::bytes_in(temporary.path).size(), 144u);
}

TEST(CaptureFileTest, name_what_is_captured_into__expect_who_does_and_the_file_undisturbed) {
  const test::TemporaryFile temporary;
  auto first = CaptureFile::create(temporary.path);
  ASSERT_TRUE(first);
  std::ofstream(temporary.path) << "captured";
  const auto second = CaptureFile::create(temporary.path);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().message, "cannot capture into " + temporary.path +
                                        ": this process captures into it; name another");
  EXPECT_EQ(std::filesystem::file_size(temporary.path), 8u);
}

TEST(CaptureFileTest, name_what_cannot_be_written__expect_a_sentence_that_says_why) {
  const test::TemporaryFile temporary;
  const auto missing = CaptureFile::create(temporary.path + "/none/a.pcapng");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "cannot capture into " + temporary.path +
                "/none/a.pcapng: No such file or directory; name a file in a directory that exists "
                "and can be written");
  const auto directory = CaptureFile::create("/tmp");
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().message,
            "cannot capture into /tmp: it is no plain file; name another");
  ASSERT_EQ(::mkfifo(temporary.path.c_str(), 0600), 0);
  EXPECT_FALSE(CaptureFile::create(temporary.path));  // and does not wait for a reader
  const auto unnamed = CaptureFile::create("");
  ASSERT_FALSE(unnamed);
}

}  // namespace
}  // namespace lambdacast::capture
