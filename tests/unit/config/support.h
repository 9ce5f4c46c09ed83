// SPDX-License-Identifier: BSD-3-Clause
// What the tests of configuration share: files to start from and what is said of them.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "config/config.h"

namespace lambdacast::config {

// Lines 1 to 7; what a test appends begins at line 8, in the endpoint's section.
inline const std::string kMinimal =
    "[fabric]\n"
    "name = \"lab\"\n"
    "\n"
    "[[endpoint]]\n"
    "name = \"a\"\n"
    "address = \"10.0.0.1\"\n"
    "wavelength = \"C21\"\n";

// An endpoint with a port, four lines.
inline const std::string kSecond =
    "[[endpoint]]\n"
    "name = \"b\"\n"
    "address = \"10.0.0.2\"\n"
    "port = \"net_null0\"\n";

// All problems of a text called t, a line each; "" if it loads.
inline std::string problems_of(const std::string& toml) {
  const Loaded loaded = parse(toml, "t");
  return loaded ? "" : text(loaded.error());
}

inline Config loaded(const std::string& toml) {
  Loaded result = parse(toml, "t");
  EXPECT_TRUE(result) << text(result.error());
  return result ? *result : Config{};
}

inline std::string read_source_file(const std::string& path) {
  std::ifstream file(LAMBDACAST_SOURCE_ROOT "/" + path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace lambdacast::config
