// SPDX-License-Identifier: BSD-3-Clause
// One endpoint of the data path: a port, a pool and a node over them, and what an application does
// with it.
//
// The application runs on one thread (as a rule as a Stage on the ordering lcore): the publisher
// and the deliveries are its alone. A loan is the packet that goes out, a delivery the packet that
// came in: nothing is copied, except into shared packets and out of fragments.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "config/config.h"
#include "dpdk/attachment.h"
#include "dpdk/mbuf_node.h"

namespace lambdacast::rack {

class Endpoint {
 public:
  static constexpr size_t kMoreGroups = 64;
  // Subscriptions at a time: those of the configuration, some for whoever listens by hand, and with
  // membership all groups with names.
  [[nodiscard]] static size_t max_groups(const config::Endpoint& config) {
    return config.groups.size() + kMoreGroups +
           (config.membership.enabled ? config.membership.groups.names : 0);
  }

  struct Options {
    uint32_t incarnation = 1;
    uint64_t first_frame_seq = 0;
    uint64_t first_rel_seq = 0;
    // It listens for another endpoint with its address before it speaks, and gives way to one:
    // whoever makes it asks take_double(), and ends it.
    bool listens = false;
    // On the embedded fabric a member is told for certain of the ends of others, and they of its
    // own. Without it silence tells, as on a real network.
    bool watches_deaths = true;
  };

  // Opens the port and builds the stages; nothing runs yet. `fabric`: of config.fabric.
  [[nodiscard]] static base::Result<std::unique_ptr<Endpoint>> create(
      const config::Endpoint& config, const std::optional<config::Fabric>& fabric,
      const Options& options);

  // --- application side -----------------------------------------------------------------------
  [[nodiscard]] dpdk::Publisher& publisher() { return node_->publisher(); }
  // Shorthands for the publisher's (node/publisher.h).
  [[nodiscard]] uint32_t loan(std::span<dpdk::Loan> loans) { return publisher().loan(loans); }
  [[nodiscard]] uint32_t publish(std::span<const dpdk::Loan> loans) {
    return publisher().publish(loans);
  }
  void give_back(std::span<const dpdk::Loan> loans) { publisher().give_back(loans); }
  [[nodiscard]] size_t max_loan_bytes() const { return node_->publisher().max_loan_bytes(); }

  // Receivers that hold a place in this endpoint's stream now: what is published with a QoS above
  // unreliable is for them, and for nobody while there are none.
  [[nodiscard]] uint32_t receivers() const { return node_->rate_control().receivers(); }
  // All of them have all that rate_control has taken of it so far.
  [[nodiscard]] bool flushed() const { return node_->rate_control().flushed(); }

  // Takes up to `most` (kMaxBurst at most) delivered packets; `sink` is a node::DeliverySink
  // (node/deliveries.h). Returns the packets taken.
  template <typename Sink>
  uint32_t take_deliveries(uint32_t most, Sink&& sink) {
    return node_->deliveries().take(most, sink);
  }
  // The same for an application with named groups, which get what is theirs; `sink` the rest. With
  // membership only. Once a poll: named_groups() says and hears what it has to.
  template <typename Sink>
  uint32_t poll_groups(uint32_t most, uint64_t now_ns, Sink&& sink) {
    return node_->take_with_groups(most, now_ns, sink);
  }
  // The same for an application without membership, which may call groups; `sink` gets all but the
  // answers. Once a poll: calls are repeated and given up.
  template <typename Sink>
  uint32_t poll_calls(uint32_t most, uint64_t now_ns, Sink&& sink) {
    return node_->take_with_calls(most, now_ns, sink);
  }
  // The calls of an endpoint outside the view, or null with membership.
  [[nodiscard]] dpdk::Caller* caller() { return node_->caller(); }
  // The groups with names, or null without membership.
  [[nodiscard]] dpdk::Groups* named_groups() { return node_->groups(); }

  // The senders that it has heard, by index (node::PacketInfo::peer). On receive's lcore; on any
  // lcore the names of those that a delivery or an event names. The place of one that is gone may
  // be another's later (take_place()).
  [[nodiscard]] const node::PeerTable& peers() const { return node_->peers(); }
  // Where an application's bytes begin in a frame.
  [[nodiscard]] size_t payload_offset() const { return node_->builder().payload_offset(); }

  // Members and epoch of the view that it is in, for any thread. 0: it is in none.
  [[nodiscard]] size_t view_members() const {
    return node_->view() == nullptr ? 0 : node_->view()->members();
  }
  [[nodiscard]] uint64_t view_epoch() const {
    return node_->view() == nullptr ? 0 : node_->view()->epoch();
  }

  // Is it on a real network, with neighbors to find? Any thread may ask.
  [[nodiscard]] bool on_real_network() const { return node_->neighbor() != nullptr; }

  // Which numbers of groups are delivered: on ordering's lcore, or while that does not run.
  [[nodiscard]] bool subscribed(uint32_t group) const {
    return node_->subscriptions().subscribed(group);
  }
  // Returns false if there are max_groups() subscriptions already.
  bool subscribe(uint32_t group) { return node_->subscriptions().subscribe(group); }
  void unsubscribe(uint32_t group) { node_->subscriptions().unsubscribe(group); }

