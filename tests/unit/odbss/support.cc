// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"

#include <gtest/gtest.h>
#include <rte_bus_vdev.h>
#include <rte_log.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "fabric/fabric.h"

namespace lambdacast::odbss::test {
namespace {

char* log_text = nullptr;
std::size_t log_bytes = 0;
std::FILE* log_stream = nullptr;
std::size_t log_seen = 0;

std::string fresh_device() {
  static int number = 0;
  return "net_odbss" + std::to_string(number++);
}

}  // namespace

void PrintTo(const Frame& frame, std::ostream* out) {
  *out << frame.size() << " bytes:" << std::hex;
  for (std::size_t i = 0; i < frame.size() && i < 16; ++i) *out << ' ' << int{frame[i]};
  *out << std::dec;
}

std::string fresh_fabric() {
  static int number = 0;
  return "test-" + std::to_string(::getpid()) + "-" + std::to_string(number++);
}

std::vector<std::string> files_of(const std::string& fabric) {
  const auto directories = fabric::BackingDirectories::of_this_machine();
  // The data file's name is the library's secret: another fabric's tells where such files lie.
  std::vector<std::string> found;
  for (const std::string& directory : {directories.shared_memory, directories.hugetlbfs}) {
    if (directory.empty()) continue;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      const std::string file = entry.path().filename();
      if (file == "odbss." + fabric) found.push_back(entry.path());
    }
  }
  return found;
}

void open_log() {
  log_stream = ::open_memstream(&log_text, &log_bytes);
  rte_openlog_stream(log_stream);
}

std::string logged() {
  std::fflush(log_stream);
  const std::string text(log_text + log_seen, log_bytes - log_seen);
  log_seen = log_bytes;
  return text;
}

Pool::Pool(uint32_t mbufs, uint16_t data_room) {
  static int number = 0;
  const std::string name = "pool" + std::to_string(number++);
  pool_ = rte_pktmbuf_pool_create(name.c_str(), mbufs, 0, 0, data_room, SOCKET_ID_ANY);
  EXPECT_NE(pool_, nullptr);
}

Pool::~Pool() {
  EXPECT_EQ(rte_mempool_in_use_count(pool_), 0u) << "mbufs were leaked";
  rte_mempool_free(pool_);
}

std::string probe_error(const std::string& devargs) {
  (void)logged();
  const std::string name = fresh_device();
  if (rte_vdev_init(name.c_str(), devargs.c_str()) != 0) {
    // Our sentence; the bus adds one of its own.
    const std::string text = logged();
    const std::string start = "net_odbss: " + name + ": ";
    const std::size_t at = text.find(start);
    return at == std::string::npos
               ? "no sentence: " + text
               : text.substr(at + start.size(), text.find('\n', at) - at - start.size());
  }
  rte_vdev_uninit(name.c_str());
  return "";
}

Port::Port(const std::string& devargs) : name_(fresh_device()) {
  (void)logged();
  if (rte_vdev_init(name_.c_str(), devargs.c_str()) != 0) {
    ADD_FAILURE() << devargs << ": " << logged();
    return;
  }
  EXPECT_EQ(rte_eth_dev_get_port_by_name(name_.c_str(), &id_), 0);
}

Port::Port(const std::string& devargs, const Pool& pool, const PortOptions& options)
    : Port(devargs) {
  EXPECT_EQ(start(pool, options), 0) << logged();
}

Port::~Port() {
  if (id_ == RTE_MAX_ETHPORTS) return;
  rte_eth_dev_stop(id_);
  rte_vdev_uninit(name_.c_str());
}

int Port::start(const Pool& pool, const PortOptions& options) {
  rte_eth_conf conf{};
  conf.rxmode.mtu = options.mtu;
  conf.rxmode.offloads = options.rx_offloads;
  conf.txmode.offloads = options.tx_offloads;
  if (const int error = rte_eth_dev_configure(id_, options.rx_queues, 1, &conf)) return error;
  for (uint16_t i = 0; i < options.rx_queues; ++i) {
    if (const int error = rte_eth_rx_queue_setup(id_, i, 256, SOCKET_ID_ANY, nullptr, pool.get())) {
      return error;
    }
  }
  if (const int error = rte_eth_tx_queue_setup(id_, 0, 256, SOCKET_ID_ANY, nullptr)) return error;
  if (options.promiscuous) rte_eth_promiscuous_enable(id_);
  return rte_eth_dev_start(id_);
}

