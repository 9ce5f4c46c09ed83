// Do the checkers find a broken core? Each mutant wraps the shipped endpoint and breaks one
// promise; the campaign must find it within a few seeds, by the checker whose promise it is.

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>

#include "sim/checkers.h"

namespace lambdacast::sim {
namespace {

using counters::DropReason;
using endpoint::PacketInfo;

// Breaks what the shipped endpoint decided about a frame.
class MutantReceiver : public SimEndpoint {
 public:
  using Mutation = std::function<DropReason(uint8_t* frame, PacketInfo&, DropReason, uint64_t nth)>;

  MutantReceiver(const endpoint::EndpointConfig& config, Mutation mutation)
      : SimEndpoint(config), mutation_(std::move(mutation)) {}
  DropReason receive(uint8_t* frame, size_t bytes, uint64_t now_ns, PacketInfo& out) override {
    const DropReason outcome = SimEndpoint::receive(frame, bytes, now_ns, out);
    return mutation_(frame, out, outcome, nth_++);
  }

 private:
  Mutation mutation_;
  uint64_t nth_ = 0;
};

// Breaks what the shipped endpoint reports of a stream.
class MutantAccountant : public SimEndpoint {
 public:
  using Mutation = std::function<void(reliability::StreamReport&)>;

  MutantAccountant(const endpoint::EndpointConfig& config, Mutation mutation)
      : SimEndpoint(config), mutation_(std::move(mutation)) {}
  std::optional<reliability::StreamReport> finish(const endpoint::EndpointIdentity& peer,
                                                  uint64_t first, uint64_t sent) override {
    auto report = SimEndpoint::finish(peer, first, sent);
    if (report) mutation_(*report);
    return report;
  }

 private:
  Mutation mutation_;
};

// Reports its streams without being told where they began and ended.
class TailForgetter : public SimEndpoint {
 public:
  using SimEndpoint::SimEndpoint;
  std::optional<reliability::StreamReport> finish(const endpoint::EndpointIdentity& peer,
                                                  uint64_t first, uint64_t /*sent*/) override {
    return SimEndpoint::finish(peer, first, 0);
  }
};

// Numbers a frame twice, so that one number never goes out.
class NumberSkipper : public SimEndpoint {
 public:
  using SimEndpoint::SimEndpoint;
  size_t prepare(uint8_t* frame, size_t bytes, uint32_t group, wire::Qos qos,
                 uint64_t now_ns) override {
    if (++prepared_ == 7) (void)SimEndpoint::prepare(frame, bytes, group, qos, now_ns);
    return SimEndpoint::prepare(frame, bytes, group, qos, now_ns);
  }

 private:
  uint64_t prepared_ = 0;
};

EndpointFactory receiver(MutantReceiver::Mutation mutation) {
  return [mutation](size_t, const endpoint::EndpointConfig& config) {
    return std::make_unique<MutantReceiver>(config, mutation);
  };
}

EndpointFactory accountant(MutantAccountant::Mutation mutation) {
  return [mutation](size_t, const endpoint::EndpointConfig& config) {
    return std::make_unique<MutantAccountant>(config, mutation);
  };
}

using Checker = std::function<Violations(const Scenario&, const Report&)>;

// Seeds until `checker` finds the mutant; 0: not within 20.
uint64_t seeds_to_find(const EndpointFactory& mutant, const Checker& checker) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Scenario scenario = random_scenario(seed);
    if (!checker(scenario, Simulation(scenario, seed, mutant).run()).empty()) return seed;
  }
  return 0;
}

const Checker kIntegrity = check_integrity;
const Checker kAccounting = check_accounting;
const Checker kStages = [](const Scenario&, const Report& report) { return check_stages(report); };

TEST(Mutation, none__expect_nothing_found) {
  EXPECT_EQ(seeds_to_find(make_shipped_endpoint, check_all), 0u);
}

TEST(Mutation, delivers_duplicates__expect_found_by_all) {
  const auto mutant = receiver([](uint8_t*, PacketInfo&, DropReason outcome, uint64_t) {
    return outcome == DropReason::kDuplicate ? DropReason::kNone : outcome;
  });
  EXPECT_NE(seeds_to_find(mutant, kIntegrity), 0u);
  EXPECT_NE(seeds_to_find(mutant, kAccounting), 0u);
  EXPECT_NE(seeds_to_find(mutant, kStages), 0u);
}

TEST(Mutation, skips_one_delivery__expect_found_by_accounting) {
  const auto mutant = receiver([](uint8_t*, PacketInfo&, DropReason outcome, uint64_t nth) {
    return nth == 20 && outcome == DropReason::kNone ? DropReason::kNotSubscribed : outcome;
  });
  EXPECT_NE(seeds_to_find(mutant, kAccounting), 0u);
}

