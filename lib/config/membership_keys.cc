// SPDX-License-Identifier: BSD-3-Clause
// The keys of [endpoint.membership] and [endpoint.requests].
#include "config/member_key.h"
#include "wire/control/view_control.h"

namespace lambdacast::config {
namespace {

constexpr int64_t kMaxNodes = wire::kMaxMembers;

void store_tie_breaker(Membership& membership, const Value& value) {
  assign(membership.tie_breaker, value);
  membership.views.tie_breaker = parse_ip(membership.tie_breaker).value().gid;
}

}  // namespace

std::span<const KeyOf<Membership>> membership_keys() {
  using M = Membership;
  using V = membership::MembershipConfig;
  using O = ordering::TotalOrderConfig;
  using G = group::GroupConfig;
  static const KeyOf<M> keys[] = {
      key<&M::enabled>("enabled", "", AnyBoolean{},
                       "Whether it takes part in the fabric's views, and so in total order"),
      key<&M::views, &V::initial_nodes>(
          "initial_nodes", "nodes", Range{1, kMaxNodes},
          "That the first view ever needs: all nodes of the fabric. With fewer "
          "two of them may form one each"),
      key<&M::views, &V::minimum_partition>(
          "minimum_partition", "nodes", Range{1, kMaxNodes},
          "That a view has at least, beside a majority of the one before"),
      stored_by(store_tie_breaker,
                key<&M::tie_breaker>(
                    "tie_breaker", "", Form{is_unicast_text, "an IPv4 or IPv6 unicast address"},
                    "The address of the endpoint with which exactly half of a view goes on: "
                    "needed where there are two")),
      key_in_us<&M::views, &V::heartbeat_ns>(
          "heartbeat_us", Range{10, 1000000},
          "Between two signs of life of a node that has nothing else to say"),
      key_in_us<&M::views, &V::suspect_after_ns>(
          "suspect_after_us", Range{100, 600000000},
          "Silence after which a member is excluded; at least four "
          "heartbeat_us. Below a millisecond for isolated cores only"),
      key_in_us<&M::views, &V::retry_ns>(
          "retry_us", Range{10, 1000000},
          "After which a ballot's frames are repeated; a few round trips"),
      key_in_us<&M::views, &V::ack_ns>(
          "ack_us", Range{1, 1000000},
          "Between two acknowledgements of a node, and two packets of a sequencer's marks or "
          "two passes of the token, at least. After a pause marks go at once, and "
          "acknowledgements that are waited for"),
      key<&M::order, &O::order>(
          "order", "",
          Words{{name(ordering::Order::kSequencer), name(ordering::Order::kRing),
                 name(ordering::Order::kMixed)}},
          "Who says what comes next in a domain: a member as its sequencer, the member that has "
          "the token of a ring, or that one for the upper half of order_domains. The same at "
          "every node"),
      key<&M::order, &O::k>("k", "members", Range{1, kMaxNodes - 1},
                            "More than so many hold a K-resilient message when it is delivered"),
      key<&M::order, &O::domains>(
          "order_domains", "", PowerOfTwo{1, 65536},
          "Of groups, which share them by hash: one is ordered, and delivered, "
          "without regard to another. The same at every node"),
      key<&M::groups, &G::names>("names", "groups", PowerOfTwo{1024, 1048576},
                                 "That the fabric may have by name. The same at every node"),
      key<&M::groups, &G::handlers>(
          "handlers", "locks", PowerOfTwo{64, 65536},
          "Of groups, held at a time: where a node knows so many, it asks for no other"),
      key<&M::groups, &G::sessions>(
          "sessions", "callers", Range{16, 4096},
          "Outside the view that each group remembers. One more pushes out the one that was heard "
          "longest ago. The same at every node"),
      key<&M::groups, &G::state_bytes>(
          "state_bytes", "bytes", PowerOfTwo{65536, 1073741824},
          "Memory for the states of groups that it joins, and for the messages "
          "that wait for these"),
  };
  return keys;
}

std::span<const KeyOf<Requests>> requests_keys() {
  using R = Requests;
  using L = group::RequestsConfig;
  static const KeyOf<R> keys[] = {
      key<&R::limits, &L::calls>(
          "calls", "calls", Range{1, 65536},
          "Of the endpoint that are under way at a time; it makes no other until one ends"),
      key<&R::limits, &L::tickets>("tickets", "requests", Range{1, 65536},
                                   "That wait at a time for the endpoint's answer; it declines "
                                   "what comes beyond that"),
      key<&R::limits, &L::answers_bytes>(
          "answers_bytes", "bytes", Range{0, 1073741824},
          "Memory for what it has said to callers outside the view, who may ask again. The oldest "
          "answer is forgotten first"),
      key<&R::limits, &L::forwards>(
          "forwards", "requests", Range{0, 65536},
          "Of callers outside the view that it brings into the order at a time; 0 for nobody"),
      key_in_ms<&R::limits, &L::timeout_ns>(
          "timeout_ms", Range{1, 600000},
          "After which a call is given up that says no time of its own"),
      key_in_us<&R::limits, &L::retry_ns>(
          "retry_us", Range{100, 100000},
          "Within which an endpoint without membership sends a request again, and within twice as "
          "long the next time, up to fifty times that. A copy goes out in the second half of its "
          "time"),
      key<&R::entries>("entries", "",
                       TextList{{is_unicast_text, "an IPv4 or IPv6 unicast address"}, kMaxNodes},
                       "Members, with this endpoint's data_qpn, that bring the requests of an "
                       "endpoint without membership into the order, in turn. With none it looks "
                       "for one"),
  };
  return keys;
}

}  // namespace lambdacast::config
