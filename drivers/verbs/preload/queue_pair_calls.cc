// SPDX-License-Identifier: BSD-3-Clause
// The calls on queue pairs.
#include <algorithm>

#include "context.h"
#include "states.h"

namespace lambdacast::verbs {
namespace {

bool within_limits(const ibv_qp_cap& cap) {
  return cap.max_send_wr <= kMaxWorkRequests && cap.max_recv_wr <= kMaxWorkRequests &&
         cap.max_send_sge <= kMaxSges && cap.max_recv_sge <= kMaxSges &&
         cap.max_inline_data <= kMaxInlineBytes;
}

// Does the program ask for what other queue pairs have? An attribute whose value asks for nothing
// is none, whatever comp_mask says.
bool asks_for_more(const ibv_qp_init_attr_ex& a) {
  constexpr uint32_t kKnown = (IBV_QP_INIT_ATTR_SEND_OPS_FLAGS << 1) - 1;
  const auto given = [&a](uint32_t attribute) { return (a.comp_mask & attribute) != 0; };
  if ((a.comp_mask & ~kKnown) != 0) return true;
  if (given(IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) && (a.send_ops_flags & ~kExtendedOperations) != 0)
    return true;
  if (given(IBV_QP_INIT_ATTR_CREATE_FLAGS) &&
      (a.create_flags & ~uint32_t{IBV_QP_CREATE_BLOCK_SELF_MCAST_LB}) != 0)
    return true;
  return (given(IBV_QP_INIT_ATTR_XRCD) && a.xrcd != nullptr) ||
         (given(IBV_QP_INIT_ATTR_MAX_TSO_HEADER) && a.max_tso_header != 0) ||
         (given(IBV_QP_INIT_ATTR_IND_TABLE) && a.rwq_ind_tbl != nullptr) ||
         (given(IBV_QP_INIT_ATTR_RX_HASH) && a.rx_hash_conf.rx_hash_fields_mask != 0);
}

// 0, or why there is no such queue pair: only datagrams are carried here.
int check(const ibv_qp_init_attr_ex& a) {
  if (number_of(a.qp_type) != IBV_QPT_UD || a.srq != nullptr) return EOPNOTSUPP;
  if (asks_for_more(a)) return EOPNOTSUPP;
  const bool has_pd = (a.comp_mask & IBV_QP_INIT_ATTR_PD) != 0 && a.pd != nullptr;
  const bool complete = has_pd && a.send_cq != nullptr && a.recv_cq != nullptr;
  return complete && within_limits(a.cap) ? 0 : EINVAL;
}

int check_values(const QueuePair& qp, const ibv_qp_attr& a, int mask) {
  if ((mask & IBV_QP_CUR_STATE) != 0 && number_of(a.cur_qp_state) != qp.qp_base.state) {
    return EINVAL;
  }
  if ((mask & IBV_QP_PORT) != 0 && a.port_num != 1) return EINVAL;
  const auto pkeys = device().settings().pkeys.size();
  if ((mask & IBV_QP_PKEY_INDEX) != 0 && a.pkey_index >= pkeys) return EINVAL;
  const int wanted = number_of(a.qp_state);
  if ((mask & IBV_QP_STATE) != 0 && (wanted < IBV_QPS_RESET || wanted > IBV_QPS_ERR)) {
    return EINVAL;
  }
  const ibv_qp_state to = (mask & IBV_QP_STATE) != 0 ? a.qp_state : qp.qp_base.state;
  return check_step(qp.qp_base.state, to, mask);
}

void apply(QueuePair& qp, const ibv_qp_attr& a, int mask) {
  constexpr uint32_t kPsnMask = 0xffffff;
  if ((mask & IBV_QP_QKEY) != 0) qp.qkey = a.qkey;
  if ((mask & IBV_QP_PKEY_INDEX) != 0) qp.pkey_index = a.pkey_index;
  if ((mask & IBV_QP_PORT) != 0) qp.port = a.port_num;
  if ((mask & IBV_QP_SQ_PSN) != 0) qp.psn = a.sq_psn & kPsnMask;
  qp.flows.clear();  // they carry the P_Key
  if ((mask & IBV_QP_STATE) == 0) return;
  if (a.qp_state == IBV_QPS_RESET) {
    device().reset(qp);
  } else if (a.qp_state == IBV_QPS_ERR) {
    device().fail(qp);
  } else {
    qp.qp_base.state = a.qp_state;
  }
}

}  // namespace

ibv_qp* create_qp_ex(ibv_context* context, ibv_qp_init_attr_ex* a) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return refuse(error);
  if (const int error = check(*a); error != 0) return refuse(error);
  auto* qp = new QueuePair(a->cap, a->sq_sig_all != 0);
  if (!device().add(*qp)) {
    delete qp;
    return refuse(ENOMEM);
  }
  ibv_qp& base = qp->qp_base;
  base.context = context;
  base.qp_context = a->qp_context;
  base.pd = a->pd;
  base.send_cq = a->send_cq;
  base.recv_cq = a->recv_cq;
  base.handle = device().next_handle++;
  base.state = IBV_QPS_RESET;
  base.qp_type = IBV_QPT_UD;
  ::pthread_mutex_init(&base.mutex, nullptr);
  ::pthread_cond_init(&base.cond, nullptr);
  if ((a->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) != 0) {
    fill_extended_post(*qp, a->send_ops_flags);
  }
  qp->hears_itself = (a->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS) == 0 ||
                     (a->create_flags & IBV_QP_CREATE_BLOCK_SELF_MCAST_LB) == 0;
  ++static_cast<ProtectionDomain*>(a->pd)->users;
  ++qp->send_queue().users;
  ++qp->receive_queue().users;
  return &base;
}

