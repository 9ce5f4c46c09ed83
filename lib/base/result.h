// SPDX-License-Identifier: BSD-3-Clause
// A value or one sentence saying what is wrong and what would mend it. Set-up code returns these;
// the data path counts reasons instead (counters/drop_reason.h).
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace lambdacast::base {

struct Error {
  std::string message;  // one sentence, no trailing newline, names the value and what is allowed
};

template <typename T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(std::string message) {
  return tl::unexpected<Error>(Error{std::move(message)});
}

}  // namespace lambdacast::base
