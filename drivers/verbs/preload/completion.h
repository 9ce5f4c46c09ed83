// SPDX-License-Identifier: BSD-3-Clause
// Completion queues and the channels that their events go to.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <deque>
#include <vector>

namespace lambdacast::verbs {

struct CompletionQueue;

// `fd` is an eventfd that counts the events waiting: a program may poll it or make it non-blocking.
struct Channel : ibv_comp_channel {
  std::deque<CompletionQueue*> events;
};

inline constexpr int kMaxCompletions = 1 << 20;

enum class Armed : uint8_t { kNo, kForSolicited, kForAny };

// A ring of completions. The program sees an ibv_cq, or an ibv_cq_ex (which begins like it).
struct CompletionQueue : ibv_cq_ex {
  explicit CompletionQueue(uint32_t entries) : ibv_cq_ex{}, ring(entries) {
    cqe = static_cast<int>(entries);
  }

  enum class Pushed : uint8_t { kQuiet, kEvent, kOverrun };
  // Appends. kEvent: the queue was armed for that, and is no longer; raise an event. `solicited`:
  // of a message whose sender asked for an event, or of an error (IBTA vol. 1, 11.4.2.2).
  [[nodiscard]] Pushed push(const ibv_wc& wc, bool solicited);
  // Takes up to that many of the oldest.
  int poll(int entries, ibv_wc* out);
  // Forgets what is here of a queue pair: it was reset or destroyed.
  void forget(uint32_t qp_num);

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(tail - head); }
  [[nodiscard]] ibv_cq* base() { return reinterpret_cast<ibv_cq*>(static_cast<ibv_cq_ex*>(this)); }

  std::vector<ibv_wc> ring;
  uint64_t head = 0;  // completions taken
  uint64_t tail = 0;  // completions ever
  Armed armed = Armed::kNo;
  uint32_t users = 0;          // queue pairs
  uint32_t events_raised = 0;  // and handed to the program, which acknowledges them
  uint32_t overruns_told = 0;  // to the program, which acknowledges them as well
  bool tells_overruns = true;
  bool overran = false;  // since the program has polled
  ibv_wc current{};      // of an extended poll
};

[[nodiscard]] inline CompletionQueue& queue_of(ibv_cq* cq) {
  return *static_cast<CompletionQueue*>(reinterpret_cast<ibv_cq_ex*>(cq));
}

}  // namespace lambdacast::verbs
