import { describe, expect, it } from 'vitest';
import type { CronJob, Deployment, Job, Node, Pod, PodStatus, ReplicaSet } from '../api/index.ts';
import { type OverviewFacts, overviewOf } from './index.ts';

const NOW = Date.parse('2030-01-01T12:00:00Z');
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

const NOTHING: OverviewFacts = {
  pods: [],
  deployments: [],
  replicaSets: [],
  replicationControllers: [],
  statefulSets: [],
  daemonSets: [],
  jobs: [],
  cronJobs: [],
  nodes: [],
  leases: [],
  said: () => undefined,
};

function pod(name: string, status: PodStatus, more: { readonly owner?: string; readonly spec?: object } = {}): Pod {
  const { owner, spec = {} } = more;
  const reference = { apiVersion: 'apps/v1', kind: 'Any', name: 'any', controller: true };
  return {
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      ...(owner === undefined ? {} : { ownerReferences: [{ ...reference, uid: owner }] }),
    },
    spec: { nodeName: 'n1', containers: [{ name: 'main', resources: { limits: { memory: '64Mi' } } }], ...spec },
    status,
  };
}

const READY: PodStatus = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True' }],
  containerStatuses: [
    {
      name: 'main',
      ready: true,
      started: true,
      restartCount: 0,
      image: '',
      imageID: '',
      state: { running: { startedAt: ago(60) } },
    },
  ],
};

type Main = NonNullable<PodStatus['containerStatuses']>[number];
const withMain = (main: Partial<Main>, conditions: PodStatus['conditions'] = []): PodStatus => ({
  phase: 'Running',
  conditions,
  containerStatuses: [{ name: 'main', ready: false, restartCount: 1, image: '', imageID: '', ...main }],
});
const ended = (seconds: number, more: object = {}) => ({
  terminated: { exitCode: 1, reason: 'Error', finishedAt: ago(seconds), containerID: 'containerd://c1', ...more },
});

const one = (facts: Partial<OverviewFacts>) => overviewOf({ ...NOTHING, ...facts }, NOW).rows[0];

