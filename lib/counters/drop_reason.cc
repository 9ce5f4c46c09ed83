#include "counters/drop_reason.h"

#include <string_view>

namespace lambdacast::counters {
namespace {

inline constexpr size_t kMaxKeyBytes = 40;
using Key = std::array<char, kMaxKeyBytes>;

constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// "BadIcrc" -> "bad_icrc". Done by the compiler; a name too long fails to compile.
constexpr Key snake_case(std::string_view camel) {
  Key key{};
  size_t length = 0;
  for (size_t i = 0; i < camel.size(); ++i) {
    if (i > 0 && is_upper(camel[i])) key.at(length++) = '_';
    key.at(length++) = is_upper(camel[i]) ? static_cast<char>(camel[i] - 'A' + 'a') : camel[i];
  }
  key.at(length) = '\0';
  return key;
}

constexpr std::array<Key, kDropReasons> kKeys{
    snake_case("None"),
#define LAMBDACAST_DROP(name, help) snake_case(#name),
#include "counters/drop_reason.def"
#undef LAMBDACAST_DROP
};

constexpr std::array<const char*, kDropReasons> kHelp{
    "The frame was not dropped.",
#define LAMBDACAST_DROP(name, help) help,
#include "counters/drop_reason.def"
#undef LAMBDACAST_DROP
};

}  // namespace

const char* name(DropReason reason) {
  const auto index = static_cast<size_t>(reason);
  return index < kDropReasons ? kKeys[index].data() : "invalid";
}

const char* help(DropReason reason) {
  const auto index = static_cast<size_t>(reason);
  return index < kDropReasons ? kHelp[index] : "Not a drop reason.";
}

}  // namespace lambdacast::counters
