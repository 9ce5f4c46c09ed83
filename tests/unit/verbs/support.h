// SPDX-License-Identifier: BSD-3-Clause
// What the tests of drivers/verbs/preload share: a device on a fabric of this process's own, queue
// pairs that talk to one another through it, and a stranger on another wavelength who says what he
// likes.
#pragma once

#include <gtest/gtest.h>
#include <infiniband/verbs.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "device.h"
#include "fabric/fabric.h"
#include "wire/roce/build.h"

namespace lambdacast::verbs::test {

inline constexpr uint32_t kQkey = 0x11111111;
inline constexpr size_t kBufferBytes = 64 * 1024;

// Before anything asks for the device: it reads its settings once.
inline const std::string& fabric_name() {
  static const std::string name = [] {
    std::string made = "verbs-unit-" + std::to_string(::getpid());
    ::setenv("LAMBDACAST_FABRIC", made.c_str(), 1);
    ::setenv("LAMBDACAST_WAVELENGTHS", "4", 1);
    ::setenv("LAMBDACAST_SLOTS", "64", 1);
    ::setenv("LAMBDACAST_WAVELENGTH", "C21", 1);
    ::setenv("LAMBDACAST_PACKET_RATE", "0", 1);
    ::setenv("LAMBDACAST_RATE", "0", 1);
    ::setenv("LAMBDACAST_PKEYS", "0xffff,0x8001,0x0001", 1);
    return made;
  }();
  return name;
}

// A context with what a program sets up first.
class Verbs : public ::testing::Test {
 protected:
  Verbs() : name_(fabric_name()), buffer(kBufferBytes) {
    int devices = 0;
    ibv_device** list = ::ibv_get_device_list(&devices);
    context = devices == 1 ? ::ibv_open_device(list[0]) : nullptr;
    ::ibv_free_device_list(list);
    if (context == nullptr) throw std::runtime_error("no device");
    pd = ::ibv_alloc_pd(context);
    mr = (::ibv_reg_mr)(pd, buffer.data(), buffer.size(), IBV_ACCESS_LOCAL_WRITE);
    cq = ::ibv_create_cq(context, 256, nullptr, nullptr, 0);
    std::iota(buffer.begin(), buffer.end(), uint8_t{0});
  }
  ~Verbs() override {
    for (ibv_ah* ah : handles_) EXPECT_EQ(::ibv_destroy_ah(ah), 0);
    for (ibv_qp* qp : pairs_) EXPECT_EQ(::ibv_destroy_qp(qp), 0);
    EXPECT_EQ(::ibv_destroy_cq(cq), 0);
    EXPECT_EQ(::ibv_dereg_mr(mr), 0);
    EXPECT_EQ(::ibv_dealloc_pd(pd), 0);
    EXPECT_EQ(::ibv_close_device(context), 0);
  }

  [[nodiscard]] ibv_qp_init_attr plain(ibv_qp_type type = IBV_QPT_UD) const {
    ibv_qp_init_attr a{};
    a.send_cq = a.recv_cq = cq;
    a.cap = {16, 16, 4, 4, 64};
    a.qp_type = type;
    return a;
  }
  ibv_qp* create() {
    ibv_qp_init_attr a = plain();
    return keep(::ibv_create_qp(pd, &a));
  }
  ibv_qp* keep(ibv_qp* qp) {
    EXPECT_NE(qp, nullptr);
    if (qp != nullptr) pairs_.push_back(qp);
    return qp;
  }
  static int step(ibv_qp* qp, ibv_qp_state state, int mask, uint16_t pkey_index = 0) {
    ibv_qp_attr a{};
    a.qp_state = state;
    a.port_num = 1;
    a.qkey = kQkey;
    a.pkey_index = pkey_index;
    a.sq_psn = 0xfffffe;
    return ::ibv_modify_qp(qp, &a, mask | IBV_QP_STATE);
  }
  static ibv_qp* make_ready(ibv_qp* qp, uint16_t pkey_index = 0) {
    EXPECT_EQ(step(qp, IBV_QPS_INIT, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY, pkey_index), 0);
    EXPECT_EQ(step(qp, IBV_QPS_RTR, 0), 0);
    EXPECT_EQ(step(qp, IBV_QPS_RTS, IBV_QP_SQ_PSN), 0);
    return qp;
  }
  ibv_qp* ready() { return make_ready(create()); }

