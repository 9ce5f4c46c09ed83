// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/mapping.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "fabric/locked_file.h"

namespace lambdacast::fabric {

Mapping::~Mapping() { unmap(); }

Mapping::Mapping(Mapping&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      access_(other.access_),
      generation_(other.generation_) {}

Mapping& Mapping::operator=(Mapping&& other) noexcept {
  if (this != &other) {
    unmap();
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
    access_ = other.access_;
    generation_ = other.generation_;
  }
  return *this;
}

// In a forked child nothing is mapped there, or by now something else is.
void Mapping::unmap() {
  if (data_ != nullptr && generation_ == fork_generation()) ::munmap(data_, bytes_);
  data_ = nullptr;
}

base::Result<Mapping> Mapping::map(int fd, std::size_t bytes, Access access) {
  const int protection = access == Access::kRead ? PROT_READ : PROT_READ | PROT_WRITE;
  void* address = ::mmap(nullptr, bytes, protection, MAP_SHARED, fd, 0);
  if (address == MAP_FAILED) {
    return base::fail("cannot map " + std::to_string(bytes) +
                      " bytes of the fabric: " + std::strerror(errno));
  }
  ::madvise(address, bytes, MADV_DONTFORK);
  Mapping mapping;
  mapping.data_ = static_cast<uint8_t*>(address);
  mapping.bytes_ = bytes;
  mapping.access_ = access;
  mapping.generation_ = fork_generation();
  return mapping;
}

void Mapping::populate(std::size_t offset, std::size_t bytes) const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t begin = offset / page * page;
  const int advice = access_ == Access::kRead ? MADV_POPULATE_READ : MADV_POPULATE_WRITE;
  ::madvise(data_ + begin, offset + bytes - begin, advice);
}

}  // namespace lambdacast::fabric
