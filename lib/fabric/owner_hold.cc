// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/owner_hold.h"

#include <signal.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "fabric/futex.h"
#include "fabric/locked_file.h"

namespace lambdacast::fabric {
namespace {

constexpr std::size_t kStackBytes = 64 << 10;

}  // namespace

OwnerHold::OwnerHold(Mapping mapping, std::size_t control_offset, const OwnerName& name)
    : mapping_(std::move(mapping)),
      control_(*reinterpret_cast<WavelengthControl*>(mapping_.data() + control_offset)),
      name_(name),
      generation_(fork_generation()) {}

base::Result<std::unique_ptr<OwnerHold>> OwnerHold::begin(Mapping mapping,
                                                          std::size_t control_offset,
                                                          const OwnerName& name) {
  std::unique_ptr<OwnerHold> hold(new OwnerHold(std::move(mapping), control_offset, name));
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  // Signals are for the threads of the program.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = ::pthread_create(&hold->thread_, &attributes, run, hold.get());
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_attr_destroy(&attributes);
  if (error != 0) {
    return base::fail(std::string("no thread can be made to hold a wavelength: ") +
                      std::strerror(error));
  }
  hold->begun_ = true;
  hold->held_.wait(false, std::memory_order_acquire);
  return hold;
}

// The thread's end is the owner's, for whoever listens: the kernel says so. In a forked child there
// is no such thread.
OwnerHold::~OwnerHold() {
  if (!begun_ || generation_ != fork_generation()) return;
  ends_.store(true, std::memory_order_release);
  ends_.notify_one();
  ::pthread_join(thread_, nullptr);
}

void* OwnerHold::run(void* self) {
  static_cast<OwnerHold*>(self)->hold();
  return nullptr;
}

void OwnerHold::hold() {
  // It runs for microseconds when the process is killed, and others wait for just these. Who may
  // not have that priority waits for its turn.
  sched_param priority{};
  priority.sched_priority = 1;
  ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &priority);

  OwnerControl& owner = control_.owner;
  list_.list.next = &entry_;
  entry_.next = &list_.list;
  list_.futex_offset = reinterpret_cast<char*>(&owner.lock) - reinterpret_cast<char*>(&entry_);
  // In place of glibc's list, which is for robust mutexes: this thread has none.
  ::syscall(SYS_set_robust_list, &list_, sizeof list_);

  const uint32_t version = owner.version.load(std::memory_order_relaxed) | 1;
  owner.version.store(version, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  owner.epoch.store(control_.epoch.load(std::memory_order_acquire), std::memory_order_relaxed);
  for (std::size_t i = 0; i < owner.name.size(); ++i) {
    uint64_t word;
    std::memcpy(&word, name_.data() + i * sizeof word, sizeof word);
    owner.name[i].store(word, std::memory_order_relaxed);
  }
  // Listeners map the word read-only, and cannot say that they wait.
  const auto thread = static_cast<uint32_t>(::syscall(SYS_gettid));
  owner.lock.store(thread | FUTEX_WAITERS, std::memory_order_release);
  owner.version.store(version + 1, std::memory_order_release);
  wake_all(owner.lock);

  held_.store(true, std::memory_order_release);
  held_.notify_one();
  ends_.wait(false, std::memory_order_acquire);
}

}  // namespace lambdacast::fabric
