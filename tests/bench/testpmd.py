# SPDX-License-Identifier: BSD-3-Clause
"""Drives stock dpdk-testpmd over its prompt, for the benchmarks beside it."""
import glob
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLUGIN = 'drivers/net/odbss/librte_net_odbss.so'
START_S = 15


class Failed(Exception):
    """A testpmd that did not do what it was told; the message holds its last words."""


def go_first():
    """Puts this process before whatever else the machine is doing, if we may: two processes that
    only run now and then, and never together, measure the scheduler."""
    os.setsid()
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -20)
        # Where the kernel groups processes by session, niceness counts inside the group only.
        with open('/proc/self/autogroup', 'w', encoding='ascii') as group:
            group.write('-20')
    except OSError:
        pass


def remove_traces(prefix):
    """What EAL leaves behind of a process that is not in memory only."""
    shutil.rmtree(os.path.join('/run/dpdk', prefix), ignore_errors=True)
    with open('/proc/mounts', encoding='utf-8') as mounts:
        folders = [line.split()[1] for line in mounts if line.split()[2] == 'hugetlbfs']
    for folder in folders:
        for path in glob.glob(os.path.join(folder, prefix + 'map_*')):
            os.unlink(path)


class Testpmd:
    """One testpmd process at its prompt. `eal` and `app` are its two groups of arguments."""

    def __init__(self, eal, app):
        # Line buffered: replies must not wait for a full block.
        self.command = ['stdbuf', '-oL', 'dpdk-testpmd', *eal, '--', '-i', *app]
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, bufsize=0,
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        preexec_fn=go_first)
        self.heard = ''
        try:
            self.wait_for(r'testpmd> ')
        except Failed:
            self.kill()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def wait_for(self, pattern, timeout_s=START_S):
        """Reads until `pattern` appears; returns its match and forgets the text up to its end."""
        deadline = time.monotonic() + timeout_s
        while not (match := re.search(pattern, self.heard)):
            left = max(0, deadline - time.monotonic())
            ready, _, _ = select.select([self.process.stdout], [], [], left)
            chunk = os.read(self.process.stdout.fileno(), 65536) if ready else b''
            if not chunk:
                raise Failed(f'{" ".join(self.command)}: no "{pattern}"\n{self.heard[-2000:]}')
            self.heard += chunk.decode(errors='replace')
        self.heard = self.heard[match.end():]
        return match

    def say(self, line):
        self.process.stdin.write(line.encode() + b'\n')

    def counters(self, port=0):
        """Basic statistics of a port, and when they were read: {name: number, 'at': seconds}."""
        self.say(f'show port stats {port}')
        match = self.wait_for(
            r'RX-packets: (?P<rx>\d+) +RX-missed: (?P<missed>\d+) +RX-bytes: +(?P<rx_bytes>\d+)\s+'
            r'RX-errors: \d+\s+RX-nombuf: +(?P<no_mbuf>\d+)\s+'
            r'TX-packets: (?P<tx>\d+) +TX-errors: (?P<tx_errors>\d+) +TX-bytes: +(?P<tx_bytes>\d+)')
        return {'at': time.monotonic(), **{k: int(v) for k, v in match.groupdict().items()}}

    def start(self):
        self.say('start')
        self.wait_for(r'packets/burst=')

    def stop(self):
        self.say('stop')
        self.wait_for(r'Done\.')

    def quit(self):
        self.say('quit')
        self.wait_for(r'Bye')
        self.process.wait(START_S)

    def kill(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        if '--file-prefix' in self.command:
            remove_traces(self.command[self.command.index('--file-prefix') + 1])


def rates(before, after):
    """Per second, of every counter."""
    seconds = after['at'] - before['at']
    return {name: (after[name] - before[name]) / seconds for name in before if name != 'at'}


def plugin(build):
    path = os.path.join(ROOT, build, PLUGIN)
    if not os.path.exists(path):
        sys.exit(f'{path} is missing; build it with: ninja -C {build} {PLUGIN}')
    return path


def huge_pages_free():
    with open('/proc/meminfo', encoding='ascii') as meminfo:
        return int(re.search(r'HugePages_Free:\s+(\d+)', meminfo.read())[1])
