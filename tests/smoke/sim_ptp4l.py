# SPDX-License-Identifier: BSD-3-Clause
"""What sim_ptp4l.sh runs: a graph of switches, each a boundary clock of linuxptp in a network
namespace of its own, whose port states are laid beside those of `lambdacast-sim ptp`."""
import json
import re
import subprocess
import sys
import time

SIMULATOR, TOOLS, FOLDER = sys.argv[1:]
GRAPH = 'random:8,13'
BEST = 5
PATIENCE_S = 60  # on a machine that does much else
ENDS_WITH_US = ['setpriv', '--pdeathsig', 'KILL']
# IEEE 1588, 8.2.15.3.1. Free running clocks follow nobody, so a port that has chosen its master
# stays uncalibrated.
STATES = {'MASTER': 'master', 'SLAVE': 'slave', 'UNCALIBRATED': 'slave', 'PASSIVE': 'passive'}


class Failure(Exception):
    """What is not as it should be."""


def expected(seed, failing=()):
    """The ports of each switch: {switch: [(neighbor, state), ...]}."""
    command = [SIMULATOR, 'ptp', '--graph', GRAPH, '--best', str(BEST), '--seed', str(seed),
               '--json', '-']
    if failing:
        command += ['--fail', ','.join(map(str, failing))]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return {switch['switch']: [(port['neighbor'], port['state']) for port in switch['ports']]
            for switch in json.loads(done.stdout)}


class Switch:
    """A namespace with a boundary clock."""

    def __init__(self, number):
        self.number = number
        self.neighbors = []  # by port
        self.clock = None
        self.holder = subprocess.Popen([*ENDS_WITH_US, 'unshare', '--net', 'sleep', 'infinity'],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def wait_for_namespace(self):
        """Until its process has one of its own."""
        own = subprocess.run(['readlink', '/proc/self/ns/net'], capture_output=True, text=True,
                             check=True).stdout
        end = time.monotonic() + PATIENCE_S
        while subprocess.run(['readlink', f'/proc/{self.holder.pid}/ns/net'], text=True,
                             capture_output=True, check=False).stdout in ('', own):
            if self.holder.poll() is not None or time.monotonic() > end:
                raise Failure('no network namespace to be had')
            time.sleep(0.01)

    def inside(self, *command):
        """Arguments of Popen or run."""
        return [*ENDS_WITH_US, 'nsenter', '-t', str(self.holder.pid), '-n', *command]

    def interface(self, neighbor):
        """Its end of that link."""
        return f's{self.number}to{neighbor}'

    def start(self):
        """Its clock: the best one by its priority, the others by their numbers."""
        text = f'''[global]
network_transport L2
time_stamping software
free_running 1
priority1 {100 if self.number == BEST else 128}
clockIdentity 020000.0000.{self.number + 1:06x}
logAnnounceInterval -3
logSyncInterval -3
logMinDelayReqInterval -3
announceReceiptTimeout 3
summary_interval 6
verbose 0
use_syslog 0
uds_address {FOLDER}/{self.number}.socket
'''
        for neighbor in self.neighbors:
            text += f'[{self.interface(neighbor)}]\n'
        with open(f'{FOLDER}/{self.number}.conf', 'w', encoding='ascii') as out:
            out.write(text)
        with open(f'{FOLDER}/{self.number}.log', 'w', encoding='ascii') as log:
            self.clock = subprocess.Popen(
                self.inside(f'{TOOLS}/ptp4l', '-m', '-f', f'{FOLDER}/{self.number}.conf'),
                stdout=log, stderr=log)

    def states(self):
        """[(neighbor, state), ...] in the order of ports; '' while it has not decided."""
        said = subprocess.run(
            self.inside(f'{TOOLS}/pmc', '-u', '-b', '0', '-s', f'{FOLDER}/{self.number}.socket',
                        '-i', f'{FOLDER}/{self.number}.pmc', 'GET PORT_DATA_SET'),
            capture_output=True, text=True, check=False).stdout
        ports = dict(re.findall(r'portIdentity\s+\S+-(\d+)\s+portState\s+(\S+)', said))
        return [(neighbor, STATES.get(ports.get(str(port), ''), ''))
                for port, neighbor in enumerate(self.neighbors, 1)]

    def end_clock(self):
        """Its links stay up."""
        if self.clock is not None:
            self.clock.kill()
            self.clock.wait()
            self.clock = None

    def end(self):
        """All that it started."""
        self.end_clock()
        self.holder.kill()
        self.holder.wait()


def agree(switches, wanted, end):
    """Waits until each switch has once been as wanted. True: all are so at the end, too."""
    differing = sorted(wanted)
    while differing:
        for number in list(differing):
            if switches[number].clock.poll() is not None:
                with open(f'{FOLDER}/{number}.log', encoding='utf-8') as log:
                    raise Failure(f'the clock of switch {number} has ended: {log.read()[-500:]}')
            if switches[number].states() == wanted[number]:
                differing.remove(number)
        if differing and time.monotonic() > end:
            raise Failure('; '.join(f'switch {number} has {switches[number].states()}, expected '
                                    f'{wanted[number]}' for number in differing))
    # Those that agreed first may have decided otherwise since.
    return all(switches[number].states() == wanted[number] for number in wanted)


def settle(switches, wanted):
    """All at once as wanted."""
    end = time.monotonic() + PATIENCE_S
    while not agree(switches, wanted, end):
        if time.monotonic() > end:
            raise Failure('the ports change all the time')


def compare(seed, best_fails):
    """One graph, whole, and without its best clock or an inner switch of its tree."""
    wanted = expected(seed)
    failing = BEST if best_fails else next(
        number for number, ports in wanted.items() if number != BEST and any(
            (number, 'slave') in wanted[neighbor] for neighbor, _ in ports))
    switches = []
    try:
        for number in sorted(wanted):
            switches.append(Switch(number))
            switches[-1].wait_for_namespace()
            switches[-1].neighbors = [neighbor for neighbor, _ in wanted[number]]
        for one in switches:
            for neighbor in one.neighbors:
                other = switches[neighbor]
                if neighbor < one.number:
                    continue
                subprocess.run(
                    ['ip', 'link', 'add', one.interface(neighbor), 'netns', str(one.holder.pid),
                     'type', 'veth', 'peer', 'name', other.interface(one.number), 'netns',
                     str(other.holder.pid)], check=True)
                for end, name in ((one, one.interface(neighbor)),
                                  (other, other.interface(one.number))):
                    subprocess.run(end.inside('ip', 'link', 'set', name, 'up'), check=True)
        for one in switches:
            one.start()
        settle(switches, wanted)
        without = expected(seed, [failing])
        if without == {number: wanted[number] for number in wanted if number != failing}:
            raise Failure(f'nothing changes without switch {failing}')
        switches[failing].end_clock()
        settle(switches, without)
        passive = sum(state == 'passive' for ports in wanted.values() for _, state in ports)
        if passive == 0:
            raise Failure('no port is passive: the graph proves little')
        print(f'seed {seed}: {sum(map(len, wanted.values()))} ports agree, {passive} of them '
              f'passive, and those without switch {failing}')
    finally:
        for one in switches:
            one.end()


def main():
    """Exit code 1: they decide differently."""
    try:
        compare(1, best_fails=False)
        compare(2, best_fails=True)
    except Failure as failure:
        print(f'FAILED: {failure}')
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
