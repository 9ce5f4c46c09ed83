// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/listener.h"

#include <sys/stat.h>

#include <fstream>

#include "support.h"

namespace lambdacast::ctl {
namespace {

class ListenerTest : public ::testing::Test {
 protected:
  [[nodiscard]] bool is_there() const { return ::access(path_.c_str(), F_OK) == 0; }

  const test::Folder folder_;
  const std::string path_ = folder_ / "x.sock";
};

Descriptor connected(const std::string& path) {
  Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto address = address_of(path);
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address), 0);
  return fd;
}

TEST_F(ListenerTest, open_and_end__expect_the_file_with_its_mode_and_then_none) {
  {
    const auto listener = Listener::open(path_, {});
    ASSERT_TRUE(listener) << listener.error().message;
    struct stat file {};
    ASSERT_EQ(::stat(path_.c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 07777, 0660u);
    EXPECT_EQ(listener->path(), path_);
  }
  EXPECT_FALSE(is_there());
}

TEST_F(ListenerTest, open_one_that_is_in_use__expect_a_refusal_that_names_it_and_the_file_kept) {
  const auto listener = Listener::open(path_, {});
  {
    const auto second = Listener::open(path_, {});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().why, Listener::Failure::kInUse);
    EXPECT_EQ(second.error().message,
              "control socket " + path_ + " is in use: another process listens there");
  }
  EXPECT_TRUE(is_there());
}

TEST_F(ListenerTest, open_one_whose_process_was_killed__expect_it_to_be_taken_over) {
  {
    const Descriptor fd(::socket(AF_UNIX, SOCK_STREAM, 0));
    const auto address = address_of(path_);
    ASSERT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address), 0);
  }
  ASSERT_TRUE(is_there());
  const auto listener = Listener::open(path_, {});
  ASSERT_TRUE(listener) << listener.error().message;
  const Descriptor client = connected(path_);
  EXPECT_GE(listener->accept().get(), 0);
}

TEST_F(ListenerTest, open_where_a_file_is__expect_a_refusal_and_the_file_as_it_was) {
  std::ofstream(path_) << "mine";
  const auto listener = Listener::open(path_, {});
  ASSERT_FALSE(listener);
  EXPECT_EQ(listener.error().why, Listener::Failure::kOther);
  std::string text;
  std::ifstream(path_) >> text;
  EXPECT_EQ(text, "mine");
}

TEST_F(ListenerTest, open_a_path_that_is_too_long_or_nowhere__expect_a_sentence) {
  EXPECT_NE(Listener::open(std::string(200, 'x'), {}).error().message.find("allowed: 1 to 107"),
            std::string::npos);
  EXPECT_FALSE(Listener::open("", {}));
  EXPECT_NE(Listener::open(folder_ / "no/such.sock", {}).error().message.find("cannot be made"),
            std::string::npos);
}

TEST_F(ListenerTest, end_when_another_file_has_its_place__expect_that_to_stay) {
  {
    const auto listener = Listener::open(path_, {});
    ASSERT_TRUE(listener);
    ::unlink(path_.c_str());
    std::ofstream(path_) << "another's";
  }
  EXPECT_TRUE(is_there());
}

TEST_F(ListenerTest, give_it_to_an_owner__expect_the_file_to_be_theirs_and_them_to_be_admitted) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  const auto owner = socket_owner("nobody", "65534");
  ASSERT_TRUE(owner);
  const auto listener = Listener::open(path_, *owner);
  ASSERT_TRUE(listener) << listener.error().message;
  struct stat file {};
  ASSERT_EQ(::stat(path_.c_str(), &file), 0);
  EXPECT_EQ(file.st_uid, 65534u);
  EXPECT_EQ(file.st_gid, 65534u);
  EXPECT_TRUE(listener->admits({1, 65534, {1}}));
  EXPECT_TRUE(listener->admits({1, 1234, {5, 65534}}));
  EXPECT_FALSE(listener->admits({1, 1234, {5}}));
  EXPECT_TRUE(listener->admits({1, 0, {}}));
}

TEST_F(ListenerTest, name_an_owner_whom_nobody_knows__expect_a_sentence) {
  EXPECT_EQ(socket_owner("no such user", "").error().message,
            "user no such user is not known on this machine");
  EXPECT_EQ(socket_owner("", "no such group").error().message,
            "group no such group is not known on this machine");
  EXPECT_FALSE(socket_owner("", "")->user);
}

TEST_F(ListenerTest, ask_who_has_come__expect_this_process) {
  const auto listener = Listener::open(path_, {});
  ASSERT_TRUE(listener);
  const Descriptor client = connected(path_);
  const Descriptor accepted = listener->accept();
  const auto peer = peer_of(accepted.get());
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->pid, ::getpid());
  EXPECT_EQ(peer->uid, ::geteuid());
  EXPECT_EQ(peer->groups.back(), ::getegid());
  EXPECT_TRUE(listener->admits(*peer));
  EXPECT_LT(listener->accept().get(), 0);
}

}  // namespace
}  // namespace lambdacast::ctl
