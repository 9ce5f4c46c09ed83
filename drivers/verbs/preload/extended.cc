// SPDX-License-Identifier: BSD-3-Clause
// The extended ways to post (ibv_wr_*(3)) and to poll (ibv_create_cq_ex(3)), over the plain ones.
#include <algorithm>
#include <cstring>

#include "context.h"

namespace lambdacast::verbs {
namespace {

QueuePair& pair_of(ibv_qp_ex* qp) { return *static_cast<QueuePair*>(qp); }

void start(ibv_qp_ex* qp) {
  Batch& batch = pair_of(qp).batch;
  batch.one_at_a_time.lock();
  batch.requests.clear();
  batch.sges.clear();
  batch.inline_bytes.clear();
  batch.error = 0;
}

void begin(ibv_qp_ex* qp, ibv_wr_opcode opcode, __be32 immediate) {
  Batch& batch = pair_of(qp).batch;
  Batch::Request request{};
  request.wr.wr_id = qp->wr_id;
  request.wr.send_flags = qp->wr_flags & ~static_cast<unsigned int>(IBV_SEND_INLINE);
  request.wr.opcode = opcode;
  request.wr.imm_data = immediate;
  request.first_sge = batch.sges.size();
  request.first_byte = batch.inline_bytes.size();
  batch.requests.push_back(request);
}

void send(ibv_qp_ex* qp) { begin(qp, IBV_WR_SEND, 0); }
void send_imm(ibv_qp_ex* qp, __be32 immediate) { begin(qp, IBV_WR_SEND_WITH_IMM, immediate); }

// The request that setters speak of; null, and an error at the end, if none was begun.
Batch::Request* current(Batch& batch) {
  if (!batch.requests.empty()) return &batch.requests.back();
  batch.error = EINVAL;
  return nullptr;
}

void set_ud_addr(ibv_qp_ex* qp, ibv_ah* ah, uint32_t remote_qpn, uint32_t remote_qkey) {
  Batch::Request* request = current(pair_of(qp).batch);
  if (request == nullptr) return;
  request->wr.wr.ud = {ah, remote_qpn, remote_qkey};
}

void set_sge_list(ibv_qp_ex* qp, size_t count, const ibv_sge* sges) {
  Batch& batch = pair_of(qp).batch;
  Batch::Request* request = current(batch);
  if (request == nullptr) return;
  if (count > kMaxSges) {
    batch.error = EINVAL;
    return;
  }
  batch.sges.resize(request->first_sge);
  batch.sges.insert(batch.sges.end(), sges, sges + count);
  request->sges = count;
}

void set_sge(ibv_qp_ex* qp, uint32_t lkey, uint64_t address, uint32_t bytes) {
  const ibv_sge sge{address, bytes, lkey};
  set_sge_list(qp, 1, &sge);
}

void set_inline_data_list(ibv_qp_ex* qp, size_t count, const ibv_data_buf* buffers) {
  Batch& batch = pair_of(qp).batch;
  Batch::Request* request = current(batch);
  if (request == nullptr) return;
  batch.inline_bytes.resize(request->first_byte);
  for (size_t i = 0; i < count; ++i) {
    const size_t used = batch.inline_bytes.size() - request->first_byte;
    if (buffers[i].length > kMaxInlineBytes - used) {
      batch.error = EINVAL;
      return;
    }
    const auto* from = static_cast<const uint8_t*>(buffers[i].addr);
    batch.inline_bytes.insert(batch.inline_bytes.end(), from, from + buffers[i].length);
  }
  // Where they stand is known when all have been copied.
  const auto bytes = static_cast<uint32_t>(batch.inline_bytes.size() - request->first_byte);
  batch.sges.resize(request->first_sge);
  batch.sges.push_back({0, bytes, 0});
  request->sges = 1;
  request->wr.send_flags |= IBV_SEND_INLINE;
}

void set_inline_data(ibv_qp_ex* qp, void* address, size_t bytes) {
  const ibv_data_buf buffer{address, bytes};
  set_inline_data_list(qp, 1, &buffer);
}

// An operation that datagrams, or this queue pair, do not have.
template <typename... Arguments>
void unsupported(ibv_qp_ex* qp, Arguments...) {
  pair_of(qp).batch.error = EOPNOTSUPP;
}

void fill_unsupported(ibv_qp_ex& qp) {
  qp.wr_atomic_cmp_swp = unsupported;
  qp.wr_atomic_fetch_add = unsupported;
  qp.wr_atomic_write = unsupported;
  qp.wr_bind_mw = unsupported;
  qp.wr_local_inv = unsupported;
  qp.wr_rdma_read = unsupported;
  qp.wr_rdma_write = unsupported;
  qp.wr_rdma_write_imm = unsupported;
  qp.wr_send = unsupported;
  qp.wr_send_imm = unsupported;
  qp.wr_send_inv = unsupported;
  qp.wr_send_tso = unsupported;
  qp.wr_set_xrc_srqn = unsupported;
}

// All or none, as ibv_wr_complete(3) has it: what cannot be posted is put right before any is.
int post_all(QueuePair& qp) {
  Batch& batch = qp.batch;
  if (batch.error != 0) return batch.error;
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return error;
  for (Batch::Request& request : batch.requests) {
    request.wr.sg_list = batch.sges.data() + request.first_sge;
    request.wr.num_sge = static_cast<int>(request.sges);
    if ((request.wr.send_flags & IBV_SEND_INLINE) != 0) {
      request.wr.sg_list->addr =
          reinterpret_cast<uint64_t>(batch.inline_bytes.data() + request.first_byte);
    }
  }
  for (size_t i = 0; i < batch.requests.size(); ++i) {
    if (const int error = device().check(qp, batch.requests[i].wr, i); error != 0) return error;
  }
  for (const Batch::Request& request : batch.requests) (void)device().post(qp, request.wr);
  return 0;
}

int complete(ibv_qp_ex* qp) {
  const int error = post_all(pair_of(qp));
  pair_of(qp).batch.one_at_a_time.unlock();
  return error;
}

void abort_batch(ibv_qp_ex* qp) { pair_of(qp).batch.one_at_a_time.unlock(); }

// --- polling ---

CompletionQueue& queue_of(ibv_cq_ex* cq) { return *static_cast<CompletionQueue*>(cq); }

int next_poll(ibv_cq_ex* base) {
  CompletionQueue& cq = queue_of(base);
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return error;
  if (cq.poll(1, &cq.current) == 0) return ENOENT;
  cq.status = cq.current.status;
  cq.wr_id = cq.current.wr_id;
  return 0;
}

int start_poll(ibv_cq_ex* base, ibv_poll_cq_attr* attributes) {
  if (attributes->comp_mask != 0) return EINVAL;
  {
    const std::scoped_lock held(device().lock);
    if (const int error = device().usable(); error != 0) return error;
    device().progress();
  }
  return next_poll(base);
}

}  // namespace

void fill_extended_post(QueuePair& qp, uint64_t operations) {
  qp.extended = true;
  fill_unsupported(qp);
  qp.wr_start = start;
  qp.wr_complete = complete;
  qp.wr_abort = abort_batch;
  if ((operations & IBV_QP_EX_WITH_SEND) != 0) qp.wr_send = send;
  if ((operations & IBV_QP_EX_WITH_SEND_WITH_IMM) != 0) qp.wr_send_imm = send_imm;
  qp.wr_set_ud_addr = set_ud_addr;
  qp.wr_set_sge = set_sge;
  qp.wr_set_sge_list = set_sge_list;
  qp.wr_set_inline_data = set_inline_data;
  qp.wr_set_inline_data_list = set_inline_data_list;
}

void fill_extended_poll(CompletionQueue& cq) {
  cq.start_poll = start_poll;
  cq.next_poll = next_poll;
  cq.end_poll = [](ibv_cq_ex*) {};
  cq.read_opcode = [](ibv_cq_ex* q) { return queue_of(q).current.opcode; };
  cq.read_vendor_err = [](ibv_cq_ex* q) { return queue_of(q).current.vendor_err; };
  cq.read_byte_len = [](ibv_cq_ex* q) { return queue_of(q).current.byte_len; };
  cq.read_imm_data = [](ibv_cq_ex* q) { return queue_of(q).current.imm_data; };
  cq.read_qp_num = [](ibv_cq_ex* q) { return queue_of(q).current.qp_num; };
  cq.read_src_qp = [](ibv_cq_ex* q) { return queue_of(q).current.src_qp; };
  cq.read_wc_flags = [](ibv_cq_ex* q) { return queue_of(q).current.wc_flags; };
  cq.read_slid = [](ibv_cq_ex*) { return uint32_t{0}; };
  cq.read_sl = [](ibv_cq_ex* q) { return queue_of(q).current.sl; };
  cq.read_dlid_path_bits = [](ibv_cq_ex*) { return uint8_t{0}; };
}

extern "C" {

ibv_qp_ex* ibv_qp_to_qp_ex(ibv_qp* qp) {
  QueuePair& pair = verbs::pair_of(qp);
  return pair.extended ? &pair : nullptr;
}

}  // extern "C"

}  // namespace lambdacast::verbs
