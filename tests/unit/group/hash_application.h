// SPDX-License-Identifier: BSD-3-Clause
// An application of a group that checks what it is told, and remembers it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/random.h"
#include "group/handlers.h"

namespace lambdacast::group {

// An application whose state is a hash of all totally ordered messages it has ever had.
class HashApplication final : public Handlers {
 public:
  void delivered(const Delivery& delivery, std::span<const uint8_t> message) override {
    EXPECT_TRUE(in) << "a delivery before the first view";
    ++deliveries;
    if (delivery.qos < wire::Qos::kTotallyOrdered) return;
    for (const uint8_t byte : message) hash = base::mix64(hash ^ byte);
    trace.push_back({delivery.epoch, delivery.index});
  }
  void view(const GroupView& view) override {
    if (!in) history.clear();
    in = true;
    ++views;
    suspended = view.suspended;
    members.assign(view.members.begin(), view.members.end());
    joined.assign(view.joined.begin(), view.joined.end());
    departed.assign(view.departed.begin(), view.departed.end());
    check_change(view);
  }
  void handler(const HandlerEvent& event) override {
    EXPECT_TRUE(in) << "a lock before the first view";
    using What = HandlerEvent::What;
    heard.push_back({event.what, event.handler, event.holder.incarnation, event.token.place});
    if (event.what == What::kQueued || event.what == What::kRefused) return;
    if (event.what == What::kFreed) {
      EXPECT_EQ(locks.erase(event.handler), 1u) << "a lock freed that nobody had";
      return;
    }
    const auto known = locks.find(event.handler);
    if (known != locks.end()) {
      EXPECT_TRUE(admits(known->second.token, event.token)) << "an older token";
    }
    locks[event.handler] = {event.holder.incarnation, event.token, event.own};
  }
  void requested(const Request& request, std::span<const uint8_t> message) override {
    EXPECT_TRUE(in) << "a request before the first view";
    EXPECT_TRUE(request.ticket != 0 || !request.answers);
    requests.push_back({request.answers, request.ticket, request.caller.incarnation,
                        std::string(message.begin(), message.end())});
    if (when_requested) when_requested(request);
  }
  void snapshot(std::vector<uint8_t>& out) override {
    ++snapshots;
    out.resize(state_bytes);
    base::store_be64(out.data(), hash);
  }
  void restore(std::span<const uint8_t> state) override {
    EXPECT_FALSE(in) << "state behind a view";
    ++restored;
    hash = base::load_be64(state.data());
    locks.clear();
  }
  void state_lost() override {
    ++lost;
    hash = 0;
    locks.clear();
  }
  void ended(End reason) override {
    end = reason;
    in = wanted = false;
    locks.clear();
  }

  uint64_t hash = 0;
  size_t state_bytes = 300;  // several pieces
  struct Held {
    uint32_t holder = 0;  // its incarnation
    FencingToken token;
    bool own = false;
    bool operator==(const Held&) const = default;
  };
  struct Heard {
    HandlerEvent::What what;
    uint32_t handler = 0, holder = 0;
    uint64_t place = 0;
    bool operator==(const Heard&) const = default;
  };
  struct Requested {
    bool answers = false;
    uint64_t ticket = 0;
    uint32_t caller = 0;  // its incarnation
    std::string text;
  };
  std::vector<Requested> requests;
  std::function<void(const Request&)> when_requested;
  std::map<uint32_t, Held> locks;  // by handler, as it has been told
  std::vector<Heard> heard;        // of locks
  bool suspended = false;
  bool wanted = false;  // joined, and not left
  bool in = false;
  int views = 0, deliveries = 0, snapshots = 0, restored = 0, lost = 0;
  std::optional<End> end;
  std::vector<wire::StreamName> members, joined, departed;
  std::vector<std::pair<uint64_t, uint64_t>> trace;
  std::vector<std::set<uint32_t>> history;  // incarnations in each of its views since it is in

 private:
  // Checks that a view is the one before with the changes that it tells.
  void check_change(const GroupView& view) {
    std::set<uint32_t> now, expected;
    for (const auto& member : view.members) EXPECT_TRUE(now.insert(member.incarnation).second);
    if (history.empty()) {
      EXPECT_EQ(view.joined.size(), 1u) << "its own";
      EXPECT_TRUE(view.departed.empty());
    } else {
      expected = history.back();
      for (const auto& member : view.departed)
        EXPECT_EQ(expected.erase(member.incarnation), 1u) << "departed, and was not in";
      for (const auto& member : view.joined)
        EXPECT_TRUE(expected.insert(member.incarnation).second) << "joined, and was in";
      EXPECT_EQ(now, expected);
    }
    history.push_back(std::move(now));
  }
};

}  // namespace lambdacast::group
