// SPDX-License-Identifier: BSD-3-Clause
// What every unit test includes, parsed once a test program in place of once a file. A test still
// includes what it uses: it has to compile without this.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
