// SPDX-License-Identifier: BSD-3-Clause
// Owners of wavelengths with names, in processes of their own, and who watches them.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "support.h"

namespace lambdacast::fabric::test {

inline constexpr uint64_t kSecondNs = 1'000'000'000;

inline OwnerName named(uint8_t number) {
  OwnerName name;
  name.fill(number);
  return name;
}

class OwnerTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<Fabric> attach() const {
    auto fabric = Fabric::attach("rack", {3, 64, 300, directories_.plain(), {}});
    return fabric ? std::move(*fabric) : nullptr;
  }
  // A process that owns the wavelength and goes by that name, until it is told to go on.
  std::unique_ptr<Child> owner(uint32_t wavelength, uint8_t number) {
    auto child = std::make_unique<Child>([=, this](Child& parent) {
      auto fabric = attach();
      if (fabric == nullptr || !fabric->claim(wavelength)) return 1;
      auto hold = fabric->name_owner(wavelength, named(number));
      if (!hold) return 2;
      parent.tell();
      (void)parent.wait();
      return 0;
    });
    EXPECT_TRUE(child->wait());
    return child;
  }
  static void await_end(OwnerWatch& watch, uint32_t wavelength) {
    while (!watch.look(wavelength).gone) watch.wait(10 * kSecondNs);
  }

  Directories directories_;
  std::unique_ptr<Fabric> fabric_ = attach();
  OwnerWatch watch_ = fabric_->watch_owners();
};

}  // namespace lambdacast::fabric::test
