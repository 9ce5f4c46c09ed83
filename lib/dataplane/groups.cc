#include "dataplane/groups.h"

#include "dataplane/ordering_stage.h"

namespace lambdacast::dataplane {

using group::Result;

namespace {

Result result_of(SendResult sent) {
  switch (sent) {
    case SendResult::kSent:
      return Result::kOk;
    case SendResult::kAgain:
      return Result::kAgain;
    case SendResult::kTooLong:
      return Result::kTooLong;
    case SendResult::kNotInView:
      return Result::kNotInView;
  }
  return Result::kAgain;
}

}  // namespace

Groups::Groups(const Config& config, const endpoint::PeerTable& peers, Publisher& publisher,
               OrderingStage& ordering)
    : self_(config.core.self),
      peers_(peers),
      publisher_(publisher),
      ordering_(ordering),
      core_(config.core, static_cast<group::Carrier&>(*this)) {}

void Groups::gap(const endpoint::GapEvent& gap) {
  core_.gap({name_of(gap.peer, gap.incarnation), gap.count});
}

void Groups::view(const endpoint::ViewEvent& event) {
  using What = endpoint::ViewEvent::What;
  epoch_ = event.id.epoch;
  if (event.what == What::kView) {
    core_.view(event.id.epoch, event.members, event.stayed);
  } else {
    core_.out(event.what == What::kLeft ? group::End::kLeft : group::End::kExcluded);
  }
}

void Groups::poll(uint64_t now_ns) {
  now_ns_ = now_ns;
  if (!outgoing_.done()) (void)send_the_rest();
  core_.poll();
}

bool Groups::say(std::span<const uint8_t> payload, uint32_t group, wire::Qos qos) {
  return outgoing_.done() && publisher_.send_group(payload, group, qos) == SendResult::kSent;
}

Result Groups::publish(std::span<const uint8_t> message, uint32_t group, wire::Qos qos) {
  if (!outgoing_.done()) return Result::kAgain;
  if (message.size() <= publisher_.max_loan_bytes())
    return result_of(publisher_.send(message, group, qos, now_ns_));
  if (message.size() > publisher_.max_message_bytes()) return Result::kTooLong;
  if (!publisher_.takes(qos)) return Result::kNotInView;
  long_.assign(message.begin(), message.end());
  outgoing_ = Outgoing(long_, group, qos);
  (void)send_the_rest();
  return Result::kOk;
}

// Out of the view what is left of it goes nowhere.
bool Groups::send_the_rest() {
  const SendResult sent = publisher_.send(outgoing_, now_ns_);
  if (sent == SendResult::kNotInView) outgoing_ = {};
  return sent == SendResult::kSent;
}

bool Groups::subscribe(uint32_t group) { return ordering_.core().ordering().subscribe(group); }

void Groups::unsubscribe(uint32_t group) { ordering_.core().ordering().unsubscribe(group); }

}  // namespace lambdacast::dataplane
