/** Tests what is said of a pod that waits for later ones of its StatefulSet. */
import { describe, expect, it } from 'vitest';
import type { StatefulSet } from '../../../api/index.ts';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, event, evidence, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence, ServiceEvidence } from '../../evidence/pod-evidence.ts';

const set = (spec: object = {}): StatefulSet =>
  ({
    kind: 'StatefulSet',
    metadata: { name: 'kv', namespace: 'shop', uid: 'set' },
    spec: { serviceName: 'kv', replicas: 3, ...spec },
  }) as unknown as StatefulSet;
const service: ServiceEvidence = {
  namespace: 'shop',
  name: 'kv',
  missing: false,
  clusterIPs: [],
  ports: [2380],
  ready: 1,
  notReady: 0,
  selector: { app: 'kv' },
};
const LOOKUP = 'health check for peer 3391 could not connect: dial tcp: lookup kv-1.kv on 10.244.0.1:53: no such host';

interface Given {
  readonly lines: readonly string[];
  readonly name?: string;
  readonly spec?: object;
  readonly siblings?: readonly string[];
  readonly status?: object;
  readonly services?: readonly ServiceEvidence[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

/** Pod kv-0 of three, which runs for two minutes and is not ready. */
const kv = ({ lines, name = 'kv-0', spec, siblings = [], status, services = [service], env }: Given): PodEvidence => {
  const own = pod({
    name,
    spec: { subdomain: 'kv', hostname: name },
    metadata: { labels: { app: 'kv' } },
    container: { readinessProbe: { httpGet: { path: '/health', port: 2379 } }, ...(env && { env: [...env] }) },
    status: { ready: false, state: { running: { startedAt: ago(120) } }, ...status },
  });
  const failed = event('Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503', {
    container: 'web',
    count: 12,
    first: 110,
    of: name,
  });
  return evidence({
    pod: own,
    owners: [set(spec)],
    siblings: siblings.map((each) => pod({ name: each })),
    events: [failed],
    logs: { web: { current: lines, previous: lines } },
    services,
  });
};
const HELD =
  /: kv-1 and kv-2 are made only when kv-0 is ready, as statefulset\/kv has podManagementPolicy OrderedReady; with Parallel they start together$/;

describe('a pod that waits for later ones of its StatefulSet', () => {
  it.each<[string, Given]>([
    ['by their names', { lines: ['starting', LOOKUP, LOOKUP] }],
    [
      'by a name that only its variable has',
      {
        lines: [
          'ERROR gaierror: [Errno -2] Name or service not known',
          'ERROR gaierror: [Errno -2] Name or service not known',
        ],
        env: [{ name: 'SEED', value: 'kv-1.kv:7000' }],
      },
    ],
    [
      'by a name that its script makes of a number',
      {
        lines: [
          'ERROR gaierror: [Errno -2] Name or service not known',
          'ERROR gaierror: [Errno -2] Name or service not known',
        ],
        env: [{ name: 'SEEDS', value: 'kv-%d.kv:7000' }],
      },
    ],
    [
      'for a quorum',
      { lines: ['starting', 'waiting for quorum: 1 of 3 members', 'waiting for quorum: 1 of 3 members'] },
    ],
    [
      'for a leader',
      { lines: ['[WARN] agent: no known leader', '[ERR] http: No cluster leader', 'no cluster leader'] },
    ],
    ['for a master', { lines: ['master not discovered yet, this node has not previously joined a cluster'] }],
    [
      'and ends without them',
      { lines: [LOOKUP, 'FATAL: cannot resolve kv-1.kv: no such host'], status: crashed({ exitCode: 1 }) },
    ],
  ])('%s', (_, given) => {
    const [first] = diagnosePod(kv(given)).findings;
    expect(first?.says).toMatch(HELD);
    expect(first?.severity).toBe('critical');
    expect(first?.try[0]).toContain('delete statefulset/kv --cascade=orphan');
  });

  it.each<[string, Given]>([
    ['all are made together', { lines: [LOOKUP], spec: { podManagementPolicy: 'Parallel' } }],
    ['the others are there', { lines: [LOOKUP], siblings: ['kv-1', 'kv-2'] }],
    ['it is the last', { lines: ['waiting for quorum'], name: 'kv-2', siblings: ['kv-0', 'kv-1'] }],
    ['it waits for nobody', { lines: ['loading 12 segments'] }],
    [
      'it asks by a name with the number of another set',
      { lines: ['gaierror: [Errno -2] Name or service not known'], env: [{ name: 'SEEDS', value: 'big-kv-%d.kv' }] },
    ],
    ['it asks for another', { lines: ['dial tcp: lookup orders on 10.244.0.1:53: no such host'] }],
    ['it asks for one of another set', { lines: ['dial tcp: lookup big-kv-1.big-kv on 10.244.0.1:53: no such host'] }],
  ])('is not seen where %s', (_, given) => {
    for (const { says } of diagnosePod(kv(given)).findings) expect(says).not.toContain('OrderedReady');
  });
});
