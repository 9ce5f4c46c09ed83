// SPDX-License-Identifier: BSD-3-Clause
#include "sim/fabrics/graphs_spec.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/plain_text.h"
#include "sim/fabrics/graphs_figures.h"
#include "sim/fabrics/graphs_gml.h"
#include "sim/fabrics/graphs_random.h"
#include "sim/fabrics/graphs_regular.h"

namespace lambdacast::sim::fabrics {

namespace {

using Numbers = std::vector<uint32_t>;

constexpr uint64_t kMostFileBytes = 64u << 20;

base::Result<Numbers> numbers_of(const std::string& text, size_t count) {
  Numbers numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  while (true) {
    uint32_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || (stop != end && *stop != ','))
      return base::fail("'" + text + "' is not a list of whole numbers, as in 4,7");
    numbers.push_back(number);
    if (stop == end) break;
    at = stop + 1;
  }
  if (numbers.size() != count)
    return base::fail(std::to_string(numbers.size()) + " numbers where " + std::to_string(count) +
                      " are wanted");
  return numbers;
}

// One sentence if the value is outside of its range.
base::Result<void> within(const char* what, uint64_t value, uint64_t least, uint64_t most) {
  if (value >= least && value <= most) return {};
  return base::fail(std::string(what) + " is " + std::to_string(value) + ": from " +
                    std::to_string(least) + " to " + std::to_string(most) + " are allowed");
}

base::Result<Fabric> make_fat_tree(const Numbers& n, uint64_t) {
  return within("K", n[0], 2, 128).and_then([&]() -> base::Result<Fabric> {
    if (n[0] % 2 != 0) return base::fail("K is even");
    return fat_tree(n[0]);
  });
}

// As many links as a connected simple graph can have.
base::Result<void> check_links(const Numbers& n) {
  return within("NODES", n[0], 2, kMostNodes).and_then([&] {
    const uint64_t pairs = uint64_t{n[0]} * (n[0] - 1) / 2;
    return within("LINKS", n[1], n[0] - 1, std::min(pairs, kMostLinks));
  });
}

base::Result<Fabric> make_jellyfish(const Numbers& n, uint64_t seed) {
  return check_links(n).and_then([&] { return draw_jellyfish(n[0], n[1], seed); }).map(all_racks);
}

base::Result<Fabric> make_random(const Numbers& n, uint64_t seed) {
  return check_links(n).and_then([&] { return draw_random(n[0], n[1], seed); }).map(all_racks);
}

base::Result<Fabric> make_wan(const Numbers& n, uint64_t seed) {
  return check_links(n)
      .and_then([&] { return within("DIAMETER", n[2], 2, n[0] - 1); })
      .and_then([&] { return within("DEGREE", n[3], 2, n[0] - 1); })
      .and_then([&] { return draw_wan(n[0], n[1], n[2], n[3], seed); })
      .map(all_racks);
}

base::Result<Fabric> make_hamming(const Numbers& n, uint64_t) {
  if (auto held = within("N", n[0], 2, 1'024); !held) return tl::unexpected(held.error());
  if (auto held = within("DIGITS", n[1], 1, 20); !held) return tl::unexpected(held.error());
  uint64_t nodes = 1;
  for (uint32_t digit = 0; digit < n[1]; ++digit) {
    nodes *= n[0];
    if (nodes > kMostNodes || nodes * n[1] * (n[0] - 1) / 2 > kMostLinks)
      return base::fail("more than " + std::to_string(kMostNodes) + " nodes or " +
                        std::to_string(kMostLinks) + " links");
  }
  return hamming(n[0], n[1]);
}

base::Result<Fabric> make_spine_leaf(const Numbers& n, uint64_t) {
  return within("RACKS", n[0], 1, 4'096)
      .and_then([&] { return within("SPINES", n[1], 1, 1'024); })
      .map([&] { return spine_leaf(n[0], n[1]); });
}

base::Result<Fabric> make_ring(const Numbers& n, uint64_t) {
  return within("N", n[0], 3, kMostNodes).map([&] { return ring(n[0]); });
}

struct Form {
  const char* kind;
  size_t numbers;
  base::Result<Fabric> (*make)(const Numbers& numbers, uint64_t seed);
};

constexpr Form kForms[] = {
    {"fat-tree", 1, make_fat_tree}, {"jellyfish", 2, make_jellyfish},   {"wan", 4, make_wan},
    {"hamming", 2, make_hamming},   {"spine-leaf", 2, make_spine_leaf}, {"ring", 1, make_ring},
    {"random", 2, make_random},
};

base::Result<Fabric> from_file(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (error) return base::fail("'" + path + "' cannot be read: " + error.message());
  if (bytes > kMostFileBytes)
    return base::fail("'" + path + "' has more than " + std::to_string(kMostFileBytes) + " bytes");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return base::fail("'" + path + "' cannot be read");
  auto parsed = parse_gml(text.str(), path);
  if (!parsed) return tl::unexpected(parsed.error());
  const NodeId lost = unreachable(parsed->graph);
  if (lost != kNone)
    return base::fail("the graph is not connected: no path from '" + parsed->labels[0] + "' to '" +
                      parsed->labels[lost] + "'");
  return all_racks(std::move(parsed->graph));
}

base::Result<Fabric> made(const std::string& kind, const std::string& rest, bool has_rest,
                          uint64_t seed) {
  if (kind == "jupiter" && !has_rest) return jupiter();
  if (kind == "jellyfish" && !has_rest) return make_jellyfish({4'000, 126'950}, seed);
  if (kind == "gml") {
    if (rest.empty()) return base::fail("the file is missing, as in gml:network.gml");
    return from_file(rest);
  }
  for (const Form& form : kForms) {
    if (kind != form.kind) continue;
    return numbers_of(rest, form.numbers).and_then([&](const Numbers& numbers) {
      return form.make(numbers, seed);
    });
  }
  return base::fail(std::string("no such graph: there are ") + kGraphForms);
}

}  // namespace

base::Result<Fabric> parse_graph(const std::string& spec, uint64_t seed) {
  const size_t colon = spec.find(':');
  const bool has_rest = colon != std::string::npos;
  auto fabric = made(spec.substr(0, colon), has_rest ? spec.substr(colon + 1) : "", has_rest, seed);
  if (!fabric) return base::fail(base::shown(spec + ": " + fabric.error().message));
  fabric->name = spec;
  return fabric;
}

}  // namespace lambdacast::sim::fabrics
