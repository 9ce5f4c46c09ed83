# SPDX-License-Identifier: BSD-3-Clause
"""The totally ordered part of bench-vs-peers: Corosync's closed process groups, a daemon a
node, each in a network and a mount namespace of its own, joined by a bridge in yet another one; and
Lambdacast, over af_packet in those namespaces, and on its embedded fabric."""
import contextlib
import json
import os
import signal
import subprocess
import time
import types

import peers_report
import peers_run
import testpmd
from peers_run import Failed, run

NETWORK = '10.79.0'
START_S = 30            # of daemons, until they are one ring
STOP_S = 10
LINGER_S = 1.5          # what is on its way when the last message has been sent
FLAT_S = 2
PACED_S = 5
WARM_UP_S = 0.5
WRITTEN = ['/var/lib/corosync', '/var/log/corosync', '/run', '/dev/shm']
PACKAGES = ['corosync', 'libcpg-dev']
# As shipped, but for what names the nodes; no cryptography, the default. The transport is the
# quickest of the three (doc/benchmarks.md).
CONFIG = '''
totem {{
  version: 2
  cluster_name: lambdacast
  transport: {transport}
  crypto_cipher: none
  crypto_hash: none
}}
logging {{
  to_stderr: yes
  to_logfile: no
  to_syslog: no
}}
nodelist {{
{nodes}}}
'''
NODE = '  node {{\n    nodeid: {id}\n    name: node{id}\n    ring0_addr: {address}\n  }}\n'
TRANSPORT = 'udpu'
# Lambdacast's endpoint of a node, on the veth end that its Corosync has: with an address of its
# own, or the kernel would answer for it. Timers and windows are the defaults, but for the patience
# with a node that waits for its core, which is that of lambdacast-bench order. The sender, node 1,
# takes the first of the groups that another node puts in order.
ENDPOINT = '''
[[endpoint]]
name = "node{node}"
address = "{network}.{node}"
port = "net_af_packet0,iface=ring0"
path_mtu = 1024
lcore = 0
link_slots = 1024
mbufs = 16384
groups = [1, 2, 3, 4, 5, 6, 7, 8]
membership = {{ enabled = true, initial_nodes = {count}, tie_breaker = "{network}.1", \
  suspect_after_us = 2000000 }}
[[lcore]]
id = 0
{idle}
'''
IDLE = 'idle = "pause"'                                            # a core each
SHARED_IDLE = 'idle = "sleep"\nsleep_us = 20\nsleep_max_us = 50'  # more nodes than cores
ENDPOINT_NETWORK = '10.79.1'


def missing(build):
    """Why there is no Corosync to measure, or None."""
    if not all(map(peers_run.installed, PACKAGES)):
        return f'corosync is not installed (apt-get install {" ".join(PACKAGES)})'
    if not os.path.exists(program(build)):
        return f'peer_corosync is not built (ninja -C {build})'
    return None


def program(build, name='corosync'):
    return os.path.join(peers_run.ROOT, build, f'tests/bench/peers/peer_{name}')


class Nodes:
    """Namespaces of `count` nodes, node 1 the first, and the bridge that joins them; gone when
    left."""

    def __init__(self, count):
        self.count = count
        self.stack = contextlib.ExitStack()

    def namespace(self, node):
        return f'lcorder{os.getpid()}n{node}'

    def add_namespace(self, name):
        run('ip', 'netns', 'add', name)
        self.stack.callback(subprocess.run, ['ip', 'netns', 'del', name], capture_output=True,
                            check=False)
        run('ip', '-n', name, 'link', 'set', 'lo', 'up')

    def connect(self):
        switch = self.namespace('s')
        self.add_namespace(switch)
        run('ip', '-n', switch, 'link', 'add', 'bridge', 'type', 'bridge', 'forward_delay', '0',
            'mcast_snooping', '0')
        run('ip', '-n', switch, 'link', 'set', 'bridge', 'up')
        for node in range(1, self.count + 1):
            name = self.namespace(node)
            self.add_namespace(name)
            run('ip', 'link', 'add', 'ring0', 'netns', name, 'type', 'veth', 'peer', 'name',
                f'port{node}', 'netns', switch)
            run('ip', '-n', switch, 'link', 'set', f'port{node}', 'master', 'bridge', 'up')
            run('ip', '-n', name, 'addr', 'add', f'{NETWORK}.{node}/24', 'dev', 'ring0')
            run('ip', '-n', name, 'link', 'set', 'ring0', 'up')

    def inside(self, node):
        """What a command of that node begins with."""
        return ['ip', 'netns', 'exec', self.namespace(node)]

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            stack.push(self.stack)
            self.connect()
            self.begin()
            stack.pop_all()
        return self

    def begin(self):
        """What runs in them all the time."""

    def __exit__(self, *_):
        self.stack.close()


