// SPDX-License-Identifier: BSD-3-Clause
#include "config/suggest.h"

#include <algorithm>

namespace lambdacast::config {
namespace {

// Longer words are no misspelt keys, and the distance costs the product of both lengths.
constexpr std::size_t kMaxWordChars = 40;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Rows of the usual table: before the last, last, current (optimal string alignment).
  std::vector<std::size_t> oldest, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], oldest[j - 2] + 1);
    }
    oldest = last;
    last = row;
  }
  return last[b.size()];
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known) {
  if (word.size() > kMaxWordChars) return {};
  std::string_view best;
  std::size_t best_distance = kMaxWordChars;
  for (std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance * 3 <= std::max(word.size(), candidate.size()) && distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace lambdacast::config
