// SPDX-License-Identifier: BSD-3-Clause
// librdmacm's calls. A program of its own: their context stays open for as long as the process
// runs.
#include <arpa/inet.h>
#include <infiniband/ib.h>
#include <netinet/in.h>
#include <poll.h>
#include <rdma/rdma_cma.h>

#include "support.h"
#include "wire/roce/bth.h"

namespace lambdacast::verbs {
namespace {

sockaddr_in ipv4(const char* text) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  EXPECT_EQ(::inet_pton(AF_INET, text, &address.sin_addr), 1);
  return address;
}
sockaddr_in6 ipv6(const char* text) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  EXPECT_EQ(::inet_pton(AF_INET6, text, &address.sin6_addr), 1);
  return address;
}
template <typename Address>
sockaddr* plain(Address& address) {
  return reinterpret_cast<sockaddr*>(&address);
}

class Cm : public ::testing::Test {
 protected:
  Cm() {
    (void)test::fabric_name();
    channel = ::rdma_create_event_channel();
    EXPECT_EQ(::rdma_create_id(channel, &id, this, RDMA_PS_UDP), 0);
  }
  ~Cm() override {
    if (id->qp != nullptr) ::rdma_destroy_qp(id);
    if (pd_ != nullptr) {
      EXPECT_EQ(::ibv_destroy_cq(cq_), 0);
      EXPECT_EQ(::ibv_dealloc_pd(pd_), 0);
    }
    EXPECT_EQ(::rdma_destroy_id(id), 0);
    ::rdma_destroy_event_channel(channel);
  }

  void bind() {
    sockaddr_in any = ipv4("0.0.0.0");
    ASSERT_EQ(::rdma_bind_addr(id, plain(any)), 0);
    ASSERT_NE(id->verbs, nullptr);
  }
  void make_pair() {
    bind();
    pd_ = ::ibv_alloc_pd(id->verbs);
    cq_ = ::ibv_create_cq(id->verbs, 16, nullptr, nullptr, 0);
    ibv_qp_init_attr a{};
    a.send_cq = a.recv_cq = cq_;
    a.cap = {4, 4, 1, 1, 0};
    a.qp_type = IBV_QPT_UD;
    ASSERT_EQ(::rdma_create_qp(id, pd_, &a), 0);
  }
  // The event that waits, which has to be of that type.
  rdma_ud_param take(rdma_cm_event_type type) {
    rdma_cm_event* event = nullptr;
    EXPECT_EQ(::rdma_get_cm_event(channel, &event), 0);
    EXPECT_EQ(event->event, type);
    EXPECT_EQ(event->id, id);
    EXPECT_EQ(event->status, 0);
    const rdma_ud_param ud = event->param.ud;
    EXPECT_EQ(::rdma_ack_cm_event(event), 0);
    return ud;
  }
  [[nodiscard]] bool event_waits() const {
    pollfd fd{channel->fd, POLLIN, 0};
    return ::poll(&fd, 1, 0) == 1;
  }
  [[nodiscard]] size_t attached(const char* group) const {
    return device().groups.of(wire::parse_gid(group).value()).size();
  }

  rdma_event_channel* channel = nullptr;
  rdma_cm_id* id = nullptr;

 private:
  ibv_pd* pd_ = nullptr;
  ibv_cq* cq_ = nullptr;
};

TEST_F(Cm, BindingToAnyAddressGivesTheDevicesOwn) {
  bind();
  EXPECT_EQ(id->port_num, 1);
  EXPECT_EQ(id->route.addr.src_sin.sin_addr.s_addr, ipv4("10.77.0.1").sin_addr.s_addr);
}

TEST_F(Cm, BindingToAnAddressOfNobodyHereIsRefused) {
  sockaddr_in other = ipv4("192.0.2.1");
  EXPECT_EQ(::rdma_bind_addr(id, plain(other)), -1);
  EXPECT_EQ(errno, EADDRNOTAVAIL);
  EXPECT_EQ(id->verbs, nullptr);
}

