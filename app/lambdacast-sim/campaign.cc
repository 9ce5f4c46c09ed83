// SPDX-License-Identifier: BSD-3-Clause
#include "campaign.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>

#include <chrono>
#include <cstdio>
#include <iterator>
#include <mutex>

#include "../command_line.h"
#include "base/plain_text.h"
#include "pcap_file.h"
#include "progress_file.h"
#include "sim/multicast/random_rates.h"
#include "sim/multicast/random_ring.h"
#include "sim/multicast/random_scenario.h"
#include "sim/multicast/random_views.h"

namespace lambdacast::sim_program {

namespace {

using Clock = std::chrono::steady_clock;

// What all threads report to.
class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options)
      : options_(options), begun_(Clock::now()), told_(begun_), saved_(begun_) {}

  // False: the file is of no use, and why has been said.
  bool load() {
    if (options_.resume.empty()) return true;
    if (const auto loaded = load_progress(options_.resume, progress_); !loaded) {
      fmt::print(stderr, "{}\n", base::shown(loaded.error().message));
      return false;
    }
    before_ = progress_.coverage.seeds;
    return true;
  }

  void run() {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    options_.jobs > 0
                                        ? static_cast<size_t>(options_.jobs)
                                        : static_cast<size_t>(tbb::info::default_concurrency()));
    using Kind = CampaignOptions::Kind;
    const uint64_t reliable = options_.kind == Kind::kReliable ? options_.seeds
                              : options_.kind == Kind::kBoth   ? (options_.seeds + 1) / 2
                                                               : 0;
    // The range is halved again and again: the threads work on both kinds.
    tbb::parallel_for(uint64_t{0}, options_.seeds, [&](uint64_t i) {
      const uint64_t seed =
          options_.first_seed + (i < reliable ? reliable_seed(i) : view_seed(i - reliable));
      if (!progress_.done.contains(seed)) note(seed, sim::run_seed(seed));
    });
    save();
  }

  // One scenario of four has messages of several packets.
  [[nodiscard]] static uint64_t reliable_seed(uint64_t i) {
    return i % 4 == 3 ? sim::kPartsSeeds + i : i;
  }
  // Seven kinds of scenarios with views take turns: plain ones, messages of several packets in
  // total order, such messages of all levels, groups with names, rates agreed on, locks of groups,
  // and a fabric that tells of deaths.
  [[nodiscard]] uint64_t view_seed(uint64_t i) const {
    using Kind = CampaignOptions::Kind;
    switch (options_.kind) {
      case Kind::kRates:
        return sim::kRateSeeds + i;
      case Kind::kRing:
        return sim::kRingSeeds + i;
      case Kind::kLocks:
        return (i % 4 == 3 ? sim::kSuspendedSeeds : sim::kHandlerSeeds) + i;
      case Kind::kDeaths:
        return sim::kDeathSeeds + i;
      case Kind::kReliable:
      case Kind::kViews:
      case Kind::kBoth:
        break;
    }
    constexpr uint64_t kKinds[] = {sim::kViewSeeds,  sim::kLongSeeds, sim::kViewPartsSeeds,
                                   sim::kGroupSeeds, sim::kRateSeeds, sim::kHandlerSeeds,
                                   sim::kDeathSeeds};
    return kKinds[i % std::size(kKinds)] + i;
  }

  int verdict() {
    tell();
    progress_.coverage.for_each([](const char*, const char* help, uint64_t value) {
      fmt::print("{:>14}  {}\n", value, help);
    });
    fmt::print("{} seeds, {} with violations, {:.0f} seeds/s\n", progress_.coverage.seeds,
               progress_.failed.size(), rate());
    for (const uint64_t seed : progress_.failed)
      fmt::print("replay: lambdacast-sim replay --seed {} --trace\n", seed);
    if (const char* missing = progress_.coverage.missing(); missing != nullptr) {
      fmt::print("The campaign proves nothing: {}.\n", missing);
      return app::kExitFailed;
    }
    return progress_.failed.empty() ? app::kExitOk : app::kExitFailed;
  }

 private:
  void note(uint64_t seed, const sim::SeedResult& result) {
    const std::lock_guard lock(mutex_);
    progress_.coverage.add(result.coverage);
    progress_.finished.push_back(seed);
    if (!result.violations.empty()) {
      progress_.failed.insert(seed);
      fmt::print(stderr, "seed {}: {} violations, the first: {}\n", seed, result.violations.size(),
                 result.violations.front());
    }
    const auto now = Clock::now();
    if (now - told_ >= std::chrono::seconds(5)) tell();
    if (now - saved_ >= std::chrono::seconds(10)) save();
  }
  void tell() {
    told_ = Clock::now();
    fmt::print(stderr, "{} of {} seeds, {:.0f} a second, {} with violations\n",
               progress_.coverage.seeds, options_.seeds, rate(), progress_.failed.size());
  }
  void save() {
    saved_ = Clock::now();
    if (options_.resume.empty()) return;
    if (const auto saved = save_progress(options_.resume, progress_); !saved)
      fmt::print(stderr, "{}\n", base::shown(saved.error().message));
  }
  [[nodiscard]] double rate() const {
    const std::chrono::duration<double> seconds = Clock::now() - begun_;
    return static_cast<double>(progress_.coverage.seeds - before_) / seconds.count();
  }

  CampaignOptions options_;
  Clock::time_point begun_;
  Clock::time_point told_;
  Clock::time_point saved_;
  uint64_t before_ = 0;  // seeds done by an earlier run
  std::mutex mutex_;
  Progress progress_;
};

}  // namespace

int run_campaign(const CampaignOptions& options) {
  Campaign campaign(options);
  if (!campaign.load()) return app::kExitUsage;
  campaign.run();
  return campaign.verdict();
}

int run_replay(uint64_t seed, bool trace, bool calm, const std::string& capture) {
  sim::Trace::Listener print;
  if (trace) print = [](const std::string& line) { fmt::print("{}\n", line); };
  PcapFile file(capture);
  sim::Simulation::Tap tap;
  if (!capture.empty()) tap = [&](auto frame, uint64_t now_ns) { file.add(frame, now_ns); };
  const sim::SeedResult result = sim::run_seed(seed, sim::make_shipped_endpoint, print, tap,
                                               calm ? sim::Weather::kCalm : sim::Weather::kWild);
  if (!capture.empty() && !file.end()) {
    fmt::print(stderr, "lambdacast-sim: cannot write the capture {}\n", base::shown(capture));
    return app::kExitUsage;
  }
  for (const std::string& violation : result.violations) fmt::print("{}\n", violation);
  fmt::print("seed {}: {} violations, trace {:016x}\n", seed, result.violations.size(),
             result.trace_hash);
  return result.violations.empty() ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::sim_program
