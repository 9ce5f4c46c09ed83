// SPDX-License-Identifier: BSD-3-Clause
#include "capture/capture_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "fabric/file_owner.h"

namespace lambdacast::capture {

base::Result<CaptureFile> CaptureFile::create(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode) && !S_ISCHR(about.st_mode)) {
    return base::fail("cannot capture into " + path + ": it is no plain file; name another");
  }
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) {
    const std::string why = std::strerror(errno);
    const std::string foreign = fabric::foreign_file_text(path);
    return base::fail(
        "cannot capture into " + path + ": " + why + "; " +
        (foreign.empty() ? "name a file in a directory that exists and can be written" : foreign));
  }
  CaptureFile file(path, descriptor);
  // The lock tells others that it is live. A file that cannot be locked is written all the same.
  if (::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) {
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      return base::fail("cannot capture into " + path + ": " +
                        fabric::process_name(fabric::file_use(path).process) +
                        " captures into it; name another");
    }
    if (::ftruncate(descriptor, 0) != 0)
      return base::fail("cannot capture into " + path + ": " + std::strerror(errno));
  }
  return file;
}

CaptureFile::~CaptureFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

CaptureFile::CaptureFile(CaptureFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      errno_(other.errno_),
      bytes_(other.bytes_),
      blocks_(std::move(other.blocks_)) {}

size_t CaptureFile::write_out() {
  size_t written = 0;
  while (descriptor_ >= 0 && written < blocks_.size()) {
    const ssize_t more = ::write(descriptor_, &blocks_[written], blocks_.size() - written);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) {
      errno_ = errno;
      break;
    }
    written += static_cast<size_t>(more);
  }
  return written;
}

base::Result<void> CaptureFile::flush(const std::function<void(const pcapng::BlockHead&)>& landed) {
  const size_t written = write_out();
  size_t whole = 0;
  while (whole < blocks_.size()) {
    const pcapng::BlockHead head = pcapng::head_of({&blocks_[whole], blocks_.size() - whole});
    if (whole + head.bytes > written) break;
    landed(head);
    whole += head.bytes;
  }
  bytes_ += whole;
  const bool all = whole == blocks_.size();
  blocks_.clear();
  if (all) return {};
  if (descriptor_ >= 0) {
    // A device cannot be cut, and has nothing to cut.
    if (written != whole && ::ftruncate(descriptor_, static_cast<off_t>(bytes_)) != 0) errno = 0;
    ::close(std::exchange(descriptor_, -1));
  }
  return base::fail("capture into " + path_ + " has ended: " + std::strerror(errno_) + " after " +
                    std::to_string(bytes_) + " bytes, which are whole");
}

}  // namespace lambdacast::capture
