# SPDX-License-Identifier: BSD-3-Clause
"""Runs the contenders of bench-vs-peers: peers in two network namespaces that a veth pair
joins, Lambdacast over its fabric, and over af_packet on a veth pair of the sender's namespace."""
import json
import os
import select
import shutil
import statistics
import subprocess

import peers_report
import testpmd

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SENDER_CORE, RECEIVER_CORE = 0, 1
GROUP = '239.192.77.1'
ROCE_PORT = 4791
FLAT_S = 0.7
PACED_S = 3             # 30 000 messages: 30 above the 99.9th percentile
START_S = 10
END_S = 60
DEAF_S = 6              # a receiver that hears nothing for so long has lost its sender
LINGER_S = 30           # a sender repairs until its receiver has done, and at most so long
SEED = 1                # of Lambdacast's injected loss
# Debian's package of each library; nothing else but the kernel's sockets needs one.
PACKAGES = {'pgm': 'libpgm-dev', 'norm': 'libnorm-dev'}
# The highest that lost nothing (--sweep), Mbit/s, of the libraries' own rate limiters: PGM has no
# other brake, NORM's stream one that does not see the receiver. {program: {(bytes, loss): limit}}
LIMITS = {
    'pgm': {(64, 0): 2000, (64, 0.01): 2000, (1024, 0): 2000, (1024, 0.01): 2000},
    'norm': {(64, 0): 3000, (64, 0.01): 3000, (1024, 0): 3000, (1024, 0.01): 2000},
}
SWEPT = {'pgm': [500, 1000, 2000, 4000, 0], 'norm': [1000, 2000, 3000, 5000, 10000]}
SWEEPS = 3
# A port by af_packet takes frames of 1500 bytes, so that the path MTU is 1024, headers included.
VETH_MOST_BYTES = 976
VETH = '''
[endpoint_defaults]
path_mtu = 1024
[[endpoint]]
name = "sender"
address = "10.77.0.1"
port = "net_af_packet0,iface=lc0"
lcore = {sender}
[[endpoint]]
name = "receiver"
address = "10.77.0.2"
port = "net_af_packet1,iface=lc1"
lcore = {receiver}
[[lcore]]
id = {sender}
idle = "spin"
[[lcore]]
id = {receiver}
idle = "spin"
'''


class Failed(Exception):
    """Nothing can be measured; the message says why."""


class SoftirqsFirst:
    """The kernel's own softirq threads as high as contenders that go before everybody: they carry
    packets from one namespace to the other, and would wait for those who spin. Put back at the
    end."""

    def __enter__(self):
        self.before = {}
        for name in filter(str.isdigit, os.listdir('/proc')):
            try:
                with open(f'/proc/{name}/comm', encoding='utf-8') as stream:
                    if stream.read().startswith('ksoftirqd/'):
                        self.before[int(name)] = os.getpriority(os.PRIO_PROCESS, int(name))
            except OSError:
                pass  # it has ended
        for thread in self.before:
            os.setpriority(os.PRIO_PROCESS, thread, -20)

    def __exit__(self, *_):
        for thread, priority in self.before.items():
            os.setpriority(os.PRIO_PROCESS, thread, priority)


class Disturbance:
    """The share of all cores' time that other processes had meanwhile (of theirs, what they spent
    in the kernel is not known), and the hypervisor."""
    running = set()  # children of ours that outlast what is measured

    def __enter__(self):
        self.before = self.now()
        return self

    def __exit__(self, *_):
        spent, others = (b - a for a, b in zip(self.before, self.now()))
        self.share = max(0, others) / max(spent, 1e-9)

    @staticmethod
    def now():
        """Seconds of all cores, and those that neither we nor our ended children have used."""
        with open('/proc/stat', encoding='ascii') as stream:
            ticks = [int(field) for field in stream.readline().split()[1:9]]
        user, nice, steal = ticks[0], ticks[1], ticks[7]
        own = os.times()
        hertz = os.sysconf('SC_CLK_TCK')
        running = sum(map(user_ticks, Disturbance.running))
        return (sum(ticks) / hertz,
                (user + nice + steal - running) / hertz - own.user - own.children_user)


def user_ticks(process):
    """Of a child that has not ended."""
    with open(f'/proc/{process}/stat', encoding='ascii') as stream:
        return int(stream.read().rpartition(')')[2].split()[11])


def split(contender):
    """('pgm', 'tuned') of 'pgm-tuned', ('pgm', 'examples') of 'pgm'."""
    program, _, settings = contender.partition('-')
    return program, settings or 'examples'


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise Failed(f'{" ".join(command)}: {(done.stderr or done.stdout).strip()}')
    return done.stdout


