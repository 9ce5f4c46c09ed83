// SPDX-License-Identifier: BSD-3-Clause
#include "rack/packet_tracer.h"

#include <utility>

namespace lambdacast::rack {

void PacketTracer::start(node::StageId stage, std::optional<size_t> endpoint, size_t packets) {
  stop();
  const rte_mempool* const pool = endpoint ? rack_.endpoint(*endpoint).pool() : nullptr;
  trace_ = std::make_unique<dpdk::PacketTrace>(stage, pool, packets);
  dpdk::PacketTrace::activate(trace_.get());
}

void PacketTracer::stop() {
  if (trace_ == nullptr || dpdk::PacketTrace::active() != trace_.get()) return;
  dpdk::PacketTrace::activate(nullptr);
  // Behind this no lcore is in the middle of a note.
  for (const auto& loop : rack_.loops()) loop->run_here([] {});
}

std::vector<PacketTracer::Life> PacketTracer::lives() const {
  std::vector<Life> lives;
  if (trace_ == nullptr) return lives;
  for (dpdk::PacketTrace::Life& life : trace_->lives()) {
    std::string owner;
    for (size_t i = 0; i < rack_.size(); ++i) {
      if (rack_.endpoint(i).pool() == life.pool) owner = rack_.endpoint(i).config().name;
    }
    lives.push_back({std::move(owner), std::move(life)});
  }
  return lives;
}

}  // namespace lambdacast::rack