TEST_F(Cm, AnAddressAndARouteAreResolvedByEvents) {
  sockaddr_in group = ipv4("239.255.9.9");
  ASSERT_EQ(::rdma_resolve_addr(id, nullptr, plain(group), 1000), 0);
  EXPECT_TRUE(event_waits());
  take(RDMA_CM_EVENT_ADDR_RESOLVED);
  EXPECT_FALSE(event_waits());
  EXPECT_NE(id->verbs, nullptr);
  ASSERT_EQ(::rdma_resolve_route(id, 1000), 0);
  take(RDMA_CM_EVENT_ROUTE_RESOLVED);
}

TEST_F(Cm, AQueuePairCanSendAtOnce) {
  make_pair();
  EXPECT_EQ(id->qp->state, IBV_QPS_RTS);
  ::rdma_destroy_qp(id);
  EXPECT_EQ(id->qp, nullptr);
}

TEST_F(Cm, JoiningAttachesAndTellsHowToSend) {
  make_pair();
  sockaddr_in group = ipv4("239.255.9.9");
  int context = 0;
  ASSERT_EQ(::rdma_join_multicast(id, plain(group), &context), 0);
  const rdma_ud_param ud = take(RDMA_CM_EVENT_MULTICAST_JOIN);
  EXPECT_EQ(ud.private_data, &context);
  EXPECT_EQ(ud.qp_num, wire::kMulticastQpn);
  EXPECT_EQ(ud.qkey, uint32_t{RDMA_UDP_QKEY});
  EXPECT_EQ(
      std::memcmp(ud.ah_attr.grh.dgid.raw, wire::parse_gid("239.255.9.9").value().bytes.data(), 16),
      0);
  EXPECT_EQ(ud.ah_attr.grh.sgid_index, 1);
  EXPECT_EQ(attached("239.255.9.9"), 1u);
  EXPECT_EQ(::rdma_leave_multicast(id, plain(group)), 0);
  EXPECT_EQ(attached("239.255.9.9"), 0u);
  EXPECT_EQ(::rdma_leave_multicast(id, plain(group)), -1);
  EXPECT_EQ(errno, EADDRNOTAVAIL);
}

TEST_F(Cm, WhoOnlySendsToAGroupIsNotAttached) {
  make_pair();
  sockaddr_in6 group = ipv6("ff15::9");
  rdma_cm_join_mc_attr_ex a{};
  a.comp_mask = RDMA_CM_JOIN_MC_ATTR_ADDRESS | RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS;
  a.addr = plain(group);
  a.join_flags = RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER;
  ASSERT_EQ(::rdma_join_multicast_ex(id, &a, nullptr), 0);
  EXPECT_EQ(take(RDMA_CM_EVENT_MULTICAST_JOIN).ah_attr.grh.sgid_index, 0);
  EXPECT_EQ(attached("ff15::9"), 0u);
  EXPECT_EQ(::rdma_leave_multicast(id, plain(group)), 0);
  EXPECT_EQ(::rdma_leave_multicast(id, plain(group)), -1);
  EXPECT_EQ(errno, EADDRNOTAVAIL);
  a.comp_mask = 0;
  EXPECT_EQ(::rdma_join_multicast_ex(id, &a, nullptr), -1);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(Cm, WhoJoinsWithoutAQueuePairLeavesToo) {
  bind();
  sockaddr_in group = ipv4("239.255.9.9");
  ASSERT_EQ(::rdma_join_multicast(id, plain(group), nullptr), 0);
  take(RDMA_CM_EVENT_MULTICAST_JOIN);
  EXPECT_EQ(attached("239.255.9.9"), 0u);
  EXPECT_EQ(::rdma_leave_multicast(id, plain(group)), 0);
}

TEST_F(Cm, WhoJoinsTwiceHearsTheGroupUntilLeavingTwice) {
  make_pair();
  sockaddr_in group = ipv4("239.255.9.9");
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(::rdma_join_multicast(id, plain(group), nullptr), 0);
    take(RDMA_CM_EVENT_MULTICAST_JOIN);
  }
  EXPECT_EQ(::rdma_leave_multicast(id, plain(group)), 0);
  EXPECT_EQ(attached("239.255.9.9"), 1u);
  EXPECT_EQ(::rdma_leave_multicast(id, plain(group)), 0);
  EXPECT_EQ(attached("239.255.9.9"), 0u);
}

