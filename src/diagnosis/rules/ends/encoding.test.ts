/** Tests what is said of line ends, encodings, locales and C libraries, with the words of real programs. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import { type Case, configured, crash, tellsEach } from '../cases/cases.fixtures.ts';

const encodings: readonly Case[] = [
  [
    'line ends of the first line, as env says it',
    crash(
      127,
      '/usr/bin/env: ‘python3\\r’: No such file or directory',
      '/usr/bin/env: use -[v]S to pass options in shebang lines',
    ),
    'encoding',
    /a script has Windows line ends \(CR LF\): .*python3\\r/,
  ],
  [
    'line ends of the first line, as older shells say it',
    crash(126, 'bash: ./entrypoint.sh: /bin/sh^M: bad interpreter: No such file or directory'),
    'encoding',
    /because \.\/entrypoint\.sh has Windows line ends/,
  ],
  [
    'line ends of the body, in bash',
    crash(127, 'b.sh: line 2: set: -\r: invalid option', "b.sh: line 4: $'foo\\r': command not found"),
    'encoding',
    /because b\.sh has Windows line ends/,
  ],
  [
    'line ends of the body, in dash',
    crash(2, '/app/b.sh: 2: set: Illegal option -\r'),
    'encoding',
    /because \/app\/b\.sh in image registry\.example\/web:1 has Windows line ends/,
  ],
  [
    'line ends of the body, in busybox',
    crash(2, '/tmp/a.sh: set: line 2: illegal option -\r'),
    'encoding',
    /because \/tmp\/a\.sh in image registry\.example\/web:1 has Windows line ends/,
  ],
  [
    'line ends of a script in a ConfigMap',
    {
      ...configured({ configMap: { name: 'scripts' } }, "/etc/app/run.sh: line 2: $'\\r': command not found"),
    },
    'encoding',
    /\/etc\/app\/run\.sh in volume conf \(ConfigMap scripts\) has Windows line ends/,
    [/configMap\.name: scripts/],
  ],
  [
    'a first line that asks for what is not there, as newer shells say it',
    crash(127, 'bash: ./a.sh: cannot execute: required file not found'),
    'missing-binary',
    /\.\/a\.sh is there, but not the interpreter or loader that it asks for/,
  ],
  [
    'a loader that is not there, as small shells say it',
    crash(127, 'sh: /app/server: not found'),
    'missing-binary',
    /\/app\/server, or the interpreter or loader that it asks for, is not in its image/,
  ],
  [
    'python: a byte order mark',
    crash(
      1,
      'Traceback (most recent call last):',
      '  File "/app/m.py", line 1, in <module>',
      'json.decoder.JSONDecodeError: Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)',
    ),
    'encoding',
    /begins with a byte order mark/,
  ],
  [
    'node: a byte order mark, which nobody sees',
    crash(
      1,
      '<anonymous_script>:1',
      '\uFEFF{}',
      '^',
      '',
      'SyntaxError: Unexpected token \'\uFEFF\', "\uFEFF{}" is not valid JSON',
      '    at JSON.parse (<anonymous>)',
      '',
      'Node.js v20.20.2',
    ),
    'encoding',
    /begins with a byte order mark.*is not valid JSON/,
  ],
  [
    'go: a byte order mark',
    crash(1, "config: invalid character 'ï' looking for beginning of value"),
    'encoding',
    /byte order mark/,
  ],
  [
    'python: a locale that is not there',
    {
      pod: pod({ container: { env: [{ name: 'LC_ALL', value: 'de_DE.UTF-8' }] }, status: crashed({ exitCode: 1 }) }),
      logs: lastWords(
        'Traceback (most recent call last):',
        '  File "/app/m.py", line 1, in <module>',
        'locale.Error: unsupported locale setting',
      ),
    },
    'encoding',
    /asks for a locale that its image does not have \(LC_ALL=de_DE\.UTF-8\)/,
    [/env\[0\] \(LC_ALL\): de_DE\.UTF-8/],
  ],
  [
    'Ruby, whose LC_ALL rules over LANG',
    {
      pod: pod({ container: { env: [{ name: 'LC_ALL', value: 'C' }] }, status: crashed({ exitCode: 1 }) }),
      logs: lastWords('Invalid byte sequence in US-ASCII in line 5. (CSV::MalformedCSVError)'),
    },
    'encoding',
    /takes text for ASCII that is not \(its locale is LC_ALL=C: LC_ALL=C\.UTF-8 would\)/,
  ],
  [
    'python: ASCII',
    crash(
      1,
      'Traceback (most recent call last):',
      '  File "/app/m.py", line 1, in <module>',
      "UnicodeDecodeError: 'ascii' codec can't decode byte 0xc3 in position 2: ordinal not in range(128)",
    ),
    'encoding',
    /takes text for ASCII that is not .*: UnicodeDecodeError/,
  ],
  [
    'python: UTF-16',
    crash(
      1,
      'Traceback (most recent call last):',
      '  File "/app/m.py", line 1, in <module>',
      "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
    ),
    'encoding',
    /begins like UTF-16/,
  ],
  [
    'ruby: bytes',
    crash(
      1,
      "/app/main.rb:3:in `split': invalid byte sequence in UTF-8 (ArgumentError)",
      "\tfrom /app/main.rb:3:in `<main>'",
    ),
    'encoding',
    /not in the encoding that it expects/,
  ],
];

const libraries: readonly Case[] = [
  [
    'glibc that is too old',
    crash(1, "/app/server: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by /app/server)"),
    'c-library-mismatch',
    /\/app\/server was built for a newer library than \/lib\/x86_64-linux-gnu\/libc\.so\.6 of its image \(it wants GLIBC_2\.34\)/,
    [/image: registry\.example\/web:1/],
  ],
  [
    'libstdc++ that is too old, of an addon',
    crash(
      1,
      "Error: /usr/lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.30' not found (required by /app/node_modules/sharp/build/sharp.node)",
    ),
    'c-library-mismatch',
    /sharp\.node was built for a newer library .*GLIBCXX_3\.4\.30/,
  ],
  [
    'glibc on musl: symbols',
    crash(
      127,
      'Error relocating /app/server: __memcpy_chk: symbol not found',
      'Error relocating /app/server: fcntl64: symbol not found',
    ),
    'c-library-mismatch',
    /\/app\/server was built for glibc, and its image has musl/,
  ],
  [
    'glibc on musl: the loader',
    crash(
      1,
      'Error: Error loading shared library ld-linux-x86-64.so.2: No such file or directory (needed by /app/node_modules/a/b.node)',
    ),
    'c-library-mismatch',
    /b\.node was built for glibc, and its image has musl/,
  ],
  [
    'musl on glibc',
    crash(
      127,
      '/app/server: error while loading shared libraries: libc.musl-x86_64.so.1: cannot open shared object file: No such file or directory',
    ),
    'c-library-mismatch',
    /was built for musl .*, and its image has glibc/,
  ],
];

describe('encodings', () => {
  tellsEach(encodings);

  it.each<[string, number, readonly string[]]>([
    ['progress that goes over its own line', 1, ['loading 10%\rloading 20%\rloading: failed', 'boom']],
    ['lines that end with CR LF, as some programs write', 1, ['error: cannot open database\r', 'boom\r']],
    ['a program called bom', 1, ['bombastic failure']],
  ])('have nothing to do with %s', (_, exitCode, lines) => {
    const ids = diagnosePod(evidence(crash(exitCode, ...lines))).findings.map(({ id }) => id);
    expect(ids).not.toContain('encoding');
  });
});

describe('C libraries', () => {
  tellsEach(libraries);

  it('are well when another library is not there', () => {
    const lines = [
      '/app/curl: error while loading shared libraries: libcurl.so.4: cannot open shared object file: No such file or directory',
    ];
    const ids = diagnosePod(evidence(crash(127, ...lines))).findings.map(({ id }) => id);
    expect(ids).not.toContain('c-library-mismatch');
  });
});
