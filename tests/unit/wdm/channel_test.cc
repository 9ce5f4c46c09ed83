// SPDX-License-Identifier: BSD-3-Clause
#include "wdm/channel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lambdacast::wdm {
namespace {

constexpr Grid kBoth[] = {Grid::k100GHz, Grid::k50GHz};

TEST(Grid, names_and_spacings) {
  EXPECT_EQ(name(Grid::k100GHz), "100GHz");
  EXPECT_EQ(name(Grid::k50GHz), "50GHz");
  EXPECT_EQ(name(static_cast<Grid>(2)), "");
  for (const Grid grid : kBoth) {
    EXPECT_EQ(grid_from_name(name(grid)), grid);
    EXPECT_EQ(grid_from_spacing(spacing_ghz(grid)), grid);
    EXPECT_EQ(channels_of(grid) * spacing_ghz(grid), 4000u);
  }
  for (const char* bad : {"", "100", "100 GHz", "25GHz"}) EXPECT_FALSE(grid_from_name(bad)) << bad;
  EXPECT_FALSE(grid_from_spacing(0));
}

TEST(ChannelFromName, first_middle_last) {
  EXPECT_EQ(channel_from_name("C21"), Channel{0});
  EXPECT_EQ(channel_from_name("H21"), Channel{1});
  EXPECT_EQ(channel_from_name("C34"), Channel{26});
  EXPECT_EQ(channel_from_name("H34"), Channel{27});
  EXPECT_EQ(channel_from_name("C60"), Channel{78});
  EXPECT_EQ(channel_from_name("H60"), Channel{79});
}

TEST(ChannelFromName, refuses_everything_else) {
  for (const char* bad :
       {"",    "C",    "C2",   "C20",  "C61", "C00", "C99", "H20", "H61", "c34",
        "h34", "C034", "C34 ", " C34", "G34", "34",  "C3x", "C-1", "C+3", "none"}) {
    EXPECT_FALSE(channel_from_name(bad)) << '"' << bad << '"';
  }
  EXPECT_FALSE(channel_from_name(std::string_view("C3\0", 3)));
}

TEST(ChannelAt, the_same_name_expect_another_index_on_another_grid) {
  const Channel c34 = *channel_from_name("C34");
  EXPECT_EQ(index_on(Grid::k100GHz, c34), 13u);
  EXPECT_EQ(index_on(Grid::k50GHz, c34), 26u);
  EXPECT_EQ(channel_at(Grid::k100GHz, 13), c34);
  EXPECT_EQ(channel_at(Grid::k50GHz, 26), c34);
  EXPECT_EQ(index_on(Grid::k50GHz, *channel_from_name("H34")), 27u);
  EXPECT_EQ(index_on(Grid::k100GHz, *channel_from_name("H34")), std::nullopt);
}

TEST(ChannelAt, bounds) {
  EXPECT_EQ(channel_at(Grid::k100GHz, 39), Channel{78});
  EXPECT_EQ(channel_at(Grid::k50GHz, 79), Channel{79});
  for (const Grid grid : kBoth) {
    EXPECT_EQ(channel_at(grid, 0), Channel{0});
    EXPECT_FALSE(channel_at(grid, channels_of(grid)));
    EXPECT_FALSE(channel_at(grid, std::numeric_limits<uint32_t>::max()));
    EXPECT_FALSE(index_on(grid, Channel{80}));
  }
}

// Values of the tables of ITU-T G.694.1 (vacuum wavelengths, two decimals).
TEST(ChannelFrequency, known_channels) {
  const struct {
    const char* name;
    double thz;
    double nm;
  } known[] = {{"C21", 192.1, 1560.61},  {"H21", 192.15, 1560.20}, {"C30", 193.0, 1553.33},
               {"H30", 193.05, 1552.93}, {"C31", 193.1, 1552.52},  {"H31", 193.15, 1552.12},
               {"C34", 193.4, 1550.12},  {"H34", 193.45, 1549.72}, {"C45", 194.5, 1541.35},
               {"C60", 196.0, 1529.55},  {"H60", 196.05, 1529.16}};
  for (const auto& row : known) {
    const auto channel = channel_from_name(row.name);
    ASSERT_TRUE(channel) << row.name;
    EXPECT_DOUBLE_EQ(frequency_thz(*channel), row.thz) << row.name;
    EXPECT_NEAR(wavelength_nm(*channel), row.nm, 0.005) << row.name;
  }
}

TEST(Channel, every_channel_survives_each_round_trip) {
  for (const Grid grid : kBoth) {
    for (uint32_t i = 0; i < channels_of(grid); ++i) {
      const Channel channel = *channel_at(grid, i);
      EXPECT_EQ(channel_from_name(channel_name(channel)), channel);
      EXPECT_EQ(index_on(grid, channel), i);
      EXPECT_EQ(channel_from_thz(grid, frequency_thz(channel)), channel);
      EXPECT_EQ(channel_from_nm(grid, wavelength_nm(channel)), channel);
      EXPECT_EQ(frequency_ghz(channel), 192'100 + spacing_ghz(grid) * i);
    }
  }
}

TEST(ChannelFromThz, takes_the_slot_around_the_centre) {
  EXPECT_EQ(channel_from_thz(Grid::k100GHz, 193.44), channel_from_name("C34"));
  EXPECT_EQ(channel_from_thz(Grid::k50GHz, 193.44), channel_from_name("H34"));
  EXPECT_EQ(channel_from_thz(Grid::k100GHz, 193.36), channel_from_name("C34"));
  EXPECT_EQ(channel_from_thz(Grid::k100GHz, 193.46), channel_from_name("C35"));
  EXPECT_FALSE(channel_from_thz(Grid::k100GHz, 192.04));  // below C21's slot
  EXPECT_FALSE(channel_from_thz(Grid::k50GHz, 192.07));
  EXPECT_FALSE(channel_from_thz(Grid::k100GHz, 196.06));  // above C60's slot
  EXPECT_TRUE(channel_from_thz(Grid::k50GHz, 196.06));
}

TEST(ChannelFromThz, refuses_what_is_no_frequency) {
  for (const Grid grid : kBoth) {
    for (double bad : {0.0, -193.4, 1e300, std::nan(""), std::numeric_limits<double>::infinity()}) {
      EXPECT_FALSE(channel_from_thz(grid, bad)) << bad;
      EXPECT_FALSE(channel_from_nm(grid, bad)) << bad;
    }
  }
}

TEST(ChannelFromNm, rounded_catalogue_values_find_their_channel) {
  EXPECT_EQ(channel_from_nm(Grid::k100GHz, 1550.12), channel_from_name("C34"));
  EXPECT_EQ(channel_from_nm(Grid::k50GHz, 1549.72), channel_from_name("H34"));
  EXPECT_EQ(channel_from_nm(Grid::k100GHz, 1529.55), channel_from_name("C60"));
  EXPECT_EQ(channel_from_nm(Grid::k100GHz, 1560.61), channel_from_name("C21"));
  EXPECT_FALSE(channel_from_nm(Grid::k50GHz, 1310.0));  // the O band
}

}  // namespace
}  // namespace lambdacast::wdm
