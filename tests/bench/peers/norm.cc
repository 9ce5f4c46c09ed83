// SPDX-License-Identifier: BSD-3-Clause
// NORM 1.5 (RFC 5740): a stream of messages, congestion control off. The library's own threads send
// and receive; ours write and read the stream, many short messages a packet when flat out, each
// pushed out at once when paced.
#include <fmt/format.h>
#include <normApi.h>
#include <poll.h>

#include <cstring>
#include <vector>

#include "message.h"
#include "peer.h"
#include "recorder.h"

namespace lambdacast::peers {
namespace {

constexpr uint16_t kSegmentBytes = 1400;
constexpr uint16_t kBlockSegments = 64;
constexpr unsigned kBufferBytes = 128 << 20;  // normStreamer: 2 MiB
constexpr unsigned kSocketBuffer = 4 << 20;
constexpr double kBitsPerMegabit = 1e6;
constexpr double kMostBitsPerSecond = 10e9;
constexpr int kPollMs = 10;
constexpr NormNodeId kSenderNode = 1;
constexpr NormNodeId kReceiverNode = 2;

struct Session {
  NormInstanceHandle instance;
  NormSessionHandle session;
};

Session open_session(const Options& o) {
  const NormInstanceHandle instance = NormCreateInstance();
  if (instance == NORM_INSTANCE_INVALID) throw Failure{"NormCreateInstance failed"};
  const NormSessionHandle session =
      NormCreateSession(instance, o.group.c_str(), o.port, o.sends ? kSenderNode : kReceiverNode);
  if (session == NORM_SESSION_INVALID) throw Failure{"NormCreateSession failed"};
  if (!NormSetMulticastInterface(session, o.interface.c_str())) {
    throw Failure{"NormSetMulticastInterface failed"};
  }
  NormSetRxPortReuse(session, true);
  return {instance, session};
}

class NormSender : public Sender {
 public:
  explicit NormSender(const Options& o) : session_(open_session(o)), paced_(o.rate != 0) {
    const NormSessionHandle session = session_.session;
    NormSetCongestionControl(session, false);
    NormSetTxRate(session, o.limit_mbps > 0 ? o.limit_mbps * kBitsPerMegabit : kMostBitsPerSecond);
    if (o.settings == Settings::kTuned) {  // as normStreamer has them
      NormSetGrttEstimate(session, 0.001);
      NormSetBackoffFactor(session, 0);
    }
    if (!NormStartSender(session, 1, kBufferBytes, kSegmentBytes, kBlockSegments, 0)) {
      throw Failure{"NormStartSender failed"};
    }
    NormSetTxSocketBuffer(session, kSocketBuffer);
    stream_ = NormStreamOpen(session, kBufferBytes);
    if (stream_ == NORM_OBJECT_INVALID) throw Failure{"NormStreamOpen failed"};
  }

  bool send(std::span<const std::byte> message) override {
    if (!drain()) return false;
    rest_.assign(message.begin(), message.end());
    begin_ = 0;
    drain();
    return true;
  }

  void flush() override {
    while (!drain()) serve();
    NormStreamFlush(stream_, true, NORM_FLUSH_ACTIVE);
  }

  void serve() override {
    NormEvent event;
    pollfd ready{NormGetDescriptor(session_.instance), POLLIN, 0};
    while (::poll(&ready, 1, begin_ < rest_.size() ? 1 : 0) > 0) {
      if (!NormGetNextEvent(session_.instance, &event, false)) break;
    }
  }

  [[nodiscard]] bool sleeps() const override { return true; }

 private:
  // What the stream has not taken yet of the last message; true if nothing is left.
  bool drain() {
    if (begin_ == rest_.size()) return true;
    begin_ += NormStreamWrite(stream_, reinterpret_cast<const char*>(rest_.data()) + begin_,
                              static_cast<unsigned>(rest_.size() - begin_));
    if (begin_ < rest_.size()) return false;
    if (!paced_) NormStreamMarkEom(stream_);
    return true;
  }

  Session session_;
  bool paced_;
  NormObjectHandle stream_ = NORM_OBJECT_INVALID;
  std::vector<std::byte> rest_;
  size_t begin_ = 0;
};

class NormReceiver : public Receiver {
 public:
  explicit NormReceiver(const Options& o) : session_(open_session(o)), message_(o.bytes) {
    NormSetDefaultSyncPolicy(session_.session, NORM_SYNC_STREAM);
    if (!NormStartReceiver(session_.session, kBufferBytes)) {
      throw Failure{"NormStartReceiver failed"};
    }
    NormSetRxSocketBuffer(session_.session, kSocketBuffer);
  }

  void poll(Recorder& recorder) override {
    pollfd ready{NormGetDescriptor(session_.instance), POLLIN, 0};
    if (::poll(&ready, 1, kPollMs) <= 0) return;
    NormEvent event;
    while (NormGetNextEvent(session_.instance, &event, false)) {
      if (event.type == NORM_RX_OBJECT_UPDATED) read(event.object, recorder);
    }
  }

 private:
  void read(NormObjectHandle stream, Recorder& recorder) {
    for (;;) {
      if (!in_step_) {
        filled_ = 0;
        in_step_ = NormStreamSeekMsgStart(stream);
        if (!in_step_) return;
      }
      const auto wanted = static_cast<unsigned>(message_.size() - filled_);
      unsigned got = wanted;
      if (!NormStreamRead(stream, reinterpret_cast<char*>(message_.data()) + filled_, &got)) {
        in_step_ = false;  // broken: messages are lost, the next one begins anew
        continue;
      }
      filled_ += got;
      if (got < wanted) return;
      recorder.receive(message_);
      filled_ = 0;
    }
  }

  Session session_;
  std::vector<std::byte> message_;
  size_t filled_ = 0;
  bool in_step_ = false;
};

}  // namespace

const char* const kPeerName = "norm";
std::unique_ptr<Sender> make_sender(const Options& o) { return std::make_unique<NormSender>(o); }
std::unique_ptr<Receiver> make_receiver(const Options& o) {
  return std::make_unique<NormReceiver>(o);
}

}  // namespace lambdacast::peers
