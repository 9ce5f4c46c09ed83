// SPDX-License-Identifier: BSD-3-Clause
// Receiving while faults are injected. A frame passes in this order, all of it a function of seed,
// wavelength, index and the departure that its transmitter wrote beside it:
//
//   loss on the fibre          fault_lost
//   delay and jitter           it stays in the ring until it has arrived
//   the buffer before rx_rate  imissed and rx_rate_dropped if it does not fit
//   all that befalls any frame too_long, rx_nombuf, filtered, ring overrun
//   corruption, duplication    then it is held until the rate has let it through
//
// Frames of all wavelengths reach the buffer in the order of their arrival, not in that of polling.
// Where frames are lost and nothing else befalls them, odbss_rx.cc loses the same ones.
#include <rte_cycles.h>

#include <new>

#include "odbss_rx.h"

namespace lambdacast::odbss {
namespace {

// Bounds a poll. More than the largest burst: a full buffer must be found out about at once.
constexpr uint32_t kArrivalsPerPoll = 256;

// What is known of a frame that is held.
struct Held {
  rte_mbuf* next;
  Listener* listener;
  uint64_t ready;  // from then on the application may have it; ticks of the TSC
};
static_assert(sizeof(Held) <= RTE_PKTMBUF_HEADROOM);

Held& held_of(rte_mbuf* m) { return *std::launder(static_cast<Held*>(m->buf_addr)); }

void hold(HeldFrames& held, rte_mbuf* m, Listener& listener, uint64_t ready) {
  ::new (m->buf_addr) Held{nullptr, &listener, ready};
  (held.first == nullptr ? held.first : held_of(held.last).next) = m;
  held.last = m;
  ++held.count;
}

rte_mbuf* release_first(HeldFrames& held) {
  rte_mbuf* m = held.first;
  held.first = held_of(m).next;
  --held.count;
  return m;
}

uint64_t ticks(const Impairments& impairments, uint64_t ns) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(ns) * impairments.ticks_hz /
                               1'000'000'000);
}

// Takes over what control has set. Frames held by an earlier rate go first, and at once.
void adopt_faults(RxQueue& queue) {
  fabric::FaultRates rates;
  if (!queue.faults->read(rates, queue.faults_version)) return;
  Impairments& impairments = queue.impairments;
  impairments.any = rates.any();
  impairments.only_loses = rates.only_loses();
  impairments.ticks_hz = rte_get_tsc_hz();
  impairments.delay_ns = rates.delay_ns;
  const uint64_t rate_bps =
      rates.rx_rate_bps == 0 ? 0 : std::max<uint64_t>(rates.rx_rate_bps / queue.share, 1);
  const uint64_t buffer_bytes =
      std::max(rates.rx_buffer_bytes / queue.share, fabric::kMinRxBufferBytes);
  impairments.bottleneck = fabric::RateQueue(rate_bps, buffer_bytes, impairments.ticks_hz);
  for (Listener& listener : queue.listeners) {
    listener.faults = fabric::FaultInjector(rates, listener.wavelength);
  }
  for (rte_mbuf* m = impairments.held.first; m != nullptr; m = held_of(m).next) {
    held_of(m).ready = 0;
  }
}

// Is the next frame of a wavelength there, and has it arrived?
bool has_arrived(const Impairments& impairments, Listener& listener, uint64_t now) {
  fabric::Peek peek = listener.receiver.peek();
  if (peek == fabric::Peek::kOverrun) {
    listener.counters.missed.add(listener.receiver.resume());
    peek = listener.receiver.peek();
  }
  if (peek != fabric::Peek::kFrame) return false;
  const uint64_t index = listener.receiver.cursor();
  const uint64_t under_way_ns = impairments.delay_ns + listener.faults.jitter_ns(index);
  uint64_t departure = listener.receiver.departure(now);
  // One of days ago looks as if it were to come: the clock in the frame has come round.
  if (departure > now && listener.receiver.has_left(now, impairments.ticks_hz)) departure = 0;
  const uint64_t arrival = departure + ticks(impairments, under_way_ns);
  listener.arrival = std::max(arrival, listener.last_arrival);
  return listener.arrival <= now;
}

// Holds a copy behind the frame: it goes through the bottleneck too.
void duplicate(RxQueue& queue, Listener& listener, const rte_mbuf* m, uint32_t bytes) {
  Impairments& impairments = queue.impairments;
  fabric::RateQueue& bottleneck = impairments.bottleneck;
  if (bottleneck.active() && !bottleneck.offer(listener.arrival, bytes)) return;
  rte_mbuf* copy = rte_pktmbuf_copy(m, queue.pool, 0, UINT32_MAX);
  if (copy == nullptr) return;
  copy->port = m->port;
  listener.counters.fault_duplicated.add(1);
  hold(impairments.held, copy, listener, bottleneck.active() ? bottleneck.departure() : 0);
}

// One frame that has arrived: to its counter, or to those held.
template <bool kScattered>
void take_arrived(RxQueue& queue, Listener& listener) {
  const uint64_t index = listener.receiver.cursor();
  const uint32_t bytes = listener.receiver.length();
  listener.last_arrival = listener.arrival;
  if (listener.faults.loses(index)) {
    pass_over(listener, listener.counters.fault_lost);
    return;
  }
  Impairments& impairments = queue.impairments;
  fabric::RateQueue& bottleneck = impairments.bottleneck;
  if (bottleneck.active() && !bottleneck.offer(listener.arrival, bytes)) {
    pass_over(listener, listener.counters.rx_rate_dropped);
    return;
  }
  rte_mbuf* m = nullptr;
  if (take_frame<kScattered, false>(queue, listener, m) != Taken::kFrame) return;
  if (listener.faults.corrupts(index) && m->data_len != 0) {
    listener.faults.corrupt(index, data_of(m), m->data_len);
    listener.counters.fault_corrupted.add(1);
  }
  hold(impairments.held, m, listener, bottleneck.active() ? bottleneck.departure() : 0);
  if (listener.faults.duplicates(index)) duplicate(queue, listener, m, bytes);
}

// The arrivals of all wavelengths, the earliest first. Where no rate holds frames back, no more
// than the burst has room for.
template <bool kScattered>
void take_arrivals(RxQueue& queue, uint64_t now, uint32_t room) {
  Impairments& impairments = queue.impairments;
  std::vector<Listener*>& arriving = impairments.arriving;
  const auto later = [](const Listener* a, const Listener* b) { return a->arrival > b->arrival; };
  arriving.clear();
  for (Listener* listener : queue.lit) {
    if (has_arrived(impairments, *listener, now)) arriving.push_back(listener);
  }
  std::make_heap(arriving.begin(), arriving.end(), later);
  for (uint32_t taken = 0; taken < kArrivalsPerPoll && !arriving.empty(); ++taken) {
    if (!impairments.bottleneck.active() && impairments.held.count >= room) break;
    std::pop_heap(arriving.begin(), arriving.end(), later);
    Listener& listener = *arriving.back();
    take_arrived<kScattered>(queue, listener);
    if (has_arrived(impairments, listener, now)) {
      std::push_heap(arriving.begin(), arriving.end(), later);
    } else {
      arriving.pop_back();
    }
  }
}

uint16_t hand_over(HeldFrames& held, uint64_t now, rte_mbuf** mbufs, uint16_t count) {
  uint16_t got = 0;
  while (got < count && held.first != nullptr && held_of(held.first).ready <= now) {
    const Held& about = held_of(held.first);
    about.listener->counters.frames.add(1);
    about.listener->counters.bytes.add(held.first->pkt_len);
    mbufs[got++] = release_first(held);
  }
  return got;
}

}  // namespace

void free_held(HeldFrames& held) {
  while (held.first != nullptr) rte_pktmbuf_free(release_first(held));
}

template <bool kScattered>
uint16_t receive_with_faults(RxQueue& queue, rte_mbuf** mbufs, uint16_t count) {
  if (queue.faults->version() != queue.faults_version) adopt_faults(queue);
  Impairments& impairments = queue.impairments;
  const uint64_t now = rte_rdtsc();
  take_arrivals<kScattered>(queue, now, count);
  const uint16_t got = hand_over(impairments.held, now, mbufs, count);
  queue.impaired = impairments.any || impairments.held.count != 0;
  queue.only_loses = impairments.only_loses && impairments.held.count == 0;
  return got;
}

template uint16_t receive_with_faults<false>(RxQueue&, rte_mbuf**, uint16_t);
template uint16_t receive_with_faults<true>(RxQueue&, rte_mbuf**, uint16_t);

}  // namespace lambdacast::odbss
