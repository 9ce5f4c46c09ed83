// SPDX-License-Identifier: BSD-3-Clause
// What tests of sockets share: a directory of their own, and a pair of ends.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "ctl/address.h"

namespace lambdacast::ctl::test {

class Folder {
 public:
  Folder() {
    std::string name = ::testing::TempDir() + "ctlXXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Pair {
  Pair() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    ours = Descriptor(ends[0]);
    theirs = Descriptor(ends[1]);
  }
  Descriptor ours, theirs;
};

// What has come, without waiting.
inline std::string read_all(int fd) {
  std::string out;
  char bytes[65536];
  for (ssize_t got = 0; (got = ::recv(fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0;)
    out.append(bytes, static_cast<size_t>(got));
  return out;
}

inline void write_all(int fd, const std::string& bytes) {
  ASSERT_EQ(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
}

}  // namespace lambdacast::ctl::test
