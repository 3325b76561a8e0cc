import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { configMap, evidence, pod } from '../evidence.fixtures.ts';
import type { Pod } from '../evidence/kinds.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';
import type { Diagnosis } from '../finding.ts';
import { withPodsBeside } from './pods-beside.ts';

const SWEEP = "local n = 0\nwhile true do redis.call('SCAN', n) end\n";
const CODE = 'r = redis.Redis(host="redis")\nr.eval(open("/scripts/sweep.lua").read(), 0)\n';
const of = (name: string, ...maps: readonly string[]): Pod =>
  pod({
    name: `${name}-1`,
    metadata: { uid: name },
    container: { volumeMounts: maps.map((map) => ({ name: map, mountPath: `/${map}` })) },
    spec: { volumes: maps.map((map) => ({ name: map, configMap: { name: map } })) },
  });
const configs = [
  configMap('scripts', { 'sweep.lua': SWEEP }),
  configMap('code', { 'janitor.py': CODE }),
  configMap('plain', { 'app.py': 'redis.Redis(host="redis").get("x")' }),
];
const asks = (...lines: readonly string[]): PodEvidence =>
  evidence({
    pod: of('carts'),
    services: [
      {
        namespace: 'shop',
        name: 'redis',
        missing: false,
        clusterIPs: ['10.96.0.9'],
        ports: [6379],
        ready: 1,
        notReady: 0,
        selector: { app: 'redis' },
        server: { pod: pod({ name: 'redis-1' }), owner: 'deployment/redis', lines },
      },
    ],
  });
const BUSY = 'container carts fails: redis.exceptions.ResponseError: BUSY Redis is busy running a script.';
const told: Diagnosis = {
  apiVersion: 'mendlet.dev/v1alpha1',
  kind: 'Diagnosis',
  subject: { kind: 'deployment', namespace: 'shop', name: 'carts' },
  state: '1/1 ready',
  asWanted: true,
  findings: [{ id: 'fails-again', severity: 'warning', says: BUSY, evidence: [], try: [] }],
  notLookedAt: [],
};
const slow = (text: string): string =>
  `1:M # Slow script detected: still in execution after 5004 milliseconds. You can try killing the script using the SCRIPT KILL command. Script name is: ${createHash('sha1').update(text).digest('hex')}`;

it.each<[what: string, given: PodEvidence, others: readonly Pod[], has: string]>([
  [
    'who has the script that the log names',
    asks(slow(SWEEP.trim())),
    [of('plain', 'plain'), of('janitor', 'scripts', 'code'), of('other', 'code')],
    '; pod/janitor-1 has that script (ConfigMap scripts, key sweep.lua)',
  ],
  [
    'the only one that has scripts run there',
    asks(),
    [of('plain', 'plain'), of('janitor', 'code')],
    '; pod/janitor-1 has scripts run there (ConfigMap code, key janitor.py)',
  ],
  ['none of two', asks(), [of('other', 'code'), of('janitor', 'code')], ''],
  ['none that runs no script', asks(slow('other')), [of('plain', 'plain')], ''],
])('a busy Redis: %s', (_what, given, others, has) => {
  expect(withPodsBeside(told, given, others, configs).findings[0]?.says).toBe(`${BUSY}${has}`);
});
