// SPDX-License-Identifier: BSD-3-Clause
// As verbs_calls_test.cc, of what has events: completion channels, armed and looked at in any
// order, the extended ways to post and poll, and identifiers of librdmacm with their groups.
#include <fcntl.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>

#include <thread>

#include "../unit/verbs/support.h"
#include "base/random.h"

namespace lambdacast::verbs {
namespace {

constexpr int kThreads = 3;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kCalls = 50'000;
#else
constexpr int kCalls = 300'000;
#endif

class SharedVerbs : public test::Verbs {
 public:
  void TestBody() override {}
  using Verbs::buffer;
  using Verbs::context;
  using Verbs::make_ready;
  using Verbs::mr;
  using Verbs::pd;
  using Verbs::to;
};

void make_nonblocking(int fd) { ASSERT_EQ(::fcntl(fd, F_SETFL, O_NONBLOCK), 0); }

// One thread's completion channel, queue, queue pair and identifiers.
class Caller {
 public:
  Caller(SharedVerbs& shared, size_t index, uint64_t seed)
      : s_(shared), index_(index), random_(seed) {}
  void run() {
    set_up();
    for (int i = 0; i < kCalls; ++i) call();
    tear_down();
  }
  [[nodiscard]] uint64_t events() const { return events_; }
  [[nodiscard]] uint64_t polled() const { return polled_; }
  [[nodiscard]] uint64_t joined() const { return joined_; }

 private:
  [[nodiscard]] uint32_t below(uint32_t bound) {
    return static_cast<uint32_t>(random_.below(bound));
  }
  [[nodiscard]] bool rarely() { return below(50) == 0; }

  void set_up() {
    channel_ = ::ibv_create_comp_channel(s_.context);
    ASSERT_NE(channel_, nullptr);
    make_nonblocking(channel_->fd);
    ibv_cq_init_attr_ex cq{};
    cq.cqe = 64;
    cq.channel = channel_;
    cq.wc_flags = IBV_WC_STANDARD_FLAGS;
    cq_ = ::ibv_create_cq_ex(s_.context, &cq);
    ASSERT_NE(cq_, nullptr);
    ibv_qp_init_attr_ex a{};
    a.send_cq = a.recv_cq = plain();
    a.cap = {32, 32, 4, 4, 128};
    a.qp_type = IBV_QPT_UD;
    a.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
    a.pd = s_.pd;
    a.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
    pair_ = ::ibv_create_qp_ex(s_.context, &a);
    ASSERT_NE(pair_, nullptr);
    SharedVerbs::make_ready(pair_);
    ibv_ah_attr to = SharedVerbs::to(device().addresses().gid(1), 1);
    handle_ = ::ibv_create_ah(s_.pd, &to);
    ASSERT_NE(handle_, nullptr);
    cm_ = ::rdma_create_event_channel();
    make_nonblocking(cm_->fd);
  }
  void tear_down() {
    while (!ids_.empty()) destroy_id();
    ::rdma_destroy_event_channel(cm_);
    EXPECT_EQ(::ibv_destroy_ah(handle_), 0);
    EXPECT_EQ(::ibv_destroy_qp(pair_), 0);
    // Events that were not fetched go with the queue, those that were have to be acknowledged.
    ::ibv_ack_cq_events(plain(), unacknowledged_);
    EXPECT_EQ(::ibv_destroy_cq(plain()), 0);
    EXPECT_EQ(::ibv_destroy_comp_channel(channel_), 0);
  }
  [[nodiscard]] ibv_cq* plain() const { return ::ibv_cq_ex_to_cq(cq_); }

  void call() {
    switch (below(11)) {
      case 0:
        return (void)::ibv_req_notify_cq(plain(), static_cast<int>(below(2)));
      case 1:
        return fetch();
      case 2:
        return rarely() ? resize() : receive();
      case 3:
      case 4:
        return receive();
      case 5:
      case 6:
        return post();
      case 7:
        return rarely() ? mend() : poll_plainly();
      case 8:
        return identify();
      default:
        return poll();
    }
  }

  // --- completions and their events ---
  void fetch() {
    ibv_cq* cq = nullptr;
    void* context = nullptr;
    while (::ibv_get_cq_event(channel_, &cq, &context) == 0) {
      EXPECT_EQ(cq, plain());
      ++unacknowledged_;
      ++events_;
    }
    if (below(2) == 0) return;
    ::ibv_ack_cq_events(plain(), unacknowledged_);
    unacknowledged_ = 0;
  }
  void resize() { (void)::ibv_resize_cq(plain(), static_cast<int>(below(200))); }
  void poll() {
    ibv_poll_cq_attr attributes{};
    if (rarely()) attributes.comp_mask = 1;
    if (::ibv_start_poll(cq_, &attributes) != 0) return;
    do {
      ++polled_;
      EXPECT_LE(cq_->status, IBV_WC_GENERAL_ERR);
      (void)::ibv_wc_read_opcode(cq_);
      (void)::ibv_wc_read_byte_len(cq_);
      (void)::ibv_wc_read_src_qp(cq_);
      (void)::ibv_wc_read_imm_data(cq_);
    } while (!rarely() && ::ibv_next_poll(cq_) == 0);
    ::ibv_end_poll(cq_);
  }
  void poll_plainly() {
    ibv_wc wc[8];
    EXPECT_GE(::ibv_poll_cq(plain(), 8, wc), 0);
  }