class Namespaces:
    """Two namespaces and what joins them; gone when left."""

    def __init__(self):
        self.sender, self.receiver = (f'lcpeer{os.getpid()}{side}' for side in 'sr')

    def __enter__(self):
        try:
            for name in (self.sender, self.receiver):
                run('ip', 'netns', 'add', name)
                run('ip', '-n', name, 'link', 'set', 'lo', 'up')
            run('ip', 'link', 'add', 'peer0', 'netns', self.sender, 'type', 'veth', 'peer', 'name',
                'peer1', 'netns', self.receiver)
            for name, interface, host in ((self.sender, 'peer0', 1), (self.receiver, 'peer1', 2)):
                run('ip', '-n', name, 'addr', 'add', f'10.78.0.{host}/24', 'dev', interface)
                run('ip', '-n', name, 'link', 'set', interface, 'up')
            # Both ends of Lambdacast's pair are here, for one process has both endpoints; the
            # kernel keeps silent on them.
            run('ip', 'netns', 'exec', self.sender, 'sh', '-c',
                'f=/proc/sys/net/ipv6/conf/default/disable_ipv6; [ ! -e $f ] || echo 1 >$f')
            run('ip', '-n', self.sender, 'link', 'add', 'lc0', 'type', 'veth', 'peer', 'name',
                'lc1')
            for interface in ('lc0', 'lc1'):
                run('ip', '-n', self.sender, 'link', 'set', interface, 'up')
        except Failed:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name in (self.sender, self.receiver):
            subprocess.run(['ip', 'netns', 'del', name], capture_output=True, check=False)

    def set_loss(self, loss):
        """Of what the group gets, repairs as well, before the receiver's sockets see it."""
        self.drop(self.receiver, 'table ip loss { chain in { type filter hook input priority 0',
                  f'ip daddr {GROUP}', loss)

    def set_loss_of_lambdacast(self, loss):
        """Of what its sender sends: af_packet receives before the receiving side's rules."""
        self.drop(self.sender, 'table netdev loss { chain out { type filter hook egress '
                  'device "lc0" priority 0', f'udp dport {ROCE_PORT}', loss)

    @staticmethod
    def drop(namespace, hook, match, loss):
        if shutil.which('nft'):
            rule = f'{hook}; {match} numgen random mod 10000 < {round(loss * 10000)} drop; }}; }}'
            run('ip', 'netns', 'exec', namespace, 'nft', '-f', '-',
                input='flush ruleset\n' + (rule + '\n' if loss else ''))
        elif loss:
            raise Failed('injecting loss needs nft; to mend: apt-get install nftables')


class Peers:
    """Runs peer programs. A spinning program has a core; NORM's threads, paced, share both."""

    def __init__(self, namespaces, build, first):
        self.namespaces, self.build = namespaces, build
        self.prepare = testpmd.go_first if first else None
        self.directory = os.path.join(ROOT, build, 'tests/bench/peers')
        self.limits = LIMITS

    def missing(self, contender):
        """Why there is no such program, or None."""
        program, _ = split(contender)
        if os.path.exists(os.path.join(self.directory, f'peer_{program}')):
            return None
        if program in PACKAGES and not installed(PACKAGES[program]):
            return f'{program} is not installed (apt-get install {PACKAGES[program]})'
        return f'peer_{program} is not built (ninja -C {self.build})'

    def command(self, role, program, core, options):
        namespace = self.namespaces.sender if role == 'send' else self.namespaces.receiver
        return ['ip', 'netns', 'exec', namespace, 'taskset', '-c', str(core),
                os.path.join(self.directory, f'peer_{program}'), role, '--group', GROUP,
                '--interface', 'peer0' if role == 'send' else 'peer1', *map(str, options)]

    def run(self, contender, size, rate, loss, seconds=None, limit=None):
        """The receiver's report of one run."""
        program, settings = split(contender)
        if limit is None:
            limit = self.limits.get(program, {}).get((size, loss), 0)
        cores = (SENDER_CORE, RECEIVER_CORE)
        if program == 'norm' and rate:
            cores = ('0,1', '0,1')
        common = ['--bytes', size, '--settings', settings]
        self.namespaces.set_loss(loss)
        receiver = subprocess.Popen(
            self.command('receive', program, cores[1], common + ['--deaf', DEAF_S]),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=self.prepare)
        sender = None
        try:
            wait_for_ready(receiver)
            sender = subprocess.Popen(
                self.command('send', program, cores[0], common + [
                    '--rate', rate, '--limit-mbps', limit, '--linger', LINGER_S, '--seconds',
                    seconds or (PACED_S if rate else FLAT_S)]),
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=self.prepare)
            out, err = receiver.communicate(timeout=END_S)
            if not out:
                if sender.poll() not in (None, 0):
                    err += sender.stderr.read()
                raise Failed(f'{contender}: {err.strip()}')
            return json.loads(out)
        except subprocess.TimeoutExpired:
            raise Failed(f'{contender}: the receiver did not end within {END_S} s') from None
        finally:
            for process in filter(None, (sender, receiver)):
                process.kill()
                process.communicate()


