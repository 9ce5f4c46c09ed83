// SPDX-License-Identifier: BSD-3-Clause
// The C-band channels of ITU-T G.694.1 on its 100 GHz and 50 GHz grids: a transmitter's wavelength
// by its name.
//
//   C<n>, n = 21..60   190.0 THz + n * 0.1 THz              both grids
//   H<n>, n = 21..60   190.0 THz + n * 0.1 THz + 0.05 THz   50 GHz grid only
//
// so C34 is 193.4 THz (1550.12 nm) and H34 is 193.45 THz (1549.72 nm). G.694.1 anchors both grids
// at 193.1 THz, which is C31; the names are the industry's, not the recommendation's. Frequencies
// are whole GHz inside, so that no rounding can separate a name from its frequency; wavelengths are
// those in vacuum.
//
// A Channel is a frequency, whatever the grid. A fabric numbers the channels of its own grid from 0
// on: C34 has index 13 in a fabric of 100 GHz and 26 in one of 50 GHz.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lambdacast::wdm {

enum class Grid : uint8_t { k100GHz, k50GHz };

[[nodiscard]] std::string_view name(Grid grid);  // "100GHz"; "" for no grid
[[nodiscard]] std::optional<Grid> grid_from_name(std::string_view name);
[[nodiscard]] std::optional<Grid> grid_from_spacing(uint32_t ghz);
[[nodiscard]] uint32_t spacing_ghz(Grid grid);
[[nodiscard]] uint32_t channels_of(Grid grid);  // 40 or 80

inline constexpr uint32_t kMaxChannels = 80;
inline constexpr uint32_t kFirstChannelNumber = 21;
inline constexpr uint32_t kLastChannelNumber = 60;
inline constexpr uint32_t kGridOriginGhz = 190'000;      // the frequency of a channel numbered 0
inline constexpr double kLightSpeedNmThz = 299'792.458;  // wavelength (nm) * frequency (THz)

struct Channel {
  uint32_t half = 0;  // steps of 50 GHz above C21, 0..79: even ones are C<n>, odd ones H<n>
  auto operator<=>(const Channel&) const = default;
};

// "C21".."C60" or "H21".."H60", exactly so: two digits, capital letter. Nothing for other text.
[[nodiscard]] std::optional<Channel> channel_from_name(std::string_view name);

// Between a channel and its index on a grid, 0 .. channels_of(grid) - 1, by rising frequency.
// Nothing for an index beyond, and for H<n> on the 100 GHz grid.
[[nodiscard]] std::optional<Channel> channel_at(Grid grid, uint32_t index);
[[nodiscard]] std::optional<uint32_t> index_on(Grid grid, Channel channel);

// The channel of the grid whose slot (as wide as the spacing) holds the frequency or the
// wavelength; nothing off the grid (and for NaN).
[[nodiscard]] std::optional<Channel> channel_from_thz(Grid grid, double frequency_thz);
[[nodiscard]] std::optional<Channel> channel_from_nm(Grid grid, double wavelength_nm);

[[nodiscard]] std::string channel_name(Channel channel);
[[nodiscard]] uint32_t frequency_ghz(Channel channel);
[[nodiscard]] double frequency_thz(Channel channel);
[[nodiscard]] double wavelength_nm(Channel channel);

}  // namespace lambdacast::wdm
