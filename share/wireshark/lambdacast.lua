-- Lambdacast's frames in Wireshark and tshark: the transport header and what is behind it, and the
-- control frames, as payloads of RoCEv2. doc/protocol.md has every byte of them,
-- doc/guide/operate.md says how to install this file. What an endpoint would refuse is expert
-- information that is named like the endpoint's drop reason. Tried with Wireshark 4.0; it needs
-- nothing beside it.
local lambdacast = Proto('lambdacast', 'Lambdacast')
local fields, experts = {}, {}

-- --- names of values ---------------------------------------------------------------------------

local KIND = {'message', 'messages', 'fragment', 'group message', [0x11] = 'request',
  [0x12] = 'requests', [0x13] = 'request fragment'}
local QOS = {[0] = 'unreliable', 'reliable', 'source ordered', 'totally ordered', 'K-resilient',
             'majority', 'totally resilient'}
local CONTROL_KIND = {'heartbeat', 'status', 'NACK', 'member', 'ballot', 'vote', 'skip', 'double'}
local VERDICT = {'welcome', 'evicted for its lag', 'evicted for its silence',
  'refused for its path MTU'}
local STATE = {'joining', 'operational', 'recovering', 'excluded'}
local PHASE = {'prepare', 'propose', 'accept', 'install', 'report'}
local STAGE = {'promised', 'ready', 'accepted'}
local GROUP_MESSAGE = {'register', 'join', 'leave', 'piece', 'refuse', 'wide piece', 'wide refuse',
  'acquire', 'release'}
local REQUEST_TYPE = {'open', 'request', 'status', 'answer', 'placed', 'find', 'entry', 'forward'}
local WANT = {[0] = 'nothing', 'acknowledgement', 'holder', 'answers'}
local ANSWER = {[0] = 'answered', 'declined', 'no answer kept', 'opened', 'asked', 'refused',
  'expired', 'busy'}

local MARKS_GROUP = 0xffffffff
-- Answers go to the personal group of the endpoint that has called.
local FIRST_PERSONAL_GROUP, PERSONAL_GROUPS = 0xffff0000, 0xf000
local ENVELOPE_BYTES = 88
local REQUESTS_UNDER_WAY = 64  -- a number is at most so far above its floor
local MAX_MESSAGE_BYTES = 16 * 1024 * 1024
local MAX_POSITION = UInt64.new(0xffffffff, 0xfffffffe)  -- 2^64 - 2^32 - 1
local MAX_LOSS_RUNS = 8
local SHOWN = 16  -- items of a list in the Info column
-- Members of a view, by version.
local MAX_MEMBERS = {64, 80}

-- --- layouts -----------------------------------------------------------------------------------

local TYPES = {
  u8 = {'uint8', 1, base.DEC}, u16 = {'uint16', 2, base.DEC}, u32 = {'uint32', 4, base.DEC},
  q32 = {'uint32', 4, base.DEC_HEX}, u64 = {'uint64', 8, base.DEC}, x64 = {'uint64', 8, base.HEX},
  gid = {'ipv6', 16}, high = {'uint8', 0, base.DEC, 0xf0}, low = {'uint8', 1, base.DEC, 0x0f},
}
local BIT = {[0] = 0x01, 0x02, 0x04, 0x08, 0x10}

-- A field is declared where a layout names it first: {name, type, label, names of its values}. Its
-- filter is lambdacast.NAME. A number for a type is so many bytes as they are. `high` and `low` are
-- halves of one byte. {name, 'bit', label, number} is a bit of the byte before it.
local function layout(rows)
  for _, row in ipairs(rows) do
    local name, kind, label, more = row[1], row[2], row[3], row[4]
    local abbreviation, known = 'lambdacast.' .. name, TYPES[kind]
    if not fields[name] then
      if kind == 'bit' then
        fields[name] = ProtoField.bool(abbreviation, label, 8, nil, BIT[more])
      elseif kind == 'gid' then
        fields[name] = ProtoField.ipv6(abbreviation, label)
      elseif known then
        fields[name] = ProtoField[known[1]](abbreviation, label, known[3], more, known[4])
      else
        fields[name] = ProtoField.bytes(abbreviation, label)
      end
    end
    row.bytes = known and known[2] or kind == 'bit' and 0 or kind
  end
  return rows
end

local TRANSPORT = layout{
  {'version', 'high', 'Version'}, {'header_units', 'low', 'Header length in units of 8 bytes'},
  {'kind', 'u8', 'Kind', KIND}, {'qos', 'u8', 'QoS', QOS},
  {'flags', 'u8', 'Flags'}, {'repair', 'bit', 'Repair', 0},
  {'incarnation', 'u32', 'Incarnation'}, {'frame_seq', 'u64', 'Frame sequence'},
  {'rel_seq', 'u64', 'Position (rel_seq)'}, {'timestamp_ns', 'u64', "Sender's clock, ns"},
  {'group', 'u32', 'Group'}, {'view', 'u32', 'View'}}
local OFFSET = layout{{'fragment_offset', 'u32', 'Offset in the message'}}
local MESSAGES = layout{{'messages', 'u32', 'Messages in this packet'}}
local LENGTH = layout{{'message_bytes', 'u32', 'Message length'}}
local FRAGMENT = layout{{'message_id', 'u32', 'Message number'},
                        {'fragment_bytes', 'u16', 'Fragment length'}, {'reserved', 2, 'Reserved'}}
local RECORD = layout{{'record_bytes', 'u16', 'Length'}}
local OF_RECORDS = {[2] = true, [0x12] = true}  -- kinds
local STREAM = layout{{'stream.gid', 'gid', 'GID'}, {'stream.qpn', 'q32', 'Data queue pair'},
                      {'stream.incarnation', 'u32', 'Incarnation'}}
