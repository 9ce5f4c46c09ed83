// SPDX-License-Identifier: BSD-3-Clause
#include "queue_pair.h"

#include <algorithm>

namespace lambdacast::verbs {

void ReceiveQueue::push(uint64_t wr_id, std::span<const ibv_sge> sges) {
  const size_t slot = tail_++ % wr_ids_.size();
  wr_ids_[slot] = wr_id;
  counts_[slot] = static_cast<uint32_t>(sges.size());
  std::ranges::copy(sges, sges_.begin() + static_cast<ptrdiff_t>(slot * max_sges_));
}

PostedReceive ReceiveQueue::pop() {
  const size_t slot = head_++ % wr_ids_.size();
  return {wr_ids_[slot], std::span(sges_).subspan(slot * max_sges_, counts_[slot])};
}

const wire::FrameTemplate& FlowCache::find(const Key& key, const AddressHandle& ah,
                                           uint32_t source_qpn, uint16_t pkey) {
  Flow& flow = flows_[(key.ah_serial ^ key.remote_qpn) % flows_.size()];
  if (flow.key == key) [[likely]]
    return flow.headers;
  wire::FrameFields fields = ah.fields;
  fields.udp_source_port = wire::roce_source_port(source_qpn);
  fields.pkey = pkey;
  fields.destination_qpn = key.remote_qpn;
  fields.source_qpn = source_qpn;
  fields.qkey = key.qkey;
  fields.solicited = key.solicited;
  fields.has_immediate = key.has_immediate;
  flow = {key, wire::FrameTemplate(fields)};
  return flow.headers;
}

}  // namespace lambdacast::verbs
