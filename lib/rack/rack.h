// SPDX-License-Identifier: BSD-3-Clause
// All endpoints of a process and the lcores that run them: from a configuration to a running data
// path and back to nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/config.h"
#include "dpdk/clock.h"
#include "dpdk/lcore_loop.h"
#include "rack/death_watch.h"
#include "rack/endpoint.h"

namespace lambdacast::rack {

class Rack {
 public:
  // EAL runs. Opens every port, or none: on an error nothing is left behind.
  [[nodiscard]] static base::Result<std::unique_ptr<Rack>> create(const config::Config& config,
                                                                  const Endpoint::Options& options);
  ~Rack();

  // The application of an endpoint: polled on its ordering lcore, between ordering and
  // rate_control. Before start().
  void set_application(size_t endpoint, std::unique_ptr<node::Stage> application);

  // Starts every port first and the lcores after that, so that nobody misses a first frame.
  [[nodiscard]] base::Result<void> start();
  void stop();  // the lcores, then the ports
  [[nodiscard]] bool running() const { return running_; }

  [[nodiscard]] size_t size() const { return endpoints_.size(); }
  [[nodiscard]] Endpoint& endpoint(size_t i) { return *endpoints_[i]; }
  [[nodiscard]] const dpdk::TscClock& clock() const { return clock_; }
  [[nodiscard]] const std::vector<std::unique_ptr<dpdk::LcoreLoop>>& loops() const {
    return loops_;
  }

  // The reports of all endpoints. Consistent per lcore: each has its stages report between two of
  // its loops, all at once, into memory that was made ready for it: one interruption an lcore. Any
  // control thread.
  [[nodiscard]] std::vector<node::NodeReport> snapshot();
  // The groups that each endpoint subscribes to, and with membership those with names that it knows
  // of, by number: apart, because there may be many.
  [[nodiscard]] std::vector<std::vector<node::GroupStatus>> groups();
  // The locks of groups that each endpoint with membership knows of.
  [[nodiscard]] std::vector<std::vector<node::LockStatus>> locks();
  // The calls and requests of each endpoint.
  [[nodiscard]] std::vector<node::RequestReport> requests();
  // The traces of packets that were lost of late, by endpoint.
  struct RepairTraces {
    std::vector<reliability::TraceEvent> sender;    // of its own stream
    std::vector<reliability::TraceEvent> receiver;  // of those of its peers
  };
  [[nodiscard]] std::vector<RepairTraces> repair_traces();
  // Where a peer is, as the endpoint knows, which asks for it if it does not: on a real network
  // only, and for diagnosis. Ask again for the answer.
  [[nodiscard]] neighbor::Lookup resolve(size_t endpoint, const wire::Gid& gid);
  // The link of an endpoint on a real network was down: it announces its address and reports its
  // groups again.
  void renew(size_t endpoint);
  // The last conflict about an endpoint's address, if one was heard.
  [[nodiscard]] std::optional<neighbor::AddressConflict> conflict(size_t endpoint);
  // The neighbors that an endpoint on a real network knows.
  [[nodiscard]] std::vector<neighbor::NeighborTable::Entry> neighbors(size_t endpoint);

  // The loop of an lcore that the configuration names.
  [[nodiscard]] dpdk::LcoreLoop& loop(uint32_t lcore);

 private:
  using RateControl = node::RateControlStage<dpdk::MbufEnv>;
  Rack() = default;
  [[nodiscard]] base::Result<void> check_lcores() const;
  void assign_stages();
  [[nodiscard]] base::Result<void> watch_deaths();
  void collect(const dpdk::LcoreLoop& loop, std::vector<node::NodeReport>& out) const;
  void leave_groups();
  void leave_views();
  void await_senders(uint64_t end_ns, const std::function<bool(const RateControl&)>& quiet);
  void await_receivers(uint64_t end_ns);
  void fall_silent();

  dpdk::TscClock clock_;
  std::vector<std::unique_ptr<Endpoint>> endpoints_;
  std::vector<std::unique_ptr<node::Stage>> applications_;  // one an endpoint, may be null
  std::vector<std::unique_ptr<dpdk::LcoreLoop>> loops_;
  std::string fabric_;  // its name; empty: nobody is told of ends
  std::unique_ptr<DeathWatch> deaths_;
  bool launched_ = false;
  bool running_ = false;
};

}  // namespace lambdacast::rack
