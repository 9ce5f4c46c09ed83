// SPDX-License-Identifier: BSD-3-Clause
// A rack as it stood at one time: what every subject's table is made of.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "rack/rack.h"

namespace lambdacast::telemetry {

struct LcoreCounts {
  uint32_t id = 0;
  config::IdlePolicy idle = config::IdlePolicy::kPause;
  uint64_t loops = 0;
  uint64_t empty_loops = 0;
  uint64_t busy_ns = 0;
  uint64_t longest_ns = 0;
};

// A stage (or the application) as its lcore polls it.
struct PolledCounts {
  size_t endpoint = 0;  // index
  std::string stage;
  uint32_t lcore = 0;
  uint64_t polls = 0;
  uint64_t empty_polls = 0;
  uint64_t packets = 0;
  uint64_t sampled_ns = 0;  // of the polls that were timed
  uint64_t sampled_packets = 0;
};

struct EndpointCounts {
  const rack::Endpoint* endpoint = nullptr;  // its constant facts: name, identity, port
  node::NodeReport stages;
  dpdk::PortStatistics port;
  bool link_up = false;
  std::vector<node::GroupStatus> groups;        // if asked for
  std::vector<node::LockStatus> locks;          // if asked for
  std::optional<node::RequestReport> requests;  // if asked for
};

struct Snapshot {
  const config::Config* config = nullptr;
  uint64_t now_ns = 0;
  std::vector<EndpointCounts> endpoints;
  std::vector<LcoreCounts> lcores;
  std::vector<PolledCounts> polled;

  [[nodiscard]] const std::string& name(size_t endpoint) const {
    return endpoints[endpoint].endpoint->config().name;
  }
};

// The parts of a snapshot that a subject needs. The counts of the stages interrupt each lcore, and
// the others cost more.
struct Needs {
  bool stages = true;
  bool ports = false;  // port statistics, of the driver's every counter
  bool groups = false;
  bool locks = false;
  bool requests = false;
};

// The rack that is reported on, and its configuration. Both outlive the console and the server.
struct Source {
  rack::Rack& rack;
  const config::Config& config;
};

// Console and telemetry each take snapshots, in threads of their own: any may, at any time.
[[nodiscard]] Snapshot take_snapshot(const Source& source, const Needs& needs);

}  // namespace lambdacast::telemetry
