// SPDX-License-Identifier: BSD-3-Clause
// The application of group_fuzz.cc: it checks its calls, and does mischief in them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "group/group_layer.h"
#include "outside_callers.h"

namespace lambdacast::test {

inline void require(bool holds, const char* rule) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", rule);
  std::abort();
}

// In one group at a time. The bits of `mischief` tell what it does in its calls.
class GroupApplication final : public group::Handlers {
 public:
  GroupApplication(group::GroupLayer& core, const char* name, const uint8_t& mischief)
      : core_(core), name_(name), mischief_(mischief) {}

  void delivered(const group::Delivery& delivery, std::span<const uint8_t> message) override {
    require(!members_.empty(), "no delivery before a view");
    require(delivery.name == name_, "a delivery names its group");
    if ((mischief_ & 1) != 0) (void)core_.leave(name_);
    if ((mischief_ & 2) != 0) (void)core_.publish(name_, message, wire::Qos::kReliable);
  }
  void requested(const group::Request& request, std::span<const uint8_t> message) override {
    require(in_, "no request before a view");
    require(!request.answers || request.ticket != 0, "a member that is asked has a ticket");
    if (message.size() == kExecutionBytes && base::load_be64(message.data()) == kExecutionMark) {
      const std::vector<uint8_t> execution(message.begin(), message.end());
      const uint32_t caller = base::load_be32(&request.caller.gid.bytes[12]);
      require(executed_.insert({caller, execution}).second, "a request is executed once");
    }
    if (!request.answers) {
      const group::Result kept = core_.keep(request.ticket, message);
      require((kept == group::Result::kNoTicket) == (request.ticket == 0), "a ticket is to keep");
      return;
    }
    if ((mischief_ & 1) != 0) (void)core_.leave(name_);
    if ((mischief_ & 2) != 0) (void)core_.decline(request.ticket);
    if ((mischief_ & 4) != 0) (void)core_.answer(request.ticket, message);
    require((mischief_ & 2) == 0 || core_.answer(request.ticket, {}) == group::Result::kNoTicket,
            "a ticket is for one answer");
  }
  void view(const group::GroupView& view) override {
    std::set<uint32_t> now;
    for (const auto& member : view.members) now.insert(member.incarnation);
    for (const auto& member : view.departed)
      require(members_.erase(member.incarnation) == 1, "who departs was a member");
    for (const auto& member : view.joined)
      require(members_.insert(member.incarnation).second, "who joins was no member");
    if (!in_) members_ = now;  // it is told only of itself
    require(members_ == now && !now.empty(), "a view is the one before and what has changed");
    in_ = true;
    if ((mischief_ & 4) != 0) (void)core_.leave(name_);
    if ((mischief_ & 64) != 0) (void)core_.acquire(name_, 1);
  }
  void handler(const group::HandlerEvent& event) override {
    using What = group::HandlerEvent::What;
    require(in_, "no lock before a view");
    const bool held = event.what == What::kGranted || event.what == What::kMoved;
    require(!held || members_.contains(event.holder.incarnation), "a member has the lock");
    if (event.own && held && (mischief_ & 128) != 0)
      (void)core_.release(name_, event.handler, event.token);
  }
  void snapshot(std::vector<uint8_t>& out) override {
    require(in_, "who is asked for its state has one");
    out.resize(size_t{mischief_} * 20);
  }
  void restore(std::span<const uint8_t>) override {
    require(!in_, "state comes before the first view");
    if ((mischief_ & 8) != 0) (void)core_.leave(name_);
  }
  void state_lost() override { require(!in_, "what it had is not lost"); }
  void ended(group::End) override {
    in_ = false;
    members_.clear();
    executed_.clear();
    if ((mischief_ & 16) != 0) (void)core_.join(name_, *this);
  }

 private:
  group::GroupLayer& core_;
  const char* name_;
  const uint8_t& mischief_;
  bool in_ = false;
  std::set<uint32_t> members_;
  std::set<std::pair<uint32_t, std::vector<uint8_t>>> executed_;  // by caller, while in the group
};

}  // namespace lambdacast::test
