// SPDX-License-Identifier: BSD-3-Clause
// The kernel's calls for words in shared memory that threads of several processes wait for.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace lambdacast::fabric {

// Wakes all who wait for the word, of all processes. A read-only mapping will do.
inline void wake_all(const std::atomic<uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace lambdacast::fabric
