// SPDX-License-Identifier: BSD-3-Clause
// The device of a process: all that its contexts share. One lock guards it all, because progress
// made by any call may complete work of any queue: what would run beside it is a copy.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "addresses.h"
#include "completion.h"
#include "memory.h"
#include "multicast.h"
#include "port.h"
#include "queue_pair.h"
#include "settings.h"
#include "verbs_counters.h"
#include "wire/roce/frame.h"

namespace lambdacast::verbs {

inline constexpr uint32_t kMaxQueuePairs = 4096;

class Device {
 public:
  Device();

  // Is there one to be shown? A configuration file that names no port is told of, once, on standard
  // error. Takes the lock itself.
  [[nodiscard]] bool can_be();
  // Attaches if nobody has. False, with a sentence on standard error: it cannot be.
  [[nodiscard]] bool open();
  void close();  // of the last that opened it: leaves the fabric

  // Returns the node GUID in network order. On a fabric a device that was never open attaches for a
  // moment, because the address follows from the wavelength. On a real port it is 0 until the
  // device is opened.
  [[nodiscard]] uint64_t guid();

  // 0, or ENODEV: not open, or this is a child of the process that opened it.
  [[nodiscard]] int usable() const { return port_ && port_->here() ? 0 : ENODEV; }

  std::mutex lock;  // everything below wants it held

  // --- set-up ---
  [[nodiscard]] bool add(QueuePair& qp);  // gives it a number; false: kMaxQueuePairs are there
  void remove(QueuePair& qp);
  // ibv_modify_qp(3) after its attributes were checked.
  void reset(QueuePair& qp);
  void fail(QueuePair& qp);  // to the error state: flushes
  void raise_completion_event(CompletionQueue& cq);
  void raise_overrun(CompletionQueue& cq);

  // --- data path ---
  // One work request: 0, or an errno of ibv_post_send(3).
  [[nodiscard]] int post(QueuePair& qp, const ibv_send_wr& wr);
  [[nodiscard]] int post(QueuePair& qp, const ibv_recv_wr& wr);
  // Why a request could not be posted behind that many others; 0 if it could.
  [[nodiscard]] int check(const QueuePair& qp, const ibv_send_wr& wr, size_t behind) const;
  // Completes sends whose frames have left and takes frames that posted receives can hold. What
  // there was: kOnItsWay stands for frames, of this device or others, that have not left yet.
  enum class Found : uint8_t { kNothing, kOnItsWay, kFrames };
  Found progress();

  // --- the thread that makes progress while a completion queue is armed ---
  void add_channel();
  void remove_channel(std::unique_lock<std::mutex>& held);
  void arm(CompletionQueue& cq, Armed armed);
  void disarm(CompletionQueue& cq);

  [[nodiscard]] uint32_t path_mtu() const { return path_mtu_; }
  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] const Addresses& addresses() const { return addresses_; }
  [[nodiscard]] VerbsCounters& counters() { return counters_; }
  // Ends the device at the end of the process, whatever the program has left open: writes the
  // counters and leaves the fabric, whose files the last process removes. It takes the lock itself.
  void leave();

  KeyTable keys;
  Attachments groups;
  uint32_t next_handle = 1;

 private:
  struct Sent {
    QueuePair* qp;  // null: reset or destroyed meanwhile
    uint64_t wr_id;
    uint64_t due;  // ticks
    uint32_t bytes;
    ibv_wc_status status;
    bool signalled;
  };
  enum class Taken : uint8_t { kYes, kHold };

  [[nodiscard]] bool is_for_us(const wire::Gid& destination) const;
  void emit(QueuePair& qp, const ibv_send_wr& wr, uint32_t bytes);
  void complete_later(QueuePair& qp, const ibv_send_wr& wr, uint32_t bytes, uint64_t due,
                      ibv_wc_status status);
  [[nodiscard]] ibv_wc_status gatherable(const QueuePair& qp, const ibv_send_wr& wr,
                                         uint64_t& bytes) const;
  void retire_sends(uint64_t now);
  void tend_bridge(Bridge& bridge);
  void push(CompletionQueue& cq, const ibv_wc& wc, bool solicited);

  Found drain(Port::Listener& listener);
  [[nodiscard]] Taken take(const uint8_t* frame, uint32_t bytes, bool may_hold);
  [[nodiscard]] Taken deliver(const uint8_t* frame, const wire::FrameView& view,
                              std::span<QueuePair* const> targets, bool may_hold);
  [[nodiscard]] bool accepts(const QueuePair& qp, const wire::FrameView& view);
  [[nodiscard]] bool is_unwanted_echo(const QueuePair& qp, const wire::FrameView& view) const;
  [[nodiscard]] bool should_hold(QueuePair& qp);
  void receive(QueuePair& qp, const uint8_t* frame, const wire::FrameView& view);
  [[nodiscard]] QueuePair* find(uint32_t qpn) const {
    QueuePair* qp = pairs_[qpn % kMaxQueuePairs];
    return qp != nullptr && qp->qp_base.qp_num == qpn ? qp : nullptr;
  }
  void run_thread();
  // Something was posted and will soon complete: the thread does not sleep through it.
  void rouse();

  Settings settings_;
  std::unique_ptr<Port> port_;
  uint32_t opens_ = 0;
  Addresses addresses_;
  uint32_t path_mtu_ = 0;
  VerbsCounters counters_;
  std::optional<bool> config_checked_;
  uint64_t listened_ = 0;  // groups.changes() as the bridge knows them

  std::vector<QueuePair*> pairs_;
  uint32_t pair_count_ = 0;
  uint32_t next_pair_ = 0;
  std::deque<Sent> sent_;  // in the order of their departure
  uint64_t last_due_ = 0;
  uint64_t max_ahead_ = 0;  // frames in the ring that have not left yet

  alignas(64) std::array<uint8_t, fabric::kMaxFrameBytes + 64> scratch_;

  std::thread thread_;
  std::condition_variable wake_;
  uint32_t channels_ = 0;
  uint32_t armed_ = 0;  // completion queues
  bool stop_thread_ = false;
  bool drowsy_ = false;  // the thread is in a pause that is longer than the first
};

// The one of this process. Never destroyed: programs call from destructors, too.
[[nodiscard]] Device& device();

}  // namespace lambdacast::verbs
