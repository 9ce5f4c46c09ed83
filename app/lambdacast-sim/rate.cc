// SPDX-License-Identifier: BSD-3-Clause
#include "rate.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../command_line.h"
#include "base/plain_text.h"
#include "sim/multicast/loss_run.h"
#include "sim/multicast/rate_run.h"

namespace lambdacast::sim_program {

namespace {

using Json = nlohmann::ordered_json;

constexpr double kMostOff = 0.01;  // of the optimum on a plateau
constexpr double kLeastJain = 0.999;
constexpr double kMostSlowed = 1.5;  // an ordered message's median round trip, by losses
// Each receiver loses other frames: with more nodes the repairs alone fill what the load leaves.
constexpr size_t kLossNodes = 4;

class RateTables {
 public:
  explicit RateTables(const RateOptions& options)
      : options_(options), out_(options.json == "-" ? stderr : stdout) {}

  void print_raises() {
    fmt::print(out_,
               "| nodes | load | increases | p50, us | most, us | in one-way trips | bound, us | "
               "held |\n|---|---|---|---|---|---|---|---|\n");
    for (const bool loaded : {false, true}) {
      for (const size_t nodes : options_.nodes) print_raise(nodes, loaded);
    }
  }

  void print_figure() {
    const sim::FigureFigures figures =
        sim::measure_figure({.plateau_ns = options_.plateau_ms * 1'000'000,
                             .latency_ns = options_.latency_ns,
                             .seed = options_.seed});
    fmt::print(out_,
               "\n| plateau | node 0 | node 1 | node 2 | node 3 | Jain | held |\n"
               "|---|---|---|---|---|---|---|\n");
    for (size_t plateau = 0; plateau < sim::kPlateaus; ++plateau) print_plateau(figures, plateau);
    const bool held = figures.one_view && figures.dropped == 0 && figures.repairs == 0;
    fmt::print(out_, "\n{} frames dropped, {} repairs, at most {} bytes in front of a receiver\n",
               figures.dropped, figures.repairs, figures.most_waiting_bytes);
    held_ &= held;
    json_["dropped"] = figures.dropped;
    json_["repairs"] = figures.repairs;
    json_["most_waiting_bytes"] = figures.most_waiting_bytes;
    json_["figure_raise_ns"] = figures.raise_ns;
  }

  void print_losses() {
    fmt::print(
        out_,
        "\n| nodes | loss | messages | repairs | p50, us | p99, us | p50 to that without loss "
        "| held |\n|---|---|---|---|---|---|---|---|\n");
    for (const size_t nodes : {kLossNodes, 2 * kLossNodes}) {
      uint64_t whole_ns = 0;
      for (const double loss : {0.0, 0.001, 0.01}) whole_ns = print_loss(nodes, loss, whole_ns);
    }
  }

  [[nodiscard]] bool held() const { return held_; }
  [[nodiscard]] bool write() {
    if (options_.json.empty()) return true;
    json_["held"] = held_;
    const std::string text = json_.dump(2) + "\n";
    if (options_.json == "-") return std::fputs(text.c_str(), stdout) >= 0;
    std::ofstream file(options_.json);
    file << text;
    return file.flush().good();
  }

 private:
  void print_raise(size_t nodes, bool loaded) {
    const sim::RaiseRun run{.nodes = nodes,
                            .loaded = loaded,
                            .latency_ns = options_.latency_ns,
                            .ack_ns = options_.ack_ns,
                            .raises = options_.raises,
                            .seed = options_.seed};
    const sim::RaiseFigures figures = sim::measure_raises(run);
    const uint64_t bound_ns = sim::raise_bound_ns(run);
    const bool held = figures.sound() && figures.max_ns <= bound_ns;
    held_ &= held;
    const auto us = [](uint64_t ns) { return static_cast<double>(ns) / 1e3; };
    const double trips =
        static_cast<double>(figures.max_ns) / static_cast<double>(options_.latency_ns);
    fmt::print(out_, "| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {} |\n", nodes,
               loaded ? "0.9 of the shares" : "none", figures.granted, us(figures.p50_ns),
               us(figures.max_ns), trips, us(bound_ns),
               !figures.sound() ? "incomplete"
               : held           ? "yes"
                                : "exceeded");
    json_["raises"].push_back({{"nodes", nodes},
                               {"load", loaded ? 0.9 : 0.0},
                               {"asked", figures.asked},
                               {"granted", figures.granted},
                               {"p50_ns", figures.p50_ns},
                               {"max_ns", figures.max_ns},
                               {"one_way_trips", trips},
                               {"bound_ns", bound_ns},
                               {"held", held}});
  }

  void print_plateau(const sim::FigureFigures& figures, size_t plateau) {
    const sim::FigureRates& parts = figures.parts[plateau];
    const double jain = sim::jain_index(parts);
    bool held = jain >= kLeastJain;
    fmt::print(out_, "| {} |", plateau + 1);
    for (const double part : parts) {
      held &= part >= 1 - kMostOff && part <= 1 + kMostOff;
      fmt::print(out_, " {:.4f} |", part);
    }
    fmt::print(out_, " {:.5f} | {} |\n", jain, held ? "yes" : "exceeded");
    held_ &= held;
    json_["plateaus"].push_back({{"needs", sim::figure_needs(plateau)},
                                 {"optimum", sim::figure_optimum(plateau)},
                                 {"of_optimum", parts},
                                 {"jain_index", jain},
                                 {"held", held}});
  }

  // Returns the median without loss: `whole_ns`, or this run's if there is none yet.
  uint64_t print_loss(size_t nodes, double loss, uint64_t whole_ns) {
    const sim::LossFigures figures = sim::measure_loss({.nodes = nodes,
                                                        .loss = loss,
                                                        .latency_ns = options_.latency_ns,
                                                        .ack_ns = options_.ack_ns,
                                                        .seed = options_.seed});
    if (whole_ns == 0) whole_ns = figures.p50_ns;
    const double slowed = static_cast<double>(figures.p50_ns) / static_cast<double>(whole_ns);
    const bool bound = nodes <= kLossNodes;
    const bool held = figures.sound() && (!bound || slowed <= kMostSlowed);
    held_ &= held;
    fmt::print(out_, "| {} | {} | {} | {} | {:.2f} | {:.2f} | {:.3f} | {} |\n", nodes, loss,
               figures.accepted, figures.repairs, static_cast<double>(figures.p50_ns) / 1e3,
               static_cast<double>(figures.p99_ns) / 1e3, slowed,
               !figures.sound() ? "incomplete"
               : !bound         ? "no bound"
               : held           ? "yes"
                                : "exceeded");
    json_["losses"].push_back({{"nodes", nodes},
                               {"loss", loss},
                               {"messages", figures.accepted},
                               {"repairs", figures.repairs},
                               {"p50_ns", figures.p50_ns},
                               {"p99_ns", figures.p99_ns},
                               {"slowed", slowed},
                               {"held", held}});
    return whole_ns;
  }

  const RateOptions& options_;
  std::FILE* out_;
  Json json_;
  bool held_ = true;
};

}  // namespace

int run_rate(const RateOptions& options) {
  RateTables tables(options);
  tables.print_raises();
  tables.print_figure();
  tables.print_losses();
  if (!tables.write()) {
    fmt::print(stderr, "lambdacast-sim: cannot write the report {}\n", base::shown(options.json));
    return app::kExitUsage;
  }
  return tables.held() ? app::kExitOk : app::kExitFailed;
}

}  // namespace lambdacast::sim_program
