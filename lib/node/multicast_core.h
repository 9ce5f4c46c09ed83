// One endpoint of reliable multicast, all four stages in one piece and without threads: what the
// simulator runs, and the reference for how the data path joins the same parts with rings.
//
//   receive() -> FrameClassifier -> FrameAccount -> StreamReceiver -> DeliveryFilter ->
//   Host::deliver poll()    -> control (statuses, NACKs, heartbeats), then repairs, then data ->
//   Host::transmit
//
// With membership ViewSynchrony stands between StreamReceiver and DeliveryFilter.
//
// Packets live with the host and are named by handles. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "node/control_transmit.h"
#include "node/delivery_filter.h"
#include "node/endpoint_core.h"
#include "node/frame_builder.h"
#include "node/frame_classifier.h"
#include "node/gap_event.h"
#include "node/resumption.h"
#include "node/stability.h"
#include "node/view_synchrony.h"
#include "rate_control/pacer.h"
#include "reliability/stream_receiver.h"
#include "reliability/stream_sender.h"

namespace lambdacast::node {

// What surrounds an endpoint: memory, the port and the application.
class Host {
 public:
  virtual ~Host() = default;
  // A packet with room for a frame of the path MTU; kNone: there is none now.
  virtual PacketHandle allocate() = 0;
  virtual void free(PacketHandle packet) = 0;
  virtual PacketInfo& info(PacketHandle packet) = 0;
  virtual uint8_t* frame(PacketHandle packet) = 0;

  virtual void transmit(std::span<const uint8_t> frame) = 0;
  virtual void deliver(const PacketInfo& info, std::span<const uint8_t> message) = 0;
  virtual void gap(const GapEvent& gap) = 0;
  virtual void receiver_event(const reliability::ReceiverEvent& event) = 0;
  virtual void view_event(const ViewEvent& event) = 0;
};

struct MulticastConfig {
  EndpointConfig endpoint;
  reliability::ReliabilityConfig repair;  // self and max_peers are filled in from `endpoint`
  size_t max_publications = 1024;         // that wait to be sent
  // Membership and total order; its self and max_peers are filled in likewise. None: the levels
  // from totally ordered on are refused.
  std::optional<ViewConfig> view;
};

class MulticastCore final : private ViewHost {
 public:
  MulticastCore(const MulticastConfig& config, Host& host);
  ~MulticastCore() override;
  MulticastCore(const MulticastCore&) = delete;
  MulticastCore& operator=(const MulticastCore&) = delete;

  // A burst from the port. outcomes[i] is what became of frames[i]; kNone: taken (delivered, or
  // kept for later).
  void receive(std::span<const std::span<const uint8_t>> frames, uint64_t now_ns,
               std::span<counters::DropReason> outcomes);
  // Of one frame.
  counters::DropReason receive(std::span<const uint8_t> frame, uint64_t now_ns);

  // What does not fit a packet goes in fragments, all of it or nothing. False: back-pressure,
  // longer than reassembly takes, or totally ordered and in no view. `kind`: kData, or kGroup for a
  // message of the group layer, which has to fit; Host::deliver tells by PacketInfo::kind.
  [[nodiscard]] bool publish(std::span<const uint8_t> message, uint32_t group, wire::Qos qos,
                             wire::Kind kind = wire::Kind::kData);

  // Sends what may be sent and hands on what waits, `most` packets at most. To be called after
  // receive() and publish(), and at next_deadline_ns().
  void poll(uint64_t now_ns, uint32_t most = 64);
  [[nodiscard]] uint64_t next_deadline_ns() const;

  // It leaves: the view first, if it is in one; then it wants nothing, and sends nothing but that
  // and repairs.
  void leave();
  // Packets of recoverable messages published so far, and how many of them, the first ones, are
  // stable (node/stability.h): the last message published so far is when stable() has come to
  // published(). Nothing gets stable any more when this endpoint is out of its view.
  [[nodiscard]] uint64_t published() const { return published_; }
  [[nodiscard]] uint64_t stable() const { return stability_.stable(); }
  // All that was published has been sent, and every admitted receiver has it.
  [[nodiscard]] bool flushed() const {
    return recoverable_.empty() && unreliable_.empty() && sender_.flushed();
  }