  // --- messages to itself ---
  // Each thread reads and writes a part of its own of the buffer.
  [[nodiscard]] uint64_t own_part() const {
    return reinterpret_cast<uint64_t>(s_.buffer.data() + test::kBufferBytes / kThreads * index_);
  }
  void receive() {
    ibv_sge sge{own_part(), rarely() ? 50u : 1000u, s_.mr->lkey};
    ibv_recv_wr wr{1, nullptr, &sge, 1};
    ibv_recv_wr* bad = nullptr;
    (void)::ibv_post_recv(pair_, &wr, &bad);
  }
  void post() {
    ibv_qp_ex* ex = ::ibv_qp_to_qp_ex(pair_);
    ::ibv_wr_start(ex);
    const uint32_t requests = below(4);
    for (uint32_t i = 0; i < requests; ++i) {
      ex->wr_id = i;
      ex->wr_flags = below(2) * IBV_SEND_SIGNALED | below(2) * IBV_SEND_SOLICITED;
      if (rarely()) {
        ::ibv_wr_rdma_write(ex, 1, 2);
      } else if (below(2) == 0) {
        ::ibv_wr_send(ex);
      } else {
        ::ibv_wr_send_imm(ex, i);
      }
      if (!rarely()) ::ibv_wr_set_ud_addr(ex, handle_, pair_->qp_num, test::kQkey);
      gather(ex);
    }
    if (rarely()) gather(ex);  // of nothing, perhaps
    if (rarely()) return ::ibv_wr_abort(ex);
    (void)::ibv_wr_complete(ex);
  }
  void gather(ibv_qp_ex* ex) {
    static constexpr uint8_t kHere[300]{};
    if (below(2) == 0) return ::ibv_wr_set_inline_data(ex, const_cast<uint8_t*>(kHere), below(300));
    const ibv_sge sges[2]{{own_part(), below(500), s_.mr->lkey},
                          {own_part(), below(500), rarely() ? below(~0u) : s_.mr->lkey}};
    ::ibv_wr_set_sge_list(ex, 1 + below(2), sges);
  }
  // Whatever state it is in by now.
  void mend() {
    ibv_qp_attr attributes{};
    attributes.qp_state = IBV_QPS_RESET;
    EXPECT_EQ(::ibv_modify_qp(pair_, &attributes, IBV_QP_STATE), 0);
    SharedVerbs::make_ready(pair_);
  }

  // --- librdmacm ---
  void identify() {
    switch (below(5)) {
      case 0:
        return rarely() ? destroy_id() : create_id();
      case 1:
      case 2:
        return group();
      default:
        return hear();
    }
  }
  void create_id() {
    rdma_cm_id* id = nullptr;
    if (ids_.size() == 4 || ::rdma_create_id(cm_, &id, nullptr, RDMA_PS_UDP) != 0) return;
    ids_.push_back(id);
    if (rarely()) return;
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(0x0a4d0063);
    EXPECT_EQ(::rdma_resolve_addr(id, nullptr, reinterpret_cast<sockaddr*>(&to), 100), 0);
    if (rarely()) return;
    ibv_qp_init_attr a{};
    a.send_cq = a.recv_cq = plain();
    a.cap = {4, 4, 1, 1, 0};
    a.qp_type = rarely() ? IBV_QPT_RC : IBV_QPT_UD;
    (void)::rdma_create_qp(id, s_.pd, &a);
  }
  void destroy_id() {
    if (ids_.empty()) return;
    hear();
    ::rdma_destroy_qp(ids_.back());
    EXPECT_EQ(::rdma_destroy_id(ids_.back()), 0);
    ids_.pop_back();
  }
  void group() {
    if (ids_.empty()) return;
    rdma_cm_id* id = ids_[below(static_cast<uint32_t>(ids_.size()))];
    sockaddr_in address{};
    address.sin_family = rarely() ? AF_UNIX : AF_INET;
    address.sin_addr.s_addr = htonl((rarely() ? 0x0a000000 : 0xef000000) + below(3));
    auto* to = reinterpret_cast<sockaddr*>(&address);
    if (below(2) == 0) {
      (void)::rdma_leave_multicast(id, to);
    } else if (::rdma_join_multicast(id, to, nullptr) == 0) {
      ++joined_;
    }
  }
  void hear() {
    rdma_cm_event* event = nullptr;
    while (::rdma_get_cm_event(cm_, &event) == 0) EXPECT_EQ(::rdma_ack_cm_event(event), 0);
  }

  SharedVerbs& s_;
  size_t index_;
  base::SplitMix64 random_;
  ibv_comp_channel* channel_ = nullptr;
  ibv_cq_ex* cq_ = nullptr;
  ibv_qp* pair_ = nullptr;
  ibv_ah* handle_ = nullptr;
  rdma_event_channel* cm_ = nullptr;
  std::vector<rdma_cm_id*> ids_;
  unsigned int unacknowledged_ = 0;
  uint64_t events_ = 0;
  uint64_t polled_ = 0;
  uint64_t joined_ = 0;
};

TEST(VerbsEvents, EndWithNothingLeft) {
  for (uint64_t round = 0; round < 2; ++round) {
    SharedVerbs shared;
    std::vector<Caller> callers;
    for (size_t i = 0; i < kThreads; ++i) callers.emplace_back(shared, i, 100 * round + i);
    std::vector<std::thread> threads;
    for (Caller& caller : callers) threads.emplace_back([&caller] { caller.run(); });
    for (std::thread& thread : threads) thread.join();
    for (const Caller& caller : callers) {
      EXPECT_GT(caller.events(), 0u);
      EXPECT_GT(caller.polled(), 0u);
      EXPECT_GT(caller.joined(), 0u);
    }
  }
}

}  // namespace
}  // namespace lambdacast::verbs