  static ibv_ah_attr to(const wire::Gid& gid, uint8_t sgid_index) {
    ibv_ah_attr a{};
    a.is_global = 1;
    a.port_num = 1;
    a.grh.sgid_index = sgid_index;
    std::memcpy(a.grh.dgid.raw, gid.bytes.data(), 16);
    return a;
  }
  ibv_ah* handle(const wire::Gid& gid, uint8_t sgid_index = 1) {
    ibv_ah_attr a = to(gid, sgid_index);
    ibv_ah* ah = ::ibv_create_ah(pd, &a);
    EXPECT_NE(ah, nullptr);
    if (ah != nullptr) handles_.push_back(ah);
    return ah;
  }
  [[nodiscard]] static wire::Gid own(size_t index = 1) { return device().addresses().gid(index); }

  int receive(ibv_qp* qp, uint64_t id, size_t offset, uint32_t bytes) {
    ibv_sge sge{reinterpret_cast<uint64_t>(buffer.data() + offset), bytes, mr->lkey};
    ibv_recv_wr wr{id, nullptr, &sge, 1};
    ibv_recv_wr* bad = nullptr;
    return ::ibv_post_recv(qp, &wr, &bad);
  }
  struct Message {
    ibv_ah* ah;
    uint32_t qpn;
    uint32_t bytes;
    uint32_t qkey = kQkey;
    unsigned int flags = IBV_SEND_SIGNALED;
    ibv_wr_opcode opcode = IBV_WR_SEND;
    uint32_t lkey = 0;  // 0: the right one
  };
  int send(ibv_qp* qp, uint64_t id, const Message& m) {
    ibv_sge sge{reinterpret_cast<uint64_t>(buffer.data()), m.bytes, m.lkey ? m.lkey : mr->lkey};
    ibv_send_wr wr{};
    wr.wr_id = id;
    wr.sg_list = &sge;
    wr.num_sge = 1;
    wr.opcode = m.opcode;
    wr.send_flags = m.flags;
    wr.imm_data = 0x04030201;  // 01 02 03 04 on the wire
    wr.wr.ud = {m.ah, m.qpn, m.qkey};
    ibv_send_wr* bad = nullptr;
    return ::ibv_post_send(qp, &wr, &bad);
  }
  // All completions there are: progress is made until a look finds none.
  std::vector<ibv_wc> completions() {
    std::vector<ibv_wc> all;
    ibv_wc wc[8];
    for (int n = 0; (n = ::ibv_poll_cq(cq, 8, wc)) > 0;) all.insert(all.end(), wc, wc + n);
    return all;
  }
  static uint64_t count(Counter counter) { return device().counters()[counter]; }
  static uint64_t dropped(counters::DropReason reason) { return device().counters().drops[reason]; }

  std::string name_;
  ibv_context* context = nullptr;
  ibv_pd* pd = nullptr;
  ibv_mr* mr = nullptr;
  ibv_cq* cq = nullptr;
  std::vector<uint8_t> buffer;

 private:
  std::vector<ibv_qp*> pairs_;
  std::vector<ibv_ah*> handles_;
};

// Another attachment to the same fabric, on its third wavelength.
class Stranger {
 public:
  Stranger() {
    auto attached = fabric::Fabric::attach(fabric_name(), {});
    if (!attached) throw std::runtime_error(attached.error().message);
    fabric_ = std::move(*attached);
    transmitter_ = *fabric_->claim(2);
    receiver_ = fabric_->listen(0);
  }
  // `departure`: in ticks of the machine's clock, not heard before.
  void say(const wire::FrameFields& fields, std::span<const uint8_t> payload,
           uint64_t departure = Port::now()) {
    uint8_t* to = transmitter_.begin_frame();
    const size_t bytes = wire::build_frame(fields, payload, to, transmitter_.max_frame_bytes());
    transmitter_.end_frame(static_cast<uint32_t>(bytes), departure);
    transmitter_.end_burst();
  }
  // The next frame of the device under test; empty: none.
  [[nodiscard]] std::vector<uint8_t> hear() {
    if (receiver_.peek() != fabric::Peek::kFrame) return {};
    std::vector<uint8_t> frame(fabric::kMaxFrameBytes);
    EXPECT_TRUE(receiver_.copy_to(frame.data()));
    frame.resize(receiver_.length());
    receiver_.advance();
    return frame;
  }
  // To that queue pair, right in everything.
  [[nodiscard]] static wire::FrameFields to(const ibv_qp* qp) {
    wire::FrameFields f;
    f.source_gid = wire::gid_from_ipv4(0x0a4d0063);
    f.destination_gid = device().addresses().gid(1);
    f.destination_qpn = qp->qp_num;
    f.source_qpn = 0x123;
    f.qkey = kQkey;
    return f;
  }

 private:
  std::unique_ptr<fabric::Fabric> fabric_;
  fabric::Transmitter transmitter_;
  fabric::Receiver receiver_;
};

}  // namespace lambdacast::verbs::test
