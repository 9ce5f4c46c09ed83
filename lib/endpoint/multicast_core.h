// One endpoint of reliable multicast, all four stages in one piece and without threads: what the
// simulator runs, and the reference for how the data path joins the same parts with rings.
//
//   receive() -> ReceiveCore -> ReliabilityCore -> ReceiverCore -> DeliveryCore -> Host::deliver
//   poll()    -> control (statuses, NACKs, heartbeats), then repairs, then data -> Host::transmit
//
// Packets live with the host and are named by handles. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "endpoint/control_transmit.h"
#include "endpoint/delivery_core.h"
#include "endpoint/endpoint_core.h"
#include "endpoint/gap_event.h"
#include "endpoint/receive_core.h"
#include "endpoint/transmit_core.h"
#include "rate_control/pacer.h"
#include "reliability/receiver_core.h"
#include "reliability/sender_core.h"

namespace lambdacast::endpoint {

using reliability::PacketHandle;

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
};

struct MulticastConfig {
  EndpointConfig endpoint;
  reliability::RepairConfig repair;  // self and max_peers are filled in from `endpoint`
  size_t max_publications = 1024;    // that wait to be sent
};

class MulticastCore {
 public:
  MulticastCore(const MulticastConfig& config, Host& host);
  ~MulticastCore();
  MulticastCore(const MulticastCore&) = delete;
  MulticastCore& operator=(const MulticastCore&) = delete;

  // A frame from the port. kNone: taken (delivered, or kept for later).
  counters::DropReason receive(std::span<const uint8_t> frame, uint64_t now_ns);

  // False: back-pressure, or longer than transmit_core().room_bytes().
  [[nodiscard]] bool publish(std::span<const uint8_t> message, uint32_t group, wire::Qos qos);

  // Sends what may be sent and hands on what waits, `most` packets at most. To be called after
  // receive() and publish(), and at next_deadline_ns().
  void poll(uint64_t now_ns, uint32_t most = 64);
  [[nodiscard]] uint64_t next_deadline_ns() const;

  // It leaves: from now on it wants nothing, and sends nothing but that and repairs.
  void leave() {
    leaving_ = true;
    receiver_.leave();
    sender_.finish();
  }
  // All that was published has been sent, and every admitted receiver has it.
  [[nodiscard]] bool flushed() const {
    return recoverable_.empty() && unreliable_.empty() && sender_.flushed();
  }

  [[nodiscard]] const reliability::ReceiverCore& receiver() const { return receiver_; }
  [[nodiscard]] const reliability::SenderCore& sender() const { return sender_; }
  [[nodiscard]] const ReceiveCore& receive_core() const { return receive_; }
  [[nodiscard]] const reliability::ReliabilityCore& frames() const { return frames_; }
  [[nodiscard]] DeliveryCore& delivery_core() { return delivery_; }
  [[nodiscard]] const TransmitCore& transmit_core() const { return transmit_; }
  [[nodiscard]] const EndpointCounters& counters() const { return counters_; }
  [[nodiscard]] uint64_t control_frames() const { return control_.sent(); }

 private:
  class Drain;
  counters::DropReason take(PacketHandle packet, uint64_t now_ns);
  counters::DropReason take_control(PacketHandle packet, uint64_t now_ns);
  void hand_on(PacketHandle packet, uint64_t now_ns);
  void send_control(uint64_t now_ns);
  void send_repairs(uint64_t now_ns, bool data_waits);
  void send_data(uint64_t now_ns);
  void send_packet(PacketHandle packet, uint64_t now_ns);

  Host& host_;
  ReceiveCore receive_;
  reliability::ReliabilityCore frames_;
  reliability::ReceiverCore receiver_;
  DeliveryCore delivery_;
  rate_control::Pacer pacer_;
  TransmitCore transmit_;
  ControlTransmit control_;
  reliability::SenderCore sender_;
  size_t max_publications_;
  std::deque<PacketHandle> recoverable_;
  std::deque<PacketHandle> unreliable_;
  std::vector<uint8_t> control_frame_;
  EndpointCounters counters_;
  bool leaving_ = false;
};

}  // namespace lambdacast::endpoint
