// SPDX-License-Identifier: BSD-3-Clause
// Copies between slots and frame buffers. The copy out of a slot races with the transmitter by
// design: what it read is used only after the slot's state has been found unchanged (receiver.h).
// That makes it the one place where ThreadSanitizer is told to look away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lambdacast::fabric {

// Less than this is copied as this much, so both buffers must have at least so much room. Longer
// frames are copied exactly: a byte too many may lie in one cache line more, which nobody has
// prefetched, and costs four times what the frame does.
inline constexpr std::size_t kCopyBlockBytes = 64;

// From here on the C library's memcpy (wide vectors, string instructions) is the faster one.
inline constexpr std::size_t kInlineCopyBytes = 1024;

#if defined(__SANITIZE_THREAD__)
#define LAMBDACAST_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LAMBDACAST_TSAN 1
#endif
#endif

#ifdef LAMBDACAST_TSAN

// memcpy is intercepted, hence the loop; it may not be inlined into an instrumented caller.
__attribute__((no_sanitize("thread"), noinline)) inline void copy_frame(uint8_t* to,
                                                                        const uint8_t* from,
                                                                        std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    const_cast<volatile uint8_t*>(to)[i] = const_cast<const volatile uint8_t*>(from)[i];
  }
}

#else

inline void copy_frame(uint8_t* to, const uint8_t* from, std::size_t bytes) {
  if (bytes > kInlineCopyBytes) {
    std::memcpy(to, from, bytes);
    return;
  }
  std::size_t done = 0;
  for (; done + kCopyBlockBytes < bytes; done += kCopyBlockBytes) {
    std::memcpy(to + done, from + done, kCopyBlockBytes);
  }
  if (done != 0) done = bytes - kCopyBlockBytes;  // the last block ends with the frame
  std::memcpy(to + done, from + done, kCopyBlockBytes);
}

#endif

}  // namespace lambdacast::fabric
