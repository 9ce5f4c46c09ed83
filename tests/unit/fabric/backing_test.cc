// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/backing.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <fstream>

#include "support.h"

namespace lambdacast::fabric {
namespace {

using test::Child;

constexpr std::size_t kBytes = std::size_t{2} << 20;

struct stat status_of(const Backing& backing) {
  struct stat status {};
  ::fstat(backing.fd, &status);
  return status;
}

TEST(BackingDirectories, this_machine_expect_dev_shm_and_a_hugetlbfs_of_2_mib_pages_or_none) {
  const auto directories = BackingDirectories::of_this_machine();
  EXPECT_EQ(directories.shared_memory, "/dev/shm");
  std::ifstream mounts("/proc/mounts");
  const std::string text(std::istreambuf_iterator<char>(mounts), {});
  if (text.find(" hugetlbfs ") == std::string::npos) {
    EXPECT_EQ(directories.hugetlbfs, "");
  } else if (!directories.hugetlbfs.empty()) {
    EXPECT_NE(text.find(" " + directories.hugetlbfs + " hugetlbfs "), std::string::npos);
  }
}

TEST(CreateBacking, room_in_hugetlbfs_expect_it_used) {
  const test::Directories directories;
  const auto backing = create_backing(directories.both(), "data", kBytes);
  ASSERT_TRUE(backing);
  EXPECT_TRUE(backing->huge);
  EXPECT_EQ(backing->path, directories.huge() + "/data");
  ::close(backing->fd);
}

TEST(CreateBacking, no_hugetlbfs_expect_shared_memory) {
  const test::Directories directories;
  const auto backing = create_backing(directories.plain(), "data", kBytes);
  ASSERT_TRUE(backing);
  EXPECT_FALSE(backing->huge);
  EXPECT_EQ(backing->path, directories.shm() + "/data");
  ::close(backing->fd);
}

TEST(CreateBacking, hugetlbfs_unusable_expect_shared_memory) {
  const test::Directories directories;
  const auto backing =
      create_backing({directories.shm(), directories.huge() + "/gone"}, "data", kBytes);
  ASSERT_TRUE(backing);
  EXPECT_FALSE(backing->huge);
  ::close(backing->fd);
}

TEST(CreateBacking, any_expect_every_byte_reserved_zero_and_private_to_the_user) {
  const test::Directories directories;
  const auto backing = create_backing(directories.plain(), "data", kBytes);
  ASSERT_TRUE(backing);
  const struct stat status = status_of(*backing);
  EXPECT_EQ(status.st_size, static_cast<off_t>(kBytes));
  EXPECT_GE(status.st_blocks * 512, static_cast<off_t>(kBytes));
  EXPECT_EQ(status.st_mode & 07777, 0600u);
  EXPECT_TRUE(::fcntl(backing->fd, F_GETFD) & FD_CLOEXEC);
  ::close(backing->fd);
}

TEST(CreateBacking, leftover_of_that_name_expect_a_new_file) {
  const test::Directories directories;
  const auto old = create_backing(directories.plain(), "data", kBytes);
  ASSERT_TRUE(old);
  ASSERT_EQ(::pwrite(old->fd, "old", 3, 0), 3);
  const auto fresh = create_backing(directories.plain(), "data", kBytes);
  ASSERT_TRUE(fresh);
  char text[3] = {};
  ASSERT_EQ(::pread(fresh->fd, text, 3, 0), 3);
  EXPECT_EQ(text[0], 0);
  EXPECT_NE(status_of(*old).st_ino, status_of(*fresh).st_ino);
  ::close(old->fd);
  ::close(fresh->fd);
}

// In a child: the limit and its signal concern nobody else.
TEST(CreateBacking, file_size_limit_expect_a_sentence_and_nothing_left) {
  const test::Directories directories;
  Child child([&](Child&) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{kBytes / 2, kBytes / 2};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto backing = create_backing(directories.both(), "data", kBytes);
    if (backing) return 1;
    const std::string wanted = "cannot reserve 2 MiB for the fabric in " + directories.shm() +
                               ": File too large; use fewer wavelengths or slots, or give it more "
                               "memory";
    return backing.error().message == wanted ? 0 : 2;
  });
  EXPECT_EQ(child.join(), 0);
  EXPECT_EQ(directories.files(), 0u);
}

// Both file systems one page short: the sparse file would fit, its reservation does not.
TEST(CreateBacking, file_systems_too_small_expect_a_sentence_and_nothing_left) {
  const test::Directories directories;
  Child child([&](Child&) {
    if (::unshare(CLONE_NEWNS) != 0 || ::mount("", "/", "", MS_REC | MS_PRIVATE, "") != 0 ||
        ::mount("t", directories.shm().c_str(), "tmpfs", 0, "size=2044k") != 0 ||
        ::mount("t", directories.huge().c_str(), "tmpfs", 0, "size=2044k") != 0) {
      return 77;
    }
    const auto backing = create_backing(directories.both(), "data", kBytes);
    if (backing) return 1;
    if (backing.error().message.find("No space left on device") == std::string::npos) return 2;
    return directories.files() == 0 ? 0 : 3;
  });
  const int code = child.join();
  if (code == 77) GTEST_SKIP() << "may not mount";
  EXPECT_EQ(code, 0);
}

}  // namespace
}  // namespace lambdacast::fabric
