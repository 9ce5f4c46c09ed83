// SPDX-License-Identifier: BSD-3-Clause
// Kernel UDP multicast, unreliable: what sockets alone do. Many messages a system call when sent
// flat out, never more than one in a datagram. The receiver waits for its socket or, tuned, polls
// it.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "message.h"
#include "peer.h"
#include "recorder.h"

namespace lambdacast::peers {
namespace {

constexpr size_t kBatch = 64;              // and as many as the kernel takes with offload
constexpr size_t kMostOffloaded = 65'507;  // bytes of a UDP datagram
constexpr timeval kWait = {0, 10'000};
constexpr int kSocketBuffer = 8 << 20;  // some 10 000 datagrams: longer than a time slice

sockaddr_in address(const std::string& text, uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_port = htons(port);
  if (::inet_pton(AF_INET, text.c_str(), &result.sin_addr) != 1) {
    throw Failure{text + " is no IPv4 address"};
  }
  return result;
}

void check(int result, const char* what) {
  if (result < 0) throw Failure{fmt::format("{}: {}", what, std::strerror(errno))};
}

template <typename Value>
void set(int socket, int level, int option, const Value& value, const char* name) {
  check(::setsockopt(socket, level, option, &value, sizeof(value)), name);
}

// Beyond the system's limit where we may.
void set_buffer(int socket, int forced, int plain) {
  if (::setsockopt(socket, SOL_SOCKET, forced, &kSocketBuffer, sizeof(kSocketBuffer)) != 0) {
    check(::setsockopt(socket, SOL_SOCKET, plain, &kSocketBuffer, sizeof(kSocketBuffer)),
          "socket buffer");
  }
}

// Buffers for many system calls' worth of datagrams, side by side.
struct Batch {
  Batch(size_t count, size_t bytes) : data(count * bytes), vectors(count), messages(count) {
    for (size_t i = 0; i < count; ++i) {
      vectors[i] = {data.data() + i * bytes, bytes};
      messages[i].msg_hdr.msg_iov = &vectors[i];
      messages[i].msg_hdr.msg_iovlen = 1;
    }
  }
  std::vector<std::byte> data;
  std::vector<iovec> vectors;
  std::vector<mmsghdr> messages;
};

class UdpSender : public Sender {
 public:
  explicit UdpSender(const Options& o)
      : socket_(::socket(AF_INET, SOCK_DGRAM, 0)),
        bytes_(o.bytes),
        most_(o.rate != 0 ? 1 : std::min(kBatch, kMostOffloaded / o.bytes)),
        offload_(o.settings == Settings::kOffload),
        batch_(kBatch, o.bytes) {
    check(socket_, "socket");
    set_buffer(socket_, SO_SNDBUFFORCE, SO_SNDBUF);
    const sockaddr_in own = address(o.address, 0);
    set(socket_, IPPROTO_IP, IP_MULTICAST_IF, own.sin_addr, "IP_MULTICAST_IF");
    set(socket_, IPPROTO_IP, IP_MULTICAST_LOOP, 0, "IP_MULTICAST_LOOP");
    if (offload_) set(socket_, IPPROTO_UDP, UDP_SEGMENT, static_cast<int>(o.bytes), "UDP_SEGMENT");
    const sockaddr_in group = address(o.group, o.port);
    check(::connect(socket_, reinterpret_cast<const sockaddr*>(&group), sizeof(group)), "connect");
  }

  bool send(std::span<const std::byte> message) override {
    std::memcpy(batch_.data.data() + filled_ * bytes_, message.data(), bytes_);
    if (++filled_ == most_) flush();
    return true;
  }

  void flush() override {
    for (size_t done = 0; done < filled_;) {
      const ssize_t sent = offload_ ? send_whole() : send_from(done);
      if (sent < 0 && errno != EINTR && errno != ENOBUFS) check(-1, "send");
      if (sent > 0) done += static_cast<size_t>(sent);
    }
    filled_ = 0;
  }

 private:
  // Both return how many messages were sent.
  ssize_t send_whole() {
    const ssize_t sent = ::send(socket_, batch_.data.data(), filled_ * bytes_, 0);
    return sent < 0 ? sent : static_cast<ssize_t>(filled_);
  }
  ssize_t send_from(size_t first) {
    return ::sendmmsg(socket_, batch_.messages.data() + first,
                      static_cast<unsigned>(filled_ - first), 0);
  }

  int socket_;
  size_t bytes_;
  size_t most_;  // messages a batch
  bool offload_;
  Batch batch_;
  size_t filled_ = 0;
};

class UdpReceiver : public Receiver {
 public:
  explicit UdpReceiver(const Options& o)
      : socket_(::socket(AF_INET, SOCK_DGRAM, 0)),
        bytes_(o.bytes),
        flags_(o.settings == Settings::kExamples ? MSG_WAITFORONE : MSG_DONTWAIT),
        batch_(kBatch, o.settings == Settings::kOffload ? kMostOffloaded : kMostBytes) {
    check(socket_, "socket");
    set_buffer(socket_, SO_RCVBUFFORCE, SO_RCVBUF);
    set(socket_, SOL_SOCKET, SO_RCVTIMEO, kWait, "SO_RCVTIMEO");
    if (o.settings == Settings::kOffload) set(socket_, IPPROTO_UDP, UDP_GRO, 1, "UDP_GRO");
    const sockaddr_in group = address(o.group, o.port);
    check(::bind(socket_, reinterpret_cast<const sockaddr*>(&group), sizeof(group)), "bind");
    const ip_mreq membership{group.sin_addr, address(o.address, 0).sin_addr};
    set(socket_, IPPROTO_IP, IP_ADD_MEMBERSHIP, membership, "IP_ADD_MEMBERSHIP");
  }

  void poll(Recorder& recorder) override {
    const int heard = ::recvmmsg(socket_, batch_.messages.data(), kBatch, flags_, nullptr);
    if (heard < 0 && errno != EAGAIN && errno != EINTR) check(heard, "recvmmsg");
    for (int i = 0; i < heard; ++i) {
      const auto n = static_cast<size_t>(i);
      std::span<const std::byte> rest(static_cast<const std::byte*>(batch_.vectors[n].iov_base),
                                      batch_.messages[n].msg_len);
      while (!rest.empty()) {  // one, but with offload
        const size_t length = std::min(rest.size(), bytes_);
        recorder.receive(rest.first(length));
        rest = rest.subspan(length);
      }
    }
  }

 private:
  int socket_;
  size_t bytes_;
  int flags_;
  Batch batch_;
};

}  // namespace

const char* const kPeerName = "udp";
std::unique_ptr<Sender> make_sender(const Options& o) { return std::make_unique<UdpSender>(o); }
std::unique_ptr<Receiver> make_receiver(const Options& o) {
  return std::make_unique<UdpReceiver>(o);
}

}  // namespace lambdacast::peers