local CONTROL = layout{{'version', 'high', 'Version'}, {'reserved_half', 'low', 'Reserved'},
                       {'control.kind', 'u8', 'Control kind', CONTROL_KIND}}
local SPEAKER = layout{
  {'reserved', 1, 'Reserved'}, {'incarnation', 'u32', 'Incarnation'},
  {'data_qpn', 'q32', 'Data queue pair'}, {'entries', 'u16', 'Entries'},
  {'statuses', 'u16', 'Statuses behind the runs'}, {'timestamp_ns', 'u64', "Sender's clock, ns"}}
local NO_FLAGS = layout{{'control.flags', 'u8', 'Flags'}}
local HEARTBEAT_FLAGS = layout{
  {'control.flags', 'u8', 'Flags'}, {'heartbeat.end', 'bit', 'It leaves', 0},
  {'heartbeat.report', 'bit', 'Statuses, please', 1}}
local MEMBER_FLAGS = layout{
  {'control.flags', 'u8', 'Flags'}, {'member.leaving', 'bit', 'It leaves', 0},
  {'member.ready', 'bit', 'It joins and hears every stream', 1},
  {'member.starved', 'bit', 'It was not run for a heartbeat', 2},
  {'member.holds', 'bit', 'It has accepted a first view', 3},
  {'member.wide', 'bit', 'It can be in a wide view', 4}}
local HEARTBEAT = layout{
  {'heartbeat.oldest', 'u64', 'Oldest position retained'},
  {'heartbeat.last', 'u64', 'Last position sent'},
  {'heartbeat.next_frame_seq', 'u64', 'Next frame sequence'},
  {'heartbeat.lost_by_all', 'u64', 'Positions that all receivers missed'}}
local VERDICT_ENTRY = layout{
  {'verdict.open_at', 'u64', 'Its stream begins at'}, {'verdict.kind', 'u8', 'Verdict', VERDICT},
  {'reserved', 7, 'Reserved'}}
local STATUS = layout{
  {'status.contiguous', 'u64', 'All came up to'}, {'status.echo_ns', 'u64', 'Clock echoed, ns'},
  {'status.held_back_ns', 'u32', 'Held back, ns'}, {'status.room', 'u32', 'Room'},
  {'status.first_losses', 'u64', 'Positions missed at first'},
  {'status.flags', 'u8', 'Flags'}, {'status.joining', 'bit', 'It joins', 0},
  {'status.runs', 'u8', 'Runs of losses'}, {'reserved', 6, 'Reserved'},
  {'status.heard_of', 'u64', 'Highest position heard of'}}
local LOSS = layout{{'loss.first', 'u64', 'First position'}, {'loss.count', 'u32', 'Positions'}}
local NACK = layout{{'nack.first', 'u64', 'First position'}}
local RUN = layout{{'nack.skip', 'u16', 'Skip'}, {'nack.missing', 'u16', 'Missing'}}
local VIEW = layout{{'view.epoch', 'u64', 'Epoch'}, {'view.round', 'u64', 'Round'},
                    {'view.coordinator', 'u32', "Coordinator's incarnation"}}
local MEMBER = layout{{'member.state', 'u8', 'State', STATE}, {'member.names', 'u8', 'Names'},
                      {'member.members', 'u16', 'Members of the view'}}
local SUSPECTS = layout{{'member.suspects', 'x64', 'Suspects'}}
local FIRST_RANK = layout{{'member.first', 'u16', 'Rank of the first acknowledgement'},
                          {'reserved', 6, 'Reserved'}}
local ACK = layout{{'member.ack', 'u64', 'Marks applied up to'}}
local BALLOT_ID = layout{{'ballot.epoch', 'u64', 'Epoch to come'}, {'ballot.round', 'u64', 'Round'}}
local BALLOT = layout{
  {'ballot.previous_round', 'u64', 'Round of the view before'},
  {'ballot.previous_coordinator', 'u32', "Its coordinator's incarnation"},
  {'ballot.phase', 'u8', 'Phase', PHASE}, {'reserved', 1, 'Reserved'},
  {'ballot.total', 'u16', 'Entries of the value'}, {'ballot.first', 'u16', 'First entry here'},
  {'reserved', 6, 'Reserved'}, {'ballot.made_round', 'u64', 'Round that made the value'},
  {'ballot.made_by', 'u32', "Its coordinator's incarnation"}, {'reserved', 4, 'Reserved'}}
local ENTRY = layout{
  {'entry.cut', 'u64', 'Cut'}, {'entry.flags', 'u8', 'Flags'},
  {'entry.old', 'bit', 'Of the old view', 0}, {'entry.new', 'bit', 'Of the new view', 1},
  {'entry.leaves', 'bit', 'It leaves', 2}, {'reserved', 1, 'Reserved'},
  {'entry.holder', 'u16', 'Entry of the holder'}, {'reserved', 4, 'Reserved'}}
local VOTE = layout{{'vote.stage', 'u8', 'Stage', STAGE},
                    {'vote.has_accepted', 'u8', 'It has accepted a value'}}
local VOTE_NARROW = layout{{'reserved', 6, 'Reserved'}}
local VOTE_WIDE = layout{{'vote.first', 'u16', 'First entry here'},
                         {'vote.total', 'u16', 'Entries of the ballot'},
                         {'reserved', 2, 'Reserved'}}
