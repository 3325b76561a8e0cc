import { describe, expect, it } from 'vitest';
import type { DeathRecord, PodHistory } from '../../api/index.ts';
import { createKubeClient } from '../../client/index.ts';
import { type Connection, decodeText, encodeText } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { UsageError } from '../usage-error.ts';
import { type IndexEntry, isMember, type Makers } from './group-members.ts';
import { groupLines } from './group-lines.ts';
import { historyTarget } from './history-target.ts';
import { type GroupOptions, runGroupHistory } from './run-group-history.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const at = (secondsAgo: number): string => new Date(NOW - secondsAgo * 1000).toISOString();

describe('what is asked about', () => {
  it.each([
    [['web'], 'Pod web'],
    [['pod/web'], 'Pod web'],
    [['po', 'web'], 'Pod web'],
    [['deploy/web'], 'Deployment web'],
    [['sts', 'db'], 'StatefulSet db'],
    [['ds/agent'], 'DaemonSet agent'],
    [['job/once'], 'Job once'],
    [['cj/nightly'], 'CronJob nightly'],
    [['rs/web-abc'], 'ReplicaSet web-abc'],
    [['deployments.apps/web'], 'Deployment web'],
    [['ns/shop'], 'Namespace shop'],
  ])('%j', (args, wanted) => {
    const { kind, name } = historyTarget(args);
    expect(`${kind} ${name}`).toBe(wanted);
  });

  it.each([
    [['svc/web'], '"svc" has no deaths of its own'],
    [['node/n1'], '"node" has no deaths'],
    [['deploy/'], 'is not the name of a deploy'],
    [['deploy/web/x'], 'is not the name'],
    [['a', 'b', 'c'], 'One at a time'],
    [['deploy/a', 'b'], 'One at a time'],
    [['nope/a'], '"nope" has no deaths'],
  ])('%j is refused', (args, problem) => {
    expect(() => historyTarget(args)).toThrow(problem);
    expect(() => historyTarget(args)).toThrow(UsageError);
  });
});

describe('whose pod a node remembers', () => {
  const deploy: Makers = { kind: 'Deployment', name: 'web', there: [{ name: 'web-6b9f', uid: 'rs2' }] };
  const cron: Makers = { kind: 'CronJob', name: 'tidy', there: [{ name: 'tidy-29', uid: 'j29' }] };
  const sts: Makers = { kind: 'StatefulSet', name: 'db', there: [{ name: 'db', uid: 's1' }] };
  const job: Makers = { kind: 'Job', name: 'once', there: [{ name: 'once', uid: 'j1' }] };
  const set = (name: string, uid: string) => ({ kind: 'ReplicaSet', name, uid });
  it.each<[string, Makers, string, IndexEntry['owner'] | undefined, boolean]>([
    ['of its ReplicaSet', deploy, 'web-6b9f-x2x2x', set('web-6b9f', 'rs2'), true],
    ['of a ReplicaSet that is gone', deploy, 'web-77c4-x2x2x', set('web-77c4', 'rs1'), true],
    ['of a ReplicaSet of that name before', deploy, 'web-6b9f-x2x2x', set('web-6b9f', 'rs0'), false],
    ['of another deployment', deploy, 'web-api-77c4-x2x2x', set('web-api-77c4', 'rs9'), false],
    [
      'of a daemon set whose name fits',
      deploy,
      'web-77c4-x2x2x',
      { kind: 'DaemonSet', name: 'web-77c4', uid: 'd' },
      false,
    ],
    ['without an owner, by name', deploy, 'web-6b9f-x2x2x', undefined, true],
    ['without an owner, of a set that is gone', deploy, 'web-77c4-x2x2x', undefined, false],
    ['of a job that is gone', cron, 'tidy-28-x2x2x', { kind: 'Job', name: 'tidy-28', uid: 'j28' }, true],
    ['of another cron job', cron, 'tidy-up-28-x2x2x', { kind: 'Job', name: 'tidy-up-28', uid: 'j28' }, false],
    ['of the set', sts, 'db-0', { kind: 'StatefulSet', name: 'db', uid: 's1' }, true],
    ['of a set of that name before', sts, 'db-0', { kind: 'StatefulSet', name: 'db', uid: 's0' }, false],
    ['of the set, without an owner', sts, 'db-12', undefined, true],
    ['of no ordinal', sts, 'db-x2x2x', undefined, false],
    ['of an index', job, 'once-3-x2x2x', undefined, true],
    ['there, whatever its name', deploy, 'odd', undefined, false],
    ['of anything in the namespace', { kind: 'Namespace', name: 'shop', there: [] }, 'odd', undefined, true],
  ])('%s', (_, makers, name, owner, wanted) => {
    const entry = {
      metadata: { namespace: 'shop', name, uid: 'u' },
      nodeName: 'n1',
      total: 1,
      ...(owner && { owner }),
    };
    expect(isMember(makers, new Set(), entry)).toBe(wanted);
    expect(isMember(makers, new Set(['u']), entry)).toBe(true);
  });
});

