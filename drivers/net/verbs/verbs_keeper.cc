// SPDX-License-Identifier: BSD-3-Clause
#include "verbs_keeper.h"

#include <poll.h>
#include <rte_lcore.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "verbs_port.h"

namespace lambdacast::net_verbs {
namespace {

constexpr int kAgainMs = 2;
// An address that did not resolve; a try may take as long.
constexpr int kResolveAgainMs = 1'000;
// So often it looks whether a failed queue pair's requests have all come back. A device that keeps
// some for longer is not waited for.
constexpr uint32_t kPatienceTries = 500;

}  // namespace

base::Result<void> Keeper::start() {
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_ < 0) return base::fail(std::string("no eventfd: ") + std::strerror(errno));
  ending_ = false;
  tries_.assign(port_.queue_pairs.size(), 0);
  if (const int error = ::rte_ctrl_thread_create(&thread_, "net_verbs", nullptr, run, this);
      error != 0) {
    ::close(wake_);
    return base::fail(std::string("no thread: ") + std::strerror(std::abs(error)));
  }
  running_ = true;
  return {};
}

void Keeper::stop() {
  if (!running_) return;
  ending_ = true;
  const uint64_t one = 1;
  (void)!::write(wake_, &one, sizeof one);
  ::pthread_join(thread_, nullptr);
  ::close(wake_);
  running_ = false;
}

void Keeper::wake() {
  if (woken_.exchange(true, std::memory_order_acq_rel)) return;
  const uint64_t one = 1;
  (void)!::write(wake_, &one, sizeof one);
}

void* Keeper::run(void* keeper) {
  static_cast<Keeper*>(keeper)->loop();
  return nullptr;
}

void Keeper::loop() {
  int again_ms = 0;  // look once at what was there before
  while (!ending_) {
    pollfd waited[] = {{wake_, POLLIN, 0}, {port_.device->context()->async_fd, POLLIN, 0}};
    (void)::poll(waited, std::size(waited), again_ms);
    uint64_t count = 0;
    (void)!::read(wake_, &count, sizeof count);
    woken_.store(false, std::memory_order_seq_cst);  // before looking
    if ((waited[1].revents & POLLIN) != 0) take_events();
    again_ms = work();
  }
}

int Keeper::work() {
  int again_ms = -1;
  if (port_.handles->wanting()) {
    const AddressHandles::Made made = port_.handles->make();
    port_.counters.address_handles.add(made.made);
    port_.counters.address_handle_errors.add(made.failed);
    if (made.failed != 0) again_ms = kResolveAgainMs;
  }
  for (size_t i = 0; i < port_.queue_pairs.size(); ++i) {
    QueuePair& pair = *port_.queue_pairs[i];
    if (!pair.failed()) continue;
    if (mend(pair, tries_[i])) {
      tries_[i] = 0;
    } else {
      again_ms = kAgainMs;
    }
  }
  return again_ms;
}

void Keeper::take_events() {
  ibv_async_event event{};
  if (::ibv_get_async_event(port_.device->context(), &event) != 0) return;
  port_.counters.device_events.add(1);
  const bool of_pair = event.event_type == IBV_EVENT_QP_FATAL ||
                       event.event_type == IBV_EVENT_QP_REQ_ERR ||
                       event.event_type == IBV_EVENT_QP_ACCESS_ERR;
  if (of_pair) {
    if (QueuePair* const pair = port_.pair(event.element.qp->qp_num); pair != nullptr) {
      (void)pair->mark_failed();
    }
  }
  ::ibv_ack_async_event(&event);
}

// The lcores post nothing to it from now on and take back what they posted.
bool Keeper::mend(QueuePair& pair, uint32_t& tries) {
  if (tries++ == 0) {
    port_.counters.queue_pair_failures.add(1);
    VERBS_LOG(NOTICE, "queue pair %u has failed and is set up anew", pair.number());
    pair.flush();
  }
  port_.tx_queue->turn.take();
  reap_sends(*port_.tx_queue);
  port_.tx_queue->turn.give_back();
  const bool drained = pair.sends.empty() && pair.receives.empty();
  if (!drained && tries < kPatienceTries) return false;
  return renew(pair);
}

bool Keeper::renew(QueuePair& pair) {
  port_.tx_queue->turn.take();
  port_.rx_queue->turn.take();
  auto done = pair.reset();
  if (done) done = pair.start();
  if (done) {
    pair.mark_mended();
    (void)post_receives(*port_.rx_queue, pair);
    port_.counters.queue_pairs_mended.add(1);
  } else {
    port_.counters.mending_errors.add(1);
  }
  port_.rx_queue->turn.give_back();
  port_.tx_queue->turn.give_back();
  if (!done) VERBS_LOG(ERR, "%s", done.error().message.c_str());
  return done.has_value();
}

}  // namespace lambdacast::net_verbs
