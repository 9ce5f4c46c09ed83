// SPDX-License-Identifier: BSD-3-Clause
// librdmacm as far as multicast needs it: identifiers bound to the one device, groups joined by
// address, events through a descriptor. Nothing is asked of anybody: on the fabric all hear all,
// so that joining is attaching. Connections are refused.
#include <arpa/inet.h>
#include <infiniband/ib.h>
#include <netdb.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "context.h"
#include "wire/roce/bth.h"

namespace lambdacast::verbs {
namespace {

// The Q_Key of librdmacm's UDP port space (rdma_cma.h, RDMA_UDP_QKEY).
constexpr uint32_t kUdpQkey = RDMA_UDP_QKEY;

struct Event;

struct EventChannel : rdma_event_channel {
  std::mutex lock;
  std::deque<Event*> events;
};

struct Joined {
  wire::Gid group;
  bool attached;  // the queue pair hears it
};

struct Identifier : rdma_cm_id {
  ibv_gid own_gid{};
  std::vector<Joined> groups;
  uint32_t unacknowledged = 0;  // under the channel's lock
  std::condition_variable acknowledged;
};

struct Event : rdma_cm_event {};

int refused(int error) {
  errno = error;
  return -1;
}

Identifier& identifier(rdma_cm_id* id) { return *static_cast<Identifier*>(id); }
EventChannel& channel_of(const Identifier& id) { return *static_cast<EventChannel*>(id.channel); }

Event& raise(Identifier& id, rdma_cm_event_type type, auto&& fill) {
  auto* event = new Event{};
  event->id = &id;
  event->event = type;
  fill(*event);
  EventChannel& channel = channel_of(id);
  const std::scoped_lock held(channel.lock);
  channel.events.push_back(event);
  const uint64_t one = 1;
  (void)!::write(channel.fd, &one, sizeof one);
  return *event;
}

socklen_t bytes_of(const sockaddr& address) {
  if (address.sa_family == AF_IB) return sizeof(sockaddr_ib);
  return address.sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

bool is_any(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr == 0;
  }
  const auto& six = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  return IN6_IS_ADDR_UNSPECIFIED(&six);
}

// Zeros for another family.
wire::Gid gid_of(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    return wire::gid_from_ipv4(
        ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr));
  }
  wire::Gid gid;
  if (address.sa_family == AF_INET6) {
    std::memcpy(gid.bytes.data(), &reinterpret_cast<const sockaddr_in6&>(address).sin6_addr, 16);
  }
  if (address.sa_family == AF_IB) {  // a GID as it is
    std::memcpy(gid.bytes.data(), &reinterpret_cast<const sockaddr_ib&>(address).sib_addr, 16);
  }
  return gid;
}

// The contexts of identifiers: one of the process, open as long as it runs, as with librdmacm.
ibv_context* shared_context() {
  static std::mutex lock;
  static ibv_context* opened = nullptr;
  const std::scoped_lock held(lock);
  if (opened == nullptr && device().can_be()) {
    opened = ::ibv_open_device(&visible_device().device);
  }
  return opened;
}

void set_address(rdma_addr& address, const wire::Gid& gid) {
  if (wire::is_ipv4_mapped(gid)) {
    address.src_sin.sin_family = AF_INET;
    address.src_sin.sin_addr.s_addr = htonl(wire::ipv4_of(gid));
  } else {
    address.src_sin6.sin6_family = AF_INET6;
    std::memcpy(&address.src_sin6.sin6_addr, gid.bytes.data(), gid.bytes.size());
  }
}

int bind_to_device(Identifier& id, const sockaddr* source) {
  id.verbs = shared_context();
  if (id.verbs == nullptr) return refused(ENODEV);
  if (source != nullptr && !is_any(*source)) {
    if (!device().addresses().is_own(gid_of(*source))) {
      id.verbs = nullptr;
      return refused(EADDRNOTAVAIL);
    }
    std::memcpy(&id.route.addr.src_storage, source, bytes_of(*source));
  } else {
    set_address(id.route.addr, device().addresses().gid(1));
  }
  id.port_num = 1;
  return 0;
}

ibv_gid to_verbs(const wire::Gid& gid) {
  ibv_gid out;
  std::memcpy(out.raw, gid.bytes.data(), sizeof out.raw);
  return out;
}

int modify(ibv_qp* qp, ibv_qp_state state, int mask) {
  ibv_qp_attr attributes{};
  attributes.qp_state = state;
  attributes.port_num = 1;
  attributes.qkey = kUdpQkey;
  const int error = ::ibv_modify_qp(qp, &attributes, mask);
  return error == 0 ? 0 : refused(error);
}

// Ready to receive and to send, as librdmacm leaves a queue pair of datagrams.
int make_ready(ibv_qp* qp) {
  const int init = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;
  if (modify(qp, IBV_QPS_INIT, init) != 0) return -1;
  if (modify(qp, IBV_QPS_RTR, IBV_QP_STATE) != 0) return -1;
  return modify(qp, IBV_QPS_RTS, IBV_QP_STATE | IBV_QP_SQ_PSN);
}