  [[nodiscard]] const reliability::StreamReceiver& receiver() const { return receiver_; }
  [[nodiscard]] const reliability::StreamSender& sender() const { return sender_; }
  [[nodiscard]] const FrameClassifier& frame_classifier() const { return receive_; }
  [[nodiscard]] const reliability::FrameAccount& frames() const { return frames_; }
  [[nodiscard]] DeliveryFilter& delivery_filter() { return delivery_; }
  [[nodiscard]] const FrameBuilder& frame_builder() const { return transmit_; }
  [[nodiscard]] const EndpointCounters& counters() const { return counters_; }
  // Packets judged a run at a time (packet_run.h).
  [[nodiscard]] uint64_t in_runs() const { return in_runs_; }
  [[nodiscard]] uint64_t control_frames() const { return control_.sent(); }
  [[nodiscard]] const Resumption& resumption() const { return resumption_; }
  [[nodiscard]] const ViewSynchrony* view() const { return view_ ? &*view_ : nullptr; }

 private:
  class Drain;
  counters::DropReason parse(std::span<const uint8_t> frame, uint64_t now_ns, PacketHandle& out);
  [[nodiscard]] bool take_run(std::span<const PacketHandle> packets, uint64_t now_ns);
  counters::DropReason take(PacketHandle packet, uint64_t now_ns);
  counters::DropReason take_control(PacketHandle packet, uint64_t now_ns);
  void hand_on(PacketHandle packet, uint64_t now_ns);
  void deliver(PacketHandle packet, uint64_t now_ns);
  void send_control(uint64_t now_ns);
  void send_repairs(uint64_t now_ns, bool data_waits);
  void send_marks(uint64_t now_ns);
  void send_resumed(uint64_t now_ns);
  void send_data(uint64_t now_ns);
  [[nodiscard]] bool cut(std::span<const uint8_t> message, uint32_t group, wire::Qos qos);
  [[nodiscard]] bool may_send_recoverable() const;
  [[nodiscard]] bool may_resume() const;
  void advance_stability();
  void send_packet(PacketHandle packet, uint64_t now_ns, PacketHandle own_copy, bool counts = true);
  void finish_leaving();
  // A coordinator that leaves still tells the others of the view without it.
  [[nodiscard]] bool view_speaks() const { return view_ && (!leaving_ || view_->is_out()); }

  // ViewHost
  bool deliver_ordered(PacketHandle packet, const ordering::Ordered& what) override;
  void release(PacketHandle packet) override { host_.free(packet); }
  PacketInfo& info(PacketHandle packet) override { return host_.info(packet); }
  std::span<const uint8_t> payload(PacketHandle packet) override;
  void relay(PacketHandle packet) override;
  bool drained() override { return true; }
  void view_event(const ViewEvent& event) override;
  bool told() override { return true; }

  Host& host_;
  FrameClassifier receive_;
  reliability::FrameAccount frames_;
  reliability::StreamReceiver receiver_;
  DeliveryFilter delivery_;
  Resumption resumption_;
  rate_control::Pacer pacer_;
  FrameBuilder transmit_;
  ControlTransmit control_;
  reliability::StreamSender sender_;
  Stability stability_;
  uint64_t published_ = 0;
  uint32_t next_message_id_ = 1;
  size_t max_publications_;
  size_t max_message_bytes_;
  std::deque<PacketHandle> recoverable_;
  std::deque<PacketHandle> unreliable_;
  std::vector<uint8_t> control_frame_;
  EndpointCounters counters_;
  uint64_t in_runs_ = 0;
  bool leaving_ = false;
  std::optional<ViewSynchrony> view_;
  uint64_t now_ns_ = 0;
  bool lacks_ = false;  // an ordered message that the others have
};

}  // namespace lambdacast::node
