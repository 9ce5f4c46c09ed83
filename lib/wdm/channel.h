// The C-band channels of ITU-T G.694.1 on the 100 GHz grid: a transmitter's wavelength by its name.
//
//   name C<n>, n = 21..60     frequency = 190.0 THz + n * 0.1 THz     index = n - 21 = 0..39
//
// so C34 is 193.4 THz (1550.12 nm) and index 13. G.694.1 anchors the grid at 193.1 THz, which is
// C31; the names C<n> are the industry's, not the recommendation's. Frequencies are whole GHz
// inside, so that no rounding can separate a name from its frequency; wavelengths are those in
// vacuum.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lambdacast::wdm {

inline constexpr uint32_t kChannels = 40;
inline constexpr uint32_t kFirstChannelNumber = 21;
inline constexpr uint32_t kLastChannelNumber = kFirstChannelNumber + kChannels - 1;
inline constexpr uint32_t kGridOriginGhz = 190'000;  // the frequency of a channel numbered 0
inline constexpr uint32_t kGridSpacingGhz = 100;
inline constexpr double kLightSpeedNmThz = 299'792.458;  // wavelength (nm) * frequency (THz)

// A channel is its dense index, 0..39: what arrays and fabric rings are indexed by.
struct Channel {
  uint32_t index = 0;
  auto operator<=>(const Channel&) const = default;
};

// "C21".."C60", exactly so: two digits, capital letter. Nothing for any other text.
[[nodiscard]] std::optional<Channel> channel_from_name(std::string_view name);

// Nothing unless index is below kChannels.
[[nodiscard]] std::optional<Channel> channel_from_index(uint32_t index);

// The channel whose 100 GHz wide slot holds the frequency or the wavelength; nothing off the grid
// (and for NaN).
[[nodiscard]] std::optional<Channel> channel_from_thz(double frequency_thz);
[[nodiscard]] std::optional<Channel> channel_from_nm(double wavelength_nm);

[[nodiscard]] std::string channel_name(Channel channel);
[[nodiscard]] uint32_t frequency_ghz(Channel channel);
[[nodiscard]] double frequency_thz(Channel channel);
[[nodiscard]] double wavelength_nm(Channel channel);

}  // namespace lambdacast::wdm