local ACCEPTED = layout{{'vote.accepted_round', 'u64', 'Round of the value accepted'}}
local POSITION = layout{{'vote.position', 'u64', 'Holds it up to'}}
local DOUBLE = layout{{'double.other', 'u32', "The other endpoint's incarnation"},
                      {'reserved', 4, 'Reserved'}}
local SKIP = layout{{'skip.first', 'u64', 'First position'}, {'skip.count', 'u64', 'Positions'}}
local MARKS = layout{{'marks.epoch', 'u64', 'Epoch'}}
local MARK = layout{{'mark.rank', 'u16', 'Rank'}, {'reserved', 2, 'Reserved'},
                    {'mark.through', 'u64', 'Up to its position'}}
local GROUP = layout{{'group_message.type', 'u8', 'Type', GROUP_MESSAGE},
                     {'group_message.option', 'u8', 'Option'}, {'reserved', 6, 'Reserved'}}
local LOCK = layout{{'group_message.handler', 'u32', 'Handler'}, {'reserved', 4, 'Reserved'}}
local TOKEN = layout{{'group_message.token_epoch', 'u64', 'Token: epoch'},
                     {'group_message.token_place', 'u64', 'Token: place'}}
local AS_OF = layout{{'group_message.epoch', 'u64', 'Epoch'},
                     {'group_message.index', 'u64', 'Index'}}
local RANKS = layout{{'group_message.ranks', 'x64', 'Receivers'}}
local PIECE = layout{{'group_message.total', 'u64', 'Bytes of the state'},
                     {'group_message.offset', 'u64', 'Offset of these'}}
local ENVELOPE = layout{
  {'request.type', 'u8', 'Type', REQUEST_TYPE}, {'request.want', 'u8', 'Wanted', WANT},
  {'request.k', 'u8', 'So many answers (0: of all)'},
  {'request.status', 'u8', 'Status', ANSWER}, {'request.handler', 'u32', 'Handler'}}
local REQUEST = layout{
  {'request.number', 'u64', 'Number among those of its caller'},
  {'request.floor', 'u64', 'The caller has ended all up to'},
  {'request.session_epoch', 'u64', 'Session: epoch'},
  {'request.session_place', 'u64', 'Session: place'},
  {'request.stamp_epoch', 'u64', 'Stamp: epoch'}, {'request.stamp_place', 'u64', 'Stamp: place'},
  {'request.most_answer_bytes', 'u32', 'Most bytes of an answer'},
  {'request.patience_ms', 'u32', "The caller's patience, ms"}}
layout{{'sim_number', 8, "The simulator's number of the message"}, {'extension', 8, 'Extension'},
       {'message', 0, 'Message'}, {'data', 0, 'Bytes'}, {'unread', 0, 'Not dissected'},
       {'nack.from', 'u64', 'Missing from'}, {'nack.through', 'u64', 'Missing up to'}}
fields['group_message.name'] = ProtoField.string('lambdacast.group_message.name', 'Name')
for name, label in pairs{
  record = 'Message', stream = 'Stream', verdict = 'Verdict', status = 'Status', loss = 'Losses',
  nack = 'Run', acknowledgement = 'Acknowledgement', in_view = 'View', ballot = 'Ballot',
  entry = 'Entry', vote = 'Position', mark = 'Mark'} do
  fields[name] = ProtoField.none('lambdacast.' .. name, label)
end

for reason, sentence in pairs{
  transport_too_short = 'The payload ends inside the transport header',
  transport_version = "The transport header's version is unknown",
  transport_header_length = 'The transport header says it is shorter than its base part',
  transport_kind = "The transport header's kind is unknown",
  transport_qos = "The transport header's QoS level is unknown",
  transport_fragment = 'Offset and length do not fit the payload',
  transport_messages = 'The messages in a shared packet do not add up to its payload',
  control_kind = 'A control frame of an unknown kind',
  control_version = 'A control frame of an unknown version',
  control_malformed = "A control frame's lengths or fields contradict one another",
  view_too_large = 'A control frame about a view of more members than a view has',
  marks_malformed = 'Marks that are no whole items',
  group_message_malformed = 'A message of the group layer contradicts itself',
  request_malformed = 'An envelope of the request layer makes no sense'} do
  experts[reason] = ProtoExpert.new('lambdacast.' .. reason, sentence, expert.group.MALFORMED,
                                    expert.severity.ERROR)
end
experts.cut_short = ProtoExpert.new('lambdacast.cut_short', 'The capture has cut the frame short',
                                    expert.group.UNDECODED, expert.severity.NOTE)
lambdacast.fields, lambdacast.experts = fields, experts

-- --- reading -----------------------------------------------------------------------------------

-- What ends the reading of a payload: it is over, or the capture holds no more of it.
local SHORT, CUT = {}, {}

-- Takes every call that a tree item does, and shows nothing: a payload can be judged before it is
-- claimed.
local NOWHERE = {}
setmetatable(NOWHERE, {__index = function() return function() return NOWHERE end end})

-- A walk over a payload. `whole` is its length without pad, `stop` how much of that was captured.
local Reader = {}
Reader.__index = Reader

function Reader.new(tvb, whole, tree)
  return setmetatable({tvb = tvb, at = 0, whole = whole, stop = math.min(whole, tvb:len()),
                       root = tree, tree = tree, words = {}}, Reader)
end

function Reader:need(bytes)
  if self.at + bytes > self.stop then error(self.at + bytes > self.whole and SHORT or CUT, 0) end
end

