// SPDX-License-Identifier: BSD-3-Clause
// A shared mapping of a whole file. Not inherited by fork (MADV_DONTFORK): a child can neither
// transmit nor read through its parent's port.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"

namespace lambdacast::fabric {

class Mapping {
 public:
  enum class Access { kRead, kReadWrite };

  Mapping() = default;
  ~Mapping();
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  [[nodiscard]] static base::Result<Mapping> map(int fd, std::size_t bytes, Access access);

  // Takes the page faults of a range now instead of on the data path. Best effort.
  void populate(std::size_t offset, std::size_t bytes) const;

  [[nodiscard]] uint8_t* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return bytes_; }

 private:
  void unmap();
  uint8_t* data_ = nullptr;
  std::size_t bytes_ = 0;
  Access access_ = Access::kRead;
  uint32_t generation_ = 0;  // of the process that mapped it (locked_file.h)
};

}  // namespace lambdacast::fabric
