# SPDX-License-Identifier: BSD-3-Clause
"""What view_outage.sh runs: racks of three members whose network goes and comes back."""
import re
import subprocess
import sys
import threading
import time

PROGRAM, FOLDER, FABRIC, FORM = sys.argv[1:]
SUSPECT_AFTER_S = 0.25
OUTAGES_S = [0.002, 0.5 * SUSPECT_AFTER_S, SUSPECT_AFTER_S, 2 * SUSPECT_AFTER_S,
             4 * SUSPECT_AFTER_S]
PATIENCE_S = 30  # longer than any recovery on a machine that does much else
LEVELS = ['total', 'k', 'majority', 'resilient']
RATES = [100, 5000]


class Failure(Exception):
    """What is not as it should be."""


def configuration(fabric, members, level, rate):
    """Of one process."""
    text = f'''[fabric]
name = "{fabric}"
wavelengths = 3
slots = 2048
[traffic]
enabled = true
rate_pps = {rate}
payload_bytes = 64
qos = "{level}"
[[lcore]]
id = 0
idle = "sleep"
[endpoint_defaults]
path_mtu = 1024
membership = {{ enabled = true, initial_nodes = 3, suspect_after_us = {SUSPECT_AFTER_S * 1e6:.0f} }}
'''
    for member in members:
        text += f'''[[endpoint]]
name = "node{member}"
address = "10.77.0.{member + 1}"
wavelength = "C{21 + member}"
'''
    return text


