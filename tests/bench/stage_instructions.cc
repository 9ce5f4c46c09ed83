// SPDX-License-Identifier: BSD-3-Clause
// One packet's way through the data path, without lcores: node 0 publishes bursts, node 1 takes
// them, every stage polled once a burst in the order of the path. bench-stage-instructions runs it
// under callgrind.
//
//   stage_instructions PAYLOAD_BYTES BURSTS ICRC LIMIT
//
// LIMIT: bits a second, which are never reached; 0: the endpoints have none.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "dpdk/eal.h"
#include "rack/rack.h"

namespace {

using lambdacast::dpdk::Loan;
using lambdacast::rack::Endpoint;

constexpr uint32_t kBurst = 32;
constexpr uint32_t kTransportHeaderBytes = lambdacast::wire::kTransportHeaderBytes;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "stage_instructions: %s\n", what.c_str());
  std::exit(1);
}

lambdacast::config::Config two_nodes(const std::string& icrc, const std::string& limit) {
  const std::string rate =
      limit == "0" ? "" : "[endpoint_defaults.rate]\npolicy = \"fixed\"\nlimit = " + limit + "\n";
  auto config = lambdacast::config::parse(
      "[fabric]\nname = \"stages-" + std::to_string(::getpid()) +
          "\"\nwavelengths = 2\nslots = 256\n[endpoint_defaults]\nmbufs = 8192\nicrc = \"" + icrc +
          "\"\n" + rate +
          "[[endpoint]]\nname = \"a\"\naddress = \"10.77.0.1\"\nwavelength = \"C21\"\n"
          "[[endpoint]]\nname = \"b\"\naddress = \"10.77.0.2\"\nwavelength = \"C22\"\n",
      "two nodes");
  if (!config) fail(lambdacast::config::text(config.error()));
  return *config;
}

using Path = std::vector<lambdacast::node::Stage*>;

// What callgrind looks at. Stages are called as an lcore calls them, through their interface.
[[gnu::noinline]] uint32_t move_burst(Endpoint& from, Endpoint& to, const Path& path,
                                      uint32_t bytes) {
  std::array<Loan, kBurst> loans;
  if (from.loan(loans) != kBurst) fail("no mbufs");
  for (Loan& loan : loans) {
    if (!loan.describe(bytes, 1, lambdacast::wire::Qos::kUnreliable)) fail("payload too long");
  }
  if (from.publish(loans) != kBurst) fail("publications are full");
  for (lambdacast::node::Stage* stage : path) stage->poll(1);
  return to.take_deliveries(kBurst, lambdacast::node::DeliverySink{});
}

}  // namespace

int main(int argc, char** argv) {
  using namespace lambdacast;
  if (argc != 5) fail("usage: stage_instructions PAYLOAD_BYTES BURSTS ICRC LIMIT");
  const auto payload_bytes = static_cast<uint32_t>(std::atoi(argv[1]));
  const auto bursts = static_cast<uint32_t>(std::atoi(argv[2]));
  const config::Config config = two_nodes(argv[3], argv[4]);
  // Plain memory whatever the machine has: valgrind cannot map hugepages.
  const auto eal = dpdk::Eal::start(argv[0], dpdk::eal_arguments(config, {}, {{0}, 0}));
  if (!eal) fail(eal.error().message);
  const auto rack = rack::Rack::create(config, {});
  if (!rack) fail(rack.error().message);
  for (size_t i = 0; i < (*rack)->size(); ++i) {
    if (auto started = (*rack)->endpoint(i).port().start(); !started) fail(started.error().message);
  }
  Endpoint& from = (*rack)->endpoint(0);
  Endpoint& to = (*rack)->endpoint(1);
  const Path path = {&from.node().rate_control(), &to.node().receive(), &to.node().reliability(),
                     &to.node().ordering()};
  // The first heartbeat goes ahead of all bursts, or a data frame would be left behind a full one.
  for (node::Stage* stage : path) stage->poll(1);
  uint64_t delivered = 0;
  for (uint32_t i = 0; i < bursts; ++i) {
    delivered += move_burst(from, to, path, payload_bytes - kTransportHeaderBytes);
  }
  if (delivered != uint64_t{kBurst} * bursts) fail("packets were lost");
  std::printf("%lu packets\n", delivered);
  return 0;
}
