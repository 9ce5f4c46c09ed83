// SPDX-License-Identifier: BSD-3-Clause
// The calls on completion queues and channels.
#include <sys/eventfd.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>

#include "context.h"

namespace lambdacast::verbs {
namespace {

CompletionQueue* create(ibv_context* context, int entries, void* cq_context,
                        ibv_comp_channel* channel, int vector) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return refuse(error);
  if (entries < 1 || entries > kMaxCompletions || vector < 0 ||
      vector >= context->num_comp_vectors) {
    return refuse(EINVAL);
  }
  auto* cq = new CompletionQueue(static_cast<uint32_t>(entries));
  cq->context = context;
  cq->channel = channel;
  cq->cq_context = cq_context;
  cq->handle = device().next_handle++;
  ::pthread_mutex_init(&cq->mutex, nullptr);
  ::pthread_cond_init(&cq->cond, nullptr);
  if (channel != nullptr) ++channel->refcnt;
  return cq;
}

// All events that were handed out have been acknowledged (ibv_get_cq_event(3)).
void wait_for_acknowledgements(CompletionQueue& cq) {
  ::pthread_mutex_lock(&cq.mutex);
  while (cq.comp_events_completed != cq.events_raised ||
         cq.async_events_completed != cq.overruns_told) {
    ::pthread_cond_wait(&cq.cond, &cq.mutex);
  }
  ::pthread_mutex_unlock(&cq.mutex);
}

// Those raised that the program has not fetched go with the queue. Without waiting: a thread that
// fetches one may have taken the count, and wait for the lock that is held here.
void forget_events(std::deque<CompletionQueue*>& events, int fd, const CompletionQueue& cq) {
  for (auto gone = std::erase(events, &cq); gone > 0; --gone) {
    uint64_t one = 0;
    const iovec to{&one, sizeof one};
    (void)::preadv2(fd, &to, 1, -1, RWF_NOWAIT);
  }
}

}  // namespace

int poll_cq(ibv_cq* base, int entries, ibv_wc* wc) {
  const std::scoped_lock held(device().lock);
  if (device().usable() != 0) return -1;
  CompletionQueue& cq = queue_of(base);
  device().progress();
  return cq.poll(entries, wc);
}

int req_notify_cq(ibv_cq* base, int solicited_only) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return error;
  if (base->channel == nullptr) return EINVAL;
  device().arm(queue_of(base), solicited_only != 0 ? Armed::kForSolicited : Armed::kForAny);
  return 0;
}

ibv_cq_ex* create_cq_ex(ibv_context* context, ibv_cq_init_attr_ex* a) {
  constexpr uint64_t kKnown = IBV_WC_STANDARD_FLAGS;
  if ((a->wc_flags & ~kKnown) != 0) return refuse(EOPNOTSUPP);
  constexpr uint32_t kKnownMask = IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD;
  if ((a->comp_mask & ~kKnownMask) != 0) return refuse(EINVAL);
  // Parent domains cannot be allocated here.
  if ((a->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD) != 0 && a->parent_domain != nullptr)
    return refuse(EINVAL);
  const uint32_t flags = (a->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS) != 0 ? a->flags : 0;
  constexpr uint32_t kKnownFlags =
      IBV_CREATE_CQ_ATTR_SINGLE_THREADED | IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN;
  if ((flags & ~kKnownFlags) != 0) return refuse(EOPNOTSUPP);
  auto* cq = create(context, static_cast<int>(std::min<uint32_t>(a->cqe, 0x7fffffff)),
                    a->cq_context, a->channel, static_cast<int>(a->comp_vector));
  if (cq == nullptr) return nullptr;
  cq->tells_overruns = (flags & IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN) == 0;
  fill_extended_poll(*cq);
  return cq;
}

extern "C" {

ibv_comp_channel* ibv_create_comp_channel(ibv_context* context) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return refuse(error);
  auto* channel = new Channel{};
  channel->context = context;
  channel->fd = ::eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
  if (channel->fd < 0) {
    delete channel;
    return nullptr;
  }
  device().add_channel();
  return channel;
}

int ibv_destroy_comp_channel(ibv_comp_channel* base) {
  std::unique_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return error;
  if (base->refcnt != 0) return EBUSY;
  device().remove_channel(held);
  ::close(base->fd);
  delete static_cast<Channel*>(base);
  return 0;
}

ibv_cq* ibv_create_cq(ibv_context* context, int entries, void* cq_context,
                      ibv_comp_channel* channel, int vector) {
  CompletionQueue* cq = create(context, entries, cq_context, channel, vector);
  return cq == nullptr ? nullptr : cq->base();
}

int ibv_resize_cq(ibv_cq* base, int entries) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return error;
  CompletionQueue& cq = queue_of(base);
  device().progress();  // what is complete by now counts
  if (entries < 1 || entries > kMaxCompletions || static_cast<uint32_t>(entries) < cq.size()) {
    return EINVAL;
  }
  std::vector<ibv_wc> ring(static_cast<size_t>(entries));
  cq.tail = static_cast<uint64_t>(cq.poll(entries, ring.data()));
  cq.head = 0;
  cq.ring = std::move(ring);
  cq.cqe = entries;
  return 0;
}

int ibv_destroy_cq(ibv_cq* base) {
  CompletionQueue& cq = queue_of(base);
  {
    const std::scoped_lock held(device().lock);
    if (const int error = device().usable(); error != 0) return error;
    if (cq.users > 0) return EBUSY;
    device().disarm(cq);
    if (base->channel != nullptr) {
      forget_events(static_cast<Channel*>(base->channel)->events, base->channel->fd, cq);
      --base->channel->refcnt;
    }
    forget_events(context_of(base->context).overruns, base->context->async_fd, cq);
  }
  wait_for_acknowledgements(cq);
  ::pthread_cond_destroy(&cq.cond);
  ::pthread_mutex_destroy(&cq.mutex);
  delete &cq;
  return 0;
}

int ibv_get_cq_event(ibv_comp_channel* base, ibv_cq** cq, void** cq_context) {
  auto& channel = *static_cast<Channel*>(base);
  for (;;) {
    uint64_t one = 0;
    if (::read(channel.fd, &one, sizeof one) != sizeof one) return -1;
    const std::scoped_lock held(device().lock);
    if (channel.events.empty()) continue;  // its queue was destroyed meanwhile
    CompletionQueue& found = *channel.events.front();
    channel.events.pop_front();
    ++found.events_raised;
    *cq = found.base();
    *cq_context = found.cq_context;
    return 0;
  }
}

void ibv_ack_cq_events(ibv_cq* base, unsigned int events) {
  ::pthread_mutex_lock(&base->mutex);
  base->comp_events_completed += events;
  ::pthread_cond_signal(&base->cond);
  ::pthread_mutex_unlock(&base->mutex);
}

}  // extern "C"

}  // namespace lambdacast::verbs
