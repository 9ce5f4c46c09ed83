#include "wdm/channel.h"

#include <cmath>

namespace lambdacast::wdm {
namespace {

[[nodiscard]] bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::optional<Channel> channel_from_name(std::string_view name) {
  if (name.size() != 3 || name[0] != 'C' || !is_digit(name[1]) || !is_digit(name[2])) {
    return std::nullopt;
  }
  const auto number = static_cast<uint32_t>((name[1] - '0') * 10 + (name[2] - '0'));
  if (number < kFirstChannelNumber || number > kLastChannelNumber) return std::nullopt;
  return Channel{number - kFirstChannelNumber};
}

std::optional<Channel> channel_from_index(uint32_t index) {
  if (index >= kChannels) return std::nullopt;
  return Channel{index};
}

std::optional<Channel> channel_from_thz(double thz) {
  const double number = std::round((thz * 1e3 - kGridOriginGhz) / kGridSpacingGhz);
  // Written so that NaN, which compares false with everything, is refused too.
  if (!(number >= kFirstChannelNumber && number <= kLastChannelNumber)) return std::nullopt;
  return Channel{static_cast<uint32_t>(number) - kFirstChannelNumber};
}

std::optional<Channel> channel_from_nm(double nm) {
  if (!(nm > 0)) return std::nullopt;
  return channel_from_thz(kLightSpeedNmThz / nm);
}

std::string channel_name(Channel channel) {
  std::string name = "C";  // appended to: g++ 12 warns falsely of "C" + std::string (PR105651)
  name += std::to_string(channel.index + kFirstChannelNumber);
  return name;
}

uint32_t frequency_ghz(Channel channel) {
  return kGridOriginGhz + (channel.index + kFirstChannelNumber) * kGridSpacingGhz;
}

double frequency_thz(Channel channel) { return frequency_ghz(channel) / 1e3; }

double wavelength_nm(Channel channel) { return kLightSpeedNmThz / frequency_thz(channel); }

}  // namespace lambdacast::wdm
