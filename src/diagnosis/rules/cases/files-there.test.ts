/** Tests what is said of files that are named by an error, and are there: what they name is not; and of files that are not, and that no error names. */
import { describe } from 'vitest';
import { configMap, crashed, lastWords, pod } from '../../evidence.fixtures.ts';
import type { ConfigEvidence, PodEvidence } from '../../evidence/pod-evidence.ts';
import { type Case, tellsEach } from './cases.fixtures.ts';

const secret = (name: string, ...keys: readonly string[]): ConfigEvidence => ({
  kind: 'Secret',
  name,
  state: 'found',
  keys,
});

/** A container with ConfigMap app at /etc/app, Secret tls at /tls and a claim at /var/lib/store, which ended with these words. */
const ended = (
  configs: readonly ConfigEvidence[],
  container: object,
  ...lines: readonly string[]
): Partial<PodEvidence> => ({
  pod: pod({
    container: {
      volumeMounts: [
        { name: 'conf', mountPath: '/etc/app' },
        { name: 'tls', mountPath: '/tls' },
        { name: 'data', mountPath: '/var/lib/store' },
      ],
      ...container,
    },
    spec: {
      volumes: [
        { name: 'conf', configMap: { name: 'app' } },
        { name: 'tls', secret: { secretName: 'tls' } },
        { name: 'data', persistentVolumeClaim: { claimName: 'store-0' } },
      ],
    },
    status: crashed({ exitCode: 1 }),
  }),
  logs: lastWords(...lines),
  configs,
});

const DIRECTORY = configMap('app', { 'dird.conf': 'database mdb\nsuffix "dc=corp"\ndirectory /var/lib/store/corp\n' });

const complaints: readonly Case[] = [
  [
    'the line of it that an error names, with its path',
    ended(
      [DIRECTORY],
      {},
      '6b0a3bcf.1d152a9c 0x7f1bb76c4200 /etc/app/dird.conf: line 3: invalid path: No such file or directory',
    ),
    'missing-setting',
    /^container web does not find \/var\/lib\/store\/corp in volume data \(claim store-0\), which line 3 of its configuration \/etc\/app\/dird\.conf names: .*invalid path.*; \/etc\/app\/dird\.conf is of ConfigMap app$/,
  ],
  [
    'the same, in the words of a parser',
    ended([DIRECTORY], {}, "error: '/etc/app/dird.conf' on line 3: no such file or directory"),
    'missing-setting',
    /does not find \/var\/lib\/store\/corp in volume data/,
  ],
  [
    'a line that names no path, as it stands',
    ended([configMap('app', { 'a.conf': 'x 1\ninclude extra/*.conf\n' })], {}, '/etc/app/a.conf:2: include: not found'),
    'missing-setting',
    /does not find what its configuration \/etc\/app\/a\.conf names: .* is of ConfigMap app, and its line 2 is "include extra\/\*\.conf"/,
  ],
  [
    'a line of another parser, which the error does not quote',
    ended(
      [configMap('app', { 'radius.conf': 'a\nb\n-sql\n' })],
      {},
      '/etc/app/radius.conf[3]: Failed to find a module or policy.',
    ),
    'exit-code',
    /is of ConfigMap app, and its line 3 is "-sql"$/,
  ],
  [
    'no line of YAML, whose parsers count in other ways',
    ended(
      [configMap('app', { 'a.yaml': 'a: 1\nb: c: 2\n' })],
      {},
      'yaml: /etc/app/a.yaml: line 2: mapping values are not allowed',
    ),
    'malformed-config',
    /mapping values are not allowed(?!.*its line)/,
  ],
  [
    'a line with a password, which is not quoted',
    ended([configMap('app', { 'a.conf': 'x 1\nauth_file pa55word\n' })], {}, '/etc/app/a.conf:2: user not found'),
    'exit-code',
    /user not found(?!.*pa55)/,
  ],
  [
    'another file, by its name alone',
    ended(
      [configMap('app', { 'q.cfg': 'tick=2\ndataDir=/var/lib/store\nserver.1=a:1\n' })],
      {},
      'org.example.ConfigException: Error processing /etc/app/q.cfg',
      '\tat org.example.Config.parse(Config.java:198)',
      'Caused by: java.lang.IllegalArgumentException: myid file is missing',
      '\tat org.example.Config.check(Config.java:792)',
    ),
    'missing-setting',
    /^container web does not find its file myid, for which it read its configuration \/etc\/app\/q\.cfg \(dataDir is \/var\/lib\/store, in volume data \(claim store-0\)\): .*Error processing/,
  ],
  [
    'a file of a claim, which names the claim',
    ended([], {}, 'FATAL: could not open /var/lib/store/base/1: No such file or directory'),
    'missing-setting',
    /does not find its file \/var\/lib\/store\/base\/1 in volume data \(claim store-0\)/,
  ],
  [
    'a file of a ConfigMap that it does not have',
    ended([configMap('app', { 'a.yaml': 'x: 1\n' })], {}, 'open /etc/app/b.yaml: no such file or directory'),
    'missing-setting',
    /does not find its file \/etc\/app\/b\.yaml in volume conf \(ConfigMap app\); it has only a\.yaml$/,
  ],
  [
    'a file of a Secret, for which a configuration asks',
    ended(
      [configMap('app', { 'p.cfg': 'bind :443 ssl crt /tls/site.pem\n' }), secret('tls', 'tls.crt', 'tls.key')],
      {},
      "config : parsing [/etc/app/p.cfg:1] : 'bind :443' : unable to stat SSL certificate from file '/tls/site.pem' : No such file or directory.",
    ),
    'missing-setting',
    /^container web does not find its file \/tls\/site\.pem in volume tls \(Secret tls\): .*; it has only tls\.crt and tls\.key$/,
  ],
  [
    'a script that is there, whose interpreter is not',
    ended(
      [configMap('app', { 'run.sh': '#!/bin/bsh\necho\n' })],
      {},
      'bash: /etc/app/run.sh: No such file or directory',
    ),
    'exit-code',
    /No such file or directory(?!.*which has it now)/,
  ],
  [
    'one that it has by now',
    ended([configMap('app', { 'a.yaml': 'x: 1\n' })], {}, 'open /etc/app/a.yaml: no such file or directory'),
    'missing-setting',
    /does not find its file \/etc\/app\/a\.yaml in volume conf \(ConfigMap app\), which has it now$/,
  ],
];

