// SPDX-License-Identifier: BSD-3-Clause
// The C library's calls that open files, in front of its own: a path of the device leads to
// device_files.h, every other to the C library. In the shared library alone.
#undef _FORTIFY_SOURCE
// With it the headers name open() and its kin "open64", which are defined here as well.
#undef _FILE_OFFSET_BITS
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>

#include "device_files.h"

namespace lambdacast::verbs {
namespace {

// The definition that this library stands in front of.
template <typename Call>
Call next(const char* name) {
  return reinterpret_cast<Call>(::dlsym(RTLD_NEXT, name));
}

// A null pointer is the C library's to refuse.
bool ours(const char* path) { return path != nullptr && is_device_path(path); }

int refused(int error) {
  errno = error;
  return -1;
}

// Sysfs has its files to be read, and the kernel's calls on the node are libibverbs' alone.
int open_entry(std::string_view path, int flags) {
  const DeviceEntry entry = device_entry(path);
  if (entry == DeviceEntry::kNone) return refused(ENOENT);
  if (entry == DeviceEntry::kNode) return refused(ENODEV);
  if ((flags & O_ACCMODE) != O_RDONLY) return refused(EACCES);
  const auto text = device_text(path.substr(kDeviceDirectory.size() + 1));
  const int fd = ::memfd_create("lambdacast0", (flags & O_CLOEXEC) != 0 ? MFD_CLOEXEC : 0);
  if (fd < 0 || !text) return fd;
  if (::pwrite(fd, text->data(), text->size(), 0) == static_cast<ssize_t>(text->size())) return fd;
  ::close(fd);
  return refused(EIO);
}

FILE* open_stream(std::string_view path, const char* mode) {
  const int fd = open_entry(path, *mode == 'r' && mode[1] != '+' ? O_RDONLY : O_RDWR);
  return fd < 0 ? nullptr : ::fdopen(fd, "r");
}

int describe(std::string_view path, struct stat* out) {
  const DeviceEntry entry = device_entry(path);
  if (entry == DeviceEntry::kNone) return refused(ENOENT);
  constexpr mode_t kAllRead = 0444, kAllReadAndWrite = 0666;
  constexpr off_t kSysfsBytes = 4096;  // whatever is in them
  *out = {};
  out->st_nlink = 1;
  out->st_mode = entry == DeviceEntry::kNode ? S_IFCHR | kAllReadAndWrite : S_IFREG | kAllRead;
  out->st_size = entry == DeviceEntry::kNode ? 0 : kSysfsBytes;
  return 0;
}

// The mode that stands behind the flags if the file may be created.
mode_t mode_of(int flags, va_list arguments) {
  const bool given = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return given ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

#define LAMBDACAST_OPEN(name)                                             \
  int name(const char* path, int flags, ...) {                            \
    if (ours(path)) return open_entry(path, flags);                       \
    va_list arguments;                                                    \
    va_start(arguments, flags);                                           \
    const mode_t mode = mode_of(flags, arguments);                        \
    va_end(arguments);                                                    \
    static const auto call = next<int (*)(const char*, int, ...)>(#name); \
    return call(path, flags, mode);                                       \
  }
LAMBDACAST_OPEN(open)
LAMBDACAST_OPEN(open64)
#undef LAMBDACAST_OPEN

#define LAMBDACAST_OPENAT(name)                                                \
  int name(int at, const char* path, int flags, ...) {                         \
    if (ours(path)) return open_entry(path, flags);                            \
    va_list arguments;                                                         \
    va_start(arguments, flags);                                                \
    const mode_t mode = mode_of(flags, arguments);                             \
    va_end(arguments);                                                         \
    static const auto call = next<int (*)(int, const char*, int, ...)>(#name); \
    return call(at, path, flags, mode);                                        \
  }
LAMBDACAST_OPENAT(openat)
LAMBDACAST_OPENAT(openat64)
#undef LAMBDACAST_OPENAT

#define LAMBDACAST_FOPEN(name)                                                 \
  FILE* name(const char* path, const char* mode) {                             \
    if (ours(path)) return open_stream(path, mode);                            \
    static const auto call = next<FILE* (*)(const char*, const char*)>(#name); \
    return call(path, mode);                                                   \
  }
LAMBDACAST_FOPEN(fopen)
LAMBDACAST_FOPEN(fopen64)
#undef LAMBDACAST_FOPEN

#define LAMBDACAST_STAT(name)                                                 \
  int name(const char* path, struct stat* out) noexcept {                     \
    if (ours(path)) return describe(path, out);                               \
    static const auto call = next<int (*)(const char*, struct stat*)>(#name); \
    return call(path, out);                                                   \
  }
LAMBDACAST_STAT(stat)
LAMBDACAST_STAT(lstat)
#undef LAMBDACAST_STAT

// On a 64-bit machine both structures are one.
static_assert(sizeof(struct stat) == sizeof(struct stat64));
int stat64(const char* path, struct stat64* out) noexcept {
  return stat(path, reinterpret_cast<struct stat*>(out));
}
int lstat64(const char* path, struct stat64* out) noexcept {
  return lstat(path, reinterpret_cast<struct stat*>(out));
}

int access(const char* path, int mode) noexcept {
  if (ours(path)) {
    const DeviceEntry entry = device_entry(path);
    if (entry == DeviceEntry::kNone) return refused(ENOENT);
    const int allowed = entry == DeviceEntry::kNode ? R_OK | W_OK : R_OK;
    return (mode & ~allowed) == 0 ? 0 : refused(EACCES);
  }
  static const auto call = next<int (*)(const char*, int)>("access");
  return call(path, mode);
}

}  // extern "C"

}  // namespace lambdacast::verbs
