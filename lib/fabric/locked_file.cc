// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/locked_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <utility>
#include <vector>

namespace lambdacast::fabric {
namespace {

// Descriptors to close in a forked child. Process-wide because fork is.
struct ForkRegistry {
  std::mutex mutex;
  std::vector<int> fds;
  uint32_t generation = 0;  // forks since the first ancestor that used a fabric
};

// Never destroyed: fabrics are left at the end of a process, too, in any order.
ForkRegistry& registry() {
  static ForkRegistry& instance = *new ForkRegistry;
  static const int installed =
      pthread_atfork([] { registry().mutex.lock(); }, [] { registry().mutex.unlock(); },
                     [] {
                       for (int fd : registry().fds) ::close(fd);
                       registry().fds.clear();
                       ++registry().generation;
                       registry().mutex.unlock();
                     });
  (void)installed;
  return instance;
}

void remember(int fd) {
  ForkRegistry& r = registry();
  const std::lock_guard guard(r.mutex);
  r.fds.push_back(fd);
}

// Under the mutex to the end: a fork in between would pass the open descriptor on.
void forget_and_close(int fd) {
  ForkRegistry& r = registry();
  const std::lock_guard guard(r.mutex);
  std::erase(r.fds, fd);
  ::close(fd);
}

bool byte_lock(int fd, int command, short type, uint64_t offset) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(offset);
  range.l_len = 1;
  int result;
  do {
    result = ::fcntl(fd, command, &range);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

bool whole_lock(int fd, int operation) {
  int result;
  do {
    result = ::flock(fd, operation);
  } while (result != 0 && errno == EINTR);
  return result == 0;
}

}  // namespace

uint32_t fork_generation() { return registry().generation; }

LockedFile::LockedFile(int fd) : fd_(fd), generation_(fork_generation()) {
  if (fd_ >= 0) remember(fd_);
}

LockedFile::~LockedFile() { close(); }

LockedFile::LockedFile(LockedFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), generation_(other.generation_) {}

LockedFile& LockedFile::operator=(LockedFile&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
    generation_ = other.generation_;
  }
  return *this;
}

void LockedFile::close() {
  if (is_open()) forget_and_close(fd_);
  fd_ = -1;
}

bool LockedFile::lock_shared() { return whole_lock(fd(), LOCK_SH); }
bool LockedFile::try_lock_exclusive() { return whole_lock(fd(), LOCK_EX | LOCK_NB); }
bool LockedFile::lock_byte(uint64_t offset) {
  return byte_lock(fd(), F_OFD_SETLKW, F_WRLCK, offset);
}
bool LockedFile::try_lock_byte(uint64_t offset) {
  return byte_lock(fd(), F_OFD_SETLK, F_WRLCK, offset);
}
void LockedFile::unlock_byte(uint64_t offset) { byte_lock(fd(), F_OFD_SETLK, F_UNLCK, offset); }

}  // namespace lambdacast::fabric
