// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/locked_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "support.h"

namespace lambdacast::fabric {
namespace {

using test::Child;

class LockedFileTest : public ::testing::Test {
 protected:
  [[nodiscard]] LockedFile open() const {
    return LockedFile(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  }
  test::Directories directories_;
  std::string path_ = directories_.shm() + "/file";
};

TEST_F(LockedFileTest, no_file_expect_closed_and_no_lock) {
  LockedFile none;
  LockedFile failed(-1);
  EXPECT_FALSE(none.is_open());
  EXPECT_FALSE(failed.is_open());
  EXPECT_FALSE(failed.lock_shared());
  EXPECT_FALSE(failed.try_lock_byte(0));
}

TEST_F(LockedFileTest, moved_expect_one_owner_that_closes) {
  LockedFile first = open();
  const int fd = first.fd();
  LockedFile second = std::move(first);
  EXPECT_FALSE(first.is_open());  // NOLINT: what is left behind is the point
  EXPECT_EQ(second.fd(), fd);
  second = open();
  EXPECT_NE(second.fd(), -1);
  second = LockedFile();
  EXPECT_EQ(::fcntl(fd, F_GETFD), -1);
}

TEST_F(LockedFileTest, lock_shared_held_twice_expect_no_exclusive_lock) {
  LockedFile first = open(), second = open(), third = open();
  ASSERT_TRUE(first.lock_shared());
  ASSERT_TRUE(second.lock_shared());
  EXPECT_FALSE(third.try_lock_exclusive());
  first = LockedFile();
  EXPECT_FALSE(third.try_lock_exclusive());
  second = LockedFile();
  EXPECT_TRUE(third.try_lock_exclusive());
}

TEST_F(LockedFileTest, byte_lock_of_another_description_in_this_process_expect_refused) {
  LockedFile first = open(), second = open();
  ASSERT_TRUE(first.try_lock_byte(uint64_t{1} << 32));
  EXPECT_TRUE(first.try_lock_byte(uint64_t{1} << 32));  // its own
  EXPECT_FALSE(second.try_lock_byte(uint64_t{1} << 32));
  EXPECT_TRUE(second.try_lock_byte((uint64_t{1} << 32) + 1));
  first.unlock_byte(uint64_t{1} << 32);
  EXPECT_TRUE(second.try_lock_byte(uint64_t{1} << 32));
}

TEST_F(LockedFileTest, lock_byte_expect_to_wait_for_the_holder) {
  LockedFile mine = open();
  ASSERT_TRUE(mine.lock_byte(5));
  Child child([&](Child& parent) {
    LockedFile its = open();
    if (its.try_lock_byte(5)) return 1;
    parent.tell();
    return its.lock_byte(5) ? 0 : 2;
  });
  ASSERT_TRUE(child.wait());
  mine.unlock_byte(5);
  EXPECT_EQ(child.join(), 0);
}

TEST_F(LockedFileTest, holder_killed_expect_released_holder_stopped_expect_kept) {
  LockedFile mine = open();
  Child holder([&](Child& parent) {
    LockedFile its = open();
    if (!its.try_lock_byte(5) || !its.lock_shared()) return 1;
    parent.tell();
    return parent.wait() ? 2 : 3;
  });
  ASSERT_TRUE(holder.wait());
  holder.stop();
  EXPECT_FALSE(mine.try_lock_byte(5));
  EXPECT_FALSE(mine.try_lock_exclusive());
  holder.kill(SIGKILL);
  EXPECT_EQ(holder.join(), -SIGKILL);
  EXPECT_TRUE(mine.try_lock_byte(5));
  EXPECT_TRUE(mine.try_lock_exclusive());
}

TEST_F(LockedFileTest, forked_child_lives_on_expect_locks_gone_with_the_parent) {
  LockedFile mine = open();
  int to_test[2];
  int from_test[2];
  ASSERT_EQ(::pipe(to_test), 0);
  ASSERT_EQ(::pipe(from_test), 0);
  Child holder([&](Child&) {
    LockedFile its = open();
    if (!its.try_lock_byte(5) || !its.lock_shared()) return 1;
    if (::fork() != 0) return 0;  // dies and leaves the grandchild behind
    ::close(from_test[1]);
    char byte = 1;
    (void)!::write(to_test[1], &byte, 1);
    (void)!::read(from_test[0], &byte, 1);  // until the test closes it
    ::_exit(0);
  });
  char byte;
  ASSERT_EQ(::read(to_test[0], &byte, 1), 1);
  ASSERT_EQ(holder.join(), 0);
  EXPECT_TRUE(mine.try_lock_byte(5));
  EXPECT_TRUE(mine.try_lock_exclusive());
  for (const int fd : {to_test[0], to_test[1], from_test[0], from_test[1]}) ::close(fd);
}

TEST_F(LockedFileTest, inherited_object_in_a_forked_child_expect_closed_and_harmless) {
  LockedFile mine = open();
  ASSERT_TRUE(mine.try_lock_byte(5));
  const uint32_t generation = fork_generation();
  Child child([&](Child&) {
    if (fork_generation() == generation || mine.is_open()) return 1;
    LockedFile its = open();  // takes the same number
    mine.unlock_byte(5);
    mine = LockedFile();
    if (::fcntl(its.fd(), F_GETFD) == -1) return 2;
    return its.try_lock_byte(5) ? 3 : 0;
  });
  EXPECT_EQ(child.join(), 0);
  EXPECT_TRUE(mine.is_open());
  EXPECT_EQ(fork_generation(), generation);
}

}  // namespace
}  // namespace lambdacast::fabric
