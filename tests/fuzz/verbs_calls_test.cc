// SPDX-License-Identifier: BSD-3-Clause
// Random calls, legal and not, of several threads that share a device, a completion queue and a
// protection domain: none crashes, hangs or leaks, whatever comes of it. What may not be called at
// all (on what was destroyed) is not. Sanitizers judge; the accounts at the end do, too.
#include <atomic>
#include <thread>

#include "../unit/verbs/support.h"
#include "base/random.h"

namespace lambdacast::verbs {
namespace {

constexpr int kThreads = 3;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int kCalls = 20'000;
#else
constexpr int kCalls = 60'000;
#endif

class SharedVerbs : public test::Verbs {
 public:
  void TestBody() override {}
  using Verbs::buffer;
  using Verbs::context;
  using Verbs::cq;
  using Verbs::mr;
  using Verbs::pd;
  using Verbs::plain;
  using Verbs::to;
};

// One thread's queue pairs and what it does to them.
class Caller {
 public:
  Caller(SharedVerbs& shared, uint64_t seed) : s_(shared), random_(seed) {}
  void run() {
    for (int i = 0; i < kCalls; ++i) call();
    while (!pairs_.empty()) destroy_pair();
    while (!handles_.empty()) destroy_handle();
  }

 private:
  [[nodiscard]] uint32_t below(uint32_t bound) {
    return static_cast<uint32_t>(random_.below(bound));
  }
  [[nodiscard]] bool rarely() { return below(50) == 0; }
  template <typename T>
  [[nodiscard]] T* any(const std::vector<T*>& all) {
    return all.empty() ? nullptr : all[below(static_cast<uint32_t>(all.size()))];
  }

  void call() {
    switch (below(12)) {
      case 0:
        return rarely() ? destroy_pair() : create_pair();
      case 1:
        return rarely() ? destroy_handle() : create_handle();
      case 2:
        return modify();
      case 3:
        return group();
      case 4:
        return region();
      case 5:
      case 6:
        return receive();
      case 7:
      case 8:
        return send();
      default:
        return poll();
    }
  }

  void create_pair() {
    if (pairs_.size() == 8) return;
    ibv_qp_init_attr a = s_.plain(rarely() ? IBV_QPT_RC : IBV_QPT_UD);
    a.cap = {below(64), below(64), below(5), below(5), below(256)};
    if (rarely()) a.cap.max_send_wr = ~0u;
    if (ibv_qp* qp = ::ibv_create_qp(s_.pd, &a); qp != nullptr) pairs_.push_back(qp);
  }
  void destroy_pair() {
    if (pairs_.empty()) return;
    ibv_qp* qp = pairs_.back();
    for (uint32_t i = 0; i < 4; ++i) {
      const ibv_gid gid = group_of(i);
      (void)::ibv_detach_mcast(qp, &gid, 0);
    }
    EXPECT_EQ(::ibv_destroy_qp(qp), 0);
    pairs_.pop_back();
  }
  void create_handle() {
    if (handles_.size() == 8) return;
    const wire::Gid gids[]{device().addresses().gid(0), device().addresses().gid(1),
                           *wire::parse_gid("239.0.0.1"), *wire::parse_gid("ff0e::2")};
    ibv_ah_attr a = SharedVerbs::to(gids[below(4)], static_cast<uint8_t>(below(3)));
    if (ibv_ah* ah = ::ibv_create_ah(s_.pd, &a); ah != nullptr) handles_.push_back(ah);
  }
  void destroy_handle() {
    if (handles_.empty()) return;
    EXPECT_EQ(::ibv_destroy_ah(handles_.back()), 0);
    handles_.pop_back();
  }

  void modify() {
    ibv_qp* qp = any(pairs_);
    if (qp == nullptr) return;
    ibv_qp_attr a{};
    a.port_num = rarely() ? 2 : 1;
    a.qkey = rarely() ? 5 : test::kQkey;
    a.pkey_index = static_cast<uint16_t>(below(4));
    static constexpr struct {
      ibv_qp_state state;
      int mask;
    } kSteps[]{{IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY},
               {IBV_QPS_RTR, 0},
               {IBV_QPS_RTS, IBV_QP_SQ_PSN},
               {IBV_QPS_RTS, 0}};
    if (rarely()) {
      a.qp_state = static_cast<ibv_qp_state>(below(9));
      (void)::ibv_modify_qp(qp, &a, static_cast<int>(below(1u << 21)));
      return;
    }
    for (const auto& step : kSteps) {
      a.qp_state = step.state;
      (void)::ibv_modify_qp(qp, &a, step.mask | IBV_QP_STATE);
    }
  }

