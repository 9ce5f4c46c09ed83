// SPDX-License-Identifier: BSD-3-Clause
// The public types of groups (include/lambdacast/group.h), under the names of this library.
#pragma once

#include "lambdacast/call.h"
#include "lambdacast/group.h"
#include "wire/control/control.h"
#include "wire/control/transport.h"

namespace lambdacast::group {

using lambdacast::Asked;
using lambdacast::CallHandler;
using lambdacast::CallOptions;
using lambdacast::Completion;
using lambdacast::Content;
using lambdacast::Delivery;
using lambdacast::End;
using lambdacast::Engine;
using lambdacast::FencingToken;
using lambdacast::Gap;
using lambdacast::GroupView;
using lambdacast::HandlerEvent;
using lambdacast::Handlers;
using lambdacast::JoinOptions;
using lambdacast::Outcome;
using lambdacast::Request;
using lambdacast::Result;
using lambdacast::Stamp;
using lambdacast::text;
using lambdacast::Want;

}  // namespace lambdacast::group
