#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each rule of scripts/dev/tidy.py, with a tree that breaks it and one that keeps it."""
import unittest

from sample_tree import CheckerTest
import tidy

SLASH = '/'    # keeps the bad samples from being found in this file


class TidyTest(CheckerTest):
    checker = tidy
    common = {'LICENSE': 'text\n', 'README.md': '# Name\n'}
    licensed = False     # the samples have the line of the licence: its rule is tested as well

    def errors(self, files, executable=()):
        found = super().errors(files, executable)
        return [e for e in found if self.licensed or tidy.LICENCE not in e]


class Tree(TidyTest):
    def test_licence_and_readme(self):
        self.accept({})
        self.common = {'LICENSE': 'text\n'}
        self.reject({}, 'README.md:1', 'missing')
        self.common = {'README.md': 'text\n'}
        self.reject({}, 'LICENSE:1', 'missing')

    def test_each_source_has_its_unit_test(self):
        source = {'lib/a/b.cc': 'int x;\n'}
        self.reject(source, 'lib/a/b.cc:1', 'tests/unit/a/b_test.cc')
        self.accept({**source, 'tests/unit/a/b_test.cc': 'int x;\n'})
        self.accept({'lib/a/b.h': '#pragma once\n', 'app/a/b.cc': 'int x;\n'})

    def test_build_trees_and_data_are_not_looked_at(self):
        self.accept({'build/a.cc': '\t\n', 'build-asan/a.cc': '\t\n', 'tests/fuzz/corpus/x/1': '\t',
                     'tests/vectors/a.pcap': b'\0\xff', 'doc/a.bin': b'\t'})


class Licence(TidyTest):
    licensed = True

    def check(self, path, line, rest, number=1, head=''):
        executable = [path] if head else []
        self.accept({path: f'{head}{line}\n{rest}'}, executable)
        self.reject({path: f'{head}{rest}'}, f'{path}:{number}', tidy.LICENCE, executable)
        self.reject({path: f'{head}{rest}{line}\n'}, f'{path}:{number}', tidy.LICENCE, executable)
        wrong = line.replace('BSD-3-Clause', 'MIT')
        self.reject({path: f'{head}{wrong}\n{rest}'}, f'{path}:{number}', tidy.LICENCE, executable)

    def test_sources(self):
        line = f'// {tidy.LICENCE}'
        self.check('lib/a/a.h', line, '#pragma once\n')
        for path in ('app/a/a.cc', 'lib/a/a.def', 'doc/models/a.pml'):
            self.check(path, line, 'int x;\n')
        self.check('drivers/a.map', f'/* {tidy.LICENCE} */', '{ local: *; };\n')

    def test_scripts_and_build_files(self):
        line = f'# {tidy.LICENCE}'
        for path in ('meson.build', 'lib/a/meson.build', 'meson_options.txt', 'scripts/a.py'):
            self.check(path, line, 'x = 1\n')
        self.check('scripts/lib.sh', line, 'set -u\n')
        self.check('scripts/a', line, 'set -eu\n', number=2, head='#!/bin/sh\n')
        self.check('scripts/a.py', line, 'x = 1\n', number=2, head='#!/usr/bin/python3\n')

    def test_a_script_that_ends_behind_its_interpreter(self):
        self.reject({'scripts/a.py': '#!/usr/bin/python3\n'}, 'scripts/a.py:2', tidy.LICENCE)

    def test_others_need_none(self):
        self.accept({'config/a.toml': 'a = 1\n', 'doc/a.md': 'x\n', '.gitignore': 'build\n',
                     'tests/fuzz/corpus/x/a.h': 'int x;\n'})

    def test_the_line_does_not_count_in_the_length_of_a_file(self):
        line = f'// {tidy.LICENCE}\n'
        self.accept({'app/a.cc': line + 'int x;\n' * 400})
        self.reject({'app/a.cc': line + 'int x;\n' * 401}, 'app/a.cc:400', '401 lines')


