// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/file_owner.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <fstream>

#include "fabric/locked_file.h"
#include "support.h"

namespace lambdacast::fabric {
namespace {

constexpr uid_t kNobody = 65534;

class FileOwner : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(path_) << "x"; }
  test::Directories directories_;
  const std::string path_ = directories_.shm() + "/file";
};

TEST_F(FileOwner, users__expect_their_names_and_numbers) {
  EXPECT_EQ(user_name(0), "root (uid 0)");
  EXPECT_EQ(user_name(123456789), "uid 123456789");
}

TEST_F(FileOwner, own_file_or_none__expect_it_is_not_foreign) {
  EXPECT_FALSE(foreign_owner(path_));
  EXPECT_FALSE(foreign_owner(path_ + "x"));
}

TEST_F(FileOwner, another_users_file__expect_whose) {
  if (::chown(path_.c_str(), kNobody, kNobody) != 0) GTEST_SKIP() << "only root gives files away";
  EXPECT_EQ(foreign_owner(path_), kNobody);
}

TEST_F(FileOwner, locked_by_a_process__expect_it_and_nobody_after_its_end) {
  EXPECT_FALSE(file_use(path_).locked);
  test::Child user([&](test::Child& parent) {
    LockedFile file(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
    if (!file.lock_shared() || !file.try_lock_byte(1 << 20)) return 1;
    parent.tell();
    return parent.wait() ? 2 : 3;
  });
  ASSERT_TRUE(user.wait());
  const FileUse use = file_use(path_);
  EXPECT_TRUE(use.locked);
  EXPECT_EQ(use.process, user.pid());
  EXPECT_EQ(range_holder(path_, 1 << 20), user.pid());
  EXPECT_EQ(range_holder(path_, (1 << 20) + 1), 0);
  EXPECT_EQ(process_name(user.pid()), "process " + std::to_string(user.pid()) + " (fabric_test)");
  user.kill(SIGKILL);
  (void)user.join();
  EXPECT_FALSE(file_use(path_).locked);
}

TEST_F(FileOwner, another_users_file_in_a_sentence__expect_live_or_stale_and_what_mends_it) {
  EXPECT_EQ(foreign_file_text(path_), "");
  if (::chown(path_.c_str(), kNobody, kNobody) != 0) GTEST_SKIP() << "only root gives files away";
  const std::string whose = path_ + " is that of " + user_name(kNobody);
  EXPECT_EQ(foreign_file_text(path_),
            whose + " and stale: name another, or to mend: rm -f " + path_);
  LockedFile file(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(file.lock_shared());
  EXPECT_EQ(foreign_file_text(path_), whose + " and live: this process uses it; name another");
}

TEST_F(FileOwner, a_socket_that_is_listened_at__expect_in_use_and_not_after_its_end) {
  const std::string path = directories_.shm() + "/socket";
  const int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_TRUE(socket_in_use(path));
  ::close(fd);
  EXPECT_FALSE(socket_in_use(path));
}

TEST_F(FileOwner, no_file__expect_nobody_uses_it) {
  EXPECT_FALSE(file_use(path_ + "x").locked);
  EXPECT_EQ(range_holder(path_ + "x", 0), 0);
}

TEST_F(FileOwner, processes__expect_names_for_people) {
  EXPECT_EQ(process_name(::getpid()), "this process");
  EXPECT_EQ(process_name(0), "a process that this one cannot see");
}

}  // namespace
}  // namespace lambdacast::fabric
