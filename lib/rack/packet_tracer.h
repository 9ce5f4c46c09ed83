// SPDX-License-Identifier: BSD-3-Clause
// Follows a few packets of a running rack through the stages (dpdk/packet_trace.h). Control thread;
// one in a process at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dpdk/packet_trace.h"
#include "rack/rack.h"

namespace lambdacast::rack {

class PacketTracer {
 public:
  // The rack outlives it.
  explicit PacketTracer(Rack& rack) : rack_(rack) {}
  ~PacketTracer() { stop(); }
  PacketTracer(const PacketTracer&) = delete;
  PacketTracer& operator=(const PacketTracer&) = delete;

  // Follows the next packets that come to the stage, of that endpoint or of any; what was followed
  // before is forgotten.
  void start(node::StageId stage, std::optional<size_t> endpoint, size_t packets);
  // Follows none any more. What is known stays.
  void stop();

  struct Life {
    std::string endpoint;  // whose packet it was
    dpdk::PacketTrace::Life packet;
  };
  [[nodiscard]] std::vector<Life> lives() const;
  [[nodiscard]] bool started() const { return trace_ != nullptr; }

 private:
  Rack& rack_;
  std::unique_ptr<dpdk::PacketTrace> trace_;
};

}  // namespace lambdacast::rack
