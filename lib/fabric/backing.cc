// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/backing.h"

#include <fcntl.h>
#include <mntent.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "fabric/file_owner.h"

namespace lambdacast::fabric {
namespace {

constexpr std::size_t kHugepageBytes = std::size_t{2} << 20;

// The file, or an errno.
tl::expected<Backing, int> create_reserved(const std::string& path, std::size_t bytes, bool huge) {
  ::unlink(path.c_str());  // a leftover of a fabric that died
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return tl::unexpected(errno);
  const auto size = static_cast<off_t>(bytes);
  if (::ftruncate(fd, size) != 0 || ::fallocate(fd, 0, 0, size) != 0) {
    const int error = errno;
    ::close(fd);
    ::unlink(path.c_str());
    return tl::unexpected(error);
  }
  return Backing{fd, path, huge};
}

}  // namespace

BackingDirectories BackingDirectories::of_this_machine() {
  BackingDirectories directories;
  std::FILE* mounts = ::setmntent("/proc/mounts", "re");
  if (mounts == nullptr) return directories;
  while (const mntent* entry = ::getmntent(mounts)) {
    if (std::strcmp(entry->mnt_type, "hugetlbfs") != 0) continue;
    struct statvfs fs {};
    if (::statvfs(entry->mnt_dir, &fs) == 0 && fs.f_bsize == kHugepageBytes) {
      directories.hugetlbfs = entry->mnt_dir;
      break;
    }
  }
  ::endmntent(mounts);
  return directories;
}

base::Result<Backing> create_backing(const BackingDirectories& directories, const std::string& stem,
                                     std::size_t bytes) {
  if (!directories.hugetlbfs.empty()) {
    if (auto huge = create_reserved(directories.hugetlbfs + "/" + stem, bytes, true)) return *huge;
  }
  auto plain = create_reserved(directories.shared_memory + "/" + stem, bytes, false);
  if (plain) return *plain;
  const std::string path = directories.shared_memory + "/" + stem;
  if (const auto owner = foreign_owner(path); owner && plain.error() == EEXIST) {
    return base::fail("the fabric's data cannot be made: " + path + " is left of a fabric of " +
                      user_name(*owner) + "; to mend: " + with_rights() + "rm -f " + path +
                      ", or choose another fabric name");
  }
  return base::fail("cannot reserve " + std::to_string(bytes >> 20) + " MiB for the fabric in " +
                    directories.shared_memory + ": " + std::strerror(plain.error()) +
                    "; use fewer wavelengths or slots, or give it more memory");
}

}  // namespace lambdacast::fabric
