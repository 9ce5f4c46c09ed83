// SPDX-License-Identifier: BSD-3-Clause
// libFuzzer target: messages of the group layer, raw or mended so that they fit the state of the
// group layer, among deliveries, views and an application that joins, leaves and publishes out of
// the calls it gets. Nothing may be read out of bounds or grow beyond its bounds, messages said
// must be well formed, and the application must get its calls in their order.
//
// The input has for each event one byte of kind, one of choice, and what event() reads.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "base/bytes.h"
#include "fuzz_input.h"
#include "group/group_layer.h"
#include "group_application.h"
#include "outside_callers.h"

namespace {

using namespace lambdacast;
using Bytes = std::vector<uint8_t>;
using test::GroupApplication;
using test::require;

constexpr size_t kMaxEvents = 512;
constexpr size_t kMaxSaid = 64;
// Two ask for one number.
constexpr std::array kNames{"a", "b", "\xc3\xa9t\xc3\xa9", "group 5613", "group 45646"};

group::GroupConfig config_of(const wire::StreamName& self) {
  group::GroupConfig config;
  config.self = self;
  config.names = 4;
  config.state_bytes = 1024;
  config.queue_bytes = 1024;
  config.packet_bytes = 96;
  config.completions = 4;
  config.requests.calls = 4;
  config.requests.tickets = 2;
  config.requests.answers_bytes = 512;
  config.requests.forwards = 2;
  config.sessions = 2;
  return config;
}

using Input = test::FuzzInput;

class Trial final : private group::Carrier, private group::Completion, private group::CallHandler {
 public:
  explicit Trial(uint8_t choice) : self_(new_node()), core_(config_of(self_), *this) {
    for (const char* name : kNames)
      applications_.push_back(std::make_unique<GroupApplication>(core_, name, mischief_));
    const size_t others = choice & 3;
    for (size_t i = 0; i < others; ++i) nodes_.push_back(new_node());
    nodes_.insert((choice & 4) != 0 ? nodes_.begin() : nodes_.end(), self_);
    core_.view(++epoch_, nodes_, (choice & 8) != 0 ? others : 0);
  }

