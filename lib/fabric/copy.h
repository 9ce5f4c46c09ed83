// Copies between slots and frame buffers. The copy out of a slot races with the transmitter by
// design: what it read is used only after the slot's state has been found unchanged (receiver.h).
// That makes it the one place where ThreadSanitizer is told to look away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lambdacast::fabric {

// Both buffers must have room for the length rounded up to kCopyBlockBytes: whole blocks are
// copied, which saves the branches of an exact tail. Slots and mbufs with headroom have it.
inline constexpr std::size_t kCopyBlockBytes = 64;

[[nodiscard]] constexpr std::size_t whole_blocks(std::size_t bytes) {
  return (bytes + kCopyBlockBytes - 1) / kCopyBlockBytes * kCopyBlockBytes;
}

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
  for (std::size_t done = 0; done < bytes; done += kCopyBlockBytes) {
    std::memcpy(to + done, from + done, kCopyBlockBytes);
  }
}

#endif

}  // namespace lambdacast::fabric
