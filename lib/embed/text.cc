// SPDX-License-Identifier: BSD-3-Clause
#include "lambdacast/text.h"

#include "base/plain_text.h"

namespace lambdacast {

std::string shown(std::string_view text) { return base::shown(text); }
std::string shown_lines(std::string_view text) { return base::shown_lines(text); }

}  // namespace lambdacast
