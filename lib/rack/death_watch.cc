// SPDX-License-Identifier: BSD-3-Clause
#include "rack/death_watch.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <system_error>

namespace lambdacast::rack {
namespace {

// Between two looks without a word from the kernel, which wakes one of all who wait: should that
// one be stopped, the others know so much later.
constexpr uint64_t kLookNs = 10'000'000;

fabric::OwnerName owner_name(const wire::StreamName& name) {
  static_assert(fabric::kOwnerNameBytes == wire::kStreamNameBytes);
  fabric::OwnerName bytes;
  wire::store_stream_name(name, bytes.data());
  return bytes;
}

node::Occupant occupant(const fabric::Owner& owner) {
  return {owner.number, owner.gone, wire::load_stream_name(owner.name.data())};
}

}  // namespace

DeathWatch::DeathWatch(std::unique_ptr<fabric::Fabric> fabric, Over over)
    : fabric_(std::move(fabric)),
      watch_(fabric_->watch_owners()),
      lives_(watch_.wavelengths()),
      over_(std::move(over)) {}

base::Result<std::unique_ptr<DeathWatch>> DeathWatch::begin(const std::string& fabric,
                                                            const Owners& owners, Over over) {
  auto attached = fabric::Fabric::attach(fabric, {});
  if (!attached) return tl::unexpected(attached.error());
  std::unique_ptr<DeathWatch> watch(new DeathWatch(std::move(*attached), std::move(over)));
  for (const auto& [wavelength, name] : owners) {
    auto hold = watch->fabric_->name_owner(wavelength, owner_name(name));
    if (!hold) return tl::unexpected(hold.error());
    watch->holds_.push_back(std::move(*hold));
  }
  // Signals are for the threads of the program.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  base::Result<void> made;
  try {
    watch->thread_ = std::thread([&self = *watch] { self.run(); });
  } catch (const std::system_error& error) {
    made = base::fail(std::string("no thread can be made to watch the fabric: ") + error.what());
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!made) return tl::unexpected(made.error());
  return watch;
}

DeathWatch::~DeathWatch() { stop(); }

void DeathWatch::stop() {
  if (!thread_.joinable()) return;
  ends_.store(true, std::memory_order_release);
  watch_.wake();
  thread_.join();
}

void DeathWatch::run() {
  // It runs for microseconds when somebody dies, and a view waits for just these. Who may not have
  // that priority waits for its turn.
  sched_param priority{};
  priority.sched_priority = 1;
  ::pthread_setschedparam(::pthread_self(), SCHED_FIFO, &priority);
  while (!ends_.load(std::memory_order_acquire)) {
    for (uint32_t wavelength = 0; wavelength < watch_.wavelengths(); ++wavelength)
      lives_.look(wavelength, occupant(watch_.look(wavelength)), over_);
    watch_.wait(kLookNs);
  }
}

}  // namespace lambdacast::rack
