// SPDX-License-Identifier: BSD-3-Clause
// Sends bursts through a net_odbss port while a number of readers listens;
// bench-tx-instructions runs it under callgrind, which counts the instructions inside
// tx_burst alone.
//
//   tx_instructions READERS BURSTS
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "fabric/fabric.h"

namespace {

constexpr uint16_t kBurst = 32;
constexpr uint16_t kFrameBytes = 64;
constexpr uint32_t kSlots = 256;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "tx_instructions: %s\n", what);
  std::exit(1);
}

void start_eal(const std::string& fabric) {
  std::vector<std::string> arguments = {"tx_instructions",
                                        "--no-huge",
                                        "--no-shconf",
                                        "-m",
                                        "64",
                                        "-l",
                                        "0",
                                        "--no-pci",
                                        "--no-telemetry",
                                        "--log-level=lib.eal:error",
                                        "--vdev",
                                        "net_odbss0,wavelength=0,wavelengths=1,slots=" +
                                            std::to_string(kSlots) + ",fabric=" + fabric};
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  if (rte_eal_init(static_cast<int>(argv.size()), argv.data()) < 0) fail("EAL does not start");
}

rte_mempool* start_port() {
  rte_mempool* pool = rte_pktmbuf_pool_create("pool", 1023, 0, 0, 2048 + RTE_PKTMBUF_HEADROOM, 0);
  const rte_eth_conf conf{};
  if (pool == nullptr || rte_eth_dev_configure(0, 1, 1, &conf) != 0 ||
      rte_eth_rx_queue_setup(0, 0, 64, 0, nullptr, pool) != 0 ||
      rte_eth_tx_queue_setup(0, 0, 64, 0, nullptr) != 0 || rte_eth_dev_start(0) != 0) {
    fail("the port does not start");
  }
  return pool;
}

void send_burst(rte_mempool* pool) {
  rte_mbuf* frames[kBurst];
  if (rte_pktmbuf_alloc_bulk(pool, frames, kBurst) != 0) fail("no mbufs");
  for (rte_mbuf* frame : frames) rte_pktmbuf_append(frame, kFrameBytes);
  if (rte_eth_tx_burst(0, 0, frames, kBurst) != kBurst) fail("a burst was not taken");
}

}  // namespace

int main(int argc, char** argv) {
  using lambdacast::fabric::Fabric;
  using lambdacast::fabric::Peek;
  using lambdacast::fabric::Receiver;
  if (argc != 3) fail("usage: tx_instructions READERS BURSTS");
  const int readers = std::atoi(argv[1]);
  const int bursts = std::atoi(argv[2]);
  const std::string name = "instructions-" + std::to_string(::getpid());
  start_eal(name);
  rte_mempool* pool = start_port();

  std::vector<std::unique_ptr<Fabric>> attachments;
  std::vector<Receiver> receivers;
  for (int i = 0; i < readers; ++i) {
    auto attached = Fabric::attach(name, {});
    if (!attached) fail(attached.error().message.c_str());
    receivers.push_back((*attached)->listen(0));
    attachments.push_back(std::move(*attached));
  }
  std::vector<uint8_t> frame(4096);
  uint64_t received = 0;
  for (int i = 0; i < bursts; ++i) {
    send_burst(pool);
    for (Receiver& receiver : receivers) {
      while (receiver.peek() == Peek::kFrame && receiver.copy_to(frame.data())) {
        receiver.advance();
        ++received;
      }
    }
  }
  if (received != uint64_t{kBurst} * bursts * readers) fail("a reader missed frames");
  std::printf("%d frames, %lu received\n", bursts * kBurst, received);
  rte_eth_dev_stop(0);
  rte_eth_dev_close(0);
  rte_eal_cleanup();
  return 0;
}
