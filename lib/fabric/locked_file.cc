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
};

ForkRegistry& registry() {
  static ForkRegistry instance;
  static const int installed = pthread_atfork([] { registry().mutex.lock(); },
                                              [] { registry().mutex.unlock(); },
                                              [] {
                                                for (int fd : registry().fds) ::close(fd);
                                                registry().fds.clear();
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

// False in a forked child, where the descriptor has been closed already and its number may by now
// belong to somebody else.
bool forget(int fd) {
  ForkRegistry& r = registry();
  const std::lock_guard guard(r.mutex);
  return std::erase(r.fds, fd) != 0;
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

LockedFile::LockedFile(int fd) : fd_(fd) {
  if (fd_ >= 0) remember(fd_);
}

LockedFile::~LockedFile() { close(); }

LockedFile::LockedFile(LockedFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

LockedFile& LockedFile::operator=(LockedFile&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

void LockedFile::close() {
  if (fd_ >= 0 && forget(fd_)) ::close(fd_);
  fd_ = -1;
}

bool LockedFile::lock_shared() { return whole_lock(fd_, LOCK_SH); }
bool LockedFile::try_lock_exclusive() { return whole_lock(fd_, LOCK_EX | LOCK_NB); }
bool LockedFile::lock_byte(uint64_t offset) {
  return byte_lock(fd_, F_OFD_SETLKW, F_WRLCK, offset);
}
bool LockedFile::try_lock_byte(uint64_t offset) {
  return byte_lock(fd_, F_OFD_SETLK, F_WRLCK, offset);
}
void LockedFile::unlock_byte(uint64_t offset) { byte_lock(fd_, F_OFD_SETLK, F_UNLCK, offset); }

}  // namespace lambdacast::fabric