  // --- single counts, each on the lcore of its stage, or while that does not run ----------------
  // All of them at once: Rack::snapshot().
  [[nodiscard]] uint64_t received_frames() const { return node_->receive().counters().received; }
  [[nodiscard]] uint64_t delivered_packets() const {
    return node_->ordering().counters().forwarded;
  }
  // The packets that rate_control has numbered, repairs included, and the control that it has sent.
  [[nodiscard]] uint64_t sent_packets() const { return node_->rate_control().packets(); }
  [[nodiscard]] uint64_t control_packets() const { return node_->rate_control().control_packets(); }
  // The packets of marks that total order has sent; 0 without membership.
  [[nodiscard]] uint64_t marks_sent() const {
    return node_->view() == nullptr ? 0
                                    : node_->view()->order().counters().marks_sent +
                                          node_->view()->order().ring().counters.written;
  }
  // Measurements of reliability: the account of the peers' frames, how long repairs took from when
  // a gap was seen, and the round trips to the peers.
  [[nodiscard]] const reliability::FrameAccount& frames() const { return node_->frames(); }
  [[nodiscard]] const base::Histogram& repair_ns() const { return node_->receiver().repair_ns(); }
  [[nodiscard]] const base::Histogram& round_trips_ns() const {
    return node_->receiver().round_trips_ns();
  }

  // --- control thread: one ----------------------------------------------------------------------
  // Drains the events of reliable multicast queued since the last call, while the endpoint runs or
  // after:
  //   receiver(const reliability::ReceiverEvent&)  somebody joined this endpoint's stream, was cut
  //                                                off (and why), or came back anew
  //   gap(const node::GapEvent&)               packets of a peer that were declared lost here;
  //                                                a count of 0: the peer has cut this one off
  // The peers are those of peers(). 256 events of each kind wait; the counters tell how many found
  // no room (SenderCounters, ReliabilityStage::gap_events_dropped).
  template <typename ReceiverHandler, typename GapHandler>
  void take_events(ReceiverHandler&& receiver, GapHandler&& gap) {
    while (const auto event = node_->rate_control().take_event()) receiver(*event);
    while (const auto event = node_->reliability().take_gap()) gap(*event);
  }

  // How its view stands, each time that it is another way, the oldest first; nothing without
  // membership.
  [[nodiscard]] std::optional<node::StandingEvent> take_standing() {
    return node_->view() == nullptr ? std::nullopt : node_->view()->take_standing();
  }

  // An endpoint whose version of the protocol this program does not know.
  [[nodiscard]] std::optional<node::VersionEvent> take_version() {
    return node_->receive().take_version();
  }

  // What became of a peer that found the table of peers full: it has the place of one that is gone,
  // or is refused.
  [[nodiscard]] std::optional<node::PlaceEvent> take_place() {
    return node_->receive().take_place();
  }

  // The oldest event of its share, or of another member's, that has not been taken yet.
  [[nodiscard]] std::optional<node::RateEvent> take_rate() {
    return node_->rate_watch().take_event();
  }

  // Another endpoint with the address and queue pair of a peer, or of this one.
  [[nodiscard]] std::optional<node::DoubleEvent> take_double() {
    if (auto event = node_->reliability().take_double()) return event;
    return node_->guard() == nullptr ? std::nullopt : node_->guard()->take_event();
  }

  // --- set-up and control ---------------------------------------------------------------------
  [[nodiscard]] const config::Endpoint& config() const { return config_; }
  [[nodiscard]] const node::EndpointIdentity& identity() const { return node_->identity(); }
  // Its ports; port() is the one it transmits on.
  [[nodiscard]] dpdk::Attachment& attachment() { return *attachment_; }
  [[nodiscard]] const dpdk::Attachment& attachment() const { return *attachment_; }
  [[nodiscard]] dpdk::Port& port() { return attachment_->port(); }
  [[nodiscard]] const dpdk::Port& port() const { return attachment_->port(); }
  [[nodiscard]] dpdk::MulticastFilter multicast_filter() const {
    return attachment_->multicast_filter();
  }
  [[nodiscard]] rte_mempool* pool() { return pool_.get(); }
  [[nodiscard]] const rte_mempool* pool() const { return pool_.get(); }
  [[nodiscard]] size_t max_groups() const { return max_groups(config_); }

  // The rates that follow from its configuration as `config` changes it.
  [[nodiscard]] rate_control::RateConfig rates_of(const config::Endpoint& config) const;

  [[nodiscard]] dpdk::MbufNode& node() { return *node_; }
  [[nodiscard]] const dpdk::MbufNode& node() const { return *node_; }
  // Where it receives and transmits, each on its lcore: for taps.
  [[nodiscard]] dpdk::MbufReceiver& receiver() { return *receiver_; }
  [[nodiscard]] dpdk::MbufTransmitter& transmitter() { return *transmitter_; }

 private:
  Endpoint(const config::Endpoint& config, const std::optional<config::Fabric>& fabric)
      : config_(config), fabric_(fabric) {}
  [[nodiscard]] base::Result<void> make_pool();
  [[nodiscard]] base::Result<void> open_port();
  [[nodiscard]] base::Result<node::EndpointIdentity> make_identity(uint32_t incarnation) const;
  [[nodiscard]] base::Result<void> make_node(const Options& options);

  struct FreePool {
    void operator()(rte_mempool* pool) const { rte_mempool_free(pool); }
  };

  // Destroyed from the last to the first: the node gives packets back to a living pool.
  config::Endpoint config_;
  std::optional<config::Fabric> fabric_;
  std::unique_ptr<rte_mempool, FreePool> pool_;
  std::optional<dpdk::Attachment> attachment_;
  std::optional<dpdk::MbufPackets> packets_;
  std::optional<dpdk::MbufReceiver> receiver_;
  std::optional<dpdk::MbufTransmitter> transmitter_;
  std::optional<dpdk::MbufEnv> env_;
  std::unique_ptr<dpdk::MbufNode> node_;
};

}  // namespace lambdacast::rack