TEST_F(Cm, AGroupIsNamedByItsGidToo) {
  make_pair();
  sockaddr_ib group{};
  group.sib_family = AF_IB;
  ASSERT_EQ(::inet_pton(AF_INET6, "ff15::9", &group.sib_addr), 1);
  ASSERT_EQ(::rdma_join_multicast(id, plain(group), nullptr), 0);
  EXPECT_EQ(take(RDMA_CM_EVENT_MULTICAST_JOIN).ah_attr.grh.sgid_index, 0);
  EXPECT_EQ(attached("ff15::9"), 1u);
  EXPECT_EQ(::rdma_leave_multicast(id, plain(group)), 0);
  EXPECT_EQ(attached("ff15::9"), 0u);
}

TEST_F(Cm, WhatIsNoGroupCannotBeJoined) {
  make_pair();
  sockaddr_in host = ipv4("10.77.0.9");
  EXPECT_EQ(::rdma_join_multicast(id, plain(host), nullptr), -1);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(Cm, DestroyingAQueuePairLeavesItsGroups) {
  make_pair();
  sockaddr_in group = ipv4("239.255.9.9");
  ASSERT_EQ(::rdma_join_multicast(id, plain(group), nullptr), 0);
  take(RDMA_CM_EVENT_MULTICAST_JOIN);
  ::rdma_destroy_qp(id);
  EXPECT_EQ(attached("239.255.9.9"), 0u);
  EXPECT_EQ(::rdma_leave_multicast(id, plain(group)), 0);  // it is a member still
}

TEST_F(Cm, DestroyingAnIdentifierTakesItsEventsAlong) {
  rdma_cm_id* other = nullptr;
  ASSERT_EQ(::rdma_create_id(channel, &other, nullptr, RDMA_PS_UDP), 0);
  sockaddr_in group = ipv4("239.255.9.9");
  ASSERT_EQ(::rdma_resolve_addr(other, nullptr, plain(group), 1000), 0);
  EXPECT_TRUE(event_waits());
  EXPECT_EQ(::rdma_destroy_id(other), 0);
  EXPECT_FALSE(event_waits());
}

TEST_F(Cm, ConnectionsAreRefused) {
  rdma_cm_id* other = nullptr;
  EXPECT_EQ(::rdma_create_id(channel, &other, nullptr, RDMA_PS_TCP), -1);
  EXPECT_EQ(errno, EOPNOTSUPP);
  EXPECT_EQ(::rdma_create_id(nullptr, &other, nullptr, RDMA_PS_UDP), -1);
  EXPECT_EQ(::rdma_listen(id, 1), -1);
  EXPECT_EQ(errno, EOPNOTSUPP);
  EXPECT_EQ(::rdma_connect(id, nullptr), -1);
  EXPECT_EQ(::rdma_disconnect(id), -1);
}

TEST(CmAddresses, AreFoundForDatagrams) {
  rdma_addrinfo hints{};
  hints.ai_flags = RAI_NUMERICHOST;
  rdma_addrinfo* found = nullptr;
  ASSERT_EQ(::rdma_getaddrinfo("239.255.9.9", nullptr, &hints, &found), 0);
  EXPECT_EQ(found->ai_qp_type, IBV_QPT_UD);
  EXPECT_EQ(found->ai_port_space, RDMA_PS_UDP);
  ASSERT_NE(found->ai_dst_addr, nullptr);
  EXPECT_EQ(found->ai_dst_addr->sa_family, AF_INET);
  ::rdma_freeaddrinfo(found);
  EXPECT_NE(::rdma_getaddrinfo("no address", nullptr, &hints, &found), 0);
}

}  // namespace
}  // namespace lambdacast::verbs
