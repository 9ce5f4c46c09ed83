# SPDX-License-Identifier: BSD-3-Clause
"""What wireshark_dissector.sh runs: wireshark_dissector.py FOLDER CAPTURE... compares what tshark
with share/wireshark/lambdacast.lua makes of captured frames, and of others, with their bytes. The
folder becomes Wireshark's of a user, so that nobody's own settings count."""
import collections
import os
import random
import re
import shutil
import struct
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, 'scripts', 'dev'))
import check_frames
import frame_kinds
import lambdacast_bytes
from wireshark_frames import (CONTROL, DATA, broken, cut, frame_of, fuzzed, header, made, name,
                              patched, speaker)

# Fields with names of values, and the enumeration of the code that each shows.
NAMED = {'kind': 'transport', 'qos': 'qos', 'control.kind': 'control', 'verdict.kind': 'verdict',
         'member.state': 'member', 'ballot.phase': 'ballot', 'vote.stage': 'vote',
         'group_message.type': 'group message', 'request.type': 'request type',
         'request.want': 'request want', 'request.status': 'answer status'}
OTHER_WORDS = {'transport', 'verdict'}  # where the plugin's names are not those of the code
NOT_COMPARED = {'reserved', 'reserved_half', 'unread'}  # bytes that mean nothing
NUMBERED = frame_kinds.SIMULATED
SEED = 20260
ENOUGH = 300  # frames of a kind


class Failure(Exception):
    """What is not as it should be."""


def want(condition, *words):
    if not condition:
        raise Failure(' '.join(str(word) for word in words))


class Tshark:
    """tshark with the plugin where the guide says that a user has it."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(os.path.join(folder, 'plugins'))
        shutil.copy(os.path.join(ROOT, 'share/wireshark/lambdacast.lua'),
                    os.path.join(folder, 'plugins'))
        self.path = os.path.join(folder, 'frames.pcap')

    def run(self, *words, refused=False):
        done = subprocess.run(['tshark', *words], capture_output=True, text=True, errors='replace',
                              env={**os.environ, 'WIRESHARK_CONFIG_DIR': self.folder}, check=False)
        if refused:
            return done.stderr
        want(done.returncode == 0, 'tshark ends with', done.returncode, done.stderr[-2000:])
        said = [line for line in done.stderr.splitlines() if 'Running as user' not in line]
        want(not said, 'tshark says', *said[:5])
        return done.stdout

    def write(self, frames, captured=None):
        """`captured`: how many bytes of each are in the file."""
        with open(self.path, 'wb') as stream:
            stream.write(check_frames.PCAP_HEADER)
            for i, frame in enumerate(frames):
                part = frame[:captured[i]] if captured else frame
                stream.write(struct.pack('<IIII', 0, 0, len(part), len(frame)) + part)

    def rows(self, frames, fields, *words, captured=None):
        """The fields' values of each frame, a text each."""
        self.write(frames, captured)
        asked = [word for field in fields for word in ('-e', field)]
        lines = self.run('-n', '-r', self.path, '-T', 'fields', '-E', 'occurrence=a', *words,
                         *asked).splitlines()
        want(len(lines) == len(frames), len(lines), 'rows of', len(frames), 'frames')
        return [line.split('\t') for line in lines]


# --- frames ---------------------------------------------------------------------------------------

def expected(frame):
    taken = frame_kinds.Frame(frame)
    if taken.destination in frame_kinds.CONTROL_GROUPS:
        return lambdacast_bytes.control(taken.payload()[0])
    return lambdacast_bytes.transport(taken.payload()[0], taken.destination in NUMBERED)


# --- what tshark makes of them --------------------------------------------------------------------

def as_number(text):
    return {'True': '1', 'False': '0'}.get(text) or (
        str(int(text, 16)) if text.startswith('0x') else text)


def check_names(tshark):
    """The plugin knows every value of the code's enumerations. Its fields to compare."""
    words = collections.defaultdict(dict)
    for line in tshark.run('-G', 'values').splitlines():
        parts = line.split('\t')
        if parts[0] == 'V' and parts[1].startswith('lambdacast.'):
            words[parts[1][len('lambdacast.'):]][int(parts[2], 0)] = parts[3]
    for field, prefix in NAMED.items():
        table = frame_kinds.TABLES[prefix]
        want(set(words[field]) == set(table), field, 'has', words[field], 'and the code', table)
        for number, word in table.items():
            shown = re.sub('[^a-z]', '', words[field][number].lower())
            want(prefix in OTHER_WORDS or 'k' + shown == word.lower(), word, 'is shown as', shown)
    fields = {}
    for line in tshark.run('-G', 'fields').splitlines():
        parts = line.split('\t')
        if parts[0] == 'F' and parts[2].startswith('lambdacast.'):
            fields[parts[2][len('lambdacast.'):]] = parts[3]
    return sorted(field for field, kind in fields.items()
                  if kind != 'FT_NONE' and field not in NOT_COMPARED)


