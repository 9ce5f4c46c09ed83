// SPDX-License-Identifier: BSD-3-Clause
// A socket that clients connect to, by its path, and who they are.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ctl/address.h"

namespace lambdacast::ctl {

// As the kernel tells of a connection (SO_PEERCRED, SO_PEERGROUPS).
struct Peer {
  pid_t pid = 0;
  uid_t uid = 0;
  std::vector<gid_t> groups;
};

// Who owns the socket's file; nothing: the process.
struct SocketOwner {
  std::optional<uid_t> user;
  std::optional<gid_t> group;
};
// By names or numbers; "" is the process's own.
[[nodiscard]] base::Result<SocketOwner> socket_owner(const std::string& user,
                                                     const std::string& group);

class Listener {
 public:
  enum class Failure : uint8_t { kInUse, kOther };
  struct Error {
    Failure why;
    std::string message;
  };

  // A file of the same path that nobody listens to is removed; one that somebody listens to, or
  // that is no socket, stays, and is an error. Mode 0660.
  [[nodiscard]] static tl::expected<Listener, Error> open(const std::string& path,
                                                          const SocketOwner& owner);
  ~Listener();  // removes the file if it is still its own
  Listener(Listener&&) = default;
  Listener& operator=(Listener&&) = delete;

  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] const std::string& path() const { return path_; }
  // A client, without blocking; below zero: there is none, and errno says why.
  [[nodiscard]] Descriptor accept() const;
  // Root, the process's user, the file's owner, and the file's group: what its mode says, asked
  // again of each connection, for a mode can be changed by hand.
  [[nodiscard]] bool admits(const Peer& peer) const;

 private:
  Listener(Descriptor fd, std::string path) : fd_(std::move(fd)), path_(std::move(path)) {}
  [[nodiscard]] bool own_file() const;

  Descriptor fd_;
  std::string path_;
  dev_t device_ = 0;  // of the file
  ino_t inode_ = 0;
  uid_t user_ = 0;
  gid_t group_ = 0;
};

[[nodiscard]] std::optional<Peer> peer_of(int fd);

}  // namespace lambdacast::ctl