const CONFIG_PATH = { env: [{ name: 'CONFIG_PATH', value: '/etc/app/app.toml' }] };
const YAML = configMap('app', { 'app.yaml': 'listen: 8080\n' });

const absent: readonly Case[] = [
  [
    'the file of a variable, of an error with a place in the code',
    ended(
      [YAML],
      CONFIG_PATH,
      `thread 'main' panicked at 'called \`Result::unwrap()\` on an \`Err\` value: Os { code: 2, kind: NotFound, message: "No such file or directory" }', /src/main.rs:4:33`,
      'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
    ),
    'missing-setting',
    /^container web does not find its file \/etc\/app\/app\.toml, which its variable CONFIG_PATH names, in volume conf \(ConfigMap app\), which has only app\.yaml: thread 'main' panicked/,
  ],
  [
    'the same, in the words of another language',
    ended(
      [YAML],
      { command: ['reader', '--config', '/etc/app/app.toml'] },
      '/app/reader.c:88: cannot start: No such file or directory',
    ),
    'missing-setting',
    /does not find its file \/etc\/app\/app\.toml, which its command names, in volume conf/,
  ],
  [
    'a file that its configuration names, where nothing says which',
    ended(
      [
        configMap('app', { 'm.cnf': '[server]\nssl-cert=/tls/tls.crt\nssl-ca=/tls/ca.crt\n' }),
        secret('tls', 'tls.crt', 'tls.key'),
      ],
      {},
      '2026-01-31  2:37:50 0 [ERROR] Failed to setup SSL',
      '2026-01-31  2:37:50 0 [ERROR] SSL error: SSL_CTX_set_default_verify_paths failed',
      '2026-01-31  2:37:50 0 [ERROR] Aborting',
    ),
    'exit-code',
    /^container web ends: SSL error: SSL_CTX_set_default_verify_paths failed \(exit code 1\); line 3 of its configuration \/etc\/app\/m\.cnf names \/tls\/ca\.crt, which Secret tls does not have: it has only tls\.crt and tls\.key$/,
  ],
  [
    'no file, where two may be meant',
    ended(
      [configMap('app', { 'm.cnf': 'a=/tls/a.crt\nb=/tls/b.crt\n' }), secret('tls', 'tls.crt')],
      {},
      'FATAL: cannot set up TLS',
    ),
    'exit-code',
    /cannot set up TLS \(exit code 1\)(?!.*Secret tls)/,
  ],
  [
    'no file of a comment, of a glob, or that is there',
    ended(
      [
        configMap('app', {
          'm.cnf': '# ca=/tls/a.crt\ninclude /tls/*.pem\ninclude /tls/sub/x*.pem\ncert /tls/tls.crt\n',
        }),
        secret('tls', 'tls.crt'),
      ],
      {},
      'FATAL: cannot set up TLS',
    ),
    'exit-code',
    /cannot set up TLS \(exit code 1\)(?!.*Secret tls)/,
  ],
  [
    'no file, for an error about something else',
    ended(
      [configMap('app', { 'm.cnf': 'ca=/tls/ca.crt\n' }), secret('tls', 'tls.crt')],
      {},
      'panic: no leader was elected',
    ),
    'exit-code',
    /no leader was elected \(exit code 1\)$/,
  ],
];

describe('complaints about a configuration that is there', () => {
  tellsEach(complaints);
});
describe('files that are not there', () => {
  tellsEach(absent);
});