rte_ether_addr Port::mac() const {
  rte_ether_addr address;
  EXPECT_EQ(rte_eth_macaddr_get(id_, &address), 0);
  return address;
}

uint16_t Port::send(const std::vector<Frame>& frames, const Pool& pool) const {
  uint16_t sent = 0;
  for (const Frame& bytes : frames) {
    rte_mbuf* m = rte_pktmbuf_alloc(pool.get());
    if (m == nullptr) break;  // receivers hold all of them
    std::memcpy(rte_pktmbuf_append(m, static_cast<uint16_t>(bytes.size())), bytes.data(),
                bytes.size());
    sent += rte_eth_tx_burst(id_, 0, &m, 1);
  }
  return sent;
}

uint16_t Port::send_burst(const std::vector<Frame>& frames, const Pool& pool) const {
  std::vector<rte_mbuf*> mbufs;
  for (const Frame& bytes : frames) {
    rte_mbuf* m = mbufs.emplace_back(rte_pktmbuf_alloc(pool.get()));
    std::memcpy(rte_pktmbuf_append(m, static_cast<uint16_t>(bytes.size())), bytes.data(),
                bytes.size());
  }
  const auto count = static_cast<uint16_t>(mbufs.size());
  const uint16_t sent = rte_eth_tx_burst(id_, 0, mbufs.data(), count);
  rte_pktmbuf_free_bulk(mbufs.data() + sent, count - sent);
  return sent;
}

std::vector<Frame> Port::receive(uint16_t queue, uint16_t burst) const {
  std::vector<Frame> got;
  std::vector<rte_mbuf*> mbufs(burst);
  // Twice in vain: a burst of passed-over frames is empty too.
  for (int in_vain = 0; in_vain < 100;) {
    const uint16_t count = rte_eth_rx_burst(id_, queue, mbufs.data(), burst);
    if (count == 0) ++in_vain;
    for (uint16_t i = 0; i < count; ++i) {
      rte_mbuf* m = mbufs[i];
      const char* reason = nullptr;
      EXPECT_EQ(rte_mbuf_check(m, 1, &reason), 0) << reason;
      EXPECT_EQ(m->port, id_);
      EXPECT_EQ(m->ol_flags, 0u);
      Frame bytes(m->pkt_len);
      std::vector<uint8_t> scratch(m->pkt_len);
      const void* data = rte_pktmbuf_read(m, 0, m->pkt_len, scratch.data());
      if (!bytes.empty()) std::memcpy(bytes.data(), data, bytes.size());
      got.push_back(std::move(bytes));
      rte_pktmbuf_free(m);
    }
  }
  return got;
}

rte_eth_stats Port::stats() const {
  rte_eth_stats stats;
  EXPECT_EQ(rte_eth_stats_get(id_, &stats), 0);
  return stats;
}

uint64_t Port::xstat(const std::string& name) const {
  uint64_t id = 0, value = 0;
  EXPECT_EQ(rte_eth_xstats_get_id_by_name(id_, name.c_str(), &id), 0) << name;
  EXPECT_EQ(rte_eth_xstats_get_by_id(id_, &id, &value, 1), 1) << name;
  return value;
}

uint64_t Port::accounted() const {
  const rte_eth_stats s = stats();
  return s.ipackets + s.imissed + s.rx_nombuf + xstat("filtered") + xstat("fault_lost") +
         xstat("too_long");
}

Frame frame(uint32_t number, std::size_t bytes, const rte_ether_addr& to) {
  Frame f(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    f[i] = static_cast<uint8_t>(number * 31 + i * 7 + i / 256);
  }
  std::memcpy(f.data(), to.addr_bytes, std::min<std::size_t>(bytes, RTE_ETHER_ADDR_LEN));
  return f;
}

std::vector<Frame> frames(uint32_t first, uint32_t count, std::size_t bytes) {
  std::vector<Frame> list;
  for (uint32_t i = 0; i < count; ++i) list.push_back(frame(first + i, bytes));
  return list;
}

}  // namespace lambdacast::odbss::test
