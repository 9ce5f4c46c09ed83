// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/owner_watch.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "fabric/futex.h"

namespace lambdacast::fabric {
namespace {

constexpr uint64_t kSecondNs = 1'000'000'000;

timespec in(uint64_t ns) {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  const uint64_t at_ns = static_cast<uint64_t>(now.tv_nsec) + ns;
  return {now.tv_sec + static_cast<time_t>(at_ns / kSecondNs),
          static_cast<long>(at_ns % kSecondNs)};
}

void add(futex_waitv& to, const std::atomic<uint32_t>& word, uint32_t seen) {
  to = {};
  to.val = seen;
  to.uaddr = reinterpret_cast<uint64_t>(&word);
  to.flags = FUTEX_32;
}

}  // namespace

OwnerWatch::OwnerWatch(const uint8_t* segment, const Geometry& geometry)
    : seen_(geometry.wavelengths) {
  for (uint32_t w = 0; w < geometry.wavelengths; ++w) {
    controls_.push_back(
        reinterpret_cast<const WavelengthControl*>(segment + geometry.control_offset(w)));
  }
}

// The name is whole if neither its version nor the lock has changed meanwhile. While it is being
// written, and if its writer has died over it, there is none.
Owner OwnerWatch::look(uint32_t wavelength) {
  const WavelengthControl& control = *controls_[wavelength];
  const OwnerControl& of = control.owner;
  for (;;) {
    Owner owner;
    const uint32_t version = of.version.load(std::memory_order_acquire);
    const uint32_t lock = of.lock.load(std::memory_order_acquire);
    const uint64_t epoch = of.epoch.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < of.name.size(); ++i) {
      const uint64_t word = of.name[i].load(std::memory_order_relaxed);
      std::memcpy(owner.name.data() + i * sizeof word, &word, sizeof word);
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (of.version.load(std::memory_order_relaxed) != version) continue;
    if (of.lock.load(std::memory_order_relaxed) != lock) continue;
    const bool ended = (lock & FUTEX_OWNER_DIED) != 0;
    if (ended && lock != seen_[wavelength]) wake_all(of.lock);
    seen_[wavelength] = lock;
    if ((version & 1) != 0) return {control.epoch.load(std::memory_order_acquire), ended, {}};
    owner.number = epoch;
    owner.gone = ended || control.epoch.load(std::memory_order_acquire) != epoch;
    return owner;
  }
}

void OwnerWatch::wait(uint64_t most_ns) {
  static_assert(kMaxWavelengths + 1 <= FUTEX_WAITV_MAX);
  std::array<futex_waitv, kMaxWavelengths + 1> words;
  unsigned count = 0;
  for (uint32_t w = 0; w < wavelengths(); ++w)
    add(words[count++], controls_[w]->owner.lock, seen_[w]);
  add(words[count++], woken_, 0);
  const timespec until = in(most_ns);
  if (::syscall(SYS_futex_waitv, words.data(), count, 0, &until, CLOCK_MONOTONIC) >= 0) return;
  if (errno != ENOSYS) return;
  // A kernel before 5.16 waits for one word at a time: the others are looked at when it is over.
  const timespec most{static_cast<time_t>(most_ns / kSecondNs),
                      static_cast<long>(most_ns % kSecondNs)};
  ::syscall(SYS_futex, &woken_, FUTEX_WAIT, 0, &most, nullptr, 0);
}

void OwnerWatch::wake() {
  woken_.store(1, std::memory_order_release);
  wake_all(woken_);
}

}  // namespace lambdacast::fabric