function death(number: number, secondsAgo: number, change: Partial<DeathRecord> = {}): DeathRecord {
  return {
    number,
    containerId: `c${number}-${secondsAgo}`,
    restartCount: number - 1,
    startedAt: at(secondsAgo + 2),
    finishedAt: at(secondsAgo),
    exitCode: 1,
    reason: 'Error',
    message: `end ${secondsAgo}`,
    ...change,
  };
}

function life(name: string, deaths: readonly DeathRecord[], change: Partial<PodHistory> = {}): PodHistory {
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'PodHistory',
    metadata: { namespace: 'default', name, uid: `u-${name}` },
    nodeName: 'n1',
    containers: [{ name: 'main', total: deaths.length, deaths }],
    ...change,
  };
}

describe('the table of a workload', () => {
  const options = { wide: false, now: NOW, columns: 120 };
  const gone = life('web-1-a', [death(1, 300), death(2, 100)], { goneAt: at(50) });
  const there = life('web-2-b', [death(1, 200), death(2, 40)]);
  const rollout = {
    workload: 'deployment/web',
    revision: 2,
    from: 1,
    at: at(150),
    changes: ['container main image: a → b'],
    makers: [],
  };
  it('merges pods by time, with the rollouts between', () => {
    const lines = groupLines([gone, there], [rollout], options);
    expect(lines.map((line) => line.split(/ {2,}/).slice(0, 3).join('|'))).toEqual([
      'WHEN|POD|#',
      '5m ago|web-1-a (gone)|1',
      '3m20s ago|web-2-b|1',
      '2m30s ago: rollout to revision 2 of deployment/web: container main image: a → b',
      '100s ago|web-1-a (gone)|2',
      '40s ago|web-2-b|2',
    ]);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  it('has times, nodes and images when it is wide, and one container when one is asked for', () => {
    expect(groupLines([there], [], { ...options, wide: true })[1]).toContain(`${at(200)}   n1`);
    expect(groupLines([there], [], { ...options, container: 'side' })).toEqual([]);
  });

  it('is bounded, and says what it leaves out', () => {
    const many = Array.from({ length: 6 }, (_, pod) =>
      life(
        `p${pod}`,
        Array.from({ length: 51 }, (_, number) => death(number + 1, 1000 - number - pod)),
      ),
    );
    const lines = groupLines(many, [], options);
    expect(lines[0]).toBe('106 earlier ones are not shown; -o json has them.');
    expect(lines.length).toBe(202);
  });

  it('says which rollouts have no time, and which deaths are forgotten', () => {
    const { at: _, ...untimed } = rollout;
    const cut = life('web', [death(1, 10)], { containers: [{ name: 'main', total: 9, deaths: [death(1, 10)] }] });
    expect(groupLines([cut], [untimed], options).slice(2)).toEqual([
      'At an unknown time: rollout to revision 2 of deployment/web: container main image: a → b',
      'Of pod web 8 deaths of container main after its first are forgotten.',
    ]);
  });
});

type Served = Readonly<Record<string, unknown>>;

function cluster(served: Served) {
  const out: string[] = [];
  const err: string[] = [];
  const connection: Connection = {
    request: async ({ url }) => {
      const path = url.replace(/[?&]limit=\d+$/, '').replace(/\?limit=\d+&/, '?');
      const body = served[path];
      const status = body === undefined ? 404 : typeof body === 'number' ? body : 200;
      const kind = { kind: 'Status', code: status, message: `no ${path}` };
      return { status, headers: {}, body: encodeText(JSON.stringify(status === 200 ? body : kind)) };
    },
    upgrade: () => Promise.reject(new Error('no')),
  };
  const clock = createManualClock({ wall: NOW, mono: 0 });
  const session: ClusterSession = {
    client: createKubeClient(connection, { clock, userAgent: 'test' }),
    connection,
    namespace: 'default',
    clock,
    signal: new AbortController().signal,
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    outRaw: (data) => out.push(typeof data === 'string' ? data : decodeText(data)),
    isTerminal: false,
    columns: undefined,
  };
  return { session, out: () => out.join(''), err: () => err.join('') };
}

const APPS = '/apis/apps/v1/namespaces/default';
const onNode = (node: string, query: string) => `/api/v1/nodes/${node}/proxy/mendlet/v1/history?${query}`;
const index = (node: string, ...lives: readonly PodHistory[]) => ({
  kind: 'PodHistoryIndex',
  nodeName: node,
  items: lives.map(({ metadata, goneAt, owner }) => ({ metadata, goneAt, owner, total: 1 })),
});
const set = (name: string, revision: number, secondsAgo: number, image: string) => ({
  kind: 'ReplicaSet',
  metadata: {
    name,
    namespace: 'default',
    uid: `u-${name}`,
    creationTimestamp: at(secondsAgo),
    annotations: { 'deployment.kubernetes.io/revision': `${revision}` },
    ownerReferences: [{ kind: 'Deployment', name: 'web', uid: 'd1', controller: true }],
  },
  spec: { template: { spec: { containers: [{ name: 'main', image }] } } },
});
const owner = (name: string) => ({ kind: 'ReplicaSet', name, uid: `u-${name}` });
const old = life('web-1-a', [death(1, 300)], { goneAt: at(100), owner: owner('web-1') });
const now = life('web-2-b', [death(1, 20)], { owner: owner('web-2'), nodeName: 'n2' });
const stranger = life('other-9', [death(1, 20)], { owner: { kind: 'DaemonSet', name: 'other', uid: 'x' } });
const served: Served = {
  [`${APPS}/deployments/web`]: { kind: 'Deployment', metadata: { name: 'web', namespace: 'default', uid: 'd1' } },
  [`${APPS}/replicasets`]: { items: [set('web-1', 1, 900, 'web:1'), set('web-2', 2, 60, 'web:2')] },
  '/api/v1/namespaces/default/pods': {
    items: [
      {
        metadata: { name: 'web-2-b', uid: 'u-web-2-b', ownerReferences: [{ ...owner('web-2'), controller: true }] },
        spec: { nodeName: 'n2' },
      },
    ],
  },
  '/api/v1/nodes': { items: [{ metadata: { name: 'n1' } }, { metadata: { name: 'n2' } }] },
  [onNode('n1', 'namespace=default')]: index('n1', old, stranger),
  [onNode('n2', 'namespace=default')]: index('n2', now),
  [onNode('n1', 'namespace=default&pod=web-1-a&uid=u-web-1-a')]: { kind: 'PodHistoryList', items: [old] },
  [onNode('n2', 'namespace=default&pod=web-2-b&uid=u-web-2-b')]: { kind: 'PodHistoryList', items: [now] },
};
const options: GroupOptions = { kind: 'Deployment', name: 'web', output: 'table' };

describe('history of a workload', () => {
  it('has the pods that are there and those that are gone, and its rollouts', async () => {
    const { session, out, err } = cluster(served);
    expect(await runGroupHistory(session, options)).toBe(0);
    expect(err()).toBe('');
    expect(
      out()
        .split('\n')
        .map((line) => line.split(/ {2,}/).slice(0, 2).join('|')),
    ).toEqual([
      'WHEN|POD',
      '15m ago: rollout to revision 1 of deployment/web',
      '5m ago|web-1-a (gone)',
      '60s ago: rollout to revision 2 of deployment/web: container main image: web:1 → web:2',
      '20s ago|web-2-b',
      '',
    ]);
  });

  it('prints JSON', async () => {
    const { session, out } = cluster(served);
    await runGroupHistory(session, { ...options, output: 'json' });
    const { kind, subject, items, rollouts } = JSON.parse(out()) as Record<string, unknown>;
    expect({ kind, subject, names: (items as PodHistory[]).map(({ metadata }) => metadata.name) }).toEqual({
      kind: 'WorkloadHistory',
      subject: { kind: 'deployment', namespace: 'default', name: 'web' },
      names: ['web-2-b', 'web-1-a'],
    });
    expect(rollouts).toEqual([
      { workload: 'deployment/web', revision: 1, at: at(900), changes: [] },
      {
        workload: 'deployment/web',
        revision: 2,
        at: at(60),
        from: 1,
        changes: ['container main image: web:1 → web:2'],
      },
    ]);
  });

  it('asks the server for the pods that are there when nodes may not be asked, and says so', async () => {
    const { session, out, err } = cluster({
      ...served,
      [onNode('n1', 'namespace=default')]: 403,
      [onNode('n2', 'namespace=default')]: 403,
      '/api/v1/namespaces/default/pods/web-2-b/history': { kind: 'PodHistoryList', items: [now] },
    });
    expect(await runGroupHistory(session, options)).toBe(0);
    expect(out()).toContain('web-2-b');
    expect(out()).not.toContain('web-1-a');
    expect(err()).toContain('not looked at: pods that are gone from node/n1: may not be read');
  });

  it('says that none died, and refuses flags of one pod', async () => {
    const none = {
      ...served,
      [onNode('n1', 'namespace=default')]: index('n1'),
      [onNode('n2', 'namespace=default')]: index('n2'),
    };
    const { session, err } = cluster(none);
    expect(await runGroupHistory(session, options)).toBe(0);
    expect(err()).toBe('No death of a pod of deployment/web is known.\n');
    await expect(runGroupHistory(session, { ...options, death: 1 })).rejects.toThrow(
      '--death and --uid are about one pod',
    );
    await expect(runGroupHistory(session, { ...options, name: 'nope' })).rejects.toThrow('404');
  });
});
