// SPDX-License-Identifier: BSD-3-Clause
#include "completion.h"

namespace lambdacast::verbs {

CompletionQueue::Pushed CompletionQueue::push(const ibv_wc& wc, bool solicited) {
  if (size() == ring.size()) return Pushed::kOverrun;
  ring[tail++ % ring.size()] = wc;
  const bool raises = armed == Armed::kForAny || (armed == Armed::kForSolicited && solicited);
  if (!raises) return Pushed::kQuiet;
  armed = Armed::kNo;
  return Pushed::kEvent;
}

int CompletionQueue::poll(int entries, ibv_wc* out) {
  int taken = 0;
  overran = false;
  while (taken < entries && head != tail) out[taken++] = ring[head++ % ring.size()];
  return taken;
}

void CompletionQueue::forget(uint32_t qp_num) {
  uint64_t kept = head;
  for (uint64_t at = head; at != tail; ++at) {
    const ibv_wc wc = ring[at % ring.size()];
    if (wc.qp_num != qp_num) ring[kept++ % ring.size()] = wc;
  }
  tail = kept;
}

}  // namespace lambdacast::verbs
