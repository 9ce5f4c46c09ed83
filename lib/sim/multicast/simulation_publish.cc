// The applications of a simulation: what they publish, and when.
#include <algorithm>
#include <array>
#include <numeric>

#include "sim/multicast/message.h"
#include "sim/multicast/simulation.h"

namespace lambdacast::sim {

constexpr uint64_t kEpilogueRetryNs = 20'000;

void Simulation::publish(size_t index) {
  Node& node = nodes_[index];
  const Traffic& traffic = scenario_.nodes[index].traffic;
  if (!node.alive() || node.paused) return;
  node.next_publish_ns = kNever;
  const bool epilogue = node.epilogue_left != 0;
  if (epilogue) {
    while (node.epilogue_left != 0 && publish_one(node, traffic, true)) --node.epilogue_left;
    if (node.epilogue_left == 0) log_.lives[node.life].finished = true;
  } else if (now_ns_ < scenario_.epilogue_ns) {
    for (uint32_t i = 0; i < traffic.batch_packets && node.published < traffic.messages; ++i) {
      if (!publish_one(node, traffic, false)) break;
      ++node.published;
    }
  }
  wake(index, now_ns_);
  const bool more = epilogue ? node.epilogue_left != 0
                             : node.published < traffic.messages && now_ns_ < scenario_.epilogue_ns;
  if (!more) return;
  const uint64_t pause_ns = epilogue ? kEpilogueRetryNs : traffic.publish_every_ns;
  node.next_publish_ns = now_ns_ + std::max<uint64_t>(pause_ns, 1);
  events_.push(node.next_publish_ns, {Event::What::kPublish, static_cast<uint32_t>(index), {}});
}

wire::Qos Simulation::next_qos(const Traffic& traffic, base::SplitMix64& random) const {
  const std::array<uint32_t, 7> weights = {traffic.unreliable_weight, traffic.reliable_weight,
                                           traffic.ordered_weight,    traffic.total_weights[0],
                                           traffic.total_weights[1],  traffic.total_weights[2],
                                           traffic.total_weights[3]};
  const size_t levels = log_.membership ? weights.size() : 3;
  uint64_t drawn = random.below(std::accumulate(weights.begin(), weights.begin() + levels, 0u));
  size_t level = 0;
  while (drawn >= weights[level]) drawn -= weights[level++];
  return static_cast<wire::Qos>(level);
}

bool Simulation::publish_one(Node& node, const Traffic& traffic, bool epilogue) {
  Publication publication;
  publication.life = node.life;
  publication.epilogue = epilogue;
  publication.accepted_ns = now_ns_;
  publication.qos = wire::Qos::kSourceOrdered;
  publication.group = kEpilogueGroup;
  publication.bytes = 2 * kMessageIdBytes;
  base::SplitMix64 random = node.random;  // a refused message comes again
  if (!epilogue) {
    publication.group = traffic.publish_to[node.published % traffic.publish_to.size()];
    publication.bytes = static_cast<uint32_t>(
        traffic.min_message_bytes +
        random.below(traffic.max_message_bytes - traffic.min_message_bytes + 1));
    publication.qos = next_qos(traffic, random);
    if (traffic.long_one_in != 0 && publication.qos >= traffic.long_from &&
        random.below(traffic.long_one_in) == 0)
      publication.bytes = scenario_.path_mtu + random.below(5 * scenario_.path_mtu);
  } else if (log_.membership) {
    constexpr wire::Qos kLast[kEpilogueMessages] = {
        wire::Qos::kSourceOrdered, wire::Qos::kTotallyOrdered, wire::Qos::kTotallyResilient};
    publication.qos = kLast[kEpilogueMessages - node.epilogue_left];
  }
  const MessageId id{node.life, static_cast<uint32_t>(log_.publications.size())};
  const std::vector<uint8_t> message = make_message(id, publication.bytes);
  const uint64_t before = node.endpoint->core().published();
  if (!node.endpoint->publish(message, publication.group, publication.qos)) return false;
  node.random = random;
  const uint64_t packets = node.endpoint->core().published() - before;
  if (publication.qos != wire::Qos::kUnreliable)
    node.recoverable.insert(node.recoverable.end(), std::max<uint64_t>(packets, 1), id.publication);
  log_.publications.push_back(publication);
  return true;
}

}  // namespace lambdacast::sim