describe('one pod', () => {
  it.each<[name: string, status: PodStatus, expected: object]>([
    ['that is ready', READY, { mood: 'ok', ready: 1, wanted: 1 }],
    [
      'that waits for its next start',
      withMain({
        state: {
          waiting: { reason: 'CrashLoopBackOff', message: 'back-off 1m20s restarting failed container=main pod=x' },
        },
        lastState: ended(30),
      }),
      {
        mood: 'healing',
        why: 'CrashLoopBackOff',
        next: { words: 'starts again', at: NOW + 50_000 },
        lastDeath: { words: 'exit code 1' },
      },
    ],
    [
      'that ran out of memory and runs again',
      {
        ...READY,
        containerStatuses: [
          {
            ...(READY.containerStatuses?.[0] as Main),
            restartCount: 1,
            lastState: ended(62, { exitCode: 137, reason: 'OOMKilled' }),
          },
        ],
      },
      { mood: 'ok', restarts: 1, lastDeath: { words: 'out of memory (limit 64Mi)', healedMs: 2000 } },
    ],
    [
      'that cannot pull',
      withMain({ state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x"' } } }),
      { mood: 'waiting', why: 'ImagePullBackOff: Back-off pulling image "x"', next: { words: 'pulls again' } },
    ],
    [
      'that fits nowhere',
      {
        phase: 'Pending',
        conditions: [
          { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes are available' },
        ],
      },
      { mood: 'waiting', why: '0/1 nodes are available' },
    ],
    [
      'for which nothing more is tried',
      withMain({ lastState: ended(5) }, [
        { type: 'mendlet.dev/HealingStopped', status: 'True', message: 'the ladder has ended' },
      ]),
      { mood: 'stopped', why: 'the ladder has ended' },
    ],
    [
      'whose startup probe goes on',
      withMain({ started: false, state: { running: {} }, restartCount: 0 }),
      { mood: 'starting', why: 'startup probe of main' },
    ],
    [
      'that takes no traffic',
      withMain({ started: true, state: { running: {} } }),
      { mood: 'unready', why: 'readiness probe of main' },
    ],
    ['whose node is lost', { ...READY, reason: 'NodeLost' }, { mood: 'unknown' }],
    [
      'that failed for good',
      { phase: 'Failed', containerStatuses: withMain({ state: ended(5, { exitCode: 3 }) }).containerStatuses ?? [] },
      { mood: 'stopped', why: 'exit code 3' },
    ],
    ['that is done', { phase: 'Succeeded' }, { mood: 'done', wanted: 0 }],
    [
      'that was killed',
      withMain({ state: ended(5, { exitCode: 137 }) }),
      { mood: 'healing', lastDeath: { words: 'signal 9' } },
    ],
  ])('%s', (_, status, expected) => {
    expect(one({ pods: [pod('web', status)] })).toMatchObject({ kind: 'pod', name: 'web', ...expected });
  });

  it('says that its healing is paused', () => {
    const paused = (status: PodStatus): Pod => {
      const { metadata, ...rest } = pod('web', status);
      return { ...rest, metadata: { ...metadata, annotations: { 'mendlet.dev/healing-paused': 'true' } } };
    };
    expect(one({ pods: [paused(READY)] })).toMatchObject({ mood: 'ok', paused: true });
    const message = 'Healing is paused by hand; it starts again when it is resumed';
    const held = withMain({ state: { waiting: { reason: 'HealingPaused', message } }, lastState: ended(5) });
    expect(one({ pods: [paused(held)] })).toMatchObject({ mood: 'waiting', why: message, paused: true });
  });

  it('counts no end that somebody asked for', () => {
    const status = withMain({ state: { running: { startedAt: ago(4) } }, lastState: ended(5, { exitCode: 137 }) });
    const restarted = (at: string): Pod => {
      const { metadata, ...rest } = pod('web', status);
      const state = JSON.stringify({ restarts: [{ id: 'r', phase: 'Succeeded', reason: 'Restarted', at }] });
      return { ...rest, metadata: { ...metadata, annotations: { 'mendlet.dev/healing': state } } };
    };
    expect(one({ pods: [restarted(ago(3))] })).not.toHaveProperty('lastDeath');
    // That one was before this death, or long after it.
    expect(one({ pods: [restarted(ago(60))] })).toHaveProperty('lastDeath');
    const healedAlone = withMain({ state: { running: { startedAt: ago(300) } }, lastState: ended(301) });
    const { metadata } = restarted(ago(3));
    expect(one({ pods: [{ ...pod('web', healedAlone), metadata }] })).toHaveProperty('lastDeath');
  });

  it('says the program’s own words where its node told them', () => {
    const status = withMain({ state: ended(5) });
    const said = (id: string) => (id === 'containerd://c1' ? 'Error: connect ECONNREFUSED 10.0.0.7:5432' : undefined);
    expect(one({ pods: [pod('web', status)], said })?.lastDeath?.words).toBe(
      'exit code 1: Error: connect ECONNREFUSED 10.0.0.7:5432',
    );
  });

  it('shows no control characters, and no endless words', () => {
    const status = withMain({ state: ended(5, { message: `\u001B[2J${'x'.repeat(10_000)}` }) });
    const words = one({ pods: [pod('web', status)] })?.lastDeath?.words ?? '';
    expect(words).not.toContain('\u001B');
    expect(words.length).toBeLessThanOrEqual(200);
  });
});

const deployment = (replicas: number): Deployment =>
  ({ metadata: { name: 'web', namespace: 'shop', uid: 'd' }, spec: { replicas } }) as Deployment;
const SET = {
  metadata: {
    name: 'web-1',
    namespace: 'shop',
    uid: 's',
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd', controller: true }],
  },
  spec: { replicas: 2 },
} as ReplicaSet;

describe('a workload', () => {
  it('has the pods of its sets, and is as its worst one', () => {
    const pods = [pod('web-1-a', READY, { owner: 's' }), pod('web-1-b', withMain({ state: ended(5) }), { owner: 's' })];
    const row = one({ deployments: [deployment(2)], replicaSets: [SET], pods });
    expect(row).toMatchObject({ kind: 'deploy', name: 'web', ready: 1, wanted: 2, mood: 'healing' });
    expect(row?.pods.map(({ name }) => name)).toEqual(['web-1-b', 'web-1-a']);
  });

  it('without pods waits for them', () => {
    expect(one({ deployments: [deployment(2)], replicaSets: [SET] })).toMatchObject({
      mood: 'waiting',
      why: '0 of 2 pods',
    });
  });

  it('that is scaled to nothing is well', () => {
    expect(one({ deployments: [deployment(0)], replicaSets: [SET] })).toMatchObject({
      mood: 'ok',
      ready: 0,
      wanted: 0,
    });
  });

  it('is not as a pod that was replaced', () => {
    const evicted: PodStatus = { phase: 'Failed', reason: 'Evicted' };
    const pods = [
      pod('old', evicted, { owner: 's' }),
      pod('a', READY, { owner: 's' }),
      pod('b', READY, { owner: 's' }),
    ];
    expect(one({ deployments: [deployment(2)], replicaSets: [SET], pods })).toMatchObject({
      mood: 'ok',
      ready: 2,
      wanted: 2,
    });
  });

  it('that ended well is done', () => {
    const job = {
      metadata: { name: 'j', namespace: 'shop', uid: 'j' },
      status: { conditions: [{ type: 'Complete', status: 'True' }] },
    } as Job;
    expect(one({ jobs: [job], pods: [pod('j-x', { phase: 'Succeeded' }, { owner: 'j' })] })).toMatchObject({
      kind: 'job',
      mood: 'done',
    });
  });
});

const NODE = { metadata: { name: 'n1' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } } as Node;

describe('a job', () => {
  const job = (name: string, condition?: string, more: object = {}): Job => ({
    metadata: { name, namespace: 'shop', uid: name, ...more },
    status: condition === undefined ? {} : { conditions: [{ type: condition, status: 'True', message: 'told' }] },
  });
  const failed: PodStatus = { phase: 'Failed' };
  const of = (name: string, status: PodStatus, owner: string): Pod => pod(name, status, { owner });

  it.each<[name: string, jobs: readonly Job[], pods: readonly Pod[], expected: object]>([
    [
      'that is complete is done, whatever it tried before',
      [job('j', 'Complete')],
      [of('j-1', failed, 'j'), of('j-2', { phase: 'Succeeded' }, 'j')],
      { mood: 'done' },
    ],
    ['that tries again heals', [job('j')], [of('j-1', failed, 'j')], { mood: 'healing' }],
    ['that runs again is as its pod', [job('j')], [of('j-1', failed, 'j'), of('j-2', READY, 'j')], { mood: 'ok' }],
    ['that has failed gave up', [job('j', 'Failed')], [of('j-1', failed, 'j')], { mood: 'stopped' }],
    ['that has failed gave up, also without its pods', [job('j', 'Failed')], [], { mood: 'stopped', why: 'told' }],
    ['that is suspended waits for nothing', [job('j')], [], { mood: 'done' }],
  ])('%s', (_name, jobs, pods, expected) => {
    expect(one({ jobs, pods })).toMatchObject({ kind: 'job', ...expected });
  });

  const cron = { metadata: { name: 'nightly', namespace: 'shop', uid: 'c' } };
  const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: 'nightly', uid: 'c', controller: true };
  const run = (name: string, condition: string, seconds: number): Job =>
    job(name, condition, { ownerReferences: [owner], creationTimestamp: ago(seconds) });

  it.each<[name: string, jobs: readonly Job[], mood: string]>([
    ['is as its last run', [run('old', 'Failed', 600), run('new', 'Complete', 60)], 'done'],
    ['gave up when its last run did', [run('new', 'Failed', 60), run('old', 'Complete', 600)], 'stopped'],
  ])('of a schedule %s', (_name, jobs, mood) => {
    const pods = jobs.map(({ metadata }) => of(`${metadata?.name}-1`, failed, metadata?.name ?? ''));
    expect(one({ cronJobs: [cron as CronJob], jobs, pods })).toMatchObject({ kind: 'cronjob', mood });
  });
});

describe('what comes next', () => {
  it('is the end of a startup probe, whose pod is killed then', () => {
    const starting = withMain({ started: false, state: { running: { startedAt: ago(20) } } });
    const startupProbe = { initialDelaySeconds: 5, periodSeconds: 10, failureThreshold: 6 };
    expect(
      one({ pods: [pod('a', starting, { spec: { containers: [{ name: 'main', startupProbe }] } })] })?.next,
    ).toEqual({
      words: 'is killed, unless its startup probe succeeds',
      at: NOW + 45_000,
    });
  });

  it('is the next look of a readiness probe', () => {
    const unready = withMain({ started: true, state: { running: { startedAt: ago(20) } } });
    const containers = [{ name: 'main', readinessProbe: { periodSeconds: 3 } }];
    expect(one({ pods: [pod('a', unready, { spec: { containers } })] })?.next).toEqual({
      words: 'is probed every 3 s',
    });
  });

  it('says where on its ladder a pod stands', () => {
    const waits = withMain({ state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s x' } } });
    const { metadata, ...rest } = pod('a', waits);
    const annotations = { 'mendlet.dev/healing': '{"rung":"container","attempts":2,"of":3}' };
    expect(one({ pods: [{ ...rest, metadata: { ...metadata, annotations } }] })?.why).toBe(
      'CrashLoopBackOff; 2 of 3 restarts of the container, then the next rung of its policy',
    );
  });
});

describe('a pod of a node', () => {
  const taint = (seconds: number) => ({
    key: 'node.kubernetes.io/unreachable',
    effect: 'NoExecute',
    timeAdded: ago(seconds),
  });
  const tolerations = [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists', tolerationSeconds: 300 }];
  const lost = {
    ...NODE,
    spec: { taints: [taint(20)] },
    status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
  };

  it('that is not heard is not called well, and says when the pod has to leave', () => {
    const pods = [pod('a', READY, { spec: { tolerations } })];
    expect(one({ pods, nodes: [lost as Node] })).toMatchObject({
      mood: 'unknown',
      why: 'its node is not heard',
      next: { words: 'has to leave its node', at: NOW + 280_000 },
    });
  });

  it.each<[name: string, spec: object, at: number | undefined]>([
    ['that tolerates nothing leaves at once', {}, NOW - 20_000],
    ['that tolerates it for ever stays', { tolerations: [{ operator: 'Exists' }] }, undefined],
  ])('%s', (_name, spec, at) => {
    expect(one({ pods: [pod('a', READY, { spec })], nodes: [lost as Node] })?.next?.at).toBe(at);
  });
});

describe('how long healing took', () => {
  const back = (main: object, readyAt: number) =>
    one({
      pods: [
        pod(
          'web',
          withMain({ state: { running: { startedAt: ago(100) } }, lastState: ended(101), ready: true, ...main }, [
            { type: 'Ready', status: 'True', lastTransitionTime: ago(readyAt) },
          ]),
        ),
      ],
    })?.lastDeath?.healedMs;

  it('is until the pod was ready again', () => expect(back({}, 60)).toBe(41_000));
  it('is until it ran again, when it was ready all the time', () => expect(back({}, 500)).toBe(1000));
  it('is not as long as something else that came later', () =>
    expect(back({ state: { running: { startedAt: ago(9000) } }, lastState: ended(9001) }, 5)).toBe(1000));
  it('is not known while it is not ready', () => expect(back({ ready: false }, 60)).toBeUndefined());
});

describe('the verdict', () => {
  const verdict = (facts: Partial<OverviewFacts>) => overviewOf({ ...NOTHING, ...facts }, NOW).verdict;

  it('is that all are well', () => {
    expect(verdict({ pods: [pod('a', READY), pod('b', READY)], nodes: [NODE] })).toEqual({
      mood: 'ok',
      text: '2 pods healthy',
    });
  });

  it('counts what healed, and names what gave up with its cause', () => {
    const healed = {
      ...READY,
      containerStatuses: [{ ...(READY.containerStatuses?.[0] as Main), lastState: ended(62) }],
    };
    const stopped = withMain({ lastState: ended(5, { exitCode: 137, reason: 'OOMKilled' }) }, [
      { type: 'mendlet.dev/HealingStopped', status: 'True' },
    ]);
    expect(verdict({ pods: [pod('a', healed), pod('api', stopped)] })).toEqual({
      mood: 'stopped',
      text: '1 pod healthy; 1 healed in the last hour; 1 gave up: shop/api, out of memory (limit 64Mi)',
    });
  });

  it('names nodes that are not heard', () => {
    const leases = [{ metadata: { name: 'n1' }, spec: { renewTime: ago(40) } }];
    const overview = overviewOf({ ...NOTHING, nodes: [NODE], leases }, NOW);
    expect(overview.nodes[0]).toMatchObject({ mood: 'unknown', troubles: ['not heard for 40s'] });
    expect(overview.verdict).toEqual({ mood: 'troubled', text: '0 pods healthy; 1 node not heard: n1' });
  });

  it('goes by when a lease changed, and not by the clock of its node', () => {
    const leases = [{ metadata: { name: 'n1' }, spec: { renewTime: ago(300) } }];
    const late = overviewOf({ ...NOTHING, nodes: [NODE], leases, silentMs: () => 4000 }, NOW);
    expect(late.nodes[0]).toMatchObject({ mood: 'ok', troubles: [] });
    const silent = overviewOf({ ...NOTHING, nodes: [NODE], leases, silentMs: () => 20_000 }, NOW);
    expect(silent.nodes[0]?.troubles).toEqual(['not heard for 20s']);
  });

  it('counts a pod as healed only when it is well', () => {
    const starts = withMain({ state: { running: { startedAt: ago(61) } }, lastState: ended(62), started: true });
    expect(verdict({ pods: [pod('a', starts)] }).text).toBe('0 pods healthy; 1 not well: shop/a, exit code 1');
  });

  it('does not count a crash loop as healed each time that it is up', () => {
    const up = (seconds: number) =>
      withMain(
        {
          state: { running: { startedAt: ago(seconds) } },
          lastState: ended(seconds + 40),
          ready: true,
          restartCount: 5,
        },
        [{ type: 'Ready', status: 'True' }],
      );
    expect(verdict({ pods: [pod('a', up(2))] }).text).toBe('1 pod healthy');
    expect(verdict({ pods: [pod('a', up(61))] }).text).toBe('1 pod healthy; 1 healed in the last hour');
  });

  it('names several with their causes in brackets', () => {
    const dead = withMain({ lastState: ended(5) }, [{ type: 'mendlet.dev/HealingStopped', status: 'True' }]);
    expect(verdict({ pods: [pod('a', dead), pod('b', dead)] }).text).toBe(
      '0 pods healthy; 2 gave up: shop/a (exit code 1), shop/b (exit code 1)',
    );
  });

  it('has the worst rows above', () => {
    const names = overviewOf(
      { ...NOTHING, pods: [pod('a', READY), pod('z', withMain({ state: ended(5) })), pod('q', { phase: 'Failed' })] },
      NOW,
    ).rows.map(({ name }) => name);
    expect(names).toEqual(['q', 'z', 'a']);
  });
});

it('has the words of a dead container as soon as they are known, though its pod is as it was', () => {
  const died = pod('loop', withMain({ state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: ended(5) }));
  const wordsOf = (own: string | undefined): string | undefined =>
    overviewOf({ ...NOTHING, pods: [died], said: () => own }, NOW).rows[0]?.lastDeath?.words;
  expect(wordsOf(undefined)).toBe('exit code 1');
  expect(wordsOf('no database')).toBe('exit code 1: no database');
  expect(wordsOf('no database')).toBe('exit code 1: no database');
  expect(wordsOf('no disk')).toBe('exit code 1: no disk');
});
