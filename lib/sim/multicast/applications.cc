// SPDX-License-Identifier: BSD-3-Clause
#include "sim/multicast/applications.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "sim/multicast/message.h"

namespace lambdacast::sim {

namespace {

constexpr uint64_t kEpilogueRetryNs = 20'000;

}  // namespace

Applications::Applications(const Scenario& scenario, Recorder& recorder, uint64_t seed)
    : scenario_(scenario), recorder_(recorder), nodes_(scenario.nodes.size()) {
  for (size_t node = 0; node < nodes_.size(); ++node)
    nodes_[node].random = base::SplitMix64(base::mix64(seed + node * 77));
}

std::optional<uint64_t> Applications::publish(size_t index, uint32_t life, SimEndpoint& endpoint,
                                              uint64_t now_ns) {
  Node& node = nodes_[index];
  const Traffic& traffic = scenario_.nodes[index].traffic;
  const bool epilogue = node.epilogue_left != 0;
  if (epilogue) {
    while (node.epilogue_left != 0 && publish_one(node, traffic, life, endpoint, now_ns))
      --node.epilogue_left;
    if (node.epilogue_left == 0) recorder_.log().lives[life].finished = true;
  } else if (now_ns < scenario_.epilogue_ns) {
    for (uint32_t i = 0; i < traffic.batch_packets && node.published < traffic.messages; ++i) {
      if (!publish_one(node, traffic, life, endpoint, now_ns)) break;
      ++node.published;
    }
  }
  const bool more =
      epilogue ? node.epilogue_left != 0 : has_more(index) && now_ns < scenario_.epilogue_ns;
  if (!more) return std::nullopt;
  const uint64_t pause_ns = epilogue ? kEpilogueRetryNs : traffic.publish_every_ns;
  return now_ns + std::max<uint64_t>(pause_ns, 1);
}

wire::Qos Applications::next_qos(const Traffic& traffic, base::SplitMix64& random) const {
  const std::array<uint32_t, 7> weights = {traffic.unreliable_weight, traffic.reliable_weight,
                                           traffic.ordered_weight,    traffic.total_weights[0],
                                           traffic.total_weights[1],  traffic.total_weights[2],
                                           traffic.total_weights[3]};
  const size_t levels = scenario_.membership.on ? weights.size() : 3;
  uint64_t drawn = random.below(std::accumulate(weights.begin(), weights.begin() + levels, 0u));
  size_t level = 0;
  while (drawn >= weights[level]) drawn -= weights[level++];
  return static_cast<wire::Qos>(level);
}

bool Applications::publish_one(Node& node, const Traffic& traffic, uint32_t life,
                               SimEndpoint& endpoint, uint64_t now_ns) {
  Publication publication;
  publication.life = life;
  publication.epilogue = node.epilogue_left != 0;
  publication.accepted_ns = now_ns;
  publication.qos = wire::Qos::kSourceOrdered;
  publication.group = kEpilogueGroup;
  publication.bytes = 2 * kMessageIdBytes;
  base::SplitMix64 random = node.random;  // a refused message comes again
  if (!publication.epilogue) {
    publication.group = traffic.publish_to[node.published % traffic.publish_to.size()];
    publication.bytes = static_cast<uint32_t>(
        traffic.min_message_bytes +
        random.below(traffic.max_message_bytes - traffic.min_message_bytes + 1));
    publication.qos = next_qos(traffic, random);
    if (traffic.long_one_in != 0 && publication.qos >= traffic.long_from &&
        random.below(traffic.long_one_in) == 0)
      publication.bytes = scenario_.path_mtu + random.below(5 * scenario_.path_mtu);
  } else if (scenario_.membership.on) {
    constexpr wire::Qos kLast[kEpilogueMessages] = {
        wire::Qos::kSourceOrdered, wire::Qos::kTotallyOrdered, wire::Qos::kTotallyResilient};
    publication.qos = kLast[kEpilogueMessages - node.epilogue_left];
  }
  const MessageId id{life, static_cast<uint32_t>(recorder_.log().publications.size())};
  const std::vector<uint8_t> message = make_message(id, publication.bytes);
  const uint64_t before = endpoint.published();
  if (!endpoint.publish(message, publication.group, publication.qos)) return false;
  node.random = random;
  const uint64_t packets = endpoint.published() - before;
  recorder_.published(publication, publication.qos == wire::Qos::kUnreliable ? 0 : packets);
  return true;
}

}  // namespace lambdacast::sim
