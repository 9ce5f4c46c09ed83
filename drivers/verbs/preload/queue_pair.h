// SPDX-License-Identifier: BSD-3-Clause
// A UD queue pair: its receive queue, and what its sends say besides their payload.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "completion.h"
#include "memory.h"
#include "wire/roce/build.h"

namespace lambdacast::verbs {

inline constexpr uint32_t kMaxWorkRequests = 32768;
inline constexpr uint32_t kMaxSges = 16;
inline constexpr uint32_t kMaxInlineBytes = 1024;
inline constexpr size_t kGrhBytes = 40;

// Where frames go. Its flow is laid out when a queue pair first uses it.
struct AddressHandle : ibv_ah {
  uint32_t serial = 0;        // no other handle ever has it
  wire::FrameFields fields;   // MACs, GIDs, traffic class
  bool may_come_back = true;  // a group, or this device itself
};

struct PostedReceive {
  uint64_t wr_id = 0;
  std::span<const ibv_sge> sges;  // until the receive is taken off the queue
};

// A ring of receives in the order in which they were posted.
class ReceiveQueue {
 public:
  ReceiveQueue() = default;
  ReceiveQueue(uint32_t requests, uint32_t sges)
      : wr_ids_(requests), counts_(requests), sges_(size_t{requests} * sges), max_sges_(sges) {}

  [[nodiscard]] bool empty() const { return head_ == tail_; }
  [[nodiscard]] bool full() const { return tail_ - head_ == wr_ids_.size(); }
  [[nodiscard]] uint64_t posted() const { return tail_; }  // ever
  // Needs !full() and a number of sges within the queue's limit.
  void push(uint64_t wr_id, std::span<const ibv_sge> sges);
  // Needs !empty(). What it returns is valid until the next push.
  [[nodiscard]] PostedReceive pop();
  void clear() { head_ = tail_ = 0; }

 private:
  std::vector<uint64_t> wr_ids_;
  std::vector<uint32_t> counts_;
  std::vector<ibv_sge> sges_;
  uint32_t max_sges_ = 0;
  uint64_t head_ = 0;
  uint64_t tail_ = 0;
};

// The headers of the flows that a queue pair sent to last.
class FlowCache {
 public:
  struct Key {
    uint32_t ah_serial = 0;
    uint32_t remote_qpn = 0;
    uint32_t qkey = 0;
    bool has_immediate = false;
    bool solicited = false;
    bool operator==(const Key&) const = default;
  };
  // Returns the template for the flow to `ah` from a queue pair with that number and P_Key.
  [[nodiscard]] const wire::FrameTemplate& find(const Key& key, const AddressHandle& ah,
                                                uint32_t source_qpn, uint16_t pkey);
  void clear() { flows_ = {}; }

 private:
  struct Flow {
    Key key;
    wire::FrameTemplate headers{wire::FrameFields{}};
  };
  std::array<Flow, 8> flows_{};
};

struct QueuePair;

// The work requests between ibv_wr_start and ibv_wr_complete.
struct Batch {
  struct Request {
    ibv_send_wr wr;
    size_t first_sge;
    size_t sges;
    size_t first_byte;  // of what is inline
  };
  std::mutex one_at_a_time;  // of several threads, from start to complete or abort
  std::vector<Request> requests;
  std::vector<ibv_sge> sges;
  std::vector<uint8_t> inline_bytes;
  int error = 0;
};

struct QueuePair : ibv_qp_ex {
  QueuePair(const ibv_qp_cap& capacities, bool all_signalled)
      : ibv_qp_ex{},
        cap(capacities),
        signals_all(all_signalled),
        receives(capacities.max_recv_wr, capacities.max_recv_sge) {}

  [[nodiscard]] bool takes_messages() const {
    return qp_base.state == IBV_QPS_RTR || qp_base.state == IBV_QPS_RTS ||
           qp_base.state == IBV_QPS_SQE;
  }
  [[nodiscard]] CompletionQueue& send_queue() const { return queue_of(qp_base.send_cq); }
  [[nodiscard]] CompletionQueue& receive_queue() const { return queue_of(qp_base.recv_cq); }

  ibv_qp_cap cap;
  bool signals_all;
  bool extended = false;     // ibv_qp_to_qp_ex gives it
  bool hears_itself = true;  // what it sends to a group that it is attached to
  uint32_t qkey = 0;
  uint16_t pkey_index = 0;
  uint8_t port = 1;
  uint32_t psn = 0;          // of the next frame, 24 bits
  uint32_t outstanding = 0;  // sends not yet complete
  uint32_t groups = 0;       // attached to
  uint64_t held_since = 0;   // ticks; when a frame first waited for a receive, 0: none waits
  ReceiveQueue receives;
  FlowCache flows;
  Batch batch;
};

[[nodiscard]] inline QueuePair& pair_of(ibv_qp* qp) {
  return *static_cast<QueuePair*>(reinterpret_cast<ibv_qp_ex*>(qp));
}

}  // namespace lambdacast::verbs
