// SPDX-License-Identifier: BSD-3-Clause
// Whatever happens to a file, it loads or the problems say where it is wrong.
#include "base/random.h"
#include "support.h"

namespace lambdacast::config {
namespace {

void mutate(std::string& text, base::SplitMix64& random) {
  static const std::string_view kPieces[] = {"[",
                                             "]",
                                             "[[endpoint]]\n",
                                             "\"",
                                             "=",
                                             "\n",
                                             "#",
                                             "{}",
                                             "-1",
                                             "1e400",
                                             "nan",
                                             "true",
                                             ".",
                                             "\\u0000",
                                             "\xff",
                                             "99999999999999999999",
                                             "[traffic]\n",
                                             "''",
                                             ", "};
  const std::size_t at = random.below(text.size() + 1);
  const std::size_t length = std::min<std::size_t>(random.below(12), text.size() - at);
  switch (random.below(5)) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(random());
      break;
    case 1:
      text.erase(at, length);
      break;
    case 2:
      text.insert(at, kPieces[random.below(std::size(kPieces))]);
      break;
    case 3:
      text.insert(random.below(text.size() + 1), text.substr(at, 8 * length));
      break;
    default:  // a digit for a digit, so that values change and not only the syntax
      for (std::size_t i = at; i < text.size(); ++i) {
        if (text[i] < '0' || text[i] > '9') continue;
        text[i] = static_cast<char>('0' + random.below(10));
        break;
      }
  }
}

TEST(Mutation, loads_or_says_where_it_is_wrong) {
  const std::string original = read_source_file("config/rack4.toml");
  constexpr int kTrials = 5000;
  int good = 0;
  for (uint64_t seed = 0; seed < kTrials; ++seed) {
    base::SplitMix64 random(seed);
    std::string mutant = original;
    for (uint64_t n = 1 + random.below(4); n > 0; --n) mutate(mutant, random);
    const Loaded result = parse(mutant, "mutant");
    good += result.has_value() ? 1 : 0;
    if (result) continue;
    const auto lines = static_cast<unsigned>(std::count(mutant.begin(), mutant.end(), '\n')) + 1;
    ASSERT_FALSE(result.error().empty()) << "seed " << seed;
    for (const Problem& problem : result.error()) {
      ASSERT_GE(problem.line, 1u) << "seed " << seed << ": " << problem.text();
      ASSERT_LE(problem.line, lines) << "seed " << seed << ": " << problem.text();
      ASSERT_FALSE(problem.reason.empty()) << "seed " << seed;
      ASSERT_EQ(problem.text().find('\n'), std::string::npos) << "seed " << seed;
    }
  }
  // The trial tells something only if it sees both outcomes often.
  EXPECT_GT(good, kTrials / 20);
  EXPECT_LT(good, kTrials * 19 / 20);
}

}  // namespace
}  // namespace lambdacast::config