TEST(Mutation, accepts_bad_icrc__expect_found_by_integrity_and_accounting) {
  const EndpointFactory mutant = [](size_t node, endpoint::EndpointConfig config) {
    config.icrc = wire::IcrcMode::kGenerate;
    return make_shipped_endpoint(node, config);
  };
  EXPECT_NE(seeds_to_find(mutant, kIntegrity), 0u);
  EXPECT_NE(seeds_to_find(mutant, kAccounting), 0u);
}

TEST(Mutation, refuses_a_good_frame_as_damaged__expect_found_by_accounting) {
  const auto mutant = receiver([](uint8_t*, PacketInfo&, DropReason outcome, uint64_t nth) {
    return nth == 30 ? DropReason::kBadIcrc : outcome;
  });
  EXPECT_NE(seeds_to_find(mutant, kAccounting), 0u);
}

TEST(Mutation, delivers_own_frames__expect_found_by_integrity) {
  const auto mutant = receiver([](uint8_t*, PacketInfo&, DropReason outcome, uint64_t) {
    return outcome == DropReason::kOwnFrame ? DropReason::kNone : outcome;
  });
  EXPECT_NE(seeds_to_find(mutant, kIntegrity), 0u);
}

TEST(Mutation, ignores_subscriptions__expect_found_by_integrity) {
  const EndpointFactory mutant = [](size_t node, endpoint::EndpointConfig config) {
    config.delivery.ordering.subscribe_all = true;
    return make_shipped_endpoint(node, config);
  };
  EXPECT_NE(seeds_to_find(mutant, kIntegrity), 0u);
}

TEST(Mutation, takes_too_old_for_new__expect_found_by_accounting) {
  const auto mutant = receiver([](uint8_t*, PacketInfo&, DropReason outcome, uint64_t) {
    return outcome == DropReason::kTooOld ? DropReason::kNone : outcome;
  });
  EXPECT_NE(seeds_to_find(mutant, kAccounting), 0u);
}

TEST(Mutation, spoils_a_byte__expect_found_by_integrity) {
  const auto mutant = receiver([](uint8_t* frame, PacketInfo& info, DropReason outcome, uint64_t) {
    if (outcome == DropReason::kNone && info.payload_bytes > 0) frame[info.payload_offset] ^= 1;
    return outcome;
  });
  EXPECT_NE(seeds_to_find(mutant, kIntegrity), 0u);
}

TEST(Mutation, cuts_a_byte_off__expect_found_by_integrity) {
  const auto mutant = receiver([](uint8_t*, PacketInfo& info, DropReason outcome, uint64_t) {
    if (info.payload_bytes > 0) --info.payload_bytes;
    return outcome;
  });
  EXPECT_NE(seeds_to_find(mutant, kIntegrity), 0u);
}

TEST(Mutation, names_another_sender__expect_found_by_integrity) {
  const auto mutant = receiver([](uint8_t*, PacketInfo& info, DropReason outcome, uint64_t) {
    info.peer ^= 1;
    return outcome;
  });
  EXPECT_NE(seeds_to_find(mutant, kIntegrity), 0u);
}

TEST(Mutation, forgets_the_tail__expect_found_by_accounting) {
  const EndpointFactory mutant = [](size_t, const endpoint::EndpointConfig& config) {
    return std::make_unique<TailForgetter>(config);
  };
  EXPECT_NE(seeds_to_find(mutant, kAccounting), 0u);
}

TEST(Mutation, skips_a_number__expect_found_by_accounting_and_stages) {
  const EndpointFactory mutant = [](size_t, const endpoint::EndpointConfig& config) {
    return std::make_unique<NumberSkipper>(config);
  };
  EXPECT_NE(seeds_to_find(mutant, kAccounting), 0u);
  EXPECT_NE(seeds_to_find(mutant, kStages), 0u);
}

TEST(Mutation, miscounts_a_stream__expect_each_found_by_accounting) {
  using Report = reliability::StreamReport;
  const std::pair<const char*, MutantAccountant::Mutation> mutants[] = {
      {"one missing too few", [](Report& r) { r.current.missing -= r.current.missing > 0; }},
      {"late never leaves missing", [](Report& r) { r.current.missing += r.current.late; }},
      {"duplicates as received", [](Report& r) { r.current.received += r.current.duplicates; }},
      {"no late", [](Report& r) { r.current.late = 0; }},
      {"no too old", [](Report& r) { r.current.too_old = 0; }},
      {"no gaps", [](Report& r) { r.current.gaps = 0; }},
      {"no wraps", [](Report& r) { r.psn_wraps = 0; }},
      {"32-bit sequences", [](Report& r) { r.highest_frame_seq &= 0xffffffff; }},
      {"31-bit incarnations", [](Report& r) { r.incarnation &= 0x7fffffff; }},
  };
  for (const auto& [name, mutation] : mutants) {
    EXPECT_NE(seeds_to_find(accountant(mutation), kAccounting), 0u) << name;
  }
}

}  // namespace
}  // namespace lambdacast::sim