ibv_qp_init_attr_ex with_domain(const ibv_qp_init_attr& a, ibv_pd* pd) {
  ibv_qp_init_attr_ex extended{};
  extended.qp_context = a.qp_context;
  extended.send_cq = a.send_cq;
  extended.recv_cq = a.recv_cq;
  extended.srq = a.srq;
  extended.cap = a.cap;
  std::memcpy(&extended.qp_type, &a.qp_type, sizeof extended.qp_type);  // see number_of()
  extended.sq_sig_all = a.sq_sig_all;
  extended.comp_mask = IBV_QP_INIT_ATTR_PD;
  extended.pd = pd;
  return extended;
}

namespace {

// The requests in turn, until one cannot be posted.
template <typename Request>
int post_list(ibv_qp* base, Request* wr, Request** bad_wr) {
  const std::scoped_lock held(device().lock);
  int error = device().usable();
  for (; wr != nullptr; wr = wr->next) {
    if (error == 0) error = device().post(pair_of(base), *wr);
    if (error == 0) continue;
    *bad_wr = wr;
    return error;
  }
  return 0;
}

}  // namespace

int post_send(ibv_qp* base, ibv_send_wr* wr, ibv_send_wr** bad_wr) {
  return post_list(base, wr, bad_wr);
}

int post_recv(ibv_qp* base, ibv_recv_wr* wr, ibv_recv_wr** bad_wr) {
  return post_list(base, wr, bad_wr);
}

extern "C" {

ibv_qp* ibv_create_qp(ibv_pd* pd, ibv_qp_init_attr* a) {
  ibv_qp_init_attr_ex extended = with_domain(*a, pd);
  return create_qp_ex(pd->context, &extended);
}

int ibv_modify_qp(ibv_qp* base, ibv_qp_attr* a, int mask) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return error;
  QueuePair& qp = pair_of(base);
  if (const int error = check_values(qp, *a, mask); error != 0) return error;
  apply(qp, *a, mask);
  return 0;
}

int ibv_query_qp(ibv_qp* base, ibv_qp_attr* a, int, ibv_qp_init_attr* init) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return error;
  const QueuePair& qp = pair_of(base);
  *a = {};
  a->qp_state = a->cur_qp_state = base->state;
  a->path_mtu = IBV_MTU_4096;
  a->qkey = qp.qkey;
  a->sq_psn = qp.psn;
  a->cap = qp.cap;
  a->pkey_index = qp.pkey_index;
  a->port_num = qp.port;
  *init = {};
  init->qp_context = base->qp_context;
  init->send_cq = base->send_cq;
  init->recv_cq = base->recv_cq;
  init->cap = qp.cap;
  init->qp_type = base->qp_type;
  init->sq_sig_all = qp.signals_all ? 1 : 0;
  return 0;
}

int ibv_query_qp_data_in_order(ibv_qp*, ibv_wr_opcode, uint32_t) { return 0; }
int ibv_set_ece(ibv_qp*, ibv_ece*) { return EOPNOTSUPP; }
int ibv_query_ece(ibv_qp*, ibv_ece* ece) {
  *ece = {};
  return 0;
}

int ibv_destroy_qp(ibv_qp* base) {
  const std::scoped_lock held(device().lock);
  if (const int error = device().usable(); error != 0) return error;
  QueuePair& qp = pair_of(base);
  if (qp.groups > 0) return EBUSY;
  device().remove(qp);
  --static_cast<ProtectionDomain*>(base->pd)->users;
  --qp.send_queue().users;
  --qp.receive_queue().users;
  ::pthread_cond_destroy(&base->cond);
  ::pthread_mutex_destroy(&base->mutex);
  delete &qp;
  return 0;
}

}  // extern "C"

}  // namespace lambdacast::verbs
