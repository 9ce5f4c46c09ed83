// SPDX-License-Identifier: BSD-3-Clause
// Corosync 3's closed process groups: agreed order, the only one that its library implements (safe
// and unordered are refused or taken for agreed). The daemon of each node orders; this program is
// its client over shared memory. All members receive, the sender too.
#include <corosync/corotypes.h>
#include <corosync/cpg.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/uio.h>

#include <cstring>

#include "message.h"
#include "peer.h"
#include "recorder.h"

namespace lambdacast::peers {
namespace {

constexpr int kPollMs = 10;
// More often costs half of the rate; never, and its own queue of deliveries grows without end.
constexpr unsigned kSendsADispatch = 512;
constexpr const char* kGroup = "lambdacast-peers";

void check(cs_error_t status, const char* what) {
  if (status != CS_OK) throw Failure{fmt::format("{}: {}", what, cs_strerror(status))};
}

void ignore_change(cpg_handle_t /*handle*/, const cpg_name* /*group*/,
                   const cpg_address* /*members*/, size_t /*member_count*/,
                   const cpg_address* /*left*/, size_t /*left_count*/,
                   const cpg_address* /*joined*/, size_t /*joined_count*/) {}

// A connection to this node's daemon. What it delivers goes to `recorder`, if there is one.
class Member {
 public:
  Member() {
    cpg_callbacks_t callbacks{deliver, ignore_change};
    check(cpg_initialize(&handle_, &callbacks), "cpg_initialize");
    check(cpg_context_set(handle_, this), "cpg_context_set");
    check(cpg_fd_get(handle_, &descriptor_), "cpg_fd_get");
    cpg_name group{};
    group.length = static_cast<uint32_t>(std::strlen(kGroup));
    std::memcpy(group.value, kGroup, group.length);
    cs_error_t status = CS_ERR_TRY_AGAIN;
    while ((status = cpg_join(handle_, &group)) == CS_ERR_TRY_AGAIN) dispatch();
    check(status, "cpg_join");
  }
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;

  // What is there; never waits.
  void dispatch() {
    const cs_error_t status = cpg_dispatch(handle_, CS_DISPATCH_ALL);
    if (status != CS_ERR_TRY_AGAIN) check(status, "cpg_dispatch");
  }
  void wait() {
    pollfd ready{descriptor_, POLLIN, 0};
    ::poll(&ready, 1, kPollMs);
  }
  // False: flow control.
  bool send(std::span<const std::byte> message) {
    const iovec whole{const_cast<std::byte*>(message.data()), message.size()};
    const cs_error_t status = cpg_mcast_joined(handle_, CPG_TYPE_AGREED, &whole, 1);
    if (status == CS_ERR_TRY_AGAIN) return false;
    check(status, "cpg_mcast_joined");
    return true;
  }
  void record_in(Recorder* recorder) { recorder_ = recorder; }

 private:
  static void deliver(cpg_handle_t handle, const cpg_name* /*group*/, uint32_t /*node*/,
                      uint32_t /*pid*/, void* message, size_t length) {
    void* context = nullptr;
    if (cpg_context_get(handle, &context) != CS_OK) return;
    Recorder* const recorder = static_cast<Member*>(context)->recorder_;
    if (recorder != nullptr) recorder->receive({static_cast<const std::byte*>(message), length});
  }

  cpg_handle_t handle_ = 0;
  int descriptor_ = -1;
  Recorder* recorder_ = nullptr;
};

class CorosyncSender : public Sender {
 public:
  explicit CorosyncSender(const Options& o) : own_(o.bytes) { member_.record_in(&own_); }

  bool send(std::span<const std::byte> message) override {
    if (++sends_ % kSendsADispatch == 0) member_.dispatch();
    return member_.send(message);
  }
  void serve() override { member_.dispatch(); }
  [[nodiscard]] const Recorder* own_deliveries() const override { return &own_; }

 private:
  Recorder own_;
  Member member_;
  unsigned sends_ = 0;
};

class CorosyncReceiver : public Receiver {
 public:
  explicit CorosyncReceiver(const Options& o) : waits_(o.settings == Settings::kExamples) {}

  void poll(Recorder& recorder) override {
    member_.record_in(&recorder);
    if (waits_) member_.wait();
    member_.dispatch();
  }

 private:
  Member member_;
  bool waits_;
};

}  // namespace

const char* const kPeerName = "corosync";
std::unique_ptr<Sender> make_sender(const Options& o) {
  return std::make_unique<CorosyncSender>(o);
}
std::unique_ptr<Receiver> make_receiver(const Options& o) {
  return std::make_unique<CorosyncReceiver>(o);
}

}  // namespace lambdacast::peers
