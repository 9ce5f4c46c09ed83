// SPDX-License-Identifier: BSD-3-Clause
#include "support.h"

#include <rte_log.h>

#include <cstdio>

namespace lambdacast::net_verbs::test {
namespace {

char* log_text = nullptr;
size_t log_bytes = 0;
std::FILE* log_stream = nullptr;
size_t log_seen = 0;

std::string fresh_device() {
  static int number = 0;
  return "net_verbs" + std::to_string(number++);
}

}  // namespace

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

TestPort::TestPort(const Pool& pool, const std::string& more) : name_(fresh_device()) {
  const std::string devargs = "device=lambdacast0,gid=" + std::string(kAddress) +
                              ",group=" + kDataGroup + ",group=" + kControlGroup + more;
  EXPECT_EQ(rte_vdev_init(name_.c_str(), devargs.c_str()), 0) << logged();
  EXPECT_EQ(rte_eth_dev_get_port_by_name(name_.c_str(), &id_), 0);
  rte_eth_conf conf{};
  EXPECT_EQ(rte_eth_dev_configure(id_, 1, 1, &conf), 0);
  EXPECT_EQ(rte_eth_rx_queue_setup(id_, 0, kDescriptors, SOCKET_ID_ANY, nullptr, pool.get()), 0)
      << logged();
  EXPECT_EQ(rte_eth_tx_queue_setup(id_, 0, kDescriptors, SOCKET_ID_ANY, nullptr), 0) << logged();
  EXPECT_EQ(rte_eth_dev_start(id_), 0) << logged();
}

TestPort::~TestPort() {
  rte_eth_dev_stop(id_);
  rte_vdev_uninit(name_.c_str());
}

uint64_t TestPort::xstat(const std::string& name) const {
  uint64_t id = 0, value = 0;
  EXPECT_EQ(rte_eth_xstats_get_id_by_name(id_, name.c_str(), &id), 0) << name;
  EXPECT_EQ(rte_eth_xstats_get_by_id(id_, &id, &value, 1), 1) << name;
  return value;
}

rte_eth_stats TestPort::stats() const {
  rte_eth_stats stats;
  EXPECT_EQ(rte_eth_stats_get(id_, &stats), 0);
  return stats;
}

wire::FrameFields TestPort::fields(size_t index, const char* to) const {
  wire::FrameFields fields;
  fields.source_gid = gid(kAddress);
  fields.destination_gid = gid(to);
  fields.destination_qpn = wire::kMulticastQpn;
  fields.source_qpn = pair(index).number();
  fields.udp_source_port = wire::roce_source_port(fields.source_qpn);
  fields.qkey = kQkey;
  return fields;
}

uint16_t TestPort::send(const std::vector<Frame>& frames, const Pool& pool) const {
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

std::vector<Frame> TestPort::receive(size_t count) const {
  std::vector<Frame> got;
  (void)await([&] {
    rte_mbuf* mbufs[16];
    const uint16_t found = rte_eth_rx_burst(id_, 0, mbufs, 16);
    for (uint16_t i = 0; i < found; ++i) {
      const char* reason = nullptr;
      EXPECT_EQ(rte_mbuf_check(mbufs[i], 1, &reason), 0) << reason;
      EXPECT_EQ(mbufs[i]->port, id_);
      const auto* bytes = rte_pktmbuf_mtod(mbufs[i], const uint8_t*);
      got.emplace_back(bytes, bytes + mbufs[i]->data_len);
      rte_pktmbuf_free(mbufs[i]);
    }
    return got.size() >= count && found == 0;
  });
  EXPECT_EQ(got.size(), count);
  return got;
}

Frame frame_of(const wire::FrameFields& fields, const std::vector<uint8_t>& message) {
  Frame out(wire::kMaxFrameBytes);
  out.resize(wire::build_frame(fields, message, out.data(), out.size()));
  return out;
}

std::vector<uint8_t> message(uint32_t number, size_t bytes) {
  std::vector<uint8_t> out(bytes);
  for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<uint8_t>(number * 31 + i * 7 + i / 256);
  return out;
}

std::vector<uint8_t> message_in(const Frame& frame) {
  wire::FrameView view;
  EXPECT_EQ(wire::parse_frame(frame.data(), frame.size(), view), counters::DropReason::kNone);
  EXPECT_EQ(view.frame_bytes(), frame.size());
  const uint8_t* const first = frame.data() + view.payload_offset;
  return {first, first + view.payload_bytes};
}

std::string probe_error(const std::string& devargs) {
  (void)logged();
  const std::string name = fresh_device();
  if (rte_vdev_init(name.c_str(), devargs.c_str()) == 0) {
    rte_vdev_uninit(name.c_str());
    return "";
  }
  const std::string text = logged();
  const std::string start = "net_verbs: " + name + ": ";
  const size_t at = text.find(start);
  if (at == std::string::npos) return "no sentence: " + text;
  return text.substr(at + start.size(), text.find('\n', at) - at - start.size());
}

}  // namespace lambdacast::net_verbs::test
