#include "control.h"

#include <fmt/format.h>

#include "drivers/net/odbss/odbss_control.h"
#include "wire/gid.h"

namespace lambdacast::app {
namespace {

// As a terminal may show it.
std::string printable(std::span<const uint8_t> text) {
  std::string shown;
  for (const uint8_t c : text) {
    if (c >= ' ' && c != 0x7f) {
      shown += static_cast<char>(c);  // UTF-8 passes
    } else {
      shown += fmt::format("\\x{:02x}", c);
    }
  }
  return shown;
}

}  // namespace

const std::string& Control::name(size_t endpoint) { return rack_.endpoint(endpoint).config().name; }

dataplane::LcoreLoop& Control::loop_of(size_t endpoint) {
  return rack_.loop(rack_.endpoint(endpoint).config().stages.ordering);
}

void Control::set_rate_pps(size_t endpoint, uint64_t rate_pps) {
  const uint64_t now_ns = rack_.clock().now_ns();
  loop_of(endpoint).run_here([&] { applications_[endpoint]->set_rate_pps(rate_pps, now_ns); });
}

base::Result<void> Control::send(size_t endpoint, uint32_t group, std::string_view text) {
  const size_t most =
      std::min(Note::kTextBytes, rack_.endpoint(endpoint).publisher().max_message_bytes());
  if (text.size() > most) {
    return base::fail(fmt::format("TEXT: {} bytes are too long; allowed: {}", text.size(), most));
  }
  if (applications_[endpoint]->send_note(group, text)) return {};
  return base::fail(name(endpoint) + " has not sent the last messages yet; try again later");
}

base::Result<void> Control::listen(size_t endpoint, uint32_t group) {
  bool was_member = true;
  bool is_member = true;
  bool listens = false;
  loop_of(endpoint).run_here([&] {
    auto& groups = rack_.endpoint(endpoint).ordering().core().ordering();
    was_member = groups.subscribed(group);
    is_member = groups.subscribe(group);
    listens = is_member && applications_[endpoint]->listen(group);
  });
  if (!was_member && is_member) joined_.emplace_back(endpoint, group);
  if (listens) return {};
  return base::fail(name(endpoint) + " listens to as many groups as it can; listen off ends it");
}

void Control::listen_off() {
  for (size_t i = 0; i < applications_.size(); ++i) {
    loop_of(i).run_here([&] {
      applications_[i]->listen_off();
      for (const auto& [endpoint, group] : joined_) {
        if (endpoint == i) rack_.endpoint(i).ordering().core().ordering().unsubscribe(group);
      }
    });
  }
  joined_.clear();
}

base::Result<fabric::FaultRates> Control::faults(size_t endpoint) {
  return odbss::faults(rack_.endpoint(endpoint).port().id());
}

base::Result<void> Control::set_faults(size_t endpoint, const fabric::FaultRates& rates) {
  return odbss::set_faults(rack_.endpoint(endpoint).port().id(), rates);
}

base::Result<void> Control::set_line_rate_bps(size_t endpoint, uint64_t rate_bps) {
  return odbss::set_line_rate_bps(rack_.endpoint(endpoint).port().id(), rate_bps);
}

std::string Control::heard() {
  std::string text;
  std::vector<dataplane::EndpointSnapshot> snapshot;  // who the peers are, once it is asked
  uint64_t unheard = 0;
  for (size_t i = 0; i < applications_.size(); ++i) {
    while (const Note* note = applications_[i]->heard()) {
      if (snapshot.empty()) snapshot = rack_.snapshot();
      const auto& peers = snapshot[i].peers;
      const std::string from =
          note->peer < peers.size() ? wire::format(peers[note->peer].gid) : "somebody";
      const std::string more =
          note->bytes > Note::kTextBytes ? fmt::format(" ... ({} bytes)", note->bytes) : "";
      text += fmt::format("{}: group {} from {}: {}{}\n", name(i), note->group, from,
                          printable(note->shown()), more);
      applications_[i]->pop_heard();
    }
    unheard += applications_[i]->unheard();
  }
  if (unheard != unheard_) {
    text += fmt::format("{} more messages, too fast to be shown\n", unheard - unheard_);
    unheard_ = unheard;
  }
  return text;
}

}  // namespace lambdacast::app