def wait_for_ready(receiver):
    """Until it has joined; whatever it says before is its complaint."""
    ready, _, _ = select.select([receiver.stderr], [], [], START_S)
    said = receiver.stderr.readline() if ready else ''
    if said.strip() != 'ready':
        raise Failed(f'no receiver: {said.strip()}')


def installed(package):
    done = subprocess.run(['dpkg-query', '-W', '-f=${db:Status-Status}', package],
                          capture_output=True, text=True, check=False)
    return done.stdout == 'installed'


class Lambdacast:
    """Runs lambdacast-bench: throughput flat out, latency when paced."""

    def __init__(self, namespaces, build, first, directory):
        self.namespaces = namespaces
        self.prepare = testpmd.go_first if first else None
        self.program = os.path.join(ROOT, build, 'app/lambdacast-bench/lambdacast-bench')
        if not os.path.exists(self.program):
            raise Failed(f'{self.program} is missing; build it with: ninja -C {build}')
        self.config = os.path.join(directory, 'veth.toml')
        with open(self.config, 'w', encoding='utf-8') as stream:
            stream.write(VETH.format(sender=SENDER_CORE, receiver=RECEIVER_CORE))
        self.reliable = '--qos' in run(self.program, 'latency', '--help')

    def missing(self, loss):
        """Why it cannot do this job, or None."""
        if loss and not self.reliable:
            return 'this lambdacast-bench knows no --qos: it cannot repair what is lost'
        return None

    def run(self, contender, size, rate, loss):
        if contender == 'lambdacast-veth':
            size = min(size, VETH_MOST_BYTES)
        options = ['--payload', str(size), '--json', '-']
        if rate:
            options = ['latency', '--rate', str(rate), '--count', str(rate * PACED_S), '--no-bare',
                       *options]
        else:
            options = ['throughput', '--seconds', str(FLAT_S), '--warm-up', '0.1', '--fill',
                       'never', *options]
        prefix = []
        if contender == 'lambdacast-veth':
            self.namespaces.set_loss_of_lambdacast(loss)
            prefix = ['ip', 'netns', 'exec', self.namespaces.sender]
            options += ['--config', self.config]
        else:
            options += ['--lcores', f'{SENDER_CORE},{RECEIVER_CORE}']
            if loss:
                options += ['--drop', str(loss), '--drop-seed', str(SEED)]
        if contender == 'lambdacast-coalesced':
            options += ['--coalesce', 'on']
        if self.reliable:
            options += ['--qos', 'source']
        report = json.loads(run(*prefix, self.program, *options, timeout=END_S,
                                preexec_fn=self.prepare))
        if rate:
            return peers_report.sample_of_latency(report)
        return peers_report.sample_of_throughput(report)


def try_limit(peers, contender, size, loss, limit):
    """Medians of some runs flat out, and in how many something was lost or never ended."""
    reports = [peers.run(contender, size, 0, loss, limit=limit) for _ in range(SWEEPS)]
    return {'program': split(contender)[0], 'bytes': size, 'loss': loss, 'mbps': limit,
            'rate': statistics.median(report['messages_per_second'] for report in reports),
            'collapsed': sum(bool(report['lost']) or not report['ended'] for report in reports)}


def sweep(peers, log):
    """The limits that got most messages to the receiver and lost none, and what every one did."""
    limits, tried = {}, []
    for program, candidates in SWEPT.items():
        contender = f'{program}-tuned'
        if peers.missing(contender):
            continue
        limits[program] = {}
        for loss in peers_report.LOSSES:
            for size in peers_report.SIZES:
                found = [try_limit(peers, contender, size, loss, limit) for limit in candidates]
                for one in found:
                    log(f'{program}, {size} bytes, {100 * loss:g} % loss, '
                        f'{one["mbps"] or "no"} Mbit/s: {one["rate"] / 1e3:.0f} thousand '
                        f'messages/s, {one["collapsed"]} of {SWEEPS} runs lost something')
                tried += found
                good = [one for one in found if not one['collapsed']] or found[:1]
                limits[program][size, loss] = max(good, key=lambda one: one['rate'])['mbps']
    return limits, tried
