// SPDX-License-Identifier: BSD-3-Clause
#include "ctl/listener.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>

namespace lambdacast::ctl {
namespace {

constexpr int kBacklog = 16;
constexpr mode_t kMode = 0660;

using Failure = Listener::Failure;

tl::unexpected<Listener::Error> fail(Failure why, const std::string& path,
                                     const std::string& what) {
  return tl::unexpected(Listener::Error{why, "control socket " + path + " " + what});
}

std::optional<uint32_t> number_of(const std::string& text) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

enum class Found : uint8_t { kNothing, kInUse, kStale, kNoSocket, kUnknown };

// What has the path.
Found look(const std::string& path, const sockaddr_un& address) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0)
    return errno == ENOENT ? Found::kNothing : Found::kUnknown;
  if ((found.st_mode & S_IFMT) != S_IFSOCK) return Found::kNoSocket;
  const Descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int connected =
      ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  // Full of clients that wait: somebody listens.
  if (connected == 0 || errno == EAGAIN || errno == EINPROGRESS) return Found::kInUse;
  return errno == ECONNREFUSED ? Found::kStale : Found::kUnknown;
}

// While it lives no other process looks for a socket in that directory and makes one in its place.
Descriptor lock_directory(const std::string& path) {
  const std::string parent = std::filesystem::absolute(path).parent_path().string();
  Descriptor directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0) (void)::flock(directory.get(), LOCK_EX);
  return directory;
}

}  // namespace

base::Result<SocketOwner> socket_owner(const std::string& user, const std::string& group) {
  SocketOwner owner;
  if (!user.empty()) {
    const passwd* const found = ::getpwnam(user.c_str());
    owner.user = found != nullptr ? std::optional(found->pw_uid) : number_of(user);
    if (!owner.user) return base::fail("user " + user + " is not known on this machine");
  }
  if (!group.empty()) {
    const ::group* const found = ::getgrnam(group.c_str());
    owner.group = found != nullptr ? std::optional(found->gr_gid) : number_of(group);
    if (!owner.group) return base::fail("group " + group + " is not known on this machine");
  }
  return owner;
}

tl::expected<Listener, Listener::Error> Listener::open(const std::string& path,
                                                       const SocketOwner& owner) {
  const auto address = address_of(path);
  if (!address) {
    return fail(Failure::kOther, path,
                "has no path that a socket may have; allowed: 1 to " +
                    std::to_string(kMaxPathBytes) + " bytes");
  }
  const Descriptor lock = lock_directory(path);
  switch (look(path, *address)) {
    case Found::kInUse:
      return fail(Failure::kInUse, path, "is in use: another process listens there");
    case Found::kNoSocket:
      return fail(Failure::kOther, path, "is a file that is no socket; it stays as it is");
    case Found::kUnknown:
      return fail(Failure::kOther, path,
                  std::string("cannot be looked at: ") + std::strerror(errno));
    case Found::kStale:
      ::unlink(path.c_str());
      break;
    case Found::kNothing:
      break;
  }
  Listener made(Descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)), path);
  // Linux gives the file the mode of the socket: nobody else has it before its owner is right.
  if (made.fd() < 0 || ::fchmod(made.fd(), 0600) != 0 ||
      ::bind(made.fd(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0) {
    const Failure why = errno == EADDRINUSE ? Failure::kInUse : Failure::kOther;
    return fail(why, path, std::string("cannot be made: ") + std::strerror(errno));
  }
  struct stat file {};
  ::lstat(path.c_str(), &file);
  made.device_ = file.st_dev;
  made.inode_ = file.st_ino;
  made.user_ = owner.user.value_or(file.st_uid);
  made.group_ = owner.group.value_or(file.st_gid);
  if (::lchown(path.c_str(), made.user_, made.group_) != 0)
    return fail(Failure::kOther, path,
                std::string("cannot be given to its owner: ") + std::strerror(errno));
  if (::chmod(path.c_str(), kMode) != 0 || ::listen(made.fd(), kBacklog) != 0)
    return fail(Failure::kOther, path, std::string("cannot be used: ") + std::strerror(errno));
  return made;
}

bool Listener::own_file() const {
  struct stat file {};
  return inode_ != 0 && ::lstat(path_.c_str(), &file) == 0 && file.st_dev == device_ &&
         file.st_ino == inode_;
}

Listener::~Listener() {
  if (fd_.get() >= 0 && own_file()) ::unlink(path_.c_str());
}

Descriptor Listener::accept() const {
  return Descriptor(::accept4(fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
}

bool Listener::admits(const Peer& peer) const {
  return peer.uid == 0 || peer.uid == ::geteuid() || peer.uid == user_ ||
         std::find(peer.groups.begin(), peer.groups.end(), group_) != peer.groups.end();
}

std::optional<Peer> peer_of(int fd) {
  ucred found{};
  socklen_t bytes = sizeof found;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &found, &bytes) != 0) return std::nullopt;
  Peer peer{found.pid, found.uid, std::vector<gid_t>(256)};
  bytes = static_cast<socklen_t>(peer.groups.size() * sizeof(gid_t));
  const bool known = ::getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, peer.groups.data(), &bytes) == 0;
  peer.groups.resize(known ? bytes / sizeof(gid_t) : 0);
  peer.groups.push_back(found.gid);
  return peer;
}

}  // namespace lambdacast::ctl