def compare(tshark, frames, fields, seen, counts):
    """Every field of every frame with the bytes, and its name."""
    asked = ['_ws.col.Info', '_ws.expert.group'] + ['lambdacast.' + field for field in fields]
    for frame, row in zip(frames, tshark.rows(frames, asked)):
        wanted = expected(frame)
        check_info(row[0], wanted, counts)
        want('Malformed' not in row[1], 'a good frame is', row[1], row[0], frame.hex())
        for field, text in zip(fields, row[2:]):
            values = [as_number(part) for part in text.split(',')] if text else []
            mine = wanted.pop(field, [])
            want(values == mine, field, 'is', values, 'and the bytes say', mine, frame.hex())
            seen[field] += len(values)
        want(not wanted, 'no field shows', wanted, frame.hex())


def runs_of(values):
    """The runs of a NACK as the Info column has them."""
    return [first if first == last else f'{first}-{last}'
            for first, last in zip(values.get('nack.from', []), values.get('nack.through', []))]


def check_info(info, values, counts):
    """Repairs, NACKs, marks, statuses and frames of membership by name, with their numbers."""
    kind = values.get('control.kind', ['-'])[0]
    if values.get('repair') == ['1']:
        counts['repairs'] += 1
        want(info.startswith('Repair: ') and f"rel_seq {values['rel_seq'][0]}," in info, info)
    if kind == '3':
        counts['NACKs'] += 1
        runs = runs_of(values)
        want(info.startswith('NACK to ') and
             all(re.search(rf'[ ,]{run}(,|$)', info) for run in runs[:16]), info, runs)
    if 'marks.epoch' in values:
        counts['marks'] += 1
        want(re.match('(Repair: )?Marks ', info), info)
        for rank, through in list(zip(values['mark.rank'], values['mark.through']))[:16]:
            want(f'rank {rank} through {through}' in info, info)
    if kind == '2':
        counts['statuses'] += 1
        want(info.startswith('Status '), info)
        joining = values.get('status.joining', [])
        for through, out in list(zip(values.get('status.contiguous', []), joining))[:16]:
            want(('joining' if out == '1' else f'through {through}, room') in info, info)
    if kind in '45678':
        word = {'4': 'Member ', '5': 'Ballot ', '6': 'Vote ', '7': 'Skip ', '8': 'Double '}[kind]
        counts[word.lower().strip() + 's'] += 1
        want(info.startswith(word), info)


# --- what is not as it should be ------------------------------------------------------------------

def check_broken(tshark):
    cases = list(broken())
    frames = [frame_of(payload, to) for payload, to, _ in cases]
    reasons = sorted({reason for *_, reason in cases})
    rows = tshark.rows(frames, ['_ws.col.Info', *('lambdacast.' + reason for reason in reasons)])
    for (payload, _, reason), row in zip(cases, rows):
        told = [other for other, text in zip(reasons, row[1:]) if text]
        want(told == [reason], payload.hex(), 'is', told, 'and should be', reason)
        want(row[0].startswith(f'[{reason}]'), row[0])
    return len(cases)


def check_truncated(tshark, examples):
    """A payload that ends early is malformed, and one whose end was not captured is none."""
    draw = random.Random(SEED)
    frames, captured = [], []
    for frame in examples:
        size = len(frame_kinds.Frame(frame).payload()[0])
        frames += [cut(frame, count) for count in range(1, size)
                   if size < 200 or draw.random() < 200 / size]
    rows = tshark.rows(frames, ['_ws.expert.group', '_ws.col.Protocol'])
    for frame, (groups, protocol) in zip(frames, rows):
        want(protocol == 'Lambdacast' and groups, 'not malformed:', frame.hex())
    for frame in examples:
        begin = frame_kinds.Frame(frame).l4 + 29
        ends = [draw.randrange(begin, len(frame) - 4) for _ in range(40)]
        captured += [(frame, end) for end in ends]
    rows = tshark.rows([frame for frame, _ in captured], ['lambdacast.cut_short', '_ws.col.Info'],
                       captured=[end for _, end in captured])
    told = sum(bool(row[0]) and 'malformed' not in row[1] for row in rows)
    want(told > len(rows) * 0.9, told, 'of', len(rows), 'cut frames are told')
    return len(frames), len(captured)


