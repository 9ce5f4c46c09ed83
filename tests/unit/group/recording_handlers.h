// SPDX-License-Identifier: BSD-3-Clause
// Handlers that write down what they hear, a word a call.
#pragma once

#include <string>
#include <vector>

#include "group/handlers.h"

namespace lambdacast::group {

struct RecordingHandlers final : Handlers {
  void delivered(const Delivery& delivery, std::span<const uint8_t>) override {
    heard.push_back("message " + std::string(delivery.name));
  }
  void view(const GroupView& view) override {
    heard.push_back("view " + std::to_string(view.members.size()) + " +" +
                    std::to_string(view.joined.size()) + " -" +
                    std::to_string(view.departed.size()));
  }
  void handler(const HandlerEvent& event) override {
    constexpr const char* kWhat[] = {"granted", "moved", "freed", "queued", "refused"};
    heard.push_back(kWhat[static_cast<size_t>(event.what)] + (" " + std::to_string(event.handler)) +
                    " by " + std::to_string(event.token.epoch) + "." +
                    std::to_string(event.token.place) + (event.own ? " here" : ""));
  }
  void gap(const Gap&) override { heard.emplace_back("gap"); }
  void restore(std::span<const uint8_t> state) override {
    heard.push_back("restore " + std::to_string(state.size()));
  }
  void state_lost() override { heard.emplace_back("lost"); }
  void ended(End reason) override { heard.push_back("ended: " + std::string(text(reason))); }

  // Drains what was heard since the last call.
  [[nodiscard]] std::vector<std::string> take() { return std::exchange(heard, {}); }

  std::vector<std::string> heard;
};

using Heard = std::vector<std::string>;

}  // namespace lambdacast::group