class Ring(Nodes):
    """Their daemons are one ring."""

    def __init__(self, count, directory, transport=TRANSPORT):
        super().__init__(count)
        self.transport = transport
        self.config = os.path.join(directory, f'corosync-{count}.conf')
        self.log = os.path.join(directory, f'corosync-{count}.log')
        self.daemons = []

    def start(self, node):
        mounts = ' && '.join(f'mkdir -p {path} && mount -t tmpfs lambdacast {path}'
                             for path in WRITTEN)
        with open(self.log, 'ab') as log:
            daemon = subprocess.Popen(
                ['ip', 'netns', 'exec', self.namespace(node), 'unshare', '--mount',
                 '--propagation', 'private', 'sh', '-c',
                 f'{mounts} && exec corosync -f -c "$0"', self.config],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.daemons.append(daemon)
        peers_run.Disturbance.running.add(daemon.pid)
        self.stack.callback(stop, daemon)

    def beside_daemon(self, node):
        """What a command that talks to that node's daemon begins with."""
        return ['nsenter', '--mount', '--net', '--target', str(self.daemons[node - 1].pid)]

    def joined(self, node):
        """How many nodes its daemon has in the ring."""
        done = subprocess.run([*self.beside_daemon(node), 'corosync-cmapctl', 'runtime.members'],
                              capture_output=True, text=True, check=False)
        return sum(line.endswith('= joined') for line in done.stdout.splitlines())

    def begin(self):
        nodes = ''.join(NODE.format(id=node, address=f'{NETWORK}.{node}')
                        for node in range(1, self.count + 1))
        with open(self.config, 'w', encoding='utf-8') as stream:
            stream.write(CONFIG.format(transport=self.transport, nodes=nodes))
        for node in range(1, self.count + 1):
            self.start(node)
        self.wait()

    def wait(self):
        deadline = time.monotonic() + START_S
        while not all(self.joined(node) == self.count for node in range(1, self.count + 1)):
            dead = any(daemon.poll() is not None for daemon in self.daemons)
            if dead or time.monotonic() > deadline:
                with open(self.log, encoding='utf-8', errors='replace') as stream:
                    said = stream.read().strip().splitlines()[-3:]
                raise Failed(f'corosync made no ring of {self.count} nodes: {" / ".join(said)}')
            time.sleep(0.2)


def stop(daemon):
    peers_run.Disturbance.running.discard(daemon.pid)
    daemon.send_signal(signal.SIGTERM)
    try:
        daemon.wait(STOP_S)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


def measure(name, command, nodes, size, rate, prepare=None):
    """What each member received: the account of the sender's own, of node 1, then of the others.
    `command`: what runs the program of a node, with the options of this contender."""
    common = ['--interface', 'ring0', '--bytes', str(size)]
    seconds = PACED_S if rate else FLAT_S
    members = []
    try:
        for node in range(2, nodes + 1):
            members.append(subprocess.Popen(
                [*command(node), 'receive', *common, '--deaf', str(peers_run.DEAF_S)],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=prepare))
            peers_run.wait_for_ready(members[-1])
        sender = subprocess.Popen(
            [*command(1), 'send', *common, '--rate', str(rate), '--seconds', str(seconds),
             '--warm-up', str(WARM_UP_S), '--linger', str(LINGER_S)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=prepare)
        members.insert(0, sender)
        accounts = []
        for member in members:
            out, err = member.communicate(timeout=peers_run.END_S)
            if not out:
                raise Failed(f'{name}: {err.strip()}')
            report = json.loads(out)
            accounts.append(report.get('own', report))
        # One sends: the order of all is the order of its numbers.
        if any(account['out_of_order'] or account['repeated'] or account['strange']
               for account in accounts):
            raise Failed(f'{name}: not in order: {accounts}')
        return accounts
    except subprocess.TimeoutExpired:
        raise Failed(f'{name}: a member did not end within {peers_run.END_S} s') from None
    finally:
        for member in members:
            member.kill()
            member.communicate()


class Order:
    """Runs the contenders of the totally ordered part."""

    def __init__(self, build, first, directory):
        self.build, self.directory = build, directory
        self.prepare = testpmd.go_first if first else None
        self.program = os.path.join(peers_run.ROOT, build, 'app/lambdacast-bench/lambdacast-bench')

    def missing(self, contender):
        """Why it cannot do this job, or None."""
        if contender in peers_report.ORDER_PEERS + peers_report.ORDER_TUNED:
            return missing(self.build)
        needed = self.program if contender in peers_report.ORDER_OURS else \
            program(self.build, 'lambdacast')
        if not os.path.exists(needed):
            return f'{os.path.basename(needed)} is not built (ninja -C {self.build})'
        return None

    def ring(self, nodes, contenders):
        """What the contenders need running meanwhile."""
        able = [contender for contender in contenders if not self.missing(contender)]
        if set(able) & set(peers_report.ORDER_PEERS + peers_report.ORDER_TUNED):
            return Ring(nodes, self.directory)
        if set(able) & set(peers_report.ORDER_BESIDE):
            return Nodes(nodes)
        return contextlib.nullcontext(types.SimpleNamespace(count=nodes))

    def run(self, ring, contender, rate):
        if contender in peers_report.ORDER_OURS:
            return self.run_ours(ring.count, rate, contender.endswith('-coalesced'))
        command = self.over_af_packet if contender in peers_report.ORDER_BESIDE else self.corosync
        own, *others = measure(contender, lambda node: command(ring, contender, node), ring.count,
                               peers_report.ORDER_BYTES, rate, self.prepare)
        return peers_report.sample_of_members(own, others)

    def corosync(self, ring, contender, node):
        _, settings = peers_run.split(contender)
        return [*ring.beside_daemon(node), program(self.build), '--settings', settings]

    def over_af_packet(self, nodes, contender, node):
        """An endpoint a process, in the namespace of its node."""
        config = os.path.join(self.directory, f'endpoint-{nodes.count}-{node}.toml')
        with open(config, 'w', encoding='utf-8') as stream:
            stream.write(ENDPOINT.format(
                network=ENDPOINT_NETWORK, node=node, count=nodes.count,
                idle=IDLE if nodes.count <= os.cpu_count() else SHARED_IDLE))
        return [*nodes.inside(node), program(self.build, 'lambdacast'), '--config', config,
                *(['--coalesce'] if contender.endswith('-coalesced') else [])]

    def run_ours(self, nodes, rate, coalesced):
        """All nodes in one process on the embedded fabric; one of them sends."""
        options = ['--rate', str(rate), '--seconds', str(PACED_S if rate else FLAT_S)]
        if coalesced:  # as Corosync packs messages by itself
            options.append('--coalesce')
        report = json.loads(run(
            self.program, 'order', '--level', 'total', '--one-sender', '--nodes', str(nodes),
            '--payload', str(peers_report.ORDER_BYTES), '--warm-up', str(WARM_UP_S), *options,
            '--json', '-', timeout=peers_run.END_S, preexec_fn=self.prepare))
        return peers_report.sample_of_order(report)
