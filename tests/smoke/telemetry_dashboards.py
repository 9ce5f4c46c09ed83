# SPDX-License-Identifier: BSD-3-Clause
"""What telemetry_dashboards.sh runs: telemetry_dashboards.py SOCKET FOLDER [PROMTOOL]. Every
metric, label and value that share/grafana and share/prometheus name is one that the exporter of a
running lambdacast serves; promtool takes every expression, and the rules do what their tests say.
"""
import importlib.machinery
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXPORTER = os.path.join(ROOT, 'scripts', 'lambdacast-exporter')
RULES = os.path.join(ROOT, 'share', 'prometheus', 'lambdacast.rules.yml')
RULES_TEST = os.path.join(ROOT, 'tests', 'smoke', 'lambdacast.rules_test.yml')
DASHBOARD = os.path.join(ROOT, 'share', 'grafana', 'lambdacast.json')
# What Prometheus gives each series, and what Grafana puts in the place of its variables.
TARGET = {'job', 'instance'}
BUILT_IN = {'__rate_interval': '1m', '__range': '1h'}
METRIC = re.compile(r'\b(lambdacast[_:][\w:]+|up|ALERTS)\b(?!\s*\()(?:\{([^}]*)\})?')
MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
CLAUSE = re.compile(r'\b(?:by|without|on|ignoring)\s*\(([^)]*)\)')
AGGREGATION = re.compile(r'^(?:sum|min|max|count|avg)(?: by \(([^)]*)\))?\s*\(')


class Scrape:
    """What the exporter serves: labels and values of each metric."""

    def __init__(self, path):
        done = subprocess.run([EXPORTER, '--once', '--socket', path], check=True, text=True,
                              capture_output=True)
        self.labels, self.values = {}, {}
        for line in done.stdout.splitlines():
            sample = re.match(r'(\w+)(?:\{(.*)\})? \S+$', line)
            if sample:
                pairs = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', sample[2] or '')
                self.labels.setdefault(sample[1], set()).update(name for name, _ in pairs)
                for pair in pairs:
                    self.values.setdefault(pair[0], set()).add(pair[1])
        self.labels.update({'up': set(), 'ALERTS': {'alertname', 'alertstate'}})
        self.values.update({'alertstate': {'firing', 'pending'}, 'job': {'lambdacast'}})
        # Values that a healthy process does not show are in the sentences about them.
        exporter = importlib.machinery.SourceFileLoader('exporter', EXPORTER).load_module()
        with exporter.Process(path) as process:
            self.values['reason'] = set(process.ask('/lambdacast/drop_reasons'))
            states = process.ask('/lambdacast/figures,view')['state']
            self.values['state'] = set(re.findall(r'\w+', states.split(' ', 2)[2]))
        self.values['link'] = {'up', 'down'}

    def add_recorded(self, name, expr):
        """A metric that a rule makes has the labels of that which it is made of."""
        self.labels[name] = set(self.labels[METRIC.search(expr)[1]])


def complaints(scrape, expr, shown, free=False):
    """About an expression, and about the labels that a text shows of its result. `free`: of any."""
    bare = re.sub(r'"[^"]*"', '""', expr)
    found = list(METRIC.finditer(expr))
    wrong = [] if found else [f'no metric: {expr}']
    every = set(TARGET)
    for metric, matchers in (match.groups() for match in found):
        if metric not in scrape.labels:
            wrong.append(f'no metric {metric}: {expr}')
            continue
        every |= scrape.labels[metric]
        for label, _, value in MATCHER.findall(matchers or ''):
            if label not in scrape.labels[metric] | TARGET:
                wrong.append(f'no label {label} of {metric}: {expr}')
            elif label != 'alertname' and not value.startswith('$'):
                unknown = set(value.split('|')) - scrape.values.get(label, set())
                wrong += [f'no {label} {text}: {expr}' for text in unknown]
    for clause in CLAUSE.findall(bare):
        wrong += [f'no label {label} to group by: {expr}'
                  for label in re.findall(r'\w+', clause) if label not in every]
    aggregation = AGGREGATION.match(expr)
    if aggregation:
        every = set(re.findall(r'\w+', aggregation[1] or ''))
    if free:
        every = set().union(*scrape.labels.values())
    return wrong + [f'{label} is shown and is no label of {expr}'
                    for label in sorted(shown - every)]


def shown_labels(text):
    return set(re.findall(r'\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}', text)) - {'alertname'}


def rules():
    """(kind, name, expression, the rest of it as text) of each rule, from its YAML."""
    with open(RULES, encoding='utf-8') as stream:
        text = re.sub(r'^ *#.*\n', '', stream.read(), flags=re.M)
    for part in re.split(r'^      - (?=alert:|record:)', text, flags=re.M)[1:]:
        kind, name = re.match(r'(alert|record): (\S+)', part).groups()
        folded = re.search(r'^        expr: (?:>-\n((?: {10}.*\n)+)|(.*)\n)', part, re.M)
        yield kind, name, ' '.join((folded[1] or folded[2]).split()), part[folded.end():]


