import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../diagnose-pod.ts';
import { ago, configMap, evidence, pod } from '../evidence.fixtures.ts';
import type { Pod } from '../evidence/kinds.ts';
import type { Diagnosis, RankedFinding } from '../finding.ts';
import { isToldAlready, troubleOf, withRoot } from '../follow/next-peer.ts';
import { isSymptom, othersBeside, sickBesideWanted, withSickBeside } from './sick-beside.ts';

const running = { ready: true, started: true, restartCount: 0, state: { running: { startedAt: ago(300) } } };
const READY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const named = (name: string, workload: string, podStatus: object = READY): Pod =>
  pod({
    name,
    podStatus,
    metadata: {
      uid: name,
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: workload, uid: workload, controller: true }],
    },
  });
const nothing: Diagnosis = {
  apiVersion: 'mendlet.dev/v1alpha1',
  kind: 'Diagnosis',
  subject: { kind: 'deployment', namespace: 'shop', name: 'front' },
  state: '1/1 ready',
  asWanted: true,
  findings: [],
  notLookedAt: [],
};
const worker = (line: string, host: string) =>
  evidence({
    pod: pod({ container: { env: [{ name: 'REDIS_HOST', value: host }] }, status: running }),
    logs: { web: { current: Array.from({ length: 12 }, () => line) } },
  });

describe('workloads beside one that does not say why it fails', () => {
  it('are a pod of each, those that are not ready first, and neither itself nor what is done', () => {
    const pods = [
      named('front-1', 'front'),
      named('front-2', 'front'),
      named('api-1', 'api'),
      named('job-0', 'job', { phase: 'Failed' }),
      named('job-1', 'job', { phase: 'Succeeded' }),
      named('worker-1', 'worker', { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] }),
      named('api-2', 'api'),
    ];
    const found = othersBeside(pods, new Set(['front-1']), () => 0);
    expect(found.map(({ metadata }) => metadata?.ownerReferences?.[0]?.name)).toEqual(['worker', 'api']);
  });

  it('are told where their trouble is with the pod itself', () => {
    const api = evidence({
      ...worker('ERROR GET http://front:8080/orders returned 503: {"error":"no stock"}', 'queue'),
      services: [
        {
          namespace: 'shop',
          name: 'front',
          missing: false,
          clusterIPs: ['10.96.0.9'],
          ports: [8080],
          ready: 1,
          notReady: 0,
          selector: { app: 'front' },
          server: { pod: pod({ name: 'front-1' }), owner: 'deployment/front' },
        },
      ],
    });
    const sick = [{ object: 'deployment/api', evidence: api, trouble: troubleOf(api) as RankedFinding }];
    const own = worker('INFO did work', 'other');
    const [first] = withSickBeside(nothing, own, sick, { own: ['front'] }).findings;
    expect(first?.says).toMatch(/^front seems well, but deployment\/api, which uses it, has a trouble: .*returned 503/);
    expect(withSickBeside(nothing, own, sick, { own: ['stock'] }).findings).toEqual([]);
  });

  it('are told where they use the same server, and it is none that only watches', () => {
    const own = worker('INFO did work', 'queue');
    const sick = (host: string) => {
      const other = worker('ERROR order A-7 not processed: could not convert 2,5', host);
      return [{ object: 'deployment/worker', evidence: other, trouble: troubleOf(other) as RankedFinding }];
    };
    expect(sickBesideWanted(nothing)).toBe(true);
    const [first] = withSickBeside(nothing, own, sick('queue')).findings;
    expect(first?.severity).toBe('info');
    expect(first?.says).toMatch(
      /^front seems well, but deployment\/worker, which uses queue as well, has a trouble: container web runs, and fails with each try \(12 times\): order A-7/,
    );
    const [named] = withSickBeside(
      nothing,
      own,
      sick('queue').map((each) => ({ ...each, names: 'nobody names x' })),
    ).findings;
    expect(named?.says).toMatch(/order A-7.*; nobody names x$/);
    expect(withSickBeside(nothing, own, sick('other')).findings).toEqual([]);
    expect(withSickBeside(nothing, worker('INFO did work', 'otel-collector'), sick('otel-collector')).findings).toEqual(
      [],
    );
  });
});

describe('one whose data does not come any more', () => {
  const stale = worker('WARNING no change events for 50s, search index is stale (0 docs)', 'redis');
  const [first] = diagnosePod(stale).findings;

  it.each<[says: string, isOne: boolean]>([
    ['fails with each try: rates are 9107 s old', true],
    ['fails with each try: feed not refreshed', true],
    ['fails with each try: order 17 could not be stored', false],
  ])('%s: %s', (says, isOne) => {
    expect(isSymptom({ id: 'fails-again', severity: 'info', says })).toBe(isOne);
    expect(isSymptom({ id: 'exit-code', severity: 'info', says })).toBe(false);
  });

  it('is told with another one that uses the same server by its code, however small what that fails at looks', () => {
    const cdc = evidence({
      pod: pod({
        container: { env: [{ name: 'PGHOST', value: 'db' }] },
        spec: { volumes: [{ name: 'code', configMap: { name: 'code' } }] },
        status: running,
      }),
      configs: [configMap('code', { 'cdc.py': "r = redis.Redis('redis')" })],
      logs: {
        web: { current: Array.from({ length: 4 }, () => 'ERROR logical decoding requires wal_level >= logical') },
      },
    });
    const trouble = troubleOf(cdc) as RankedFinding;
    expect(trouble.severity).toBe('info');
    expect(first).toMatchObject({ id: 'fails-again' });
    const told = withSickBeside(diagnosePod(stale), stale, [{ object: 'deployment/cdc', evidence: cdc, trouble }]);
    expect(told.findings[0]?.says).toMatch(
      /search index is stale.*; deployment\/cdc, which uses redis as well, has a trouble: container web runs.*wal_level/,
    );
  });
});

describe('the last of those who are needed', () => {
  const api = worker('ERROR no rates for EUR', 'queue');
  const steps = [{ object: 'deployment/api', trouble: troubleOf(api) as RankedFinding }];

  it('is a note where the asker seems well, and more where it turns everybody away', () => {
    expect(withRoot(nothing, steps).findings[0]).toMatchObject({ severity: 'info' });
    const [first] = withRoot(nothing, steps, 'turns each request away').findings;
    expect(first?.severity).toBe('warning');
    expect(first?.says).toMatch(/^front turns each request away, and uses api, and there container web runs/);
  });

  it('is not told again behind a service without a ready pod, of which the first finding has it', () => {
    const says = `container nginx is refused by api:80: service api has no endpoint: of its pod api-1, ${steps[0]?.trouble.says}`;
    expect(isToldAlready(says, { services: [], isAway: true }, steps)).toBe(true);
    expect(isToldAlready('container nginx is refused by api:80', { services: [], isAway: true }, steps)).toBe(false);
    expect(isToldAlready(says, { services: [] }, steps)).toBe(false);
  });
});
