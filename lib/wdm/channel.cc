// SPDX-License-Identifier: BSD-3-Clause
#include "wdm/channel.h"

#include <cmath>

namespace lambdacast::wdm {
namespace {

constexpr Grid kGrids[] = {Grid::k100GHz, Grid::k50GHz};
constexpr uint32_t kHalfGhz = 50;
constexpr uint32_t kFirstGhz = kGridOriginGhz + kFirstChannelNumber * 2 * kHalfGhz;

[[nodiscard]] bool is_digit(char c) { return c >= '0' && c <= '9'; }

// 50 GHz steps from one channel of the grid to the next.
[[nodiscard]] uint32_t halves(Grid grid) { return spacing_ghz(grid) / kHalfGhz; }

}  // namespace

std::string_view name(Grid grid) {
  switch (grid) {
    case Grid::k100GHz:
      return "100GHz";
    case Grid::k50GHz:
      return "50GHz";
  }
  return "";
}

std::optional<Grid> grid_from_name(std::string_view text) {
  for (const Grid grid : kGrids) {
    if (name(grid) == text) return grid;
  }
  return std::nullopt;
}

std::optional<Grid> grid_from_spacing(uint32_t ghz) {
  for (const Grid grid : kGrids) {
    if (spacing_ghz(grid) == ghz) return grid;
  }
  return std::nullopt;
}

uint32_t spacing_ghz(Grid grid) { return grid == Grid::k100GHz ? 100 : 50; }
uint32_t channels_of(Grid grid) { return kMaxChannels / halves(grid); }

std::optional<Channel> channel_from_name(std::string_view text) {
  if (text.size() != 3 || (text[0] != 'C' && text[0] != 'H') || !is_digit(text[1]) ||
      !is_digit(text[2])) {
    return std::nullopt;
  }
  const auto number = static_cast<uint32_t>((text[1] - '0') * 10 + (text[2] - '0'));
  if (number < kFirstChannelNumber || number > kLastChannelNumber) return std::nullopt;
  return Channel{(number - kFirstChannelNumber) * 2 + (text[0] == 'H' ? 1 : 0)};
}

std::optional<Channel> channel_at(Grid grid, uint32_t index) {
  if (index >= channels_of(grid)) return std::nullopt;
  return Channel{index * halves(grid)};
}

std::optional<uint32_t> index_on(Grid grid, Channel channel) {
  if (channel.half >= kMaxChannels || channel.half % halves(grid) != 0) return std::nullopt;
  return channel.half / halves(grid);
}

std::optional<Channel> channel_from_thz(Grid grid, double thz) {
  const double index = std::round((thz * 1e3 - kFirstGhz) / spacing_ghz(grid));
  // Written so that NaN, which compares false with everything, is refused too.
  if (!(index >= 0 && index < channels_of(grid))) return std::nullopt;
  return channel_at(grid, static_cast<uint32_t>(index));
}

std::optional<Channel> channel_from_nm(Grid grid, double nm) {
  if (!(nm > 0)) return std::nullopt;
  return channel_from_thz(grid, kLightSpeedNmThz / nm);
}

std::string channel_name(Channel channel) {
  std::string text(1, channel.half % 2 == 0 ? 'C' : 'H');
  text += std::to_string(channel.half / 2 + kFirstChannelNumber);
  return text;
}

uint32_t frequency_ghz(Channel channel) { return kFirstGhz + channel.half * kHalfGhz; }

double frequency_thz(Channel channel) { return frequency_ghz(channel) / 1e3; }

double wavelength_nm(Channel channel) { return kLightSpeedNmThz / frequency_thz(channel); }

}  // namespace lambdacast::wdm
