#include "wdm/channel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lambdacast::wdm {
namespace {

TEST(ChannelFromName, first_middle_last) {
  EXPECT_EQ(channel_from_name("C21"), Channel{0});
  EXPECT_EQ(channel_from_name("C34"), Channel{13});
  EXPECT_EQ(channel_from_name("C60"), Channel{39});
}

TEST(ChannelFromName, refuses_everything_else) {
  for (const char* bad : {"", "C", "C2", "C20", "C61", "C00", "C99", "c34", "C034", "C34 ", " C34",
                          "H34", "34", "C3x", "C-1", "C+3", "none"}) {
    EXPECT_FALSE(channel_from_name(bad)) << '"' << bad << '"';
  }
  EXPECT_FALSE(channel_from_name(std::string_view("C3\0", 3)));
}

TEST(ChannelFromIndex, bounds) {
  EXPECT_EQ(channel_from_index(0), Channel{0});
  EXPECT_EQ(channel_from_index(39), Channel{39});
  EXPECT_FALSE(channel_from_index(40));
  EXPECT_FALSE(channel_from_index(std::numeric_limits<uint32_t>::max()));
}

// Values of the 100 GHz table of ITU-T G.694.1 (vacuum wavelengths, two decimals).
TEST(ChannelFrequency, known_channels) {
  const struct {
    const char* name;
    double thz;
    double nm;
  } known[] = {{"C21", 192.1, 1560.61}, {"C30", 193.0, 1553.33}, {"C31", 193.1, 1552.52},
               {"C34", 193.4, 1550.12}, {"C45", 194.5, 1541.35}, {"C60", 196.0, 1529.55}};
  for (const auto& row : known) {
    const auto channel = channel_from_name(row.name);
    ASSERT_TRUE(channel) << row.name;
    EXPECT_DOUBLE_EQ(frequency_thz(*channel), row.thz) << row.name;
    EXPECT_NEAR(wavelength_nm(*channel), row.nm, 0.005) << row.name;
  }
}

TEST(Channel, every_channel_survives_each_round_trip) {
  for (uint32_t i = 0; i < kChannels; ++i) {
    const Channel channel{i};
    EXPECT_EQ(channel_from_name(channel_name(channel)), channel);
    EXPECT_EQ(channel_from_index(i), channel);
    EXPECT_EQ(channel_from_thz(frequency_thz(channel)), channel);
    EXPECT_EQ(channel_from_nm(wavelength_nm(channel)), channel);
    EXPECT_EQ(frequency_ghz(channel), 192'100 + 100 * i);
  }
}

TEST(ChannelFromThz, takes_the_slot_around_the_centre) {
  EXPECT_EQ(channel_from_thz(193.44), Channel{13});
  EXPECT_EQ(channel_from_thz(193.36), Channel{13});
  EXPECT_EQ(channel_from_thz(193.46), Channel{14});
  EXPECT_FALSE(channel_from_thz(192.04));  // below C21's slot
  EXPECT_FALSE(channel_from_thz(196.06));  // above C60's slot
}

TEST(ChannelFromThz, refuses_what_is_no_frequency) {
  for (double bad : {0.0, -193.4, 1e300, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(channel_from_thz(bad)) << bad;
    EXPECT_FALSE(channel_from_nm(bad)) << bad;
  }
}

TEST(ChannelFromNm, rounded_catalogue_values_find_their_channel) {
  EXPECT_EQ(channel_from_nm(1550.12), channel_from_name("C34"));
  EXPECT_EQ(channel_from_nm(1529.55), channel_from_name("C60"));
  EXPECT_EQ(channel_from_nm(1560.61), channel_from_name("C21"));
  EXPECT_FALSE(channel_from_nm(1310.0));  // the O band
}

}  // namespace
}  // namespace lambdacast::wdm
