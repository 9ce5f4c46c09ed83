// SPDX-License-Identifier: BSD-3-Clause
// Sending: a message is gathered straight into the next slot of the wavelength's ring and framed
// around it there. Its completion comes when the frame has left by the wavelength's rate.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "context.h"
#include "wire/roce/bth.h"

namespace lambdacast::verbs {
namespace {

// A Q_Key with its highest bit set in a request stands for the queue pair's (IBTA vol. 1, 10.2.5).
constexpr uint32_t kOwnQkeyBit = 0x80000000;
constexpr uint32_t kQpnMask = 0xffffff;

}  // namespace

int Device::check(const QueuePair& qp, const ibv_send_wr& wr, size_t behind) const {
  const ibv_qp_state state = qp.qp_base.state;
  if (state != IBV_QPS_RTS && state != IBV_QPS_SQE && state != IBV_QPS_ERR) return EINVAL;
  const int opcode = number_of(wr.opcode);
  if (opcode != IBV_WR_SEND && opcode != IBV_WR_SEND_WITH_IMM) return EINVAL;
  if (wr.num_sge < 0 || static_cast<uint32_t>(wr.num_sge) > qp.cap.max_send_sge) return EINVAL;
  if (wr.num_sge > 0 && wr.sg_list == nullptr) return EINVAL;
  if (wr.wr.ud.ah == nullptr || wr.wr.ud.ah->pd != qp.qp_base.pd) return EINVAL;
  if ((wr.send_flags & IBV_SEND_INLINE) != 0) {
    uint64_t bytes = 0;
    for (int i = 0; i < wr.num_sge; ++i) bytes += wr.sg_list[i].length;
    if (bytes > qp.cap.max_inline_data) return EINVAL;
  }
  // The ring is shared by all queue pairs: what has not left yet must not overwrite itself.
  const bool full =
      qp.outstanding + behind >= qp.cap.max_send_wr || sent_.size() + behind >= max_ahead_;
  return full ? ENOMEM : 0;
}

ibv_wc_status Device::gatherable(const QueuePair& qp, const ibv_send_wr& wr,
                                 uint64_t& bytes) const {
  bytes = 0;
  for (int i = 0; i < wr.num_sge; ++i) bytes += wr.sg_list[i].length;
  if (bytes > path_mtu_) return IBV_WC_LOC_LEN_ERR;
  if ((wr.send_flags & IBV_SEND_INLINE) != 0) return IBV_WC_SUCCESS;
  for (int i = 0; i < wr.num_sge; ++i) {
    const ibv_sge& sge = wr.sg_list[i];
    if (sge.length != 0 &&
        keys.resolve(sge.lkey, qp.qp_base.pd, sge.addr, sge.length, false) == nullptr) {
      return IBV_WC_LOC_PROT_ERR;
    }
  }
  return IBV_WC_SUCCESS;
}

int Device::post(QueuePair& qp, const ibv_send_wr& wr) {
  const uint64_t now = Port::now();
  retire_sends(now);
  if (const int error = check(qp, wr, 0); error != 0) return error;
  uint64_t bytes = 0;
  if (qp.qp_base.state != IBV_QPS_RTS) {
    complete_later(qp, wr, 0, last_due_, IBV_WC_WR_FLUSH_ERR);
    return 0;
  }
  const ibv_wc_status status = gatherable(qp, wr, bytes);
  if (status != IBV_WC_SUCCESS) {
    // Only the send queue of a UD queue pair stops (IBTA vol. 1, 10.3.1.6).
    qp.qp_base.state = IBV_QPS_SQE;
    counters_.add(Counter::kSendErrors);
    complete_later(qp, wr, 0, last_due_, status);
    return 0;
  }
  emit(qp, wr, static_cast<uint32_t>(bytes));
  rouse();
  if (Bridge* const bridge = port_->bridge(); bridge != nullptr) [[unlikely]]
    bridge->pump();
  return 0;
}

bool Device::is_for_us(const wire::Gid& destination) const {
  return wire::is_multicast(destination) ? !groups.of(destination).empty()
                                         : addresses_.is_own(destination);
}

void Device::emit(QueuePair& qp, const ibv_send_wr& wr, uint32_t bytes) {
  const auto& ah = *static_cast<const AddressHandle*>(wr.wr.ud.ah);
  const bool immediate = wr.opcode == IBV_WR_SEND_WITH_IMM;
  const uint32_t qkey = (wr.wr.ud.remote_qkey & kOwnQkeyBit) != 0 ? qp.qkey : wr.wr.ud.remote_qkey;
  const FlowCache::Key key{ah.serial, wr.wr.ud.remote_qpn & kQpnMask, qkey, immediate,
                           (wr.send_flags & IBV_SEND_SOLICITED) != 0};
  const wire::FrameTemplate& headers =
      qp.flows.find(key, ah, qp.qp_base.qp_num, settings_.pkeys[qp.pkey_index]);

  fabric::Transmitter& transmitter = port_->transmitter();
  uint8_t* frame = transmitter.begin_frame();
  uint8_t* to = frame + headers.header_bytes();
  for (int i = 0; i < wr.num_sge; ++i) {
    const ibv_sge& sge = wr.sg_list[i];
    if (sge.length == 0) continue;
    const uint8_t* from = (wr.send_flags & IBV_SEND_INLINE) != 0
                              ? reinterpret_cast<const uint8_t*>(sge.addr)
                              : keys.resolve(sge.lkey, qp.qp_base.pd, sge.addr, sge.length, false);
    std::memcpy(to, from, sge.length);
    to += sge.length;
  }
  const size_t frame_bytes = headers.lay(frame, bytes, qp.psn, static_cast<uint16_t>(qp.psn));
  if (immediate) {
    std::memcpy(frame + headers.header_bytes() - wire::kImmediateBytes, &wr.imm_data,
                wire::kImmediateBytes);
  }
  headers.seal(frame, frame_bytes);
  const uint64_t due = port_->departure(Port::now(), static_cast<uint32_t>(frame_bytes));
  transmitter.end_frame(static_cast<uint32_t>(frame_bytes), due);
  transmitter.end_burst();
  if (!ah.may_come_back || !is_for_us(ah.fields.destination_gid)) port_->pass_over_own();
  qp.psn = (qp.psn + 1) & kQpnMask;
  counters_.add(Counter::kFramesSent);
  complete_later(qp, wr, bytes, due, IBV_WC_SUCCESS);
}

void Device::complete_later(QueuePair& qp, const ibv_send_wr& wr, uint32_t bytes, uint64_t due,
                            ibv_wc_status status) {
  const bool signalled =
      qp.signals_all || (wr.send_flags & IBV_SEND_SIGNALED) != 0 || status != IBV_WC_SUCCESS;
  last_due_ = std::max(last_due_, due);
  sent_.push_back({&qp, wr.wr_id, last_due_, bytes, status, signalled});
  ++qp.outstanding;
}

void Device::retire_sends(uint64_t now) {
  while (!sent_.empty() && sent_.front().due <= now) {
    const Sent sent = sent_.front();
    sent_.pop_front();
    if (sent.qp == nullptr) continue;
    --sent.qp->outstanding;
    if (!sent.signalled) continue;
    ibv_wc wc{};
    wc.wr_id = sent.wr_id;
    wc.status = sent.status;
    wc.opcode = IBV_WC_SEND;
    wc.byte_len = sent.bytes;
    wc.qp_num = sent.qp->qp_base.qp_num;
    push(sent.qp->send_queue(), wc, sent.status != IBV_WC_SUCCESS);
  }
}

int Device::post(QueuePair& qp, const ibv_recv_wr& wr) {
  if (qp.qp_base.state == IBV_QPS_RESET) return EINVAL;
  if (wr.num_sge < 0 || static_cast<uint32_t>(wr.num_sge) > qp.cap.max_recv_sge) return EINVAL;
  if (wr.num_sge > 0 && wr.sg_list == nullptr) return EINVAL;
  if (qp.qp_base.state == IBV_QPS_ERR) {
    ibv_wc wc{};
    wc.wr_id = wr.wr_id;
    wc.status = IBV_WC_WR_FLUSH_ERR;
    wc.opcode = IBV_WC_RECV;
    wc.qp_num = qp.qp_base.qp_num;
    push(qp.receive_queue(), wc, true);
    return 0;
  }
  if (qp.receives.full()) return ENOMEM;
  qp.receives.push(wr.wr_id, {wr.sg_list, static_cast<size_t>(wr.num_sge)});
  if (std::exchange(qp.held_since, 0) != 0) rouse();
  return 0;
}

}  // namespace lambdacast::verbs
