// SPDX-License-Identifier: BSD-3-Clause
// A file whose locks say who is alive. The kernel releases them with the process however it ends;
// a stopped process keeps them, as it should. Two kinds, on one open file description:
//   flock        shared by every process attached: a file nobody locks is stale
//   byte ranges  open-file-description locks (Linux fcntl(2)): ownership of a wavelength, and the
//                short set-up lock. Two descriptions conflict even within one process.
// Neither is inherited by fork: the child's copy of the description is closed in the child before
// fork returns there, so a child cannot keep its dead parent's wavelength alight, and the child's
// copy of the object is closed, whatever the number of its descriptor means there by now.
#pragma once

#include <cstdint>
#include <string>

namespace lambdacast::fabric {

// Differs between a process and a child it forked: how an inherited object knows that what it
// stands for was left behind.
[[nodiscard]] uint32_t fork_generation();

class LockedFile {
 public:
  LockedFile() = default;
  explicit LockedFile(int fd);  // takes the descriptor over
  ~LockedFile();
  LockedFile(LockedFile&& other) noexcept;
  LockedFile& operator=(LockedFile&& other) noexcept;
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  [[nodiscard]] bool is_open() const { return fd() >= 0; }
  [[nodiscard]] int fd() const { return generation_ == fork_generation() ? fd_ : -1; }

  [[nodiscard]] bool lock_shared();                   // waits; false only on a kernel error
  [[nodiscard]] bool try_lock_exclusive();            // true: nobody else holds the file
  [[nodiscard]] bool lock_byte(uint64_t offset);      // waits
  [[nodiscard]] bool try_lock_byte(uint64_t offset);  // false: another description holds it
  void unlock_byte(uint64_t offset);

 private:
  void close();
  int fd_ = -1;
  uint32_t generation_ = 0;
};

}  // namespace lambdacast::fabric