  // A message of another node.
  void message(Input& in, uint8_t choice) {
    const uint8_t mend = in.byte();
    const uint8_t target = in.byte();
    Bytes payload = in.bytes(in.byte() & 127);
    size_t rank = choice % nodes_.size();
    if (nodes_[rank] == self_) rank = (rank + 1) % nodes_.size();
    if (nodes_[rank] == self_) return;
    if ((mend & 1) != 0) fit(payload, mend, target);
    const bool to_directory = (mend & 1) != 0 && payload[0] == 1;
    take(nodes_[rank], to_directory ? wire::kDirectoryGroup : group_of(target), payload,
         static_cast<wire::Qos>((mend & 128) != 0 ? choice >> 4 : 3));
  }
  void data(Input& in, uint8_t choice) {
    const Bytes message = in.bytes(in.byte());
    group::Delivery delivery = from(nodes_[choice % nodes_.size()], group_of(in.byte()));
    delivery.qos = static_cast<wire::Qos>(choice >> 4 & 3);
    core_.deliver(delivery, message, in.byte());
  }
  // The next `count` messages that this endpoint has said come back to it.
  void hear(size_t count) {
    for (; count != 0 && !said_.empty(); --count) {
      const Said said = std::move(said_.front());
      said_.pop_front();
      if (!said.request) {
        take(self_, said.group, said.bytes, wire::Qos::kTotallyOrdered);
        continue;
      }
      wire::Envelope envelope;
      if (wire::load_envelope(said.bytes, envelope) && envelope.type == wire::RequestType::kOpen)
        outside_.opened(next_place());
      core_.request_message(from(self_, said.group), said.bytes);
    }
  }
  void view(uint8_t stay, uint8_t joining) {
    hear(said_.size());  // or it would be said again
    for (size_t i = nodes_.size(); i-- > 0;) {
      if (nodes_[i] != self_ && (stay >> i & 1) == 0)
        nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    const size_t stayed = nodes_.size();
    for (size_t i = 0; i < (joining & 3u) && nodes_.size() < 8; ++i) nodes_.push_back(new_node());
    index_ = 0;
    core_.view(++epoch_, nodes_, stayed);
  }
  void poll(uint8_t room) {
    room_ = room & 7;
    stable_ = published_;
    core_.poll(now_ns_ += 50, true);
  }
  void join(uint8_t which) {
    which %= kNames.size();
    (void)core_.join(kNames[which], *applications_[which]);
  }
  void leave(uint8_t which) { (void)core_.leave(kNames[which % kNames.size()]); }
  void publish(uint8_t which) {
    (void)core_.publish(kNames[which % kNames.size()], {}, wire::Qos::kTotallyOrdered, this, which);
  }
  // A call of this endpoint's.
  void call(uint8_t choice) {
    group::CallOptions options;
    options.want = static_cast<group::Want>(choice & 3);
    options.qos = static_cast<wire::Qos>(choice >> 2 & 7);
    if (options.qos > wire::Qos::kTotallyResilient) options.qos = wire::Qos::kMajority;
    options.handler = 1;
    options.answers = choice >> 5 & 3;
    options.timeout_ns = choice;
    const bool heard = options.want != group::Want::kNothing;
    const uint64_t token = heard ? ++calls_ : 0;
    const auto result = core_.call(kNames[choice % kNames.size()], Bytes(choice & 7), options,
                                   heard ? this : nullptr, token);
    if (heard && result == group::Result::kOk) under_way_.insert(token);
    require(core_.calls().under_way() <= config_of(self_).requests.calls, "calls are bounded");
  }
  // A message of the request layer: anything, or an envelope that fits.
  void request(Input& in, uint8_t choice) {
    const uint8_t mend = in.byte();
    const uint8_t target = in.byte();
    Bytes payload = in.bytes(in.byte() & 127);
    if ((mend & 1) != 0 && (mend & 64) != 0) return outside(mend, target, choice);
    size_t rank = choice % nodes_.size();
    if (nodes_[rank] == self_) rank = (rank + 1) % nodes_.size();
    if (nodes_[rank] == self_) return;
    if ((mend & 1) != 0) {
      payload.resize(std::max<size_t>(payload.size(), wire::kEnvelopeBytes));
      const bool answers = (mend & 2) != 0;
      wire::Envelope envelope;
      envelope.type = answers ? wire::RequestType::kAnswer : wire::RequestType::kRequest;
      envelope.want = static_cast<wire::RequestWant>(mend >> 2 & 3);
      envelope.status = static_cast<wire::AnswerStatus>(mend >> 4 & 1);
      envelope.handler = 1;
      envelope.caller = answers ? self_ : nodes_[rank];
      envelope.number = answers && last_number_ != 0 ? last_number_ : target + 1u;
      envelope.floor = envelope.number - 1;
      envelope.stamp = {epoch_ + (mend >> 5 & 1), 1};
      envelope.most_answer_bytes = target;
      envelope.patience_ms = target;
      wire::store_envelope(envelope, payload.data());
    }
    hand_over(nodes_[rank], group_of(target), std::move(payload),
              (mend & 128) != 0 ? choice >> 4 & 3 : 3);
  }
  // A message of a caller outside the view, or what an entry has made of it.
  void outside(uint8_t mend, uint8_t target, uint8_t choice) {
    const wire::Envelope envelope = outside_.envelope(mend, target, choice);
    if ((mend & 16) != 0) {
      wire::Forwarded to;
      to.entry = self_.gid;
      to.entry_qpn = self_.qpn + choice / 128u;
      to.name = kNames[target % kNames.size()];
      to.qos = (mend & 32) != 0 ? wire::Qos::kMajority : wire::Qos::kReliable;
      Bytes payload = choice % 8 == 7 ? test::OutsideCallers::find(envelope)
                                      : test::OutsideCallers::forward(envelope, to);
      return hand_over(envelope.caller, wire::personal_group(self_.gid, self_.qpn),
                       std::move(payload), 1);
    }
    size_t rank = choice % nodes_.size();
    if (nodes_[rank] == self_) rank = (rank + 1) % nodes_.size();
    if (nodes_[rank] == self_) return;
    if (envelope.type == wire::RequestType::kOpen) outside_.opened(next_place());
    hand_over(nodes_[rank], group_of(target % 16), test::OutsideCallers::published(envelope), 3);
  }
  [[nodiscard]] wire::RequestPlace next_place() const { return {epoch_, index_ + 1}; }
  void hand_over(const wire::StreamName& source, uint32_t group, Bytes payload, int qos) {
    payload.shrink_to_fit();
    group::Delivery delivery = from(source, group);
    delivery.qos = static_cast<wire::Qos>(qos);
    core_.request_message(delivery, payload);
  }
  void gap() { core_.gap({nodes_[0], 1}); }
  void out() { core_.out(group::End::kExcluded); }
  void set_mischief(uint8_t mischief) { mischief_ = mischief; }

  void check() const {
    require(core_.waiting_bytes() <= config_of(self_).state_bytes, "states are bounded");
    require(core_.directory().size() <= config_of(self_).names, "the directory is bounded");
    size_t wanted = 1;
    std::set<uint32_t> numbers;
    for (size_t i = 0; i < core_.directory().size(); ++i) {
      const group::Group& group = core_.directory().at(i);
      const group::Members& members = group.members;
      require(members.all.within(base::NodeSet::first(nodes_.size())), "members are in the view");
      require(members.waiting.within(members.all), "who waits is a member");
      require(members.unserved.within(members.waiting), "who is not served waits");
      require(numbers.insert(group.number).second, "numbers are not shared");
      require(group.name_bytes == 0 || wire::valid_group_name(group.name()), "names are plain");
      wanted += members.waiting.count();
    }
    require(core_.forwards().under_way() <= 2, "forwards are bounded");
    require(core_.sending() <= wanted, "only states are sent that somebody waits for");
  }

 private:
  wire::StreamName new_node() {
    ++named_;
    return {wire::gid_from_ipv4(0x0a000100 + named_), 0x10, named_};
  }
  [[nodiscard]] group::Delivery from(const wire::StreamName& source, uint32_t group) {
    group::Delivery delivery;
    delivery.group = group;
    delivery.source = source;
    delivery.qos = wire::Qos::kTotallyOrdered;
    delivery.epoch = epoch_;
    delivery.index = index_++;
    return delivery;
  }
  void take(const wire::StreamName& source, uint32_t group, Bytes payload, wire::Qos qos) {
    payload.shrink_to_fit();
    group::Delivery delivery = from(source, group);
    delivery.qos = qos;
    core_.group_message(delivery, payload);
  }
  [[nodiscard]] uint32_t group_of(uint8_t target) const {
    const group::Directory& directory = core_.directory();
    if (target < 16 && directory.size() != 0) return directory.at(target % directory.size()).number;
    if (target < 32) return wire::kDirectoryGroup;
    return wire::kFirstNamedGroup + target;
  }
  // Of few locks; a token that somebody may have, or none, and an heir that may be.
  void fit_lock(Bytes& payload, bool acquires) const {
    wire::GroupLock lock{payload[11] % 3u, payload[1] % 2 == 1, {}, {}};
    if (payload[15] % 4 != 0) lock.token = {epoch_, index_ - payload[31] % 8};
    if (!nodes_.empty() && payload[55] % 2 == 1) lock.heir = nodes_[payload[55] % nodes_.size()];
    payload.resize(acquires ? wire::store_group_acquire(lock, payload.data())
                            : wire::store_group_release(lock, payload.data()));
  }
  // Makes the payload a message of a known type: with one of the names, or a piece of this view.
  void fit(Bytes& payload, uint8_t mend, uint8_t target) const {
    const uint8_t type = 1 + (mend >> 1 & 7) % 7;
    if (type == 1) {
      const std::string_view name = kNames[target % kNames.size()];
      payload.assign(wire::kGroupHeaderBytes, 0);
      payload.insert(payload.end(), name.begin(), name.end());
    } else if ((type == 2 || type == 3) && payload.size() >= wire::kGroupReleaseBytes) {
      return fit_lock(payload, type == 2);
    } else if (type == 2 || type == 3) {
      payload.assign(wire::kGroupHeaderBytes, 0);
    } else {
      const size_t words = type > 5 ? 2 : 1;
      const bool piece = type == 4 || type == 6;
      const size_t head = piece ? wire::group_piece_bytes(words) : wire::group_refuse_bytes(words);
      if (payload.size() < head || !piece) payload.resize(head);
      base::store_be64(&payload[8], epoch_);
      const uint64_t back = payload[23];
      base::store_be64(&payload[16], back == 0 ? wire::kViewIndex : index_ - back % 8);
      for (size_t i = 24 + 8 * words; i < head; ++i) payload[i] = i % 8 < 6 ? 0 : payload[i] & 31;
    }
    std::fill(payload.begin(), payload.begin() + wire::kGroupHeaderBytes, 0);
    payload[0] = type;
  }

  bool say(std::span<const uint8_t> payload, uint32_t group, wire::Qos qos) override {
    require(payload.size() <= config_of(self_).packet_bytes, "what is said has its room");
    wire::GroupMessage message;
    require(wire::load_group_message(payload, message), "what is said is well formed");
    require(qos == wire::Qos::kTotallyResilient, "the group layer is totally resilient");
    if (room_ == 0 || said_.size() >= kMaxSaid) return false;
    --room_;
    said_.push_back({group, Bytes(payload.begin(), payload.end()), false});
    return true;
  }
  group::Result request(std::span<const uint8_t> envelope, std::span<const uint8_t> message,
                        uint32_t group, wire::Qos qos) override {
    wire::Envelope loaded;
    require(wire::load_envelope(envelope, loaded), "an envelope is well formed");
    if (room_ == 0 || said_.size() >= kMaxSaid) return group::Result::kAgain;
    --room_;
    ++published_;
    last_number_ = loaded.number;
    if (qos < wire::Qos::kTotallyOrdered) return group::Result::kOk;
    said_.push_back({group, Bytes(envelope.begin(), envelope.end()), true});
    said_.back().bytes.insert(said_.back().bytes.end(), message.begin(), message.end());
    return group::Result::kOk;
  }
  group::Result answer(std::span<const uint8_t> envelope, const group::Content& message,
                       uint32_t group) override {
    wire::Envelope loaded;
    require(wire::load_envelope(envelope, loaded), "an envelope is well formed");
    const bool outside = loaded.type != wire::RequestType::kAnswer || loaded.session.epoch != 0;
    require(outside || loaded.caller != self_, "an own answer needs no message");
    require(group == wire::personal_group(loaded.caller.gid, loaded.caller.qpn),
            "an answer goes to its caller");
    require(message.bytes().size() <= 255, "an answer is no longer than its caller takes");
    if (room_ == 0) return group::Result::kAgain;
    --room_;
    return group::Result::kOk;
  }
  void ended(uint64_t token, const group::Outcome&) override {
    require(under_way_.erase(token) == 1, "a call ends once");
    if ((mischief_ & 32) != 0) call(static_cast<uint8_t>(token * 37));
  }
  group::Result publish(std::span<const uint8_t>, uint32_t, wire::Qos) override {
    ++published_;
    return group::Result::kOk;
  }
  bool subscribe(uint32_t group) override {
    if (subscribed_.size() == 3) return subscribed_.contains(group);
    subscribed_.insert(group);
    return true;
  }
  void unsubscribe(uint32_t group) override { subscribed_.erase(group); }
  [[nodiscard]] uint64_t published() const override { return published_; }
  [[nodiscard]] uint64_t stable() const override { return stable_; }
  [[nodiscard]] uint64_t operational() const override { return epoch_; }
  void stable(uint64_t token) override {
    if ((mischief_ & 32) != 0) publish(static_cast<uint8_t>(token));
  }
  void unknown(uint64_t) override {}

  uint32_t named_ = 0;
  wire::StreamName self_;
  std::vector<wire::StreamName> nodes_;
  uint64_t epoch_ = 0, index_ = 0, published_ = 0, stable_ = 0;
  uint8_t mischief_ = 0;
  size_t room_ = 0;
  struct Said {
    uint32_t group = 0;
    Bytes bytes;
    bool request = false;
  };
  std::deque<Said> said_;
  uint64_t now_ns_ = 0, calls_ = 0, last_number_ = 0;
  std::set<uint64_t> under_way_;  // calls, by token
  test::OutsideCallers outside_;
  std::set<uint32_t> subscribed_;
  std::vector<std::unique_ptr<GroupApplication>> applications_;
  group::GroupLayer core_;
};

void event(Trial& trial, Input& in) {
  const uint8_t kind = in.byte();
  const uint8_t choice = in.byte();
  switch (kind % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
      return trial.message(in, choice);
    case 4:
      return trial.data(in, choice);
    case 5:
    case 6:
      return trial.hear(choice & 15);
    case 7:
    case 8:
      return trial.poll(choice);
    case 9:
      return choice % 2 == 0 ? trial.call(choice / 2) : trial.request(in, choice / 2);
    case 10:
      return trial.join(choice);
    case 11:
      return trial.leave(choice);
    case 12:
      return trial.publish(choice);
    case 13:
      return trial.view(choice, in.byte());
    case 14:
      return trial.set_mischief(choice);
    default:
      return choice == 255 ? trial.out() : trial.gap();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  Input in(data, bytes);
  Trial trial(in.byte());
  for (size_t events = 0; events < kMaxEvents && !in.empty(); ++events) {
    event(trial, in);
    trial.check();
  }
  return 0;
}
