#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Renders the tables of doc/benchmarks.md between the lines '<!-- results: NAME -->' and
'<!-- end of results -->' from tests/bench/results/NAME.json. With --check it writes nothing, and
ends with exit code 1 if a table of the document is not the one that its file gives."""
import argparse
import os
import re
import sys
import textwrap

import plans
import results

LINE = 118
DOCUMENT = os.path.join(results.ROOT, 'doc', 'benchmarks.md')
BLOCK = re.compile(r'(<!-- results: (?P<name>[\w-]+) -->\n)(?P<table>.*?)(<!-- end of results -->)',
                   re.DOTALL)


def number(value, column):
    """As the table shows it: thousands apart, 0 as 0."""
    value = value / column.scale
    if value == 0:
        return '0'
    return f'{value:,.{column.decimals}f}'.replace(',', ' ')


def cell(figure, column):
    """The median, and the quartiles where they differ from it."""
    median = number(figure['median'], column)
    low, high = (number(each, column) for each in figure['quartiles'])
    return median if low == high == median else f'{median} ({low} to {high})'


def table(found):
    """A table of the figures of each case, and below it where they are from."""
    columns = plans.PLANS[found['benchmark']].columns
    rows = [['', *(column.heading for column in columns)], ['---'] * (len(columns) + 1)]
    for case in found['cases']:
        rows.append([case['name'], *(cell(case['figures'][column.key], column)
                                     for column in columns)])
    lines = ['| ' + ' | '.join(row) + ' |' for row in rows]
    lines[1] = '|' + '---|' * (len(columns) + 1)
    machine = found['machine']
    lines += ['', '| machine | rounds | commit | date |', '|---|---|---|---|',
              f'| {machine["cpu"]}, {machine["cores"]} cores, Linux {machine["kernel"]} '
              f'| {found["rounds"]}: medians (quartiles) | {found["commit"]} | {found["date"]} |']
    if found['note']:
        lines += ['', *textwrap.wrap(found['note'] + '.', LINE)]
    return '\n'.join(lines) + '\n'


def rendered(text, directory=results.DIRECTORY):
    """The document with every table as its file gives it."""
    return BLOCK.sub(lambda block: block[1] + '\n' + table(results.read(block['name'], directory))
                     + '\n' + block[4], text)


def stale(text, directory=results.DIRECTORY):
    """Names of the tables that are not as their files give them."""
    return [block['name'] for block in BLOCK.finditer(text)
            if block['table'] != '\n' + table(results.read(block['name'], directory)) + '\n']


def main():
    parser = argparse.ArgumentParser(prog='tests/bench/render.py', description=__doc__)
    parser.add_argument('--check', action='store_true', help='only look')
    options = parser.parse_args()
    with open(DOCUMENT, encoding='utf-8') as stream:
        text = stream.read()
    if options.check:
        wrong = stale(text)
        for name in wrong:
            print(f'doc/benchmarks.md: the table of {name} is not that of '
                  f'tests/bench/results/{name}.json; to mend: tests/bench/render.py')
        return 1 if wrong else 0
    with open(DOCUMENT, 'w', encoding='utf-8') as stream:
        stream.write(rendered(text))
    return 0


if __name__ == '__main__':
    sys.exit(main())
