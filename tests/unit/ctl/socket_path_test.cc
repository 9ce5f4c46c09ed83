// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/socket_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "ctl/listener.h"
#include "support.h"

namespace lambdacast::ctl {
namespace {

TEST(SocketPathTest, ask_for_the_directory_of_a_service__expect_its_first_run_time_directory) {
  ::setenv("RUNTIME_DIRECTORY", "/run/one:/run/two", 1);
  EXPECT_EQ(socket_directory(), "/run/one");
  ::unsetenv("RUNTIME_DIRECTORY");
  if (::geteuid() == 0) {
    EXPECT_EQ(socket_directory(), "/run/lambdacast");
  }
}

TEST(SocketPathTest, ask_for_the_name_of_a_configuration__expect_its_stem) {
  EXPECT_EQ(socket_name("/etc/lambdacast/rack4.toml"), "rack4");
  EXPECT_EQ(socket_name("rack4"), "rack4");
  EXPECT_EQ(socket_name(""), "lambdacast");
}

TEST(SocketPathTest, make_the_directory_twice__expect_it_and_no_error) {
  const test::Folder folder;
  EXPECT_TRUE(make_socket_directory(folder / "run"));
  EXPECT_TRUE(make_socket_directory(folder / "run"));
}

TEST(SocketPathTest, make_the_directory_where_it_cannot_be__expect_a_sentence) {
  const test::Folder folder;
  std::ofstream(folder / "file") << "x";
  EXPECT_EQ(make_socket_directory(folder / "file").error().message,
            (folder / "file") + " is no directory");
  ::symlink(folder.path().c_str(), (folder / "link").c_str());
  EXPECT_FALSE(make_socket_directory(folder / "link"));
  EXPECT_FALSE(make_socket_directory(folder / "no/such"));
}

TEST(SocketPathTest, make_the_directory_that_another_user_made__expect_a_refusal) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives directories away";
  const test::Folder folder;
  ::mkdir((folder / "theirs").c_str(), 0755);
  ASSERT_EQ(::chown((folder / "theirs").c_str(), 65534, 65534), 0);
  const auto made = make_socket_directory(folder / "theirs");
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().message.find("belongs to another user"), std::string::npos);
}

TEST(SocketPathTest, look_for_sockets__expect_those_alone_in_order) {
  const test::Folder folder;
  EXPECT_TRUE(sockets_in(folder / "nothing").empty());
  std::ofstream(folder / "file.sock") << "x";
  const auto second = Listener::open(folder / "b.sock", {});
  const auto first = Listener::open(folder / "a.sock", {});
  const auto other = Listener::open(folder / "c.socket", {});
  EXPECT_EQ(sockets_in(folder.path()),
            (std::vector<std::string>{folder / "a.sock", folder / "b.sock"}));
}

}  // namespace
}  // namespace lambdacast::ctl