function Reader:say(...) self.words[#self.words + 1] = string.format(...) end

function Reader:complain(reason, ...)
  local text = select('#', ...) > 0 and string.format(...) or nil
  self.complaint = self.complaint or reason
  if text then
    self.root:add_proto_expert_info(experts[reason], text)
  else
    self.root:add_proto_expert_info(experts[reason])
  end
end

local function value_of(row, range)
  if row[2] == 'high' then return range:bitfield(0, 4) end
  if row[2] == 'low' then return range:bitfield(4, 4) end
  if row[2] == 'gid' or not TYPES[row[2]] then return range end
  return row.bytes == 8 and range:uint64() or range:uint()
end

-- The values of a layout by their names. They are added to the tree.
function Reader:read(rows)
  local values, item = {}, nil
  for _, row in ipairs(rows) do
    if row[2] == 'bit' then
      local byte = self.tvb(self.at - 1, 1)
      item:add(fields[row[1]], byte)
      values[row[1]] = byte:bitfield(7 - row[4], 1) == 1
    else
      local bytes = row[2] == 'high' and 1 or row.bytes
      self:need(bytes)
      local range = self.tvb(self.at, bytes)
      item = self.tree:add(fields[row[1]], range)
      values[row[1]] = value_of(row, range)
      self.at = self.at + row.bytes
    end
  end
  return values, item
end

-- What `read` reads, as a subtree. What it returns stands in the subtree's line.
function Reader:under(name, label, read)
  local tree, from = self.tree, self.at
  local item = tree:add(fields[name], self.tvb(from, 0))
  if label then item:set_text(label) end
  self.tree = item
  local text = read()
  self.tree = tree
  item:set_len(self.at - from)
  if text then item:append_text(': ' .. text) end
  return text
end

-- The next bytes, as many as were captured of them.
function Reader:bytes(name, count)
  local here = math.min(count, self.stop - self.at)
  if here > 0 then self.tree:add(fields[name], self.tvb(self.at, here)) end
  self.at = self.at + here
  if here < count then error(self.at < self.whole and CUT or SHORT, 0) end
end

-- --- parts that several kinds of frames have -----------------------------------------------------

local function list(items)
  if #items <= SHOWN then return table.concat(items, ', ') end
  return table.concat(items, ', ', 1, SHOWN) .. string.format(', ... (%d in all)', #items)
end

local function gid_text(range)
  if range(0, 12):bytes():tohex() == '00000000000000000000FFFF' then
    return tostring(range(12, 4):ipv4())
  end
  return tostring(range:ipv6())
end

-- "10.77.0.1:17/1718900000", as the console has it: address, queue pair and incarnation.
local function stream(r, label)
  local address
  r:under('stream', label or 'Stream', function()
    local v = r:read(STREAM)
    address = gid_text(v['stream.gid'])
    return string.format('%s:%d/%d', address, v['stream.qpn'], v['stream.incarnation'])
  end)
  return address
end

local function positions(first, count)
  if count < UInt64(2) then return tostring(first) end
  return string.format('%s-%s', tostring(first), tostring(first + count - UInt64(1)))
end

local function rank_list(range, from)
  local ranks = {}
  for i = 0, 63 do
    if range:bitfield(63 - i, 1) == 1 then ranks[#ranks + 1] = tostring(from + i) end
  end
  return table.concat(ranks, ' ')
end

-- A set of ranks in one word of 8 bytes, which begins with rank `from`.
local function ranks(r, rows, from)
  r:need(8)
  local text = rank_list(r.tvb(r.at, 8), from)
  local _, item = r:read(rows)
  if text ~= '' then item:append_text(' (ranks ' .. text .. ')') end
  return text
end

local function view_id(r, label)
  local v
  r:under('in_view', label, function()
    v = r:read(VIEW)
    return string.format('%s.%s', tostring(v['view.epoch']), tostring(v['view.round']))
  end)
  return v['view.epoch']
end

-- --- control frames ------------------------------------------------------------------------------

local function malformed(r, wrong, ...)
  if wrong then r:complain('control_malformed', ...) end
end

local function heartbeat(r, head)
  local v = r:read(HEARTBEAT)
  local last = v['heartbeat.last']
  r:say('last %s, retained from %s', tostring(last), tostring(v['heartbeat.oldest']))
  malformed(r, last > MAX_POSITION, 'The last position is too high')
  malformed(r, v['heartbeat.oldest'] > last + UInt64(1), 'The oldest position is beyond the last')
  if head['heartbeat.end'] then r:say('it leaves') end
  if head['heartbeat.report'] then r:say('statuses, please') end
  for _ = 1, head.entries do
    r:under('verdict', nil, function()
      local who = stream(r, 'Receiver')
      local entry = r:read(VERDICT_ENTRY)
      local kind = VERDICT[entry['verdict.kind']]
      malformed(r, not kind, 'An unknown verdict')
      malformed(r, entry['verdict.open_at'] > last + UInt64(1), 'It begins beyond the last')
      local text = string.format('%s %s', who, kind or '?')
      if entry['verdict.kind'] == 1 then
        text = string.format('%s at %s', text, tostring(entry['verdict.open_at']))
      end
      r:say('%s', text)
      return text
    end)
  end
end

local function status_entry(r)
  return r:under('status', nil, function()
    local who, v = stream(r), nil
    v = r:read(STATUS)
    if v['status.runs'] > MAX_LOSS_RUNS then
      r:complain('control_malformed', 'A status entry with %d runs', v['status.runs'])
    end
    for _ = 1, v['status.runs'] do
      r:under('loss', nil, function()
        local run = r:read(LOSS)
        return positions(run['loss.first'], UInt64(run['loss.count']))
      end)
    end
    if v['status.joining'] then return who .. ' joining' end
    return string.format('%s through %s, room %d', who, tostring(v['status.contiguous']),
                         v['status.room'])
  end)
end

local function statuses(r, count)
  local items = {}
  for i = 1, count do items[i] = status_entry(r) end
  if count > 0 then r:say('%s', list(items)) end
end

local function status(r, head) statuses(r, head.entries) end

local function nack(r, head)
  local who = stream(r)
  local at, items = r:read(NACK)['nack.first'], {}
  local fits = true
  for _ = 1, head.entries do
    local text = r:under('nack', nil, function()
      local from = r.at
      local run = r:read(RUN)
      local skip, missing = UInt64(run['nack.skip']), UInt64(run['nack.missing'])
      fits = fits and at <= UInt64.max() - skip - missing
      if not fits then return 'beyond the last position there is' end
      at = at + skip
      local first = at
      at = at + missing
      if run['nack.missing'] == 0 then return 'nothing' end
      local range = r.tvb(from, 4)
      r.tree:add(fields['nack.from'], range, first):set_generated()
      r.tree:add(fields['nack.through'], range, at - UInt64(1)):set_generated()
      return positions(first, missing)
    end)
    items[#items + 1] = text
  end
  r:say('to %s: missing %s', who, list(items))
  statuses(r, head.statuses)
end

-- Rank of the first entry here, the most entries that there may be, who is suspected.
local function member_extent(r, head, members)
  local suspects = ranks(r, SUSPECTS, 0)
  if head.version == 1 then return 0, MAX_MEMBERS[1], suspects end
  local more = ranks(r, SUSPECTS, 64)
  local first = r:read(FIRST_RANK)['member.first']
  if members > MAX_MEMBERS[2] then r:complain('view_too_large', 'A view of %d members', members) end
  return first, members, suspects == '' and more or suspects .. (more == '' and '' or ' ' .. more)
end

local function member(r, head)
  local epoch = view_id(r, "The speaker's view")
  local v = r:read(MEMBER)
  local state = STATE[v['member.state']]
  malformed(r, not state, 'An unknown state')
  r:say('%s, epoch %s of %d', state or '?', tostring(epoch), v['member.members'])
  local first, most, suspects = member_extent(r, head, v['member.members'])
  malformed(r, first + head.entries > most, 'Acknowledgements beyond the last rank')
  if suspects ~= '' then r:say('suspects %s', suspects) end
  for i = 1, head.entries do
    r:under('acknowledgement', string.format('Rank %d', first + i - 1), function()
      return tostring(r:read(ACK)['member.ack'])
    end)
  end
  local out = {}
  for i = 1, v['member.names'] do out[i] = stream(r, 'Out of the view') end
  if #out > 0 then r:say('out: %s', list(out)) end
  for _, word in ipairs{'leaving', 'ready', 'starved', 'holds', 'wide'} do
    if head['member.' .. word] then r:say(word) end
  end
end

local function ballot_id(r)
  local v
  r:under('ballot', nil, function()
    v = r:read(BALLOT_ID)
    stream(r, 'Proposer')
    return string.format('%s.%s', tostring(v['ballot.epoch']), tostring(v['ballot.round']))
  end)
  r:say('epoch %s round %s', tostring(v['ballot.epoch']), tostring(v['ballot.round']))
  return v
end

-- Entries of a value, old and new members: no more than that, and these within.
local function entries_fit(r, head, first, total)
  local most = 2 * MAX_MEMBERS[head.version]
  if head.version == 2 and total > most then
    r:complain('view_too_large', 'A value of %d entries', total)
  else
    malformed(r, total > most, 'A value of %d entries', total)
  end
  malformed(r, first + head.entries > total, 'Entries beyond the last')
end

local function entry_text(entry, who)
  local words = {who}
  for _, word in ipairs{'old', 'new', 'leaves'} do
    if entry['entry.' .. word] then words[#words + 1] = word end
  end
  return string.format('%s, cut %s', table.concat(words, ' '), tostring(entry['entry.cut']))
end

local function ballot(r, head)
  local epoch = ballot_id(r)['ballot.epoch']
  local v = r:read(BALLOT)
  local phase = PHASE[v['ballot.phase']]
  table.insert(r.words, 1, phase or '?')
  malformed(r, not phase, 'An unknown phase')
  malformed(r, epoch == UInt64(0), 'A ballot about epoch 0')
  entries_fit(r, head, v['ballot.first'], v['ballot.total'])
  r:say('%d entries', v['ballot.total'])
  for i = 1, head.entries do
    r:under('entry', string.format('Entry %d', v['ballot.first'] + i - 1), function()
      local who = stream(r, 'Name')
      return entry_text(r:read(ENTRY), who)
    end)
  end
end

local function vote(r, head)
  ballot_id(r)
  local v = r:read(VOTE)
  local stage = STAGE[v['vote.stage']]
  table.insert(r.words, 1, stage or '?')
  malformed(r, not stage, 'An unknown stage')
  malformed(r, v['vote.has_accepted'] > 1, 'It has neither accepted a value nor not')
  local part = r:read(head.version == 2 and VOTE_WIDE or VOTE_NARROW)
  local first = part['vote.first'] or 0
  entries_fit(r, head, first, part['vote.total'] or head.entries)
  r:read(ACCEPTED)
  stream(r, 'Proposer of the value accepted')
  for i = 1, head.entries do
    r:under('vote', string.format('Entry %d', first + i - 1), function()
      local position = r:read(POSITION)['vote.position']
      return position == UInt64.max() and 'not heard' or tostring(position)
    end)
  end
end

local function skip(r, head)
  local who = stream(r)
  local v = r:read(SKIP)
  local first, count = v['skip.first'], v['skip.count']
  r:say('%s: nothing ordered in %s', who, positions(first, count))
  malformed(r, head.entries ~= 0, 'A skip with entries')
  malformed(r, first > MAX_POSITION or count > MAX_POSITION - first, 'Positions that are too high')
end

local function double(r, head)
  r:say('another endpoint with this address is incarnation %u', r:read(DOUBLE)['double.other'])
  malformed(r, head.entries ~= 0, 'A double with entries')
end

local CONTROL_READERS = {heartbeat, status, nack, member, ballot, vote, skip, double}
local CONTROL_FLAGS = {HEARTBEAT_FLAGS, [4] = MEMBER_FLAGS}
local WIDE = {[4] = true, [5] = true, [6] = true}  -- kinds that have a version 2

local function control(r)
  r.short = 'control_malformed'
  if r.whole < 24 then r:complain('control_malformed', 'A control frame of %d bytes', r.whole) end
  local head = r:read(CONTROL)
  local kind = head['control.kind']
  r.name = CONTROL_KIND[kind] and CONTROL_KIND[kind]:gsub('^%l', string.upper)
  for name, value in pairs(r:read(CONTROL_FLAGS[kind] or NO_FLAGS)) do head[name] = value end
  for name, value in pairs(r:read(SPEAKER)) do head[name] = value end
  if not CONTROL_READERS[kind] then
    r:complain('control_kind', 'Control kind %d', kind)
  elseif head.version ~= 1 and not (head.version == 2 and WIDE[kind]) then
    r:complain('control_version', 'Version %d', head.version)
  else
    malformed(r, head.data_qpn > 0xffffff, 'A queue pair of more than 24 bits')
    CONTROL_READERS[kind](r, head)
    malformed(r, r.at < r.whole, '%d bytes behind the last entry', r.whole - r.at)
  end
  r:bytes('unread', r.whole - r.at)
end

-- --- data ----------------------------------------------------------------------------------------

local function marks(r)
  local items, bytes = {}, r.whole - r.at - 8
  if bytes < 0 or bytes % 12 ~= 0 then r:complain('marks_malformed') end
  local epoch = r:read(MARKS)['marks.epoch']
  while r.whole - r.at >= 12 do
    items[#items + 1] = r:under('mark', nil, function()
      local v = r:read(MARK)
      return string.format('rank %d through %s', v['mark.rank'], tostring(v['mark.through']))
    end)
  end
  r:say('epoch %s: %s', tostring(epoch), list(items))
  r:bytes('unread', r.whole - r.at)
end

-- A piece, or a refusal to send one.
local function group_piece(r, kind)
  local v, wide, refused = r:read(AS_OF), kind >= 6, kind == 5 or kind == 7
  local whom = ranks(r, RANKS, 0)
  if wide then whom = whom .. ' ' .. ranks(r, RANKS, 64) end
  r:say('as of %s.%s for ranks %s', tostring(v['group_message.epoch']),
        tostring(v['group_message.index']), whom)
  if refused then return r.at == r.whole end
  local piece = r:read(PIECE)
  local total, offset = piece['group_message.total'], piece['group_message.offset']
  local bytes = r.whole - r.at
  r:say('%d at %s of %s bytes', bytes, tostring(offset), tostring(total))
  r:bytes('data', bytes)
  return offset <= total and UInt64(bytes) <= total - offset
end

-- A lock is asked for, or given back.
local function group_lock(r, kind)
  r:say('lock %d', r:read(LOCK)['group_message.handler'])
  if kind == 9 then
    local v = r:read(TOKEN)
    r:say('token %s.%s', tostring(v['group_message.token_epoch']),
          tostring(v['group_message.token_place']))
    stream(r, 'Heir')
  end
  return r.at == r.whole
end

local function group_message(r, bytes)
  r.short = 'group_message_malformed'
  if r.numbered then r:bytes('sim_number', math.min(8, bytes)) end
  local kind = r:read(GROUP)['group_message.type']
  r:say('%s', GROUP_MESSAGE[kind] or 'of an unknown type')
  local good
  if kind == 1 then
    local count = r.whole - r.at
    r:need(count)
    good = count >= 1 and count <= 63
    if count > 0 then
      local name = r.tvb(r.at, count)
      for i = 0, count - 1 do
        local byte = name(i, 1):uint()
        good = good and byte >= 0x20 and byte ~= 0x7f
      end
      r.tree:add(fields['group_message.name'], name)
      r:say('"%s"', name:string())
      r.at = r.whole
    end
  elseif kind == 2 or kind == 3 then
    good = r.at == r.whole
  elseif kind == 8 or kind == 9 then
    good = group_lock(r, kind)
  elseif GROUP_MESSAGE[kind] then
    good = group_piece(r, kind)
  end
  if not good then r:complain('group_message_malformed') end
  r:bytes('unread', r.whole - r.at)
end

-- The envelope in front of a request, or of an answer to one.
local function envelope(r)
  local v = r:read(ENVELOPE)
  local caller = stream(r, 'Caller')
  for name, value in pairs(r:read(REQUEST)) do v[name] = value end
  local kind, want, status = v['request.type'], v['request.want'], v['request.status']
  local number, floor = v['request.number'], v['request.floor']
  r:say('%s %s of %s', REQUEST_TYPE[kind] or 'unknown', tostring(number), caller)
  if kind == 2 and want == 2 then r:say('to the holder of lock %d', v['request.handler']) end
  if kind >= 3 and kind <= 5 then r:say('%s', ANSWER[status] or 'of an unknown status') end
  if not (REQUEST_TYPE[kind] and WANT[want] and ANSWER[status]) or number <= floor or
     number - floor > UInt64(REQUESTS_UNDER_WAY) then
    r:complain('request_malformed')
  end
end

local function request(r, bytes)
  r.short = 'request_malformed'
  if r.numbered then r:bytes('sim_number', math.min(8, bytes)) end
  envelope(r)
  r:bytes('message', r.whole - r.at)
end

-- Of a record: the message of an application, or a request.
local function messages(r, count, of_requests)
  local whole, found = r.whole, 0
  while r.at < whole do
    r.short = 'transport_messages'
    r:under('record', nil, function()
      local bytes = r:read(RECORD).record_bytes
      if of_requests and r.at + bytes <= whole then
        r.whole = r.at + bytes
        request(r, bytes)
        r.whole = whole
      else
        r:bytes('message', bytes)
      end
      return string.format('%d bytes', bytes)
    end)
    found = found + 1
  end
  if found ~= count or found == 0 then
    r:complain('transport_messages', '%d messages, and the header says %d', found, count)
  end
end

local function fragment(r, v, header)
  if header < 56 then return r:complain('transport_header_length', 'A fragment in 48 bytes') end
  local part = r:read(FRAGMENT)
  local each, of, offset = part.fragment_bytes, v.message_bytes, v.fragment_offset
  r:bytes('extension', header - r.at)
  local bytes = r.whole - r.at
  r:say('%d at %d of %d bytes of message %d', bytes, offset, of, part.message_id)
  if each == 0 or each >= of or of > MAX_MESSAGE_BYTES or offset >= of or offset % each ~= 0 or
     bytes ~= math.min(each, of - offset) then
    r:complain('transport_fragment')
  end
  -- The first fragment of a request begins with the envelope.
  local front = ENVELOPE_BYTES + (r.numbered and 8 or 0)
  if v.kind == 0x13 and offset == 0 and bytes >= front then return request(r, bytes) end
  r:bytes('message', bytes)
end

-- What is behind the base part of a header that is right.
local function data(r, v, header)
  if v.kind == 3 or v.kind == 0x13 then return fragment(r, v, header) end
  r:bytes('extension', header - r.at)
  local bytes = r.whole - r.at
  local records = OF_RECORDS[v.kind]
  if v.message_bytes ~= bytes or not records and v.fragment_offset ~= 0 then
    r:complain(records and 'transport_messages' or 'transport_fragment',
               '%d bytes, and the header says %d', bytes, v.message_bytes)
  end
  if records then return messages(r, v.messages, v.kind == 0x12) end
  if v.kind == 4 then return group_message(r, bytes) end
  if v.kind == 0x11 then return request(r, bytes) end
  if v.group == MARKS_GROUP then
    r.short = 'marks_malformed'
    return marks(r)
  end
  r:say('%d bytes', bytes)
  r:bytes('message', bytes)
end

local function transport(r)
  r.short = 'transport_too_short'
  if r.whole < 48 then r:complain('transport_too_short') end
  local v = r:read(TRANSPORT)
  local more = r:read(OF_RECORDS[v.kind] and MESSAGES or OFFSET)
  v.messages, v.fragment_offset = more.messages, more.fragment_offset
  v.message_bytes = r:read(LENGTH).message_bytes
  local header = 8 * v.header_units
  r.name = (v.group == MARKS_GROUP and v.kind == 1 and 'Marks') or
           KIND[v.kind] and KIND[v.kind]:gsub('^%l', string.upper)
  if v.repair then r.name = 'Repair: ' .. (r.name or '?') end
  r:say('%s, %s %s', QOS[v.qos] or '?', v.qos == 0 and 'behind' or 'rel_seq', tostring(v.rel_seq))
  local personal = v.group - FIRST_PERSONAL_GROUP
  if personal >= 0 and personal < PERSONAL_GROUPS then
    r:say('personal group %d', v.group)
  elseif v.group ~= MARKS_GROUP then
    r:say('group %d', v.group)
  end
  if v.version ~= 1 then
    r:complain('transport_version', 'Version %d', v.version)
  elseif header < 48 then
    r:complain('transport_header_length')
  elseif header > r.whole then
    r:complain('transport_too_short', 'A header of %d bytes', header)
  elseif not KIND[v.kind] then
    r:complain('transport_kind', 'Kind %d', v.kind)
  elseif not QOS[v.qos] then
    r:complain('transport_qos', 'QoS %d', v.qos)
  else
    data(r, v, header)
  end
  r:bytes('unread', math.max(0, r.whole - r.at))
end

-- --- whose frames they are -----------------------------------------------------------------------

lambdacast.prefs.groups = Pref.string(
  'Groups', '239.255.77.1 ff15::4d:1', 'Multicast addresses of endpoints, as `multicast` in their '
  .. 'configuration. The address that follows each is that of its control frames.')
lambdacast.prefs.simulated = Pref.string(
  'Groups of the simulator', '239.0.76.67 ff0e::4c43', 'Those of lambdacast-sim, which puts a '
  .. 'number of 8 bytes in front of each message.')
lambdacast.prefs.elsewhere = Pref.bool(
  'Look for frames to other addresses', true, 'To take a frame to another address for one of ours '
  .. 'if there is nothing wrong with it.')

local function ipv4_key(text)
  local key = ''
  for number in text:gmatch('%d+') do
    if tonumber(number) > 255 then return nil end
    key = key .. string.format('%02X', tonumber(number))
  end
  return text:match('^%d+%.%d+%.%d+%.%d+$') and key
end

local function words_of(text)
  if text:find('^:') or text:find(':$') or text:find('::', 1, true) then return nil end
  local key = ''
  for word in text:gmatch('[^:]+') do
    if not word:match('^%x%x?%x?%x?$') then return nil end
    key = key .. string.rep('0', 4 - #word) .. word:upper()
  end
  return key
end

local function ipv6_key(text)
  local head, tail = text:match('^(.-)::(.*)$')
  head, tail = words_of(head or text), words_of(tail or '')
  if not head or not tail or not text:find(':', 1, true) then return nil end
  local missing = 32 - #head - #tail
  if missing < 0 or (missing > 0) ~= (text:find('::', 1, true) ~= nil) then return nil end
  return head .. string.rep('0', missing) .. tail
end

local known = {}  -- by the bytes of the destination: {read, whether messages are numbered}

local function learn(addresses, numbered)
  for text in addresses:gmatch('[^%s,]+') do
    local key = ipv4_key(text) or ipv6_key(text)
    if key then
      local last = (tonumber(key:sub(-8), 16) + 1) % 0x100000000
      known[key] = {transport, numbered}
      known[key:sub(1, -9) .. string.format('%08X', last)] = {control, numbered}
    else
      report_failure('lambdacast: "' .. text .. '" in the preferences is not an IP address')
    end
  end
end

local function learn_all()
  known = {}
  learn(lambdacast.prefs.groups, false)
  learn(lambdacast.prefs.simulated, true)
end
lambdacast.prefs_changed = learn_all
learn_all()

local destinations = {Field.new('ip.dst'), Field.new('ipv6.dst')}
local pad_count, opcode = Field.new('infiniband.bth.padcnt'), Field.new('infiniband.bth.opcode')
local SEND_ONLY = 0x64  -- of unreliable datagrams

-- The innermost destination, as hexadecimal digits.
local function destination()
  local innermost
  for _, field in ipairs(destinations) do
    for _, info in ipairs{field()} do
      if not innermost or info.range:offset() > innermost:offset() then innermost = info.range end
    end
  end
  return innermost and innermost:bytes():tohex()
end

-- A payload of so many bytes, with pad, from its beginning to its end, as far as `tvb` has it. The
-- complaint about it is in the reader.
local function walk(read, tvb, bytes, numbered, tree)
  local pad = pad_count()
  local r = Reader.new(tvb, math.max(0, bytes - (pad and pad.value or 0)), tree)
  r.numbered = numbered
  local good, stop = pcall(read, r)
  if good then return r end
  if stop == CUT then
    r.root:add_proto_expert_info(experts.cut_short)
    r.cut = true
  elseif stop ~= SHORT then
    error(stop, 0)
  elseif not r.complaint then
    r:complain(r.short)
  end
  return r
end

local shown_in  -- the number of the frame that is dissected, once it has been shown

local function show(read, tvb, bytes, numbered, pinfo, root)
  shown_in = pinfo.number
  local tree = root:add(lambdacast, tvb())
  local r = walk(read, tvb, bytes, numbered, tree)
  pinfo.cols.protocol:set('Lambdacast')
  local text = r.name or 'Unknown'
  if #r.words > 0 then text = text .. ' ' .. table.concat(r.words, ', ') end
  if r.complaint then text = string.format('[%s] %s', r.complaint, text) end
  if r.cut then text = text .. ' [cut short]' end
  pinfo.cols.info:set(text)
  tree:append_text(', ' .. text)
  return tvb:len()
end

-- The version and the length of a transport header, or the version of a control frame and zero.
local function reader_by_shape(tvb)
  return tvb(0, 1):bitfield(4, 4) == 0 and control or transport
end

-- Chosen by hand, by "Decode As".
function lambdacast.dissector(tvb, pinfo, root)
  if tvb:len() == 0 then return 0 end
  return show(reader_by_shape(tvb), tvb, tvb:reported_len(), false, pinfo, root)
end

local function recognise(tvb, bytes, pinfo, root)
  local operation = opcode()
  if tvb:len() == 0 or operation and operation.value ~= SEND_ONLY then return false end
  local group = known[destination() or '']
  if group then
    show(group[1], tvb, bytes, group[2], pinfo, root)
    return true
  end
  if not lambdacast.prefs.elsewhere then return false end
  local read = reader_by_shape(tvb)
  local judged = walk(read, tvb, bytes, false, NOWHERE)
  if judged.complaint or judged.cut then return false end
  show(read, tvb, bytes, false, pinfo, root)
  return true
end

lambdacast:register_heuristic('infiniband.payload', function(tvb, pinfo, root)
  return recognise(tvb, tvb:reported_len(), pinfo, root)
end)

-- Wireshark's InfiniBand dissector stops before a payload that was not captured whole. So what is
-- there of such a one is looked for when the others have done with the frame.
local cut = Proto('lambdacast_cut', 'Lambdacast in frames that the capture cut short')
local deth, udp_length = Field.new('infiniband.deth'), Field.new('udp.length')
local AROUND = 8 + 12 + 8 + 4  -- bytes of UDP, BTH, DETH and ICRC

function cut.dissector(tvb, pinfo, root)
  if tvb:len() >= tvb:reported_len() or shown_in == pinfo.number then return end
  local before, length = deth(), udp_length()
  if not before or not length then return end
  local from = before.offset + before.len
  if from >= tvb:len() then return end
  pinfo.cols.info:clear_fence()  -- "malformed", which it is not
  local payload = tvb(from, tvb:len() - from):tvb()
  recognise(payload, math.max(0, length.value - AROUND), pinfo, root)
end

register_postdissector(cut)
DissectorTable.get('infiniband'):add_for_decode_as(lambdacast)