class Lines(TidyTest):
    def line(self, text, what):
        self.reject({'config/a.toml': f'\n{text}\n'}, 'config/a.toml:2', what)

    def test_white_space(self):
        self.line('a\tb', 'tab')
        self.line('a ', 'trailing')
        self.reject({'config/a.toml': 'a'}, 'config/a.toml:1', 'newline')
        self.accept({'config/a.toml': 'a\n  b\n'})

    def test_length(self):
        self.line('x' * 101, '101 characters')
        self.accept({'config/a.toml': 'x' * 100 + '\n'})

    def test_unfinished_work(self):
        for word in ('TO' 'DO', 'FIX' 'ME', 'XX' 'X'):
            self.line(f'# {word}: later', 'unfinished')
        self.accept({'config/a.toml': 'mktemp name.' + 'X' * 6 + '\n'})

    def test_absolute_paths(self):
        for name in ('home', 'work', 'root'):
            self.line(f'x = "{SLASH}{name}/me/x"', 'absolute path')
        self.accept({'config/a.toml': 'a = "/dev/shm"\nb = "net/work/x"\nc = "$HOME/work/x"\n'})

    def test_registry_hosts(self):
        for name in ('pypi', 'deb.debian', 'registry.npmjs'):
            self.line(f'{name}' '.org', 'registry')
        self.accept({'config/a.toml': 'https://www.debian.org/doc\n'})

    def test_file_length(self):
        self.reject({'app/a.cc': 'int x;\n' * 401}, 'app/a.cc:400', '401 lines')
        self.accept({'app/a.cc': 'int x;\n' * 400, 'doc/a.md': 'x\n' * 900})


class Code(TidyTest):
    def test_pragma_once(self):
        self.reject({'lib/a/a.h': 'int x;\n'}, 'lib/a/a.h:1', '#pragma once')
        self.accept({'lib/a/a.h': '// What\n#pragma once\n'})

    def test_using_namespace_in_headers(self):
        self.reject({'lib/a/a.h': '#pragma once\nusing namespace std;\n'}, 'lib/a/a.h:2', 'using')
        self.accept({'lib/a/a.h': '#pragma once\n// using namespace std;\nusing std::move;\n',
                     'app/a.cc': 'using namespace std;\n'})

    def test_sleeps(self):
        for call in ('usleep(5)', 'std::this_thread::sleep_for(x)', 'nanosleep(&t, nullptr)'):
            for path in ('app/x/a.cc', 'tests/unit/a/a_test.cc', 'lib/node/stage.h'):
                self.reject({path: f'#pragma once\nint x = {call};\n'}, f'{path}:2', 'sleep')
            for path in ('lib/dpdk/idle_policy.h', 'tests/bench/a.cc'):
                self.accept({path: f'#pragma once\nint x = {call};\n'})
        self.accept({'app/x/a.cc': '// usleep(5)\nint sleep_us = 4;\n'})

    def test_function_length(self):
        body = '  f();\n' * 68    # with the two lines of the braces: 70
        for head in ('int main() {', 'A::A(int b) : b_(b), c_{2} {', 'auto f() -> int {',
                     'TEST(Suite, name) {', 'namespace a::b {\nstruct C {\n  void d() const {'):
            scopes = head.count('\n')
            close = '}\n' * (scopes + 1)
            self.accept({'app/a.cc': f'{head}\n{body}{close}'})
            self.reject({'app/a.cc': f'{head}\n  f();\n{body}{close}'}, f'app/a.cc:{scopes + 1}',
                        'function of 71 lines')

    def test_long_tables_and_scopes_are_no_functions(self):
        row = '  {1, 2},\n'
        self.accept({'app/a.cc': 'const int t[] = {\n' + row * 90 + '};\n'
                                 'namespace a {\n' + 'int x();\n' * 90 + '}\n'
                                 'int f(int);\nstruct S {\n' + '  int x;\n' * 90 + '};\n'
                                 'enum class E : int {\n' + '  kA,\n' * 90 + '};\n'})

    def test_braces_in_text_do_not_count(self):
        self.accept({'app/a.cc': "int f() { return '{'; }\nauto s = \"{{{\";  // {\n"
                                 + 'int x();\n' * 90})