int join(Identifier& id, const sockaddr* address, void* context, bool receives) {
  if (id.verbs == nullptr) return refused(EINVAL);
  const wire::Gid group = gid_of(*address);
  if (!wire::is_multicast(group)) return refused(EINVAL);
  const ibv_gid gid = to_verbs(group);
  const bool attaches = id.qp != nullptr && receives;
  if (attaches) {
    if (const int error = ::ibv_attach_mcast(id.qp, &gid, 0); error != 0) return refused(error);
  }
  id.groups.push_back({group, attaches});
  raise(id, RDMA_CM_EVENT_MULTICAST_JOIN, [&](Event& event) {
    rdma_ud_param& ud = event.param.ud;
    ud.private_data = context;
    ud.qp_num = wire::kMulticastQpn;
    ud.qkey = kUdpQkey;
    ud.ah_attr.is_global = 1;
    ud.ah_attr.port_num = 1;
    ud.ah_attr.grh.dgid = gid;
    ud.ah_attr.grh.sgid_index = wire::is_ipv4_mapped(group) ? 1 : 0;
    ud.ah_attr.grh.hop_limit = 1;
  });
  return 0;
}

}  // namespace

extern "C" {

rdma_event_channel* rdma_create_event_channel() {
  auto* channel = new EventChannel{};
  channel->fd = ::eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
  return channel;
}

void rdma_destroy_event_channel(rdma_event_channel* base) {
  auto* channel = static_cast<EventChannel*>(base);
  ::close(channel->fd);
  delete channel;
}

int rdma_create_id(rdma_event_channel* channel, rdma_cm_id** out, void* context,
                   rdma_port_space space) {
  if (channel == nullptr) return refused(EOPNOTSUPP);
  if (space != RDMA_PS_UDP && space != RDMA_PS_IPOIB) return refused(EOPNOTSUPP);
  auto* id = new Identifier{};
  id->channel = channel;
  id->context = context;
  id->ps = space;
  id->qp_type = IBV_QPT_UD;
  *out = id;
  return 0;
}

int rdma_destroy_id(rdma_cm_id* base) {
  Identifier& id = identifier(base);
  EventChannel& channel = channel_of(id);
  {
    std::unique_lock held(channel.lock);
    for (auto at = channel.events.begin(); at != channel.events.end();) {
      if ((*at)->id != base) {
        ++at;
        continue;
      }
      uint64_t one = 0;
      (void)!::read(channel.fd, &one, sizeof one);
      delete *at;
      at = channel.events.erase(at);
    }
    id.acknowledged.wait(held, [&id] { return id.unacknowledged == 0; });
  }
  delete &id;
  return 0;
}

int rdma_bind_addr(rdma_cm_id* id, sockaddr* address) {
  return bind_to_device(identifier(id), address);
}

int rdma_resolve_addr(rdma_cm_id* base, sockaddr* source, sockaddr* destination, int) {
  Identifier& id = identifier(base);
  if (id.verbs == nullptr || source != nullptr) {
    if (bind_to_device(id, source) != 0) return -1;
  }
  std::memcpy(&id.route.addr.dst_storage, destination, bytes_of(*destination));
  raise(id, RDMA_CM_EVENT_ADDR_RESOLVED, [](Event&) {});
  return 0;
}

int rdma_resolve_route(rdma_cm_id* base, int) {
  if (base->verbs == nullptr) return refused(EINVAL);
  raise(identifier(base), RDMA_CM_EVENT_ROUTE_RESOLVED, [](Event&) {});
  return 0;
}

int rdma_create_qp_ex(rdma_cm_id* id, ibv_qp_init_attr_ex* attributes) {
  if (id->verbs == nullptr) return refused(EINVAL);
  if ((attributes->comp_mask & IBV_QP_INIT_ATTR_PD) == 0) return refused(EINVAL);
  id->qp = ::ibv_create_qp_ex(id->verbs, attributes);
  if (id->qp == nullptr) return -1;
  id->pd = attributes->pd;
  id->send_cq = attributes->send_cq;
  id->recv_cq = attributes->recv_cq;
  if (make_ready(id->qp) == 0) return 0;
  const int error = errno;
  rdma_destroy_qp(id);
  return refused(error);
}

int rdma_create_qp(rdma_cm_id* id, ibv_pd* pd, ibv_qp_init_attr* a) {
  ibv_qp_init_attr_ex extended = with_domain(*a, pd);
  return rdma_create_qp_ex(id, &extended);
}

void rdma_destroy_qp(rdma_cm_id* base) {
  Identifier& id = identifier(base);
  if (id.qp == nullptr) return;
  for (Joined& joined : id.groups) {
    const ibv_gid gid = to_verbs(joined.group);
    if (std::exchange(joined.attached, false)) (void)::ibv_detach_mcast(id.qp, &gid, 0);
  }
  (void)::ibv_destroy_qp(id.qp);
  id.qp = nullptr;
}

int rdma_join_multicast(rdma_cm_id* id, sockaddr* address, void* context) {
  return join(identifier(id), address, context, true);
}

int rdma_join_multicast_ex(rdma_cm_id* id, rdma_cm_join_mc_attr_ex* a, void* context) {
  constexpr uint32_t kNeeded = RDMA_CM_JOIN_MC_ATTR_ADDRESS | RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS;
  if (a->comp_mask != kNeeded || a->addr == nullptr) return refused(EINVAL);
  if (a->join_flags >= RDMA_MC_JOIN_FLAG_RESERVED) return refused(EINVAL);
  return join(identifier(id), a->addr, context, a->join_flags == RDMA_MC_JOIN_FLAG_FULLMEMBER);
}

int rdma_leave_multicast(rdma_cm_id* base, sockaddr* address) {
  Identifier& id = identifier(base);
  const wire::Gid group = gid_of(*address);
  for (auto at = id.groups.begin(); at != id.groups.end(); ++at) {
    if (at->group != group) continue;
    const bool attached = at->attached;
    id.groups.erase(at);
    // Joined twice is one attachment: it stays with the other.
    const auto other = std::ranges::find(id.groups, group, &Joined::group);
    if (!attached) return 0;
    if (other != id.groups.end()) {
      other->attached = true;
      return 0;
    }
    const ibv_gid gid = to_verbs(group);
    const int error = ::ibv_detach_mcast(id.qp, &gid, 0);
    return error == 0 ? 0 : refused(error);
  }
  return refused(EADDRNOTAVAIL);
}

int rdma_get_cm_event(rdma_event_channel* base, rdma_cm_event** out) {
  auto& channel = *static_cast<EventChannel*>(base);
  for (;;) {
    uint64_t one = 0;
    if (::read(channel.fd, &one, sizeof one) != sizeof one) return -1;
    const std::scoped_lock held(channel.lock);
    if (channel.events.empty()) continue;  // its identifier was destroyed meanwhile
    *out = channel.events.front();
    channel.events.pop_front();
    ++identifier((*out)->id).unacknowledged;
    return 0;
  }
}

int rdma_ack_cm_event(rdma_cm_event* base) {
  if (base == nullptr) return refused(EINVAL);
  Identifier& id = identifier(base->id);
  {
    const std::scoped_lock held(channel_of(id).lock);
    --id.unacknowledged;
    id.acknowledged.notify_all();
  }
  delete static_cast<Event*>(base);
  return 0;
}

// An address list as librdmacm makes it of a numeric address or a name (rdma_getaddrinfo(3)), for
// datagrams.
int rdma_getaddrinfo(const char* node, const char* service, const rdma_addrinfo* hints,
                     rdma_addrinfo** out) {
  addrinfo wanted{};
  const int flags = hints == nullptr ? 0 : hints->ai_flags;
  if ((flags & RAI_NUMERICHOST) != 0) wanted.ai_flags |= AI_NUMERICHOST;
  if ((flags & RAI_PASSIVE) != 0) wanted.ai_flags |= AI_PASSIVE;
  wanted.ai_family = hints == nullptr ? AF_UNSPEC : hints->ai_family;
  wanted.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(node, service, &wanted, &found); error != 0) return error;
  auto* made = static_cast<rdma_addrinfo*>(std::calloc(1, sizeof(rdma_addrinfo)));
  auto* address = static_cast<sockaddr*>(std::calloc(1, sizeof(sockaddr_storage)));
  std::memcpy(address, found->ai_addr, found->ai_addrlen);
  made->ai_flags = flags;
  made->ai_family = found->ai_family;
  made->ai_qp_type = IBV_QPT_UD;
  made->ai_port_space = RDMA_PS_UDP;
  const bool passive = (flags & RAI_PASSIVE) != 0;
  (passive ? made->ai_src_addr : made->ai_dst_addr) = address;
  (passive ? made->ai_src_len : made->ai_dst_len) = found->ai_addrlen;
  ::freeaddrinfo(found);
  *out = made;
  return 0;
}

void rdma_freeaddrinfo(rdma_addrinfo* list) {
  std::free(list->ai_src_addr);
  std::free(list->ai_dst_addr);
  std::free(list);
}

// Connections are not carried.
int rdma_connect(rdma_cm_id*, rdma_conn_param*) { return refused(EOPNOTSUPP); }
int rdma_listen(rdma_cm_id*, int) { return refused(EOPNOTSUPP); }
int rdma_accept(rdma_cm_id*, rdma_conn_param*) { return refused(EOPNOTSUPP); }
int rdma_reject(rdma_cm_id*, const void*, uint8_t) { return refused(EOPNOTSUPP); }
int rdma_disconnect(rdma_cm_id*) { return refused(EOPNOTSUPP); }
int rdma_set_option(rdma_cm_id*, int, int, void*, size_t) { return refused(EOPNOTSUPP); }
int rdma_create_ep(rdma_cm_id**, rdma_addrinfo*, ibv_pd*, ibv_qp_init_attr*) {
  return refused(EOPNOTSUPP);
}

}  // extern "C"

}  // namespace lambdacast::verbs
