/** Leads that lie beside an error: what its system calls mean, what a field, an optional source, a peer's log or a name of a pod has to do with it. */
import { describe, expect, it } from 'vitest';
import { diagnosePod, podFindings } from '../diagnose-pod.ts';
import { ago, configMap, crashed, evidence, lastWords, pod } from '../evidence.fixtures.ts';
import type { PodEvidence, ServiceEvidence } from '../evidence/pod-evidence.ts';
import { podFacts } from '../facts/pod-facts.ts';
import { heardWanted } from '../index.ts';
import { type Case, crash, endedWith, tellsEach, withFiles } from './cases.fixtures.ts';

const set = (name: string, value: string) => ({ name, value });
const service = (name: string, more: Partial<ServiceEvidence> = {}): ServiceEvidence => ({
  namespace: 'shop',
  name,
  missing: false,
  clusterIPs: ['10.96.0.9'],
  ports: [80],
  ready: 1,
  notReady: 0,
  selector: { app: name },
  ...more,
});
const missing = (name: string): ServiceEvidence =>
  service(name, { missing: true, clusterIPs: [], ports: [], ready: 0 });

const cases: readonly Case[] = [
  [
    'a name that a program parted from its port, as its variable has both',
    {
      ...endedWith({ container: { env: [set('REDIS_ADDR', 'redis-master:6379')] } }, [
        'redis ping failed: dial tcp: lookup redis-master on 10.244.0.1:53: no such host',
      ]),
      services: [missing('redis-master')],
    },
    'dependency-not-resolved',
    /does not find redis-master \(no such name\) and ends: there is no service redis-master/,
  ],
  [
    'a number of the system that is no argument of the program',
    endedWith({ container: { env: [set('REDIS_ADDR', 'redis-0.redis:6379')] } }, [
      'redis redis-0.redis:6379: Could not connect to Redis server at redis-0.redis:6379: Invalid argument at /app/i.pl line 3.',
    ]),
    'dependency-not-resolved',
    /^container web does not find redis-0\.redis/,
  ],
  [
    'a variable of a field that its pod does not have, behind an empty text',
    {
      ...crash(1, "ValueError: invalid literal for int() with base 10: ''"),
      pod: pod({
        container: { env: [{ name: 'SHARD_ID', valueFrom: { fieldRef: { fieldPath: "metadata.labels['shard']" } } }] },
        status: crashed({ exitCode: 1 }),
      }),
    },
    'exit-code',
    /; its variable SHARD_ID is empty, as its pod has no label shard$/,
  ],
  [
    'a ConfigMap that need not be there, and is not',
    {
      ...endedWith({ container: { envFrom: [{ configMapRef: { name: 'flags', optional: true } }] } }, [
        'FATAL: FEATURE_URL is not set',
      ]),
      configs: [{ kind: 'ConfigMap', name: 'flags', state: 'missing', keys: [] }],
    },
    'missing-setting',
    /lacks the environment variable FEATURE_URL; its optional ConfigMap flags, of which it would have variables, is not there/,
  ],
  [
    'what a client of a cloud looks for',
    endedWith({ container: { env: [set('BUCKET', 'reports')] } }, [
      'botocore.exceptions.NoCredentialsError: Unable to locate credentials',
    ]),
    'exit-code',
    /; its client looks for AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, which its pod does not set$/,
  ],
  [
    'an address without a port',
    endedWith({ container: { env: [set('BIND_ADDR', '0.0.0.0')] } }, [
      "thread 'main' panicked at 'called `Result::unwrap()` on an `Err` value: AddrParseError(Socket)', /src/main.rs:4:10",
    ]),
    'exit-code',
    /; its variable BIND_ADDR is "0\.0\.0\.0", which has no port/,
  ],
  [
    'a shell that gets its command in pieces',
    {
      pod: pod({
        container: { command: ['sh', '-c', 'python3', '/app/main.py'] },
        status: crashed({ exitCode: 0, reason: 'Completed', lived: 0 }),
      }),
      logs: lastWords(),
    },
    'completed-under-always',
    /; sh -c takes python3 alone for its command, and \/app\/main\.py for names of that/,
  ],
  [
    'a service below which its set would have its names, and that is not there',
    {
      pod: pod({ name: 'kafka-0', spec: { subdomain: 'kafka-headless' }, status: crashed({ exitCode: 1 }) }),
      logs: lastWords('socket.gaierror: [Errno -2] Name or service not known'),
      services: [missing('kafka-headless')],
    },
    'dependency-not-resolved',
    /there is no service kafka-headless \(serviceName of its set, subdomain of the pod\), so that names such as kafka-0\.kafka-headless are none/,
  ],
  [
    'data that is no code, in a file beside it',
    endedWith(
      withFiles,
      [
        'SyntaxError: Unexpected token } in JSON at position 63',
        '    at JSON.parse (<anonymous>)',
        '    at Object.<anonymous> (/etc/app/index.js:4:12)',
      ],
      [configMap('app', { 'index.js': 'a\nb\nc\nJSON.parse(t)\n', 'config.json': '{"a":1,}' })],
    ),
    'malformed-config',
    /Unexpected token \} in JSON(?!.*index\.js is of)/,
  ],
];

describe('leads beside an error', () => {
  tellsEach(cases);

  it('is one that the log of its server tells, to which the server points', () => {
    const given: Partial<PodEvidence> = {
      ...crash(
        1,
        'Redis::CommandError: MISCONF Redis is configured to save RDB snapshots, but it is unable to persist to disk. Check the Redis logs.',
      ),
      pod: pod({ container: { env: [set('REDIS_URL', 'redis://counter:6379')] }, status: crashed({ exitCode: 1 }) }),
      services: [
        service('counter', {
          ports: [6379],
          server: {
            pod: pod({ name: 'counter-1' }),
            configs: [],
            lines: [
              '1:M 31 Jan 2026 11:59:00.000 # Failed opening the temp RDB file temp-1.rdb (in server root dir /data) for saving: Permission denied',
            ],
          },
        }),
      ],
    };
    expect(diagnosePod(evidence(given)).findings[0]?.says).toMatch(
      /behind service counter says: Failed opening the temp RDB file .*Permission denied/,
    );
  });

  it('is where its service leads, of a program that runs and asks in vain', () => {
    const line = 'ERROR GET http://api/ failed: <urlopen error [Errno 111] Connection refused>';
    const given: Partial<PodEvidence> = {
      pod: pod({
        container: { command: ['client', 'http://api/'] },
        status: { ready: true, started: true, state: { running: { startedAt: ago(300) } } },
      }),
      logs: { web: { current: Array.from({ length: 6 }, () => line) } },
      services: [service('api')],
    };
    expect(heardWanted(evidence(given))).toMatchObject([{ port: 80 }]);
    const heard = service('api', {
      heard: [{ port: 80, target: 8080, pod: 'api-1', listens: [{ port: 8000 }], declared: [] }],
    });
    const [first] = podFindings(podFacts(evidence({ ...given, services: [heard] })));
    expect(first?.says).toMatch(
      /is refused by api:80 and tries again and again .*: service api sends to port 8080, where its pods do not listen/,
    );
  });
});
