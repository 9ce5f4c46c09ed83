#include "sim/multicast/node.h"

#include "sim/multicast/simulation.h"

namespace lambdacast::sim {

void NodeHost::free(PacketHandle packet) {
  if (pool_.free(packet)) return;
  simulation_.log_.misuse.push_back(simulation_.name_of(life_) + " gave a packet back twice");
}

void NodeHost::transmit(std::span<const uint8_t> frame) { simulation_.transmit(life_, frame); }

void NodeHost::deliver(const node::PacketInfo& info, std::span<const uint8_t> message) {
  simulation_.deliver(life_, info, message);
}

void NodeHost::gap(const node::GapEvent& gap) { simulation_.gap(life_, gap); }

void NodeHost::receiver_event(const reliability::ReceiverEvent& event) {
  simulation_.receiver_event(life_, event);
}

void NodeHost::view_event(const node::ViewEvent& event) { simulation_.view_event(life_, event); }

}  // namespace lambdacast::sim
