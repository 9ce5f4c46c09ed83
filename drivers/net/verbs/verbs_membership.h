// SPDX-License-Identifier: BSD-3-Clause
// A queue pair's place in a multicast group. The host's IP stack has to be a member, or nothing
// comes in (and switches that snoop send nothing): the connection manager sees to that and says it
// on the network, by IGMP. Where it cannot, as for IPv6 with RoCE v2 up to Linux 6.1 at least, a
// socket's membership does the same, by MLD. The device's filter is ibv_attach_mcast's.
// Control thread; joining may take seconds.
#pragma once

#include <rdma/rdma_cma.h>

#include <memory>

#include "base/result.h"
#include "verbs_device.h"

namespace lambdacast::net_verbs {

class Membership {
 public:
  [[nodiscard]] static base::Result<std::unique_ptr<Membership>> join(const Device& device,
                                                                      ibv_qp* qp,
                                                                      const wire::Gid& group);
  ~Membership();  // leaves
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  [[nodiscard]] bool by_socket() const { return socket_ >= 0; }

 private:
  Membership() = default;
  // errno of what failed, or 0.
  [[nodiscard]] int join_by_manager(const Device& device, const wire::Gid& group);
  [[nodiscard]] int join_by_socket(const Device& device, const wire::Gid& group);
  [[nodiscard]] int await(rdma_cm_event_type wanted);
  void leave_manager();

  rdma_event_channel* channel_ = nullptr;
  rdma_cm_id* id_ = nullptr;
  bool joined_ = false;
  int socket_ = -1;
  ibv_qp* qp_ = nullptr;
  wire::Gid group_;
};

}  // namespace lambdacast::net_verbs
