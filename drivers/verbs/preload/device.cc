// SPDX-License-Identifier: BSD-3-Clause
#include "device.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "base/plain_text.h"
#include "context.h"
#include "icrc_choice.h"

namespace lambdacast::verbs {
namespace {

constexpr uint32_t kDefaultNetwork = 0x0a4d0000;  // 10.77.0.0/16
constexpr uint32_t kSmallestMtu = 256;

void say(const std::string& sentence) {
  std::fprintf(stderr, "liblambdacast-verbs: %s\n", base::shown(sentence).c_str());
}

uint32_t mtu_of(uint32_t frame_bytes) {
  const uint32_t around = wire::kMaxFrameBytes - wire::kMaxPayloadBytes;
  uint32_t mtu = wire::kMaxPayloadBytes;
  while (mtu > kSmallestMtu && mtu + around > frame_bytes) mtu /= 2;
  return mtu;
}

}  // namespace

Device::Device() : pairs_(kMaxQueuePairs) {
  auto settings = read_settings([](const char* name) -> const char* { return ::getenv(name); });
  if (settings) {
    settings_ = std::move(*settings);
  } else {
    say(settings.error().message);
  }
  // Numbers differ from process to process: a frame for one that has ended finds nobody.
  next_pair_ = static_cast<uint32_t>(base::mix64(static_cast<uint64_t>(::getpid()))) & 0x7fffff;
}

bool Device::can_be() {
  if (!settings_.wants_device() || opening_bridge()) return false;
  if (settings_.config_file.empty()) return true;
  const std::scoped_lock held(lock);
  if (!config_checked_) {
    const auto checked = check_bridge({settings_.config_file, settings_.endpoint, {}});
    if (!checked) say(checked.error().message);
    config_checked_ = checked.has_value();
  }
  return *config_checked_;
}

void Device::tend_bridge(Bridge& bridge) {
  if (groups.changes() != listened_) {
    listened_ = groups.changes();
    bridge.listen(groups.all());
  }
  bridge.pump();
}

bool Device::open() {
  if (port_ && !port_->here()) return false;
  if (opens_ > 0) {
    ++opens_;
    return true;
  }
  auto port = Port::open(settings_);
  if (!port) {
    say(port.error().message);
    return false;
  }
  choose_icrc();
  port_ = std::move(*port);
  max_ahead_ = port_->slots() / 2;
  if (const Bridge* const bridge = port_->bridge(); bridge != nullptr) {
    path_mtu_ = bridge->facts().path_mtu;
    addresses_ = Addresses(bridge->facts().mac, bridge->facts().gid);
    if (!settings_.own_pkeys) settings_.pkeys = {bridge->facts().pkey};
    listened_ = 0;
    // DPDK has been loaded behind the handler that device() set up, and is gone when that one runs.
    static const bool ends_first = std::atexit([] { device().leave(); }) == 0;
    (void)ends_first;
  } else {
    path_mtu_ = mtu_of(port_->frame_bytes());
    addresses_ = Addresses(settings_.address ? wire::ipv4_of(*settings_.address)
                                             : kDefaultNetwork + port_->wavelength() + 1);
  }
  opens_ = 1;
  return true;
}

void Device::close() {
  if (opens_ == 0 || --opens_ > 0) return;
  sent_.clear();
  last_due_ = 0;
  std::ranges::fill(pairs_, nullptr);
  pair_count_ = 0;
  port_.reset();
}

uint64_t Device::guid() {
  const bool unknown = addresses_.gid(0) == wire::Gid{};
  if (unknown && settings_.wants_device() && settings_.config_file.empty() && open()) close();
  return addresses_.guid();
}

bool Device::add(QueuePair& qp) {
  if (pair_count_ == kMaxQueuePairs) return false;
  do {
    // 0 and 1 are InfiniBand's management, the last is multicast's.
    next_pair_ = (next_pair_ + 1) & 0x7fffff;
  } while (next_pair_ < 2 || pairs_[next_pair_ % kMaxQueuePairs] != nullptr);
  qp.qp_base.qp_num = next_pair_;
  pairs_[next_pair_ % kMaxQueuePairs] = &qp;
  ++pair_count_;
  return true;
}

void Device::remove(QueuePair& qp) {
  reset(qp);
  QueuePair*& place = pairs_[qp.qp_base.qp_num % kMaxQueuePairs];
  if (place != &qp) return;
  place = nullptr;
  --pair_count_;
}

void Device::reset(QueuePair& qp) {
  for (Sent& sent : sent_) {
    if (sent.qp == &qp) sent.qp = nullptr;
  }
  qp.outstanding = 0;
  qp.receives.clear();
  qp.held_since = 0;
  qp.send_queue().forget(qp.qp_base.qp_num);
  qp.receive_queue().forget(qp.qp_base.qp_num);
  qp.qp_base.state = IBV_QPS_RESET;
}

void Device::fail(QueuePair& qp) {
  qp.qp_base.state = IBV_QPS_ERR;
  while (!qp.receives.empty()) {
    ibv_wc wc{};
    wc.wr_id = qp.receives.pop().wr_id;
    wc.status = IBV_WC_WR_FLUSH_ERR;
    wc.opcode = IBV_WC_RECV;
    wc.qp_num = qp.qp_base.qp_num;
    push(qp.receive_queue(), wc, true);
  }
}

void Device::push(CompletionQueue& cq, const ibv_wc& wc, bool solicited) {
  switch (cq.push(wc, solicited)) {
    case CompletionQueue::Pushed::kQuiet:
      return;
    case CompletionQueue::Pushed::kEvent:
      --armed_;
      raise_completion_event(cq);
      return;
    case CompletionQueue::Pushed::kOverrun:
      counters_.add(Counter::kCompletionOverruns);
      raise_overrun(cq);
  }
}

void Device::raise_completion_event(CompletionQueue& cq) {
  auto& channel = *static_cast<Channel*>(cq.channel);
  channel.events.push_back(&cq);
  const uint64_t one = 1;
  // Fails only where 2^64 - 2 events wait.
  (void)!::write(channel.fd, &one, sizeof one);
}

// Once until the program polls: it has lost completions in any case.
void Device::raise_overrun(CompletionQueue& cq) {
  if (!cq.tells_overruns || std::exchange(cq.overran, true)) return;
  context_of(cq.context).overruns.push_back(&cq);
  const uint64_t one = 1;
  (void)!::write(cq.context->async_fd, &one, sizeof one);
}

void Device::leave() {
  const std::scoped_lock held(lock);
  if (usable() == 0) port_.reset();
  if (settings_.stats_file.empty()) return;
  std::ofstream file(settings_.stats_file);
  write(file, counters_);
}

Device& device() {
  static auto* const only = [] {
    auto* made = new Device;
    std::atexit([] { device().leave(); });
    return made;
  }();
  return *only;
}

}  // namespace lambdacast::verbs
