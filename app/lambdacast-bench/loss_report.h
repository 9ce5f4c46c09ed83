// What a loss run found, and how it is told.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dataplane/loss_account.h"
#include "loss_options.h"

namespace lambdacast::app {

struct LossReport {
  std::vector<std::string> names;  // of the nodes
  std::vector<dataplane::ReceiverAccount> receivers;
  std::vector<dataplane::TransmitterAccount> transmitters;
  // By sequence: packets its peers numbered that it has not seen. The second, independent account.
  std::vector<uint64_t> missing;
  uint64_t psn_wraps_sent = 0;
  uint64_t psn_wraps_seen = 0;  // by all receivers together
  uint64_t psn_mismatches = 0;
  uint64_t wrong_content = 0;
  uint64_t window_timeouts = 0;
  uint64_t wire_bytes_per_packet = 0;
  double elapsed_s = 0;

  [[nodiscard]] uint64_t sent() const;
  [[nodiscard]] uint64_t expected() const;  // sent x receivers
  [[nodiscard]] uint64_t delivered() const;
  [[nodiscard]] uint64_t lost() const;
  [[nodiscard]] uint64_t duplicates() const;
  [[nodiscard]] uint64_t corrupted() const;
  [[nodiscard]] double loss_ratio() const;
  [[nodiscard]] double loss_ratio_upper95() const;
  // sent x receivers (and copies the fabric made) = delivered + duplicates + lost by reason, at
  // every receiver; and the sequences tell the same losses.
  [[nodiscard]] bool identity_holds() const;
  [[nodiscard]] bool losses_agree(size_t receiver) const;  // by sequence and by counter
};

[[nodiscard]] std::string text_of(const LossReport& report, const LossOptions& options);
[[nodiscard]] std::string json_of(const LossReport& report, const LossOptions& options);

// Upper end of the one-sided 95 % confidence interval of a probability after `events` in `trials`
// (Poisson; for no events 3.0 / trials, the rule of three). 0 trials: 1.
[[nodiscard]] double upper95(uint64_t events, uint64_t trials);

}  // namespace lambdacast::app
