// SPDX-License-Identifier: BSD-3-Clause
// Bodies of node.h and of all it is made of, for the sources that instantiate a node: one of the
// data path, one of the simulator.
#pragma once

#include <algorithm>
#include <utility>

#include "base/wire_bytes.h"
#include "node/groups_impl.h"
#include "node/neighbor_stage_impl.h"
#include "node/node.h"
#include "node/ordered_delivery_impl.h"
#include "node/ordering_stage_impl.h"
#include "node/publisher_impl.h"
#include "node/rate_control_control_impl.h"
#include "node/rate_control_report_impl.h"
#include "node/rate_control_stage_impl.h"
#include "node/rate_control_view_impl.h"
#include "node/receive_stage_impl.h"
#include "node/reliability_stage_impl.h"
#include "wire/control/request.h"

namespace lambdacast::node {

namespace composed {

[[nodiscard]] inline wire::StreamName name_of(const EndpointIdentity& identity) {
  return {identity.gid, identity.data_qpn, identity.incarnation};
}

// The group layer above, which a node with membership has, takes all group messages. Any node may
// call groups.
[[nodiscard]] inline DeliveryFilterConfig delivery_config(const NodeConfig& config) {
  DeliveryFilterConfig delivery = config.delivery;
  delivery.all_group_messages = config.view.has_value();
  delivery.personal_group = wire::personal_group(config.identity.gid, config.identity.data_qpn);
  delivery.max_peers = config.max_peers;
  return delivery;
}

[[nodiscard]] inline FrameBuilderConfig builder_config(const NodeConfig& config) {
  FrameBuilderConfig builder;
  builder.identity = config.identity;
  builder.first_frame_seq = config.first_frame_seq;
  builder.first_rel_seq = config.reliability.first_rel_seq;
  builder.icrc = config.icrc;
  return builder;
}

[[nodiscard]] inline reliability::ReliabilityConfig reliability_config(const NodeConfig& config) {
  reliability::ReliabilityConfig reliability = config.reliability;
  reliability.self = name_of(config.identity);
  reliability.max_peers = config.max_peers;
  reliability.path_mtu = static_cast<uint16_t>(config.identity.path_mtu);
  // The congestion window takes the place of the limit in packets.
  if (config.rate.policy == rate_control::Policy::kWindow)
    reliability.in_flight_pkts = reliability.transmit_window_pkts;
  const FrameBuilder builder(builder_config(config));
  reliability.frame_overhead_bytes =
      static_cast<uint32_t>(builder.buffer_bytes(0) -
                            wire::transport_header_bytes(wire::Kind::kData) - wire::kMaxPadBytes);
  return reliability;
}

// Where one engine orders all any number will do.
[[nodiscard]] inline group::EngineFits engine_fits(const ordering::TotalOrderConfig& order) {
  if (order.order != ordering::Order::kMixed) return {};
  return [domains = order.domains](uint32_t number, group::Engine engine) {
    const bool ring = ordering::ring_domains(ordering::Order::kMixed, domains)
                          .has(ordering::domain_of(number, domains));
    return engine == group::Engine::kAny || ring == (engine == group::Engine::kRing);
  };
}

// On the wire.
[[nodiscard]] inline uint64_t longest_frame(const NodeConfig& config) {
  const FrameBuilder builder(builder_config(config));
  return base::wire_bytes(static_cast<uint32_t>(builder.buffer_bytes(builder.room_bytes())));
}

[[nodiscard]] inline RateSetting rate_setting(const NodeConfig& config) {
  RateSetting setting{config.rate, longest_frame(config)};
  if (!config.view) return setting;
  setting.nodes = config.view->membership.initial_nodes;
  setting.lease_ns = config.view->membership.suspect_after_ns / 4;
  setting.gap_ns = config.view->membership.heartbeat_ns;
  return setting;
}

[[nodiscard]] inline std::unique_ptr<rate_control::Window> make_window(const NodeConfig& config) {
  if (config.rate.policy != rate_control::Policy::kWindow) return nullptr;
  return std::make_unique<rate_control::Window>(
      rate_control::WindowConfig{longest_frame(config), config.burst,
                                 config.reliability.transmit_window_pkts, config.max_peers});
}

[[nodiscard]] inline ViewConfig view_config(const NodeConfig& config) {
  ViewConfig view = *config.view;
  view.membership.self = name_of(config.identity);
  view.membership.max_peers = view.order.max_peers = config.max_peers;
  view.membership.room_bps = rate_control::room_bps(config.rate);
  view.membership.order = ordering::order_digest(view.order.order, view.order.domains,
                                                 static_cast<uint32_t>(config.groups.names),
                                                 static_cast<uint32_t>(config.groups.sessions));
  return view;
}

[[nodiscard]] inline std::unique_ptr<IdentityGuard> make_guard(const NodeConfig& config) {
  if (config.listen_ns == 0) return nullptr;
  return std::make_unique<IdentityGuard>(IdentityGuardConfig{
      name_of(config.identity), config.listen_ns, config.reliability.suspect_after_ns});
}

}  // namespace composed

template <typename Env>
base::Result<std::unique_ptr<Node<Env>>> Node<Env>::create(const NodeConfig& config, Env& env) {
  auto links = make_links(config, env);
  if (!links) return tl::unexpected(links.error());
  return std::unique_ptr<Node>(new Node(config, env, std::move(*links)));
}

template <typename Env>
base::Result<typename Node<Env>::Links> Node<Env>::make_links(const NodeConfig& config, Env& env) {
  const LinkSlots& slots = config.links;
  auto received = env.make_queue(LinkId::kReceived, slots.packets);
  auto accepted = env.make_queue(LinkId::kAccepted, slots.packets);
  auto deliveries = env.make_queue(LinkId::kDeliveries, slots.packets);
  auto unreliable = env.make_queue(LinkId::kUnreliable, slots.publications);
  auto recoverable = env.make_queue(LinkId::kRecoverable, slots.publications);
  auto heard = env.make_queue(LinkId::kHeard, slots.packets);
  auto said = env.make_queue(LinkId::kSaid, slots.control);
  auto released = env.make_handle_queue(config.delivery.reassembly.max_messages);
  for (const auto* each :
       {&received, &accepted, &deliveries, &unreliable, &recoverable, &heard, &said}) {
    if (!*each) return tl::unexpected(each->error());
  }
  if (!released) return tl::unexpected(released.error());
  Links links{
      std::move(*received),    std::move(*accepted), std::move(*deliveries), std::move(*unreliable),
      std::move(*recoverable), std::move(*heard),    std::move(*said),       std::nullopt,
      std::move(*released)};
  if (config.neighbor) {
    auto neighbor = env.make_queue(LinkId::kNeighbor, slots.control);
    if (!neighbor) return tl::unexpected(neighbor.error());
    links.neighbor.emplace(std::move(*neighbor));
  }
  return links;
}

template <typename Env>
std::unique_ptr<OrderedDelivery<Env>> Node<Env>::make_view(Env& env) {
  if (!config_.view) return nullptr;
  return std::make_unique<OrderedDelivery<Env>>(
      composed::view_config(config_),
      typename OrderedDelivery<Env>::Parts{receive_.peers(), receiving_.receiver, sending_.sender,
                                           sending_.stability, filter_,
                                           config_.view->rates ? &rates_ : nullptr},
      env, links_.accepted, links_.deliveries);
}

template <typename Env>
std::unique_ptr<Groups<Env>> Node<Env>::make_groups() {
  if (!config_.view) return nullptr;
  group::GroupConfig groups = config_.groups;
  groups.self = composed::name_of(config_.identity);
  groups.packet_bytes = publisher_.max_loan_bytes();
  groups.fits = composed::engine_fits(config_.view->order);
  return std::make_unique<Groups<Env>>(groups, receive_.peers(), publisher_,
                                       filter_.subscriptions());
}

template <typename Env>
std::unique_ptr<Caller<Env>> Node<Env>::make_caller() {
  if (config_.view) return nullptr;
  return std::make_unique<Caller<Env>>(
      group::OutsideCallsConfig{composed::name_of(config_.identity), config_.groups.requests,
                                config_.entries, config_.publisher.max_message_bytes},
      receive_.peers(), publisher_);
}

template <typename Env>
Node<Env>::Node(const NodeConfig& config, Env& env, Links links)
    : config_(config),
      links_(std::move(links)),
      port_drain_(config.port_frames),
      neighbor_(config.neighbor
                    ? std::make_unique<NeighborStage<Env>>(*config.neighbor, env, *links_.neighbor)
                    : nullptr),
      guard_(composed::make_guard(config)),
      receive_({config.identity, config.max_peers, config.icrc, config.tells_psn}, config.burst,
               env, neighbor(), guard(), places_, port_drain_, links_.received),
      receiving_(composed::reliability_config(config)),
      filter_(composed::delivery_config(config)),
      sending_(composed::builder_config(config), composed::reliability_config(config)),
      rate_watch_(config.max_peers),
      rates_(composed::rate_setting(config), rate_watch_),
      window_(composed::make_window(config)),
      view_(make_view(env)),
      reliability_(
          {receiving_, receive_.peers(), rx_blocked_, places_, view(),
           config.reliability_with_ordering ? &filter_.subscriptions() : nullptr, rate_watch_},
          sending_.control.payload_offset(), sending_.control.room_bytes(), config.burst,
          config.reliability.heartbeat_max_ns / 2, env,
          {links_.received, links_.accepted, links_.heard, links_.said, links_.deliveries}),
      ordering_({filter_, rx_blocked_, view(), !config.reliability_with_ordering}, config.burst,
                env, {links_.accepted, links_.deliveries, links_.released}),
      rate_control_({sending_, receive_.peers(), rx_blocked_, view(), guard(), rates_, port_drain_,
                     reliability_.counters(), window_.get()},
                    config.pacer, config.burst, env,
                    {links_.unreliable, links_.recoverable, links_.heard, links_.said,
                     links_.neighbor ? &*links_.neighbor : nullptr}),
      publisher_(config.publisher, {sending_.builder, view(), rate_control_.stable()}, env,
                 {links_.unreliable, links_.recoverable}),
      deliveries_(env, links_.deliveries, links_.released),
      groups_(make_groups()),
      caller_(make_caller()) {}

template <typename Env>
Node<Env>::~Node() = default;

template <typename Env>
void Node<Env>::report(StageId stage, NodeReport& out) const {
  switch (stage) {
    case StageId::kReceive:
      return receive_.report(out.receive);
    case StageId::kNeighbor:
      if (neighbor_ != nullptr) neighbor_->report(out.neighbor.emplace());
      return;
    case StageId::kReliability: {
      // The receive stage of another lcore may be asked later, and know more peers than so far.
      const size_t known = out.receive.peers.empty() ? frames().max_peers() : out.peers();
      reliability_.report(known, out.reliability);
      for (size_t i = 0; i < known; ++i) {
        auto& lost = out.reliability.peers[i].receiver.lost;
        lost[static_cast<size_t>(reliability::LossReason::kReassembly)] = filter_.lost(i);
      }
      return;
    }
    case StageId::kOrdering:
      ordering_.report(out.ordering);
      if (view_ != nullptr) view_->report(out.view.emplace());
      return;
    case StageId::kApplication:
      return;
    case StageId::kRateControl:
      rate_control_.report(out.rate_control);
      rates_.report(out.rate);
      out.rate_control.first_rel_seq = config_.reliability.first_rel_seq;
  }
}

template <typename Env>
void Node<Env>::report_groups(std::vector<GroupStatus>& out) const {
  subscriptions().for_each_group([&](const ordering::GroupReport& report) {
    if (groups_ != nullptr && report.group >= wire::kFirstNamedGroup) return;
    out.emplace_back().report = report;
  });
  if (groups_ == nullptr) return;
  const group::GroupLayer& layer = groups_->layer();
  for (size_t i = 0; i < layer.directory().size(); ++i) {
    const group::Group& group = layer.directory().at(i);
    GroupStatus& status = out.emplace_back();
    status.report = subscriptions().report(group.number);
    status.report.group = group.number;
    std::copy(group.name().begin(), group.name().end(), status.name.begin());
    status.standing = layer.standing(group);
    status.members = group.members.all.count();
    status.waiting = group.members.waiting.count();
  }
}

}  // namespace lambdacast::node