  [[nodiscard]] static ibv_gid group_of(uint32_t i) {
    const wire::Gid gid =
        i == 3 ? *wire::parse_gid("ff0e::2") : wire::gid_from_ipv4(0xef000000 + i);
    ibv_gid out;
    std::memcpy(out.raw, gid.bytes.data(), 16);
    return out;
  }
  void group() {
    ibv_qp* qp = any(pairs_);
    if (qp == nullptr) return;
    const ibv_gid gid = group_of(below(4));
    (void)(below(2) == 0 ? ::ibv_attach_mcast(qp, &gid, 0) : ::ibv_detach_mcast(qp, &gid, 0));
  }
  void region() {
    ibv_mr* mr = (::ibv_reg_mr)(s_.pd, s_.buffer.data(), below(4096), static_cast<int>(below(8)));
    if (mr == nullptr) return;
    EXPECT_EQ(::ibv_dereg_mr(mr), 0);
  }

  // Each thread reads and writes a part of its own of the buffer.
  [[nodiscard]] ibv_sge sge() {
    const size_t part = test::kBufferBytes / kThreads;
    auto* base = s_.buffer.data() + part * (index_ % kThreads);
    ibv_sge made{reinterpret_cast<uint64_t>(base), below(rarely() ? 9000 : 3000), s_.mr->lkey};
    if (rarely()) made.lkey = below(~0u);
    if (rarely()) made.addr = 0;
    return made;
  }
  void receive() {
    ibv_qp* qp = any(pairs_);
    if (qp == nullptr) return;
    ibv_sge sges[4]{sge(), sge(), sge(), sge()};
    ibv_recv_wr wr{1, nullptr, sges, static_cast<int>(below(6))};
    if (wr.num_sge > 4) wr.num_sge = -1;
    ibv_recv_wr* bad = nullptr;
    (void)::ibv_post_recv(qp, &wr, &bad);
  }
  void send() {
    ibv_qp* qp = any(pairs_);
    if (qp == nullptr) return;
    ibv_sge sges[4]{sge(), sge(), sge(), sge()};
    ibv_send_wr wr{};
    wr.sg_list = sges;
    wr.num_sge = static_cast<int>(below(5));
    wr.opcode = static_cast<ibv_wr_opcode>(rarely() ? below(14) : 2 + below(2));
    // Inline reads where it is told to: only what is there.
    wr.send_flags = below(8) << 1 & ~static_cast<unsigned int>(IBV_SEND_INLINE);
    wr.wr.ud.ah = any(handles_);
    const ibv_qp* whom = any(pairs_);
    const bool to_group = wr.wr.ud.ah != nullptr && below(2) == 0;
    wr.wr.ud.remote_qpn = to_group ? 0xffffff : whom->qp_num;
    wr.wr.ud.remote_qkey = rarely() ? 9 : test::kQkey;
    ibv_send_wr* bad = nullptr;
    (void)::ibv_post_send(qp, &wr, &bad);
  }
  void poll() {
    ibv_wc wc[16];
    EXPECT_GE(::ibv_poll_cq(s_.cq, static_cast<int>(1 + below(16)), wc), 0);
  }

  SharedVerbs& s_;
  base::SplitMix64 random_;
  static inline std::atomic<size_t> next_index_{0};
  size_t index_ = next_index_++;
  std::vector<ibv_qp*> pairs_;
  std::vector<ibv_ah*> handles_;
};

TEST(VerbsCalls, EndWithNothingLeft) {
  for (uint64_t round = 0; round < 2; ++round) {
    SharedVerbs shared;
    std::vector<std::thread> threads;
    for (uint64_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&shared, seed = 100 * round + i] { Caller(shared, seed).run(); });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_GT(device().counters()[Counter::kMessagesReceived], 0u);
  }
}

}  // namespace
}  // namespace lambdacast::verbs