class Shell(TidyTest):
    def test_set_u(self):
        good = '#!/bin/bash\nset -euo pipefail\n'
        self.accept({'scripts/a': good}, executable=['scripts/a'])
        self.reject({'scripts/a': '#!/bin/bash\necho\n'}, 'scripts/a:1', 'set -u',
                    executable=['scripts/a'])
        self.accept({'scripts/a': '#!/usr/bin/python3\npass\n'})

    def test_executable(self):
        self.reject({'scripts/a': '#!/bin/sh\nset -eu\n'}, 'scripts/a:1', 'executable')
        self.accept({'scripts/lib.sh': 'set -u\n'})

    def test_quiet_grep_behind_a_pipe(self):
        for pipe in ('a | grep -q b', 'a | grep -Eq b', 'a |\n  grep -qi b', 'a | \\\n  grep -q b'):
            line = 1 + pipe.count('\n')
            self.reject({'tests/a.bash': f'{pipe}\n'}, f'tests/a.bash:{line}', 'behind a pipe')
        self.accept({'tests/a.bash': 'grep -q b <<<"$(a)"\na || grep -q b c\na | grep b\n'})


class Markdown(TidyTest):
    def test_links(self):
        self.common = {'LICENSE': 'text\n'}
        bad = '# Name\n[x](doc/no.md#part)\n'
        self.reject({'README.md': bad}, 'README.md:2', 'doc/no.md')
        self.accept({'README.md': '[x](doc/a.md#part) [z](https://example.org/doc/no.md#no)\n'
                                  '[d](doc) `[x](no.md)`\n',
                     'doc/a.md': '# Part\n[up](../README.md)\n'})
        self.reject({'README.md': 'x\n', 'doc/a.md': '[up](README.md)\n'}, 'doc/a.md:1', 'README')
        self.reject({'README.md': '[x](../other/a.md)\n'}, 'README.md:1', '../other/a.md')

    def test_links_of_all_markdown(self):
        for path in ('lib/a/notes.md', 'CONTRIBUTING.md'):
            self.reject({path: '[x](later.md)\n'}, f'{path}:1', 'nothing there')

    def test_anchors(self):
        self.accept({'doc/a.md': '# `x.h`: What, and [why](a.md)?\n## Two  words_1\n'
                                 '[a](#xh-what-and-why) [b](#two--words_1)\n',
                     'doc/b.md': '[a](a.md#xh-what-and-why)\n'})
        self.reject({'doc/a.md': '# One\n[a](#two)\n'}, 'doc/a.md:2', 'no such heading')
        self.reject({'doc/a.md': '# One\n', 'lib/a/b.md': 'x\n\n[a](../../doc/a.md#two)\n'},
                    'lib/a/b.md:3', 'no such heading')

    def test_anchors_of_equal_headings(self):
        twice = '# Same\n# Same\n'
        self.accept({'doc/a.md': twice + '[a](#same) [b](#same-1)\n'})
        self.reject({'doc/a.md': twice + '[c](#same-2)\n'}, 'doc/a.md:3', 'no such heading')

    def test_anchors_are_no_lines_of_code(self):
        self.reject({'doc/a.md': '```\n# One\n```\n[a](#one)\n'}, 'doc/a.md:4', 'no such heading')

    def test_length(self):
        self.reject({'doc/a.md': 'x\n' + 'x' * 121 + '\n'}, 'doc/a.md:2', '121 characters')
        self.accept({'doc/a.md': 'x' * 120 + '\n', 'doc/b.md': '| ' + 'x' * 300 + ' |\n'})
        self.reject({'config/a.toml': '|' + 'x' * 100 + '\n'}, 'config/a.toml:1', '101 characters')

    def test_dates_in_documents(self):
        day = '20' '26-01-02'
        self.reject({'doc/a.md': f'x\nOn {day} it was so.\n'}, 'doc/a.md:2', 'date')
        self.accept({'doc/a.md': f'| {day} | 3 |\n', 'lib/a/a.md': f'{day}\n',
                     'doc/b.md': 'RFC 2026-1 and 1201-02\n'})

    def test_only_readme_promises_commands(self):
        self.accept({'doc/a.md': '`scripts/later`\n'})

    def test_commands(self):
        self.common = {'LICENSE': 'text\n'}
        for command in ('scripts/go', './scripts/go --fast', 'build/app/tool/tool -- x'):
            for text in (f'`{command}`\n', f'```\n{command}\n```\n'):
                self.assertEqual(len(self.errors({'README.md': text})), 1, text)
                self.accept({'README.md': text, 'scripts/go': 'x\n', 'app/tool/a.cc': 'int x;\n'})


if __name__ == '__main__':
    unittest.main()