def check_fuzzed(tshark, examples):
    """Whatever the payload, no error of Lua, in the tree and in a second pass over the file."""
    frames = list(fuzzed(examples, random.Random(SEED)))
    tshark.write(frames)
    for words in (('-V',), ('-2', '-Y', 'lambdacast.rel_seq > 5')):
        text = tshark.run('-n', '-r', tshark.path, *words)
        want('Lua Error' not in text and '[Dissector bug' not in text, words, 'an error of Lua')
    ours = tshark.run('-n', '-r', tshark.path, '-Y', 'lambdacast').splitlines()
    want(len(ours) == len(frames), len(frames) - len(ours), 'frames are not recognised')
    return len(frames)


def check_recognised(tshark):
    """Whose frames are taken for ours."""
    good, beat = header(message=b'hello'), speaker(7, 0) + name(2) + struct.pack('>QQ', 1, 1)
    elsewhere = bytes([10, 77, 0, 9])
    cases = [
        (frame_of(good, elsewhere, queue_pair=b'\0\0\x11'), True),
        (frame_of(beat, elsewhere, queue_pair=b'\0\0\x12'), True),
        (frame_of(patched(good, 2, b'\7'), elsewhere), False),
        (frame_of(beat[:-4], elsewhere), False),
        (frame_of(good, opcode=0x65), False),
        (frame_of(b'', DATA), False)]
    frames = [frame for frame, _ in cases]
    for (frame, ours), row in zip(cases, tshark.rows(frames, ['lambdacast.incarnation'])):
        want(bool(row[0]) == ours, frame.hex(), 'recognised:', row[0])
    rows = tshark.rows(frames, ['lambdacast.incarnation'], '-o', 'lambdacast.elsewhere:FALSE')
    want(not any(row[0] for row in rows), 'recognised although switched off')
    group = frame_of(patched(good, 2, b'\7'), bytes([239, 1, 2, 3]))
    option = ('-o', 'lambdacast.groups:239.1.2.3, ff15::77')
    want(tshark.rows([group], ['lambdacast.transport_qos'], *option)[0][0], 'no group of ours')
    by_hand = ('-d', 'infiniband,lambdacast')
    row = tshark.rows([cases[2][0]], ['lambdacast.transport_qos'], *by_hand)[0]
    want(row[0], 'not decoded by hand')
    for wrong in ('239.1.2', '239.1.2.256', 'ff15::1::2', 'group', 'ff15:1', '1:2:3:4:5:6:7:8:9'):
        said = tshark.run('-n', '-r', tshark.path, '-o', 'lambdacast.groups:' + wrong, refused=True)
        want(f'"{wrong}" in the preferences is not an IP address' in said, wrong, said)
    folder = os.path.join(ROOT, 'tests', 'vectors', 'rxe')
    for file in sorted(os.listdir(folder)):
        if file.endswith('.pcap'):
            path = os.path.join(folder, file)
            want(not tshark.run('-n', '-r', path, '-Y', 'lambdacast'), file, 'is not of ours')


def some_of(frames):
    """Enough frames of each kind, and how many they are."""
    chosen, kinds = [], collections.Counter()
    for frame in frames:
        here = frame_kinds.kinds_of(frame)
        if any(kinds[kind] < ENOUGH for kind in here):
            chosen.append(frame)
            kinds.update(here)
    return chosen, kinds


def main():
    folder, *files = sys.argv[1:]
    tshark = Tshark(folder)
    fields = check_names(tshark)
    frames, kinds = some_of(frame for file in files for frame in check_frames.read(file, []))
    for kind in ('transport kMessages', 'transport kFragment', 'transport kGroup',
                 'transport kRequest', 'repair'):
        want(kind in kinds, 'no frame was captured of', kind)
    frames += [frame_of(*each) for each in made()]
    seen, counts, examples = collections.Counter(), collections.Counter(), {}
    compare(tshark, frames, fields, seen, counts)
    want(not [field for field in fields if not seen[field]], 'in no frame:',
         [field for field in fields if not seen[field]])
    print(f'{len(frames)} frames, {len(fields)} fields, {sum(seen.values())} values compared')
    print(', '.join(f'{count} {what}' for what, count in sorted(counts.items())) + ' by name')
    for what in ('repairs', 'NACKs', 'marks', 'statuses', 'members', 'ballots', 'votes', 'skips',
                 'doubles'):
        want(counts[what], 'no', what)
    for frame in frames:
        for kind in frame_kinds.roce_kinds(frame_kinds.Frame(frame)):
            examples.setdefault(kind, frame)
    examples = list(dict.fromkeys(examples.values()))
    print(f'{check_broken(tshark)} broken payloads told apart')
    print('%d payloads that end early, %d cut in capture' % check_truncated(tshark, examples))
    print(f'{check_fuzzed(tshark, examples)} damaged payloads, no error of Lua')
    check_recognised(tshark)


if __name__ == '__main__':
    try:
        main()
    except Failure as failure:
        sys.exit(f'FAILED: {failure}')
