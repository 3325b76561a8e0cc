/** The variables that a container's own code reads, of ConfigMaps and of its command, behind errors that do not name them. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { configMap, evidence } from '../../evidence.fixtures.ts';
import type { Container } from '../../evidence/kinds.ts';
import { type Case, endedWith, tellsEach } from './cases.fixtures.ts';

const app = (file: string, env: NonNullable<Container['env']>) => ({
  container: { command: ['run', `/app/${file}`], env, volumeMounts: [{ name: 'app', mountPath: '/app' }] },
  spec: { volumes: [{ name: 'app', configMap: { name: 'files' } }] },
});
const set = (name: string, value = 'x') => ({ name, value });

interface Row {
  readonly what: string;
  readonly file: string;
  readonly code: string;
  readonly env?: NonNullable<Container['env']>;
  readonly lines: readonly string[];
  readonly id?: string;
  readonly says: RegExp;
}

const rows: readonly Row[] = [
  {
    what: 'OCaml that finds no variable',
    file: 'w.ml',
    code: 'let () = print_endline "starting"\nlet n = int_of_string (Sys.getenv "BATCH_SIZE")',
    env: [set('BATCHSIZE', '10')],
    lines: ['starting', 'Exception: Not_found.'],
    says: /Not_found.*; its code reads the variable BATCH_SIZE, which its pod does not set; it sets BATCHSIZE/,
  },
  {
    what: 'a default of Go, because the variable is misspelt',
    file: 'main.go',
    code: 'addr := os.Getenv("REDIS_ADDR")\nif addr == "" { addr = "localhost:6379" }',
    env: [set('REDIS_ADRR', 'redis:6379')],
    lines: ['2026/01/31 09:06:15 main.go:9: FATAL dial tcp [::1]:6379: connect: connection refused'],
    id: 'dependency-refused',
    says: /its variable REDIS_ADRR names redis:6379, which it does not ask; its code reads the variable REDIS_ADDR, which its pod does not set$/,
  },
  {
    what: 'an empty text of Perl, by the name that the code gave it',
    file: 'w.pl',
    code: 'use strict;\nmy $q=$ENV{QUEUE_URL};\nprint STDERR "connecting to $q\\n";\ndie "unsupported queue scheme in \'$q\'" unless $q =~ m{^amqp://};\n',
    env: [set('QUEUE_URI', 'redis://redis:6379')],
    lines: ['connecting to ', "unsupported queue scheme in '' at /app/w.pl line 4."],
    says: /its code reads the variable QUEUE_URL, which its pod does not set; it sets QUEUE_URI/,
  },
  {
    what: 'a number that Rust does not parse, and does not tell',
    file: 'm.rs',
    code: 'use std::env;\nfn main(){\n  let n:u32=env::var("BATCH").unwrap().parse().unwrap();\n}\n',
    env: [set('BATCH', '1_000')],
    lines: [
      "thread 'main' panicked at 'called `Result::unwrap()` on an `Err` value: ParseIntError { kind: InvalidDigit }', /app/m.rs:3:48",
    ],
    says: /that line reads its variable BATCH \("1_000"\)/,
  },
  {
    what: 'the path of a variable that the code has read lines before',
    file: 'main.rs',
    code: 'fn main(){\n  let p=env::var("APP_CONFIG").expect("APP_CONFIG not set");\n  let s=fs::read_to_string(&p).expect("cannot read configuration");\n}\n',
    env: [set('APP_CONFIG', '/etc/app/config.toml')],
    lines: [
      "thread 'main' panicked at 'cannot read configuration: Os { code: 2, kind: NotFound, message: \"No such file or directory\" }', /app/main.rs:3:32",
    ],
    says: /that line reads its variable APP_CONFIG \("\/etc\/app\/config\.toml"\)/,
  },
  {
    what: 'a key of the environment that Python lacks, with the one that is alike',
    file: 'a.py',
    code: 'import os\ntopic=os.environ["TOPIC"]\n',
    env: [set('TOPIC_NAME', 'orders')],
    lines: [
      'Traceback (most recent call last):',
      '  File "/app/a.py", line 2, in <module>',
      '    topic=os.environ["TOPIC"]',
      '          ~~~~~~~~~~^^^^^^^^^',
      "KeyError: 'TOPIC'",
    ],
    says: /its code reads the variable TOPIC, which its pod does not set; it sets TOPIC_NAME/,
  },
  {
    what: 'the number of a database in the URL',
    file: 'd.py',
    code: 'import os,redis\nr=redis.from_url(os.environ["CACHE_URL"])\nr.ping()\n',
    env: [set('CACHE_URL', 'redis://redis:6379/42')],
    lines: [
      'Traceback (most recent call last):',
      '  File "/app/d.py", line 2, in <module>',
      '    r=redis.from_url(os.environ["CACHE_URL"])',
      'redis.exceptions.ResponseError: DB index is out of range',
    ],
    says: /that line reads its variable CACHE_URL \("redis:\/\/redis:6379\/42"\)/,
  },
  {
    what: 'a service link that the error names by its variable',
    file: 's.js',
    code: 'const p=Number(process.env.APP_PORT)',
    env: [],
    lines: [
      '/app/s.js:1',
      'const p=Number(process.env.APP_PORT)',
      '        ^',
      '',
      'RangeError: APP_PORT must be an integer, got "tcp://10.96.64.213:8080"',
      '    at Object.<anonymous> (/app/s.js:1:96)',
    ],
    says: /its variable APP_PORT is set by Kubernetes for service app; enableServiceLinks: false/,
  },
  {
    what: 'a null of Java, by the only variable that nothing sets',
    file: 'Main.java',
    code: 'class Main { public static void main(String[] a) {\n String u = System.getenv("PRICES_URL");\n String l = System.getenv().getOrDefault("LOG_LEVEL", "info");\n new java.net.URL(u); } }',
    env: [set('REGION', 'eu')],
    lines: [
      'Exception in thread "main" java.lang.NullPointerException: Cannot invoke "String.length()" because "spec" is null',
    ],
    says: /its code reads the variable PRICES_URL \(Main\.java, line 2\), which its pod does not set/,
  },
  {
    what: 'what Node takes apart',
    file: 'i.js',
    code: 'const { STRIPE_KEY, PORT = 3000 } = process.env;\nstripe(STRIPE_KEY).charge();',
    id: 'missing-setting',
    env: [set('STRIPE_API_KEY', 'k')],
    lines: [
      'Error: Neither apiKey nor authenticator provided for stripe: STRIPE_KEY undefined',
      '    at /app/i.js:2:3',
    ],
    says: /STRIPE_KEY.*; it sets STRIPE_API_KEY/,
  },
];

describe('a variable that the code reads', () => {
  tellsEach(
    rows.map(
      ({ what, file, code, env = [], lines, id = 'exit-code', says }): Case => [
        what,
        endedWith(app(file, env), lines, [configMap('files', { [file]: code })]),
        id,
        says,
      ],
    ),
  );

  const saysOf = (code: string, env: NonNullable<Container['env']>, ...lines: readonly string[]): string =>
    diagnosePod(evidence(endedWith(app('a.py', env), lines, [configMap('files', { 'a.py': code })]))).findings[0]
      ?.says ?? '';

  it('is told with the ConfigMap and the prefix that make the other name', () => {
    const { container, spec } = app('a.js', []);
    const whole = { ...container, envFrom: [{ prefix: 'APP_', configMapRef: { name: 'settings' } }] };
    const given = endedWith(
      { container: whole, spec },
      ['Error: required environment variable DB_HOST is not defined'],
      [
        configMap('files', { 'a.js': 'const host = process.env.DB_HOST;\nif (!host) throw new Error("no");\n' }),
        configMap('settings', { DB_HOST: 'db', MODE: 'fast' }),
      ],
    );
    expect(diagnosePod(evidence(given)).findings[0]?.says).toMatch(
      /lacks the environment variable DB_HOST; it sets APP_DB_HOST \(of ConfigMap settings, with the prefix APP_\)$/,
    );
  });

  it('is not told where another error stands, or the code has a default', () => {
    const code = 'import os\nlevel=os.environ.get("LOG_LEVEL", "info")\nopen("/data/in.csv")\n';
    const said = saysOf(code, [set('LOG_FORMAT')], 'ValueError: row 7 has 3 columns, expected 4');
    expect(said).not.toMatch(/LOG_LEVEL|LOG_FORMAT/);
  });

  it('is not told where two may be meant', () => {
    const code = 'import os\na=os.environ["DB_HOST1"]\nb=os.environ["DB_HOST2"]\n';
    expect(saysOf(code, [set('DB_HOST')], 'TypeError: expected str, got None')).not.toMatch(/its code reads/);
  });

  it('shows no value that may be a secret', () => {
    const code = 'import os\nk=bytes.fromhex(os.environ["SIGNING_KEY"])\n';
    const said = saysOf(
      code,
      [set('SIGNING_KEY', 'hunter2hunter2')],
      'Traceback (most recent call last):',
      '  File "/app/a.py", line 2, in <module>',
      '    k=bytes.fromhex(os.environ["SIGNING_KEY"])',
      'ValueError: non-hexadecimal number found in fromhex() arg at position 0',
    );
    expect(said).toMatch(/SIGNING_KEY/);
    expect(said).not.toMatch(/hunter2/);
  });
});
