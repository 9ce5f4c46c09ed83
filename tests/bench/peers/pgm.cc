// SPDX-License-Identifier: BSD-3-Clause
// OpenPGM 5.3: NAK-based PGM (RFC 3208) over UDP, a message in each packet. One thread a side: the
// sender answers NAKs between its messages, the receiver keeps the timers. It waits for its sockets
// as the examples do or, tuned, polls them.
#include <fmt/format.h>

// The library's header gives C++ this word with g++ only.
#ifndef restrict
#define restrict __restrict__
#endif
#include <pgm/pgm.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "message.h"
#include "peer.h"
#include "recorder.h"

namespace lambdacast::peers {
namespace {

constexpr int kPacketBytes = 1500;
constexpr int kWindow = 1 << 17;        // packets kept for repair; examples: 100 or 800
constexpr int kSocketBuffer = 4 << 20;  // examples: 1 MiB
constexpr uint32_t kMessagesAPoll = 64;
constexpr suseconds_t kWaitUs = 10'000;
constexpr unsigned kSendsAService = 16;  // flat out: messages between two looks for NAKs
constexpr double kBytesPerMegabit = 125'000;
constexpr uint16_t kDataPort = 7500;

struct Timers {
  int nak_back_off_us;  // a gap is asked for after 1 us to this, at random
  int nak_repeat_us;    // asked again if nobody confirms the request
  int nak_data_us;      // asked again if no repair comes
};
// pgmping's, and less: the back-off is for groups of receivers, of which there is one here.
constexpr Timers kExamples = {50'000, 200'000, 200'000};
constexpr Timers kTuned = {50, 2'000, 2'000};

[[noreturn]] void fail(const char* what, pgm_error_t* error) {
  throw Failure{fmt::format("{}: {}", what, error != nullptr ? error->message : "refused")};
}

template <typename Value>
void set(pgm_sock_t* socket, int level, int option, const Value& value, const char* name) {
  if (!pgm_setsockopt(socket, level, option, &value, sizeof(value))) {
    throw Failure{fmt::format("pgm_setsockopt {} refused", name)};
  }
}
#define SET(socket, option, value) set(socket, IPPROTO_PGM, option, value, #option)

void set_common(pgm_sock_t* socket, const Options& o) {
  const int port = o.port;
  SET(socket, PGM_UDP_ENCAP_UCAST_PORT, port);
  SET(socket, PGM_UDP_ENCAP_MCAST_PORT, port);
  SET(socket, PGM_IP_ROUTER_ALERT, 0);
  SET(socket, PGM_MTU, kPacketBytes);
  SET(socket, PGM_NOBLOCK, 1);
  set(socket, SOL_SOCKET, SO_RCVBUF, kSocketBuffer, "SO_RCVBUF");
  set(socket, SOL_SOCKET, SO_SNDBUF, kSocketBuffer, "SO_SNDBUF");
}

void set_sender(pgm_sock_t* socket, const Options& o) {
  const std::array<int, 9> heartbeats = {pgm_msecs(100), pgm_msecs(100),  pgm_msecs(100),
                                         pgm_msecs(100), pgm_msecs(1300), pgm_secs(7),
                                         pgm_secs(16),   pgm_secs(25),    pgm_secs(30)};
  SET(socket, PGM_SEND_ONLY, 1);
  SET(socket, PGM_TXW_SQNS, kWindow);
  if (o.limit_mbps > 0) {
    SET(socket, PGM_TXW_MAX_RTE, static_cast<int>(o.limit_mbps * kBytesPerMegabit));
  }
  SET(socket, PGM_AMBIENT_SPM, static_cast<int>(pgm_secs(30)));
  SET(socket, PGM_HEARTBEAT_SPM, heartbeats);
}

void set_receiver(pgm_sock_t* socket, const Options& o) {
  const Timers& timers = o.settings == Settings::kTuned ? kTuned : kExamples;
  SET(socket, PGM_RECV_ONLY, 1);
  SET(socket, PGM_PASSIVE, 0);
  SET(socket, PGM_RXW_SQNS, kWindow);
  SET(socket, PGM_PEER_EXPIRY, static_cast<int>(pgm_secs(300)));
  SET(socket, PGM_SPMR_EXPIRY, static_cast<int>(pgm_msecs(250)));
  SET(socket, PGM_NAK_BO_IVL, timers.nak_back_off_us);
  SET(socket, PGM_NAK_RPT_IVL, timers.nak_repeat_us);
  SET(socket, PGM_NAK_RDATA_IVL, timers.nak_data_us);
  SET(socket, PGM_NAK_DATA_RETRIES, 50);
  SET(socket, PGM_NAK_NCF_RETRIES, 50);
}

pgm_sock_t* open_socket(const Options& o) {
  pgm_error_t* error = nullptr;
  if (!pgm_init(&error)) fail("pgm_init", error);
  pgm_addrinfo_t* network = nullptr;
  if (!pgm_getaddrinfo((o.address + ";" + o.group).c_str(), nullptr, &network, &error)) {
    fail("pgm_getaddrinfo", error);
  }
  pgm_sock_t* socket = nullptr;
  if (!pgm_socket(&socket, AF_INET, SOCK_SEQPACKET, IPPROTO_UDP, &error)) {
    fail("pgm_socket", error);
  }
  set_common(socket, o);
  o.sends ? set_sender(socket, o) : set_receiver(socket, o);

  pgm_sockaddr_t own{};
  own.sa_port = kDataPort;
  const char* name = o.sends ? "sender" : "receiver";  // one host name: it would give one identity
  if (!pgm_gsi_create_from_string(&own.sa_addr.gsi, name, -1)) fail("pgm_gsi", nullptr);
  pgm_interface_req_t interface {};
  interface.ir_interface = network->ai_recv_addrs[0].gsr_interface;
  interface.ir_address = network->ai_send_addrs[0].gsr_addr;
  if (!pgm_bind3(socket, &own, sizeof(own), &interface, sizeof(interface), &interface,
                 sizeof(interface), &error)) {
    fail("pgm_bind3", error);
  }
  SET(socket, PGM_JOIN_GROUP, network->ai_recv_addrs[0]);
  SET(socket, PGM_SEND_GROUP, network->ai_send_addrs[0]);
  SET(socket, PGM_MULTICAST_LOOP, 0);
  SET(socket, PGM_MULTICAST_HOPS, 1);
  pgm_freeaddrinfo(network);
  if (!pgm_connect(socket, &error)) fail("pgm_connect", error);
  return socket;
}

class PgmSender : public Sender {
 public:
  explicit PgmSender(const Options& o) : socket_(open_socket(o)) {}

  bool send(std::span<const std::byte> message) override {
    if (++sends_ % kSendsAService == 0) serve();
    const int status = pgm_send(socket_, message.data(), message.size(), nullptr);
    if (status == PGM_IO_STATUS_ERROR) throw Failure{"pgm_send failed"};
    return status == PGM_IO_STATUS_NORMAL;  // else would block, or is over its rate
  }

  // NAKs are answered and announcements sent by whoever receives on the socket.
  void serve() override {
    std::array<std::byte, kPacketBytes> none{};
    size_t length = 0;
    pgm_error_t* error = nullptr;
    [[maybe_unused]] const int status =
        pgm_recv(socket_, none.data(), none.size(), MSG_DONTWAIT, &length, &error);
    if (error != nullptr) pgm_error_free(error);
  }

 private:
  pgm_sock_t* socket_;
  unsigned sends_ = 0;
};

class PgmReceiver : public Receiver {
 public:
  explicit PgmReceiver(const Options& o)
      : socket_(open_socket(o)), waits_(o.settings == Settings::kExamples) {}

  void poll(Recorder& recorder) override {
    size_t length = 0;
    pgm_error_t* error = nullptr;
    const int status =
        pgm_recvmsgv(socket_, messages_.data(), messages_.size(), MSG_DONTWAIT, &length, &error);
    // RESET tells of unrecoverable loss: the account shows it, and reading goes on.
    if (error != nullptr) pgm_error_free(error);
    if (status != PGM_IO_STATUS_NORMAL) {
      if (waits_) wait(status);
      return;
    }
    size_t seen = 0;
    for (size_t i = 0; i < messages_.size() && seen < length; ++i) {
      const pgm_msgv_t& message = messages_[i];
      const pgm_sk_buff_t* packet = message.msgv_skb[0];  // never fragmented: it fits a packet
      recorder.receive({static_cast<const std::byte*>(packet->data), packet->len});
      for (uint32_t part = 0; part < message.msgv_len; ++part) seen += message.msgv_skb[part]->len;
    }
  }

 private:
  // For a packet, or until the library's next timer.
  void wait(int status) {
    timeval left{0, kWaitUs};
    socklen_t length = sizeof(left);
    if (status == PGM_IO_STATUS_TIMER_PENDING) {
      pgm_getsockopt(socket_, IPPROTO_PGM, PGM_TIME_REMAIN, &left, &length);
    }
    if (left.tv_sec > 0 || left.tv_usec > kWaitUs) left = {0, kWaitUs};
    fd_set ready;
    FD_ZERO(&ready);
    int descriptors = 0;
    pgm_select_info(socket_, &ready, nullptr, &descriptors);
    ::select(descriptors, &ready, nullptr, nullptr, &left);
  }

  pgm_sock_t* socket_;
  bool waits_;
  std::array<pgm_msgv_t, kMessagesAPoll> messages_{};
};

}  // namespace

const char* const kPeerName = "pgm";
std::unique_ptr<Sender> make_sender(const Options& o) { return std::make_unique<PgmSender>(o); }
std::unique_ptr<Receiver> make_receiver(const Options& o) {
  return std::make_unique<PgmReceiver>(o);
}

}  // namespace lambdacast::peers
