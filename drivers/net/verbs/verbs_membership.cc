// SPDX-License-Identifier: BSD-3-Clause
#include "verbs_membership.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace lambdacast::net_verbs {
namespace {

constexpr int kPatienceMs = 5'000;  // of a network that is asked nothing, and a busy host

sockaddr_storage socket_address(const wire::Gid& gid, const std::string& interface) {
  sockaddr_storage out{};
  if (wire::is_ipv4_mapped(gid)) {
    auto& ipv4 = reinterpret_cast<sockaddr_in&>(out);
    ipv4.sin_family = AF_INET;
    ipv4.sin_addr.s_addr = htonl(wire::ipv4_of(gid));
  } else {
    auto& ipv6 = reinterpret_cast<sockaddr_in6&>(out);
    ipv6.sin6_family = AF_INET6;
    std::memcpy(&ipv6.sin6_addr, gid.bytes.data(), gid.bytes.size());
    ipv6.sin6_scope_id = ::if_nametoindex(interface.c_str());
  }
  return out;
}

}  // namespace

base::Result<std::unique_ptr<Membership>> Membership::join(const Device& device, ibv_qp* qp,
                                                           const wire::Gid& group) {
  std::unique_ptr<Membership> place(new Membership);
  place->group_ = group;
  if (const int by_manager = place->join_by_manager(device, group); by_manager != 0) {
    place->leave_manager();
    if (const int by_socket = place->join_by_socket(device, group); by_socket != 0) {
      return base::fail("group " + wire::format(group) +
                        " cannot be joined: rdma_join_multicast: " + std::strerror(by_manager) +
                        ", a socket: " + std::strerror(by_socket) +
                        "; the connection manager wants: modprobe rdma_ucm");
    }
  }
  const ibv_gid gid = to_verbs(group);
  if (const int error = ::ibv_attach_mcast(qp, &gid, 0); error != 0) {
    return base::fail("group " + wire::format(group) +
                      " cannot be attached to a queue pair: " + std::strerror(error));
  }
  place->qp_ = qp;
  return place;
}

Membership::~Membership() {
  if (qp_ != nullptr) {
    const ibv_gid gid = to_verbs(group_);
    (void)::ibv_detach_mcast(qp_, &gid, 0);
  }
  leave_manager();
  if (socket_ >= 0) ::close(socket_);
}

void Membership::leave_manager() {
  if (id_ != nullptr) {
    auto address = socket_address(group_, "");
    if (joined_) (void)::rdma_leave_multicast(id_, reinterpret_cast<sockaddr*>(&address));
    (void)::rdma_destroy_id(id_);
  }
  if (channel_ != nullptr) ::rdma_destroy_event_channel(channel_);
  id_ = nullptr;
  channel_ = nullptr;
  joined_ = false;
}

int Membership::join_by_manager(const Device& device, const wire::Gid& group) {
  channel_ = ::rdma_create_event_channel();
  if (channel_ == nullptr) return errno;
  if (::rdma_create_id(channel_, &id_, nullptr, RDMA_PS_UDP) != 0) return errno;
  auto source = socket_address(device.gid(), device.interface());
  if (::rdma_bind_addr(id_, reinterpret_cast<sockaddr*>(&source)) != 0) return errno;
  auto address = socket_address(group, device.interface());
  if (::rdma_join_multicast(id_, reinterpret_cast<sockaddr*>(&address), nullptr) != 0) {
    return errno;
  }
  const int error = await(RDMA_CM_EVENT_MULTICAST_JOIN);
  joined_ = error == 0;
  return error;
}

int Membership::await(rdma_cm_event_type wanted) {
  pollfd one{channel_->fd, POLLIN, 0};
  const int ready = ::poll(&one, 1, kPatienceMs);
  if (ready < 0) return errno;
  if (ready == 0) return ETIMEDOUT;
  rdma_cm_event* event = nullptr;
  if (::rdma_get_cm_event(channel_, &event) != 0) return errno;
  const int status = event->status;
  const bool right = event->event == wanted && status == 0;
  (void)::rdma_ack_cm_event(event);
  if (right) return 0;
  return status == 0 ? EPROTO : std::abs(status);
}

int Membership::join_by_socket(const Device& device, const wire::Gid& group) {
  const unsigned interface = ::if_nametoindex(device.interface().c_str());
  if (interface == 0) return ENODEV;
  const bool is_ipv4 = wire::is_ipv4_mapped(group);
  socket_ = ::socket(is_ipv4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket_ < 0) return errno;
  const auto address = socket_address(group, device.interface());
  int error = 0;
  if (is_ipv4) {
    ip_mreqn request{};
    request.imr_multiaddr = reinterpret_cast<const sockaddr_in&>(address).sin_addr;
    request.imr_ifindex = static_cast<int>(interface);
    error = ::setsockopt(socket_, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request);
  } else {
    ipv6_mreq request{};
    request.ipv6mr_multiaddr = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
    request.ipv6mr_interface = interface;
    error = ::setsockopt(socket_, IPPROTO_IPV6, IPV6_JOIN_GROUP, &request, sizeof request);
  }
  return error == 0 ? 0 : errno;
}

}  // namespace lambdacast::net_verbs