class Process:
    """A running program, its console, and what its members have said."""

    def __init__(self, name, fabric, members, level, rate, rejoin):
        self.name = name
        self.members = members
        self.lines = []
        self.heard = {member: [] for member in members}  # the texts of group `probe`, in order
        self.views = {member: 0 for member in members}   # members of the last view
        self.probers = {member: 0 for member in members}  # of the group in it
        self.out = set()  # members that are excluded
        self.lives = 1
        self.delivered = {}
        self.changed = threading.Condition()
        path = f'{FOLDER}/{name}.toml'
        with open(path, 'w', encoding='utf-8') as file:
            file.write(configuration(fabric, members, level, rate))
        options = ['--rejoin'] if rejoin else []
        self.process = subprocess.Popen(
            [PROGRAM, '--config', path, '--interactive', '--stats-period', '0', *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            bufsize=1)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.take_part()

    def say(self, *commands):
        """Types commands."""
        self.process.stdin.write(''.join(command + '\n' for command in commands))
        self.process.stdin.flush()

    def take_part(self):
        """In the group whose messages are looked at."""
        self.say('join probe')

    def read(self):
        """Its output, to the end."""
        asked = None
        for line in self.process.stdout:
            with self.changed:
                self.lines.append(line)
                if 'starts over, as another incarnation' in line:
                    self.lives += 1
                    self.out.clear()
                    for member in self.members:
                        self.views[member] = self.probers[member] = 0
                    self.take_part()
                elif match := re.search(r'node(\d): group probe from \S+ (\S+)$', line):
                    self.heard[int(match[1])].append(match[2])
                elif match := re.search(r'node(\d): view \S+ begins, members (\d+)', line):
                    self.views[int(match[1])] = int(match[2])
                elif match := re.search(r'node(\d): group probe: members (\d+)', line):
                    if self.probers[int(match[1])] == 0:
                        self.say(f'listen probe node{match[1]}')
                    self.probers[int(match[1])] = int(match[2])
                elif match := re.search(r'node(\d): excluded from view', line):
                    self.out.add(int(match[1]))
                elif match := re.search(r'^endpoint +node(\d)$', line):
                    asked = int(match[1])
                elif match := re.search(r'^ordered_delivered +([0-9,]+)', line):
                    self.delivered[asked] = int(match[1].replace(',', ''))
                self.changed.notify_all()


class Rack:
    """Three members of a fabric, in one process or each in its own."""

    def __init__(self, number, level, rate, rejoin):
        self.name = f'{level} at {rate}/s' + (', --rejoin' if rejoin else '')
        self.rejoin = rejoin
        fabric = f'{FABRIC}r{number}'
        groups = [[0], [1], [2]] if rejoin else [[0, 1, 2]]
        self.processes = [
            Process(f'r{number}p{members[0]}', fabric, members, level, rate, rejoin)
            for members in groups]
        self.of = {member: process for process in self.processes for member in process.members}
        self.probes = 0
        self.failure = None
        self.notes = []

    def wait(self, what, condition, patience_s=PATIENCE_S):
        """Until the condition is so."""
        end = time.monotonic() + patience_s
        while not condition():
            if any(process.process.poll() is not None for process in self.processes):
                raise Failure(f'a process has ended, waiting for: {what}')
            if time.monotonic() > end:
                raise Failure(f'never: {what}')
            time.sleep(0.005)

    def inside(self):
        """Members that are not excluded."""
        return [member for member in range(3) if member not in self.of[member].out]

    def network(self, there):
        """Is there, or is not."""
        for process in self.processes:
            process.say(f'set fault loss {0 if there else 1}')

    def probe(self, patience_s=PATIENCE_S):
        """A message of each member inside comes to all of them. False: not in that time."""
        self.probes += 1
        members = self.inside()
        if len(members) < 2:
            raise Failure('no view is left')
        texts = {f'{self.probes}.{member}' for member in members}
        for member in members:
            self.of[member].say(f'send from node{member} probe {self.probes}.{member}')

        def everywhere():
            return all(texts <= set(self.of[member].heard[member]) for member in self.inside())
        try:
            self.wait('probe', everywhere, patience_s)
        except Failure:
            if patience_s == PATIENCE_S or any(
                    process.process.poll() is not None for process in self.processes):
                raise
            return False
        return True

    def probe_again(self):
        """What is sent as views change, or before all listen, may not come to all."""
        end = time.monotonic() + PATIENCE_S
        while not self.probe(2):
            if time.monotonic() > end:
                raise Failure('nothing is ordered any more')

    def counts(self):
        """Packets that each member inside has delivered in its order."""
        for process in self.processes:
            process.delivered = {}
            process.say(*[f'show view node{member}' for member in process.members])
        self.wait('an answer of show view', lambda: all(
            len(process.delivered) == len(process.members) for process in self.processes))
        return {member: self.of[member].delivered[member] for member in self.inside()}

    def together(self):
        """Are all three in one view, and in the group?"""
        return not any(process.out for process in self.processes) and all(
            self.of[member].views[member] == 3 and self.of[member].probers[member] == 3
            for member in range(3))

    def same_order(self):
        """Any two members have heard what both have heard in the same order."""
        for one in range(3):
            for other in range(one):
                ours, theirs = self.of[one].heard[one], self.of[other].heard[other]
                if [text for text in ours if text in set(theirs)] != \
                        [text for text in theirs if text in set(ours)]:
                    raise Failure(f'node{one} and node{other} heard {ours} and {theirs}')

    def outage(self, seconds):
        """And what has to follow."""
        members = self.inside()
        self.network(False)
        time.sleep(seconds)
        self.network(True)
        if not self.rejoin and seconds < SUSPECT_AFTER_S:
            self.probe()
            if self.inside() != members:
                raise Failure(f'excluded for an outage of {seconds} s')
        else:
            self.probe_again()
        if self.rejoin:
            self.wait('three together', self.together)
            self.probe_again()
        before = self.counts()
        self.wait('more of the level', lambda: all(
            count > before.get(member, 0) + 50 for member, count in self.counts().items()))
        self.same_order()

    def end(self):
        """What was published is delivered everywhere alike; each process ends in order."""
        for process in self.processes:
            process.say('stop')
        if all(process.lives == 1 for process in self.processes):
            self.wait('the same at all', lambda: len(set(self.counts().values())) <= 1)
        for process in self.processes:
            process.process.terminate()
        for process in self.processes:
            code = process.process.wait(PATIENCE_S)
            process.reader.join(PATIENCE_S)
            text = ''.join(process.lines)
            if code not in (0, 4):  # trouble is what this test makes
                raise Failure(f'{process.name} ended with {code}')
            right = re.findall(r'^verdict: every packet accounted for', text, re.M)
            if len(right) != process.lives:
                raise Failure(f'{process.name}: {len(right)} right verdicts in '
                              f'{process.lives} lives')
            for wrong in re.findall(r'messages: \S+ delivered, (\S+) out of order', text):
                if wrong != '0':
                    raise Failure(f'{process.name}: {wrong} out of order')

    def run(self):
        """All of it."""
        during = 'the beginning'
        try:
            self.wait('three together', self.together)
            self.probe_again()
            for seconds in sorted(OUTAGES_S * (5 if FORM == 'long' else 1)):
                during = f'an outage of {seconds} s'
                begin = time.monotonic()
                self.outage(seconds)
                self.notes.append(f'{time.monotonic() - begin - seconds:.1f}')
                if len(self.inside()) < 2:
                    raise Failure('no view is left')
            during = 'the end'
            self.end()
        except (Failure, OSError, subprocess.TimeoutExpired) as failure:
            self.failure = f'{during}: {failure!r}'
        finally:
            for process in self.processes:
                if process.process.poll() is None:
                    process.process.kill()

    def tell(self):
        """One line, and why if it failed."""
        gone = [f'node{member}' for member in range(3) if member not in self.inside()]
        lives = sum(process.lives - 1 for process in self.processes)
        print(f'{self.name}: well again after {", ".join(self.notes)} s'
              + (f'; excluded: {", ".join(gone)}' if gone else '')
              + (f'; started over {lives} times' if lives else ''))
        if self.failure is None:
            return
        print(f'FAILED: {self.name}: {self.failure}')
        for process in self.processes:
            print(f'--- {process.name}', ''.join(process.lines[-60:]), sep='\n')


def main():
    """Runs the racks, those with --rejoin behind the others."""
    whole = [(level, rate, False) for level in LEVELS for rate in RATES]
    rejoining = [(level, rate, True) for i, level in enumerate(LEVELS) for j, rate in
                 enumerate(RATES) if FORM == 'long' or (i + j) % 2 == 0]
    failed = False
    number = 0
    for wave in (whole, rejoining):
        racks = []
        for case in wave:
            racks.append(Rack(number, *case))
            number += 1
        threads = [threading.Thread(target=rack.run) for rack in racks]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for rack in racks:
            rack.tell()
            failed = failed or rack.failure is not None
    return 1 if failed else 0


sys.exit(main())