def check_rules(scrape):
    with open(RULES_TEST, encoding='utf-8') as stream:
        tested = stream.read()
    wrong, alerts = [], 0
    for kind, name, expr, rest in rules():
        wrong += complaints(scrape, expr, shown_labels(rest))
        if kind == 'record':
            scrape.add_recorded(name, expr)
            continue
        alerts += 1
        fires = f'alertname="{name}"' in tested or re.search(
            rf'alertname: {name}\n *exp_alerts:\n', tested)
        if not fires:
            wrong.append(f'{name} fires in no test')
        wrong += [f'{name} has no {what}' for what in ('severity', 'summary', 'description')
                  if what + ':' not in rest]
    return wrong, alerts


def variables_of(dashboard):
    return {variable['name'] for variable in dashboard['templating']['list']} | set(BUILT_IN)


def check_layout(dashboard):
    """Panels have numbers of their own, and none lies on another."""
    wrong, taken = [], {}
    numbers = [panel['id'] for panel in dashboard['panels']]
    if len(set(numbers)) != len(numbers):
        wrong.append('two panels have one number')
    for panel in dashboard['panels']:
        at = panel['gridPos']
        if at['x'] < 0 or at['x'] + at['w'] > 24:
            wrong.append(f"{panel['title']} is beyond the edge")
        for x in range(at['x'], at['x'] + at['w']):
            for y in range(at['y'], at['y'] + at['h']):
                other = taken.setdefault((x, y), panel['title'])
                if other != panel['title']:
                    wrong.append(f"{panel['title']} lies on {other}")
    return wrong


def check_dashboard(scrape, dashboard):
    """Complaints, and all expressions."""
    wrong, expressions = check_layout(dashboard), []
    used = set(re.findall(r'\$\{?(\w+)\}?', json.dumps(dashboard))) - {'__all'}
    wrong += [f'no variable {name}' for name in used - variables_of(dashboard)]
    for panel in dashboard['panels']:
        if panel['type'] != 'row' and not panel['targets']:
            wrong.append(f"{panel['title']} shows nothing")
        for target in panel.get('targets', []):
            expressions.append(target['expr'])
            wrong += complaints(scrape, target['expr'], shown_labels(target['legendFormat']))
        hidden = [name for change in panel.get('transformations', [])
                  for name in change['options']['excludeByName'] if name.islower()]
        labels = TARGET | {'__name__'}
        wrong += [f'{name} is hidden and no label' for name in hidden if name not in labels]
    for variable in dashboard['templating']['list']:
        query = re.match(r'label_values\((.*), (\w+)\)$', variable.get('definition', ''))
        if query:
            expressions.append(query[1])
            wrong += complaints(scrape, query[1], {query[2]})
    for annotation in dashboard['annotations']['list']:
        expressions.append(annotation['expr'])
        shown = shown_labels(annotation['textFormat'])
        wrong += complaints(scrape, annotation['expr'], shown, free=True)
    return wrong, expressions


def check_checker(scrape):
    """What is wrong is found."""
    for expr, shown in (
            ('rate(lambdacast_endpoint_sent_packets_total[5m])', ''),
            ('lambdacast_view_members{reason="duplicate"}', ''),
            ('lambdacast_view_info{state="exclude"}', ''),
            ('lambdacast_drops_packets_total{reason=~"bad_icrc|bad_luck"}', ''),
            ('sum by (peer) (lambdacast_view_members)', ''), ('sum(up)', '{{endpoint}}'),
            ('lambdacast_view_members', '{{ $labels.member }}'), ('1 + 1', '')):
        if len(complaints(scrape, expr, shown_labels(shown))) != 1:
            sys.exit(f'FAILED: nothing is wrong with {expr} {shown}')


def promtool(program, folder, expressions):
    """Complaints of promtool about the rules, their tests and the dashboard's expressions."""
    path = os.path.join(folder, 'dashboard.rules.yml')
    taken = []
    for i, expr in enumerate(expressions):
        for name, value in BUILT_IN.items():
            expr = expr.replace('$' + name, value)
        taken.append({'record': f'panel:{i}', 'expr': expr})
    with open(path, 'w', encoding='utf-8') as stream:
        json.dump({'groups': [{'name': 'dashboard', 'rules': taken}]}, stream)  # JSON is YAML
    wrong = []
    for words in (['check', 'rules', RULES], ['test', 'rules', RULES_TEST],
                  ['check', 'rules', path]):
        done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
        if done.returncode:
            wrong.append(f"promtool {' '.join(words)}: {done.stdout}{done.stderr}")
    return wrong


def main():
    path, folder, *program = sys.argv[1:]
    scrape = Scrape(path)
    check_checker(scrape)
    with open(DASHBOARD, encoding='utf-8') as stream:
        dashboard = json.load(stream)
    wrong, alerts = check_rules(scrape)
    more, expressions = check_dashboard(scrape, dashboard)
    wrong += more
    if program:
        wrong += promtool(program[0], folder, expressions)
    if wrong:
        sys.exit('\n'.join(['FAILED:', *wrong]))
    print(f"{alerts} alerts and {len(expressions)} expressions of the dashboard name what "
          f'{len(scrape.labels)} metrics have')


if __name__ == '__main__':
    main()
