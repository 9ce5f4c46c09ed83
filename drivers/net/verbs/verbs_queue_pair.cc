// SPDX-License-Identifier: BSD-3-Clause
#include "verbs_queue_pair.h"

#include <cerrno>
#include <cstring>

namespace lambdacast::net_verbs {

QueuePair::QueuePair(const Device& device, const QueuePairConfig& config)
    : receives(config.receive_depth),
      sends(config.send_depth),
      device_(device),
      qkey_(config.qkey) {}

base::Result<std::unique_ptr<QueuePair>> QueuePair::create(const Device& device, ibv_cq* send,
                                                           ibv_cq* receive,
                                                           const QueuePairConfig& config) {
  std::unique_ptr<QueuePair> pair(new QueuePair(device, config));
  ibv_qp_init_attr wanted{};
  wanted.send_cq = send;
  wanted.recv_cq = receive;
  wanted.qp_type = IBV_QPT_UD;
  wanted.cap = {config.send_depth, config.receive_depth, 1, 1, kInlineBytes};
  ibv_qp_init_attr given = wanted;
  pair->qp_ = ::ibv_create_qp(device.pd(), &given);
  if (pair->qp_ == nullptr) {  // perhaps for want of inline data: not all devices have it
    given = wanted;
    given.cap.max_inline_data = 0;
    pair->qp_ = ::ibv_create_qp(device.pd(), &given);
  }
  if (pair->qp_ == nullptr) {
    return base::fail("the device gives no UD queue pair of " + std::to_string(config.send_depth) +
                      " sends and " + std::to_string(config.receive_depth) +
                      " receives: " + std::strerror(errno) + "; lower the descriptors");
  }
  pair->inline_bytes_ = given.cap.max_inline_data;
  // In a group only a queue pair that has left the reset state can be (ibv_attach_mcast(3) leaves
  // it open, rdma_rxe and mlx5 do not care): joined here, so that starting anew need not.
  if (config.group) {
    auto joined = Membership::join(device, pair->qp_, *config.group);
    if (!joined) return tl::unexpected(joined.error());
    pair->membership_ = std::move(*joined);
  }
  return pair;
}

QueuePair::~QueuePair() {
  membership_.reset();
  if (qp_ != nullptr) (void)::ibv_destroy_qp(qp_);
}

base::Result<void> QueuePair::modify(ibv_qp_attr& attributes, int mask, const char* to) {
  const int error = ::ibv_modify_qp(qp_, &attributes, mask);
  if (error == 0) return {};
  return base::fail("queue pair " + std::to_string(number()) + " does not become " + to + ": " +
                    std::strerror(error));
}

base::Result<void> QueuePair::start() {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_INIT;
  attributes.port_num = device_.port();
  attributes.pkey_index = device_.pkey_index();
  attributes.qkey = qkey_;
  const int init = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;
  if (auto done = modify(attributes, init, "initialised"); !done) return done;
  attributes.qp_state = IBV_QPS_RTR;
  if (auto done = modify(attributes, IBV_QP_STATE, "ready to receive"); !done) return done;
  attributes.qp_state = IBV_QPS_RTS;
  attributes.sq_psn = 0;
  return modify(attributes, IBV_QP_STATE | IBV_QP_SQ_PSN, "ready to send");
}

void QueuePair::flush() {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_ERR;
  (void)modify(attributes, IBV_QP_STATE, "flushed");
}

base::Result<void> QueuePair::reset() {
  ibv_qp_attr attributes{};
  attributes.qp_state = IBV_QPS_RESET;
  if (auto done = modify(attributes, IBV_QP_STATE, "reset"); !done) return done;
  receives.release(receives.posted());
  sends.release(sends.posted());
  return {};
}

}  // namespace lambdacast::net_verbs
