// Kernel UDP multicast, unreliable: what sockets alone do. Many messages a system call when sent
// flat out, never more than one in a datagram. The receiver waits for its socket or, tuned, polls
// it.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "message.h"
#include "peer.h"
#include "recorder.h"

namespace lambdacast::peers {
namespace {

constexpr size_t kBatch = 64;
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

// Beyond the system's limit where we may.
void set_buffer(int socket, int forced, int plain) {
  if (::setsockopt(socket, SOL_SOCKET, forced, &kSocketBuffer, sizeof(kSocketBuffer)) != 0) {
    check(::setsockopt(socket, SOL_SOCKET, plain, &kSocketBuffer, sizeof(kSocketBuffer)),
          "socket buffer");
  }
}

struct Batch {
  explicit Batch(uint32_t bytes) {
    for (size_t i = 0; i < kBatch; ++i) {
      data[i].resize(bytes);
      vectors[i] = {data[i].data(), bytes};
      messages[i].msg_hdr.msg_iov = &vectors[i];
      messages[i].msg_hdr.msg_iovlen = 1;
    }
  }
  std::array<std::vector<std::byte>, kBatch> data;
  std::array<iovec, kBatch> vectors{};
  std::array<mmsghdr, kBatch> messages{};
};

class UdpSender : public Sender {
 public:
  explicit UdpSender(const Options& o)
      : socket_(::socket(AF_INET, SOCK_DGRAM, 0)), batch_(o.bytes), batched_(o.rate == 0) {
    check(socket_, "socket");
    set_buffer(socket_, SO_SNDBUFFORCE, SO_SNDBUF);
    const sockaddr_in own = address(o.address, 0);
    const int none = 0;
    check(::setsockopt(socket_, IPPROTO_IP, IP_MULTICAST_IF, &own.sin_addr, sizeof(own.sin_addr)),
          "IP_MULTICAST_IF");
    check(::setsockopt(socket_, IPPROTO_IP, IP_MULTICAST_LOOP, &none, sizeof(none)),
          "IP_MULTICAST_LOOP");
    const sockaddr_in group = address(o.group, o.port);
    check(::connect(socket_, reinterpret_cast<const sockaddr*>(&group), sizeof(group)), "connect");
  }

  bool send(std::span<const std::byte> message) override {
    std::memcpy(batch_.data[filled_].data(), message.data(), message.size());
    if (++filled_ == kBatch || !batched_) flush();
    return true;
  }

  void flush() override {
    for (size_t done = 0; done < filled_;) {
      const int sent = ::sendmmsg(socket_, batch_.messages.data() + done,
                                  static_cast<unsigned>(filled_ - done), 0);
      if (sent < 0 && errno != EINTR && errno != ENOBUFS) check(sent, "sendmmsg");
      if (sent > 0) done += static_cast<size_t>(sent);
    }
    filled_ = 0;
  }

 private:
  int socket_;
  Batch batch_;
  size_t filled_ = 0;
  bool batched_;
};

class UdpReceiver : public Receiver {
 public:
  explicit UdpReceiver(const Options& o)
      : socket_(::socket(AF_INET, SOCK_DGRAM, 0)),
        batch_(o.bytes),
        flags_(o.settings == Settings::kTuned ? MSG_DONTWAIT : MSG_WAITFORONE) {
    check(socket_, "socket");
    set_buffer(socket_, SO_RCVBUFFORCE, SO_RCVBUF);
    check(::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kWait, sizeof(kWait)), "SO_RCVTIMEO");
    const sockaddr_in group = address(o.group, o.port);
    check(::bind(socket_, reinterpret_cast<const sockaddr*>(&group), sizeof(group)), "bind");
    const ip_mreq membership{group.sin_addr, address(o.address, 0).sin_addr};
    check(::setsockopt(socket_, IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof(membership)),
          "IP_ADD_MEMBERSHIP");
  }

  void poll(Recorder& recorder) override {
    const int heard = ::recvmmsg(socket_, batch_.messages.data(), kBatch, flags_, nullptr);
    if (heard < 0 && errno != EAGAIN && errno != EINTR) check(heard, "recvmmsg");
    for (int i = 0; i < heard; ++i) {
      const auto n = static_cast<size_t>(i);
      recorder.receive({batch_.data[n].data(), batch_.messages[n].msg_len});
    }
  }

 private:
  int socket_;
  Batch batch_;
  int flags_;
};

}  // namespace

const char* const kPeerName = "udp";
std::unique_ptr<Sender> make_sender(const Options& o) { return std::make_unique<UdpSender>(o); }
std::unique_ptr<Receiver> make_receiver(const Options& o) {
  return std::make_unique<UdpReceiver>(o);
}

}  // namespace lambdacast::peers
