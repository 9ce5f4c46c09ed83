// SPDX-License-Identifier: BSD-3-Clause
// The public types of groups (include/lambdacast/group.h), under the names of this library.
#pragma once

#include "lambdacast/group.h"
#include "wire/control/control.h"
#include "wire/control/transport.h"

namespace lambdacast::group {

using lambdacast::Completion;
using lambdacast::Delivery;
using lambdacast::End;
using lambdacast::FencingToken;
using lambdacast::Gap;
using lambdacast::GroupView;
using lambdacast::HandlerEvent;
using lambdacast::Handlers;
using lambdacast::JoinOptions;
using lambdacast::Result;
using lambdacast::text;

}  // namespace lambdacast::group
