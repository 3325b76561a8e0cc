import { describe, expect, it } from 'vitest';
import {
  HEALING_STATE,
  type Node,
  type Pod,
  type PodRestart,
  type PodRestartSpec,
  type PodRestartStatus,
  type PodStatus,
  RESTART_REQUEST,
  type RestartOutcome,
} from '../../api/index.ts';
import { planPodRestarts, type RestartsPlan, type RestartsView } from './plan-pod-restarts.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number): string => new Date(NOW + seconds * 1000).toISOString();

const micro = (seconds: number): string => at(seconds).replace('Z', '000Z');

/** Named by its age: "r1" is older than "r2". */
function restart(name: string, spec: PodRestartSpec = {}, status: PodRestartStatus = {}): PodRestart {
  const age = Number(name.slice(1));
  return {
    metadata: { namespace: 'team', name, uid: name, generation: 1, creationTimestamp: at(age - 100) },
    spec: { podName: 'web', scope: 'pod', ...spec },
    status,
  };
}

interface PodSetup {
  readonly asked?: string;
  readonly outcomes?: readonly Partial<RestartOutcome>[];
  readonly status?: PodStatus;
  readonly spec?: Partial<NonNullable<Pod['spec']>>;
  readonly metadata?: Pod['metadata'];
}

function pod({ asked, outcomes, status, spec, metadata }: PodSetup = {}): Pod {
  const restarts = outcomes?.map((outcome) => ({ at: at(-1), ...outcome }));
  const annotations = {
    ...(asked === undefined ? {} : { [RESTART_REQUEST]: JSON.stringify({ id: asked, scope: 'pod' }) }),
    ...(restarts === undefined ? {} : { [HEALING_STATE]: JSON.stringify({ restarts }) }),
  } as Record<string, string>;
  return {
    metadata: { namespace: 'team', name: 'web', uid: 'pod-1', annotations, ...metadata },
    spec: { nodeName: 'n1', containers: [{ name: 'c' }], ...spec },
    status: { phase: 'Running', ...status },
  };
}

function node(version = 'v1.36.2+mendlet.0.1', ready = 'True'): Node {
  const conditions = [{ type: 'Ready', status: ready, reason: 'NodeStatusUnknown' }];
  return { metadata: { name: 'n1' }, status: { conditions, nodeInfo: { kubeletVersion: version } } } as Node;
}

function plan(restarts: readonly PodRestart[], view: Partial<RestartsView> = {}): RestartsPlan {
  return planPodRestarts({ restarts, pod: pod(), node: node(), foreignServer: false, now: NOW, ...view });
}

/** "r1 Failed PodGone". */
function told({ statuses }: RestartsPlan): readonly string[] {
  return statuses.map(({ restart: { metadata }, status }) => `${metadata?.name} ${status.phase} ${status.reason}`);
}

const idOf = ({ request }: RestartsPlan): unknown =>
  typeof request === 'string' ? (JSON.parse(request) as { id: string }).id : request;
const later = { notBefore: at(60) };
const running = (reason = 'Requested'): PodRestartStatus => ({ phase: 'Running', reason, podUID: 'pod-1' });

describe('one restart', () => {
  it('is asked of the pod, with all that it says', () => {
    const spec = { reason: 'stuck', requestedBy: 'alice', force: true, gracePeriodSeconds: 3, emptyDirs: ['*'] };
    const made = plan([restart('r1', spec)]);
    expect(JSON.parse(made.request ?? '')).toEqual({
      id: 'r1',
      scope: 'pod',
      reason: 'stuck',
      by: 'alice',
      force: true,
      gracePeriodSeconds: 3,
      emptyDirs: ['*'],
      requestedAt: at(-99),
    });
    expect(made.asked?.metadata?.name).toBe('r1');
    expect(made.statuses[0]?.status).toEqual({
      observedGeneration: 1,
      phase: 'Running',
      reason: 'Requested',
      message: 'waits for node n1',
      podUID: 'pod-1',
      nodeName: 'n1',
    });
  });

  it.each<[string, PodSetup, PodRestartStatus, Partial<PodRestartStatus>]>([
    ['is not asked for twice', { asked: 'r1' }, running(), { phase: 'Running', reason: 'Requested' }],
    [
      'goes on',
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Running', reason: 'Stopping', message: 'stops c' }] },
      running(),
      { phase: 'Running', reason: 'Stopping', message: 'stops c', startTime: micro(-1) },
    ],
    [
      'goes on, also when its node says no more than that',
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Running' }] },
      running(),
      { phase: 'Running', reason: 'Restarting', message: 'goes on on node n1' },
    ],
    [
      'waits where its node says so',
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Pending', reason: 'BackOff', message: 'backs off' }] },
      running(),
      { phase: 'Running', reason: 'BackOff', message: 'backs off' },
    ],
    [
      'is done',
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Succeeded' }] },
      { ...running(), startTime: at(-5) },
      { phase: 'Succeeded', reason: 'Restarted', startTime: at(-5), completionTime: micro(-1) },
    ],
    [
      'was not needed',
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Succeeded', reason: 'NotNeeded', message: 'young' }] },
      running(),
      { phase: 'Succeeded', reason: 'NotNeeded', message: 'young' },
    ],
    [
      'failed',
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Failed', reason: 'TimedOut', message: 'too long' }] },
      running(),
      { phase: 'Failed', reason: 'TimedOut', message: 'too long' },
    ],
    [
      'was done, though the pod ended since',
      { outcomes: [{ id: 'r1', phase: 'Succeeded' }], status: { phase: 'Failed' } },
      running(),
      { phase: 'Succeeded' },
    ],
  ])('%s', (_, setup, status, expected) => {
    expect(plan([restart('r1', {}, status)], { pod: pod(setup) }).statuses[0]?.status).toMatchObject(expected);
  });

  it.each<[string, PodSetup | undefined, PodRestart, string, RegExp]>([
    ['of no pod', undefined, restart('r1'), 'PodNotFound', /there is no pod web/],
    ['of a pod that went', undefined, restart('r1', {}, running()), 'PodGone', /was deleted before/],
    [
      'of a pod whose name another one has',
      { metadata: { name: 'web', uid: 'pod-2' } },
      restart('r1', {}, running()),
      'PodGone',
      /another one made/,
    ],
    ['of a certain pod', {}, restart('r1', { podUID: 'pod-0' }), 'PodReplaced', /its UID is pod-1, not pod-0/],
    ['of a pod that goes', { metadata: { uid: 'u', deletionTimestamp: at(0) } }, restart('r1'), 'PodGone', /is being/],
    ['of what has ended', { status: { phase: 'Succeeded' } }, restart('r1'), 'PodFinished', /it has no owner/],
    [
      'of what has ended, and somebody replaces',
      {
        status: { phase: 'Failed' },
        metadata: {
          uid: 'u',
          ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'sum', uid: 'j', controller: true }],
        },
      },
      restart('r1'),
      'PodFinished',
      /its owner Job\/sum/,
    ],
    ['of what is nowhere', { spec: { nodeName: '' } }, restart('r1'), 'Unscheduled', /on no node/],
    [
      'of a container that is none',
      {},
      restart('r1', { scope: 'container', container: 'x' }),
      'ContainerNotFound',
      /x/,
    ],
  ])('%s fails', (_, setup, each, reason, message) => {
    const made = plan([each], { pod: setup === undefined ? undefined : pod(setup) });
    expect(made.statuses[0]?.status).toMatchObject({
      phase: 'Failed',
      reason,
      completionTime: micro(0),
    });
    expect(made.statuses[0]?.status.message).toMatch(message);
    expect(made.request).toBeUndefined();
  });

  it.each<[string, Node | undefined, string, string]>([
    ["another agent's node", node('v1.36.2'), 'r1 Failed NotSupported', 'node n1 runs another agent (kubelet v1.36.2)'],
    ['a node that is lost', node(undefined, 'Unknown'), 'r1 Running Requested', 'not ready (NodeStatusUnknown)'],
    ['a node that is gone', undefined, 'r1 Running Requested', 'waits for node n1, which is not known'],
    [
      'a node that has told nothing yet',
      { metadata: { name: 'n1' } },
      'r1 Running Requested',
      'it has not said so yet',
    ],
  ])('%s', (_, on, expected, message) => {
    const made = plan([restart('r1')], { node: on });
    expect(told(made)).toEqual([expected]);
    expect(made.statuses[0]?.status.message).toContain(message);
  });
});

describe("on another's API server", () => {
  const ended = (exitCode: number, name = 'c') => ({ name, state: { terminated: { exitCode } } });
  const statusOf = (...containerStatuses: object[]): PodStatus =>
    ({ phase: 'Running', containerStatuses }) as PodStatus;
  it.each<[string, PodSetup, PodRestartSpec, boolean]>([
    ['what always restarts', { status: statusOf(ended(0)) }, {}, true],
    [
      'what runs',
      { spec: { restartPolicy: 'Never' }, status: statusOf({ name: 'c', state: { running: {} } }) },
      {},
      true,
    ],
    ['what has ended and never restarts', { spec: { restartPolicy: 'Never' }, status: statusOf(ended(1)) }, {}, false],
    ['what failed and restarts then', { spec: { restartPolicy: 'OnFailure' }, status: statusOf(ended(1)) }, {}, true],
    ['what succeeded and does not', { spec: { restartPolicy: 'OnFailure' }, status: statusOf(ended(0)) }, {}, false],
    [
      'its containers',
      { spec: { restartPolicy: 'Never' }, status: statusOf(ended(1)) },
      { scope: 'containers' },
      false,
    ],
    [
      'another container of it',
      {
        spec: { restartPolicy: 'Never', containers: [{ name: 'c' }, { name: 'd' }] },
        status: statusOf(ended(1), { name: 'd', state: { running: {} } }),
      },
      { scope: 'container', container: 'd' },
      true,
    ],
    [
      'one with a policy of its own',
      {
        spec: { restartPolicy: 'Never', containers: [{ name: 'c', restartPolicy: 'Always' }] },
        status: statusOf(ended(1)),
      },
      {},
      true,
    ],
    [
      'what has init containers behind it',
      {
        spec: { restartPolicy: 'Never' },
        status: { phase: 'Running', initContainerStatuses: [ended(0, 'i')] } as PodStatus,
      },
      {},
      false,
    ],
    [
      'what has, without them',
      {
        spec: { restartPolicy: 'Never' },
        status: { phase: 'Running', initContainerStatuses: [ended(0, 'i')] } as PodStatus,
      },
      { scope: 'containers' },
      true,
    ],
    [
      'what has sidecars',
      {
        spec: { restartPolicy: 'Never', initContainers: [{ name: 'i', restartPolicy: 'Always' }] },
        status: { phase: 'Running', initContainerStatuses: [ended(0, 'i')] } as PodStatus,
      },
      {},
      true,
    ],
  ])('%s', (_, setup, spec, allowed) => {
    const restarts = [restart('r1', spec)];
    const foreign = plan(restarts, { pod: pod(setup), foreignServer: true });
    expect(told(foreign)).toEqual([allowed ? 'r1 Running Requested' : 'r1 Failed Refused']);
    expect(told(plan(restarts, { pod: pod(setup) }))).toEqual(['r1 Running Requested']);
  });

  it('says which rule it is', () => {
    const setup = { spec: { restartPolicy: 'Never' }, status: statusOf(ended(1)) };
    expect(plan([restart('r1')], { pod: pod(setup), foreignServer: true }).statuses[0]?.status.message).toBe(
      'this API server forbids a container that has ended (c) to run again against its restart policy (Never)',
    );
  });
});

describe('of several restarts', () => {
  const container = { scope: 'container', container: 'c' } as const;
  const two = { containers: [{ name: 'c' }, { name: 'd' }] };
  const image = { image: 'c', imageID: '', ready: false, restartCount: 1 };
  const heldUp: PodStatus = {
    phase: 'Running',
    containerStatuses: [{ name: 'c', ...image, state: { waiting: { reason: 'ImagePullBackOff' } } }],
  };

  it.each<[string, readonly PodRestart[], PodSetup, string]>([
    [
      'of one that is not begun',
      [restart('r1', { emptyDirs: ['a'] }), restart('r2')],
      {},
      'waits for PodRestart r1 to end',
    ],
    [
      'of one that goes on',
      [restart('r1', {}, running()), restart('r2', container)],
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Running' }] },
      'waits for PodRestart r1 to end; a restart with force (mendlet restart --force) goes past it',
    ],
    [
      'of one that waits in vain',
      [restart('r1', {}, running()), restart('r2', container)],
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Running' }], spec: two, status: heldUp },
      'waits for PodRestart r1 to end, which waits for container c (ImagePullBackOff); a restart with force (mendlet restart --force) goes past it',
    ],
    [
      'of one that was asked for by hand',
      [restart('r2')],
      { asked: 'mine', outcomes: [{ id: 'mine', phase: 'Running' }] },
      'waits for restart mine, which was asked for by annotation, to end; a restart with force (mendlet restart --force) goes past it',
    ],
    [
      'of one that force does not get past either',
      [restart('r1', { emptyDirs: ['a'] }, running()), restart('r2')],
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Running' }] },
      'waits for PodRestart r1 to end',
    ],
  ])('who waits for the end %s is told so, and what to do', (_, restarts, setup, message) => {
    const { statuses } = plan(restarts, { pod: pod(setup) });
    expect(statuses.find(({ restart: each }) => each.metadata?.name === 'r2')?.status).toMatchObject({
      reason: 'OneAtATime',
      message,
    });
  });

  it.each<[string, readonly PodRestart[], PodSetup, readonly string[], unknown]>([
    [
      'the older goes first',
      [restart('r2', container), restart('r1', {})],
      {},
      ['r1 Running Requested', 'r2 Pending OneAtATime'],
      'r1',
    ],
    [
      'the next when it has ended',
      [restart('r1', {}, running()), restart('r2', container)],
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Succeeded' }] },
      ['r1 Succeeded Restarted', 'r2 Running Requested'],
      'r2',
    ],
    [
      'a newer one that does as much takes the place of one that waits',
      [restart('r1', {}, running()), restart('r2', container), restart('r3', { scope: 'containers' })],
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Running', reason: 'Stopping' }] },
      ['r1 Running Stopping', 'r2 Failed Superseded', 'r3 Pending OneAtATime'],
      undefined,
    ],
    [
      'what has begun goes on, though a newer one does as much',
      [restart('r1', {}, running()), restart('r2')],
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Running' }] },
      ['r1 Running Restarting', 'r2 Pending OneAtATime'],
      undefined,
    ],
    [
      'what has begun and waits is taken over by force',
      [restart('r1', {}, running()), restart('r2', { force: true })],
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Running' }] },
      ['r1 Running Restarting', 'r2 Running Requested'],
      'r2',
    ],
    [
      'once only',
      [restart('r1', {}, running()), restart('r2', { force: true }, running())],
      { asked: 'r2', outcomes: [{ id: 'r1', phase: 'Running' }] },
      ['r1 Running Restarting', 'r2 Running Requested'],
      undefined,
    ],
    [
      'its node may say that it waits for a wider one: the ladder’s',
      [restart('r1', container, running())],
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Pending', reason: 'OneAtATime' }] },
      ['r1 Running OneAtATime'],
      undefined,
    ],
    [
      'by force for a part of it, too: its node knows whether that can be',
      [restart('r1', { force: true }, running()), restart('r2', { ...container, force: true })],
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Running' }] },
      ['r1 Running Restarting', 'r2 Running Requested'],
      'r2',
    ],
    [
      'by as much force, too: what it waits for may have failed since',
      [restart('r1', { force: true }, running()), restart('r2', { force: true })],
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Running' }] },
      ['r1 Running Restarting', 'r2 Running Requested'],
      'r2',
    ],
    [
      'by one that restarts more',
      [restart('r1', container, running()), restart('r2')],
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Running' }] },
      ['r1 Running Restarting', 'r2 Running Requested'],
      'r2',
    ],
    [
      'by one with less patience',
      [restart('r1', {}, running()), restart('r2', { gracePeriodSeconds: 0 })],
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Running' }] },
      ['r1 Running Restarting', 'r2 Running Requested'],
      'r2',
    ],
    [
      'but not by one that empties less',
      [restart('r1', { emptyDirs: ['a'] }, running()), restart('r2', { force: true })],
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Running' }] },
      ['r1 Running Restarting', 'r2 Pending OneAtATime'],
      undefined,
    ],
    [
      'nor by one whose time is to come',
      [restart('r1', {}, running()), restart('r2', { force: true, ...later })],
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Running' }] },
      ['r1 Running Restarting', 'r2 Pending NotBefore'],
      undefined,
    ],
    ['both new', [restart('r1'), restart('r2')], {}, ['r1 Failed Superseded', 'r2 Running Requested'], 'r2'],
    [
      'not one that does less',
      [restart('r1', { force: true }), restart('r2')],
      {},
      ['r1 Running Requested', 'r2 Pending OneAtATime'],
      'r1',
    ],
    [
      'nor one that empties less',
      [restart('r1', { emptyDirs: ['a'] }), restart('r2', { emptyDirs: ['b'] })],
      {},
      ['r1 Running Requested', 'r2 Pending OneAtATime'],
      'r1',
    ],
    [
      'one that empties all does',
      [restart('r1', { emptyDirs: ['a'] }), restart('r2', { emptyDirs: ['*'] })],
      {},
      ['r1 Failed Superseded', 'r2 Running Requested'],
      'r2',
    ],
    [
      'nor one of another container',
      [restart('r1', container), restart('r2', { scope: 'container', container: 'd' })],
      { spec: { containers: [{ name: 'c' }, { name: 'd' }] } },
      ['r1 Running Requested', 'r2 Pending OneAtATime'],
      'r1',
    ],
    [
      'nor of another one that goes on as it should',
      [restart('r1', container, running()), restart('r2', { ...container, container: 'd' })],
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Running' }], spec: two },
      ['r1 Running Restarting', 'r2 Pending OneAtATime'],
      undefined,
    ],
    [
      'but of one that waits in vain: for an image, a back-off',
      [restart('r1', container, running()), restart('r2', { ...container, container: 'd' })],
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Running' }], spec: two, status: heldUp },
      ['r1 Running Restarting', 'r2 Running Requested'],
      'r2',
    ],
    [
      'and by force',
      [restart('r1', container, running()), restart('r2', { ...container, container: 'd', force: true })],
      { asked: 'r1', outcomes: [{ id: 'r1', phase: 'Running' }], spec: two },
      ['r1 Running Restarting', 'r2 Running Requested'],
      'r2',
    ],
    [
      'nor one whose time is to come',
      [restart('r1'), restart('r2', later)],
      {},
      ['r1 Running Requested', 'r2 Pending NotBefore'],
      'r1',
    ],
    [
      'what is due overtakes what is not',
      [restart('r1', later), restart('r2', container)],
      { asked: 'r1' },
      ['r1 Pending NotBefore', 'r2 Running Requested'],
      'r2',
    ],
    [
      'nor does one that is due make one needless whose time is to come',
      [restart('r1', { ...container, ...later }), restart('r2')],
      {},
      ['r1 Pending NotBefore', 'r2 Running Requested'],
      'r2',
    ],
    ['what has to wait is asked of the node, too', [restart('r1', later)], {}, ['r1 Pending NotBefore'], 'r1'],
    [
      'a restart that somebody asked for by hand ends first',
      [restart('r1')],
      { asked: 'mine', outcomes: [{ id: 'mine', phase: 'Running' }] },
      ['r1 Pending OneAtATime'],
      undefined,
    ],
    [
      'but not for one by force',
      [restart('r1', { scope: 'containers' }), restart('r2', { ...container, force: true })],
      { asked: 'mine', outcomes: [{ id: 'mine', phase: 'Running' }] },
      ['r1 Pending OneAtATime', 'r2 Running Requested'],
      'r2',
    ],
    [
      'what is asked already is not superseded',
      [restart('r1', {}, running()), restart('r2')],
      { asked: 'r1' },
      ['r1 Running Requested', 'r2 Pending OneAtATime'],
      undefined,
    ],
  ])('%s', (_, restarts, setup, expected, id) => {
    const made = plan(restarts, { pod: pod(setup) });
    expect(told(made)).toEqual(expected);
    expect(idOf(made)).toBe(id);
  });

  it('takes the request away when nothing is asked for any more', () => {
    const done = restart('r1', {}, { phase: 'Succeeded', completionTime: at(-5) });
    expect(plan([done], { pod: pod({ asked: 'r1' }) }).request).toBeNull();
    expect(plan([done], { pod: pod({ asked: 'mine' }) }).request).toBeUndefined();
    expect(plan([], { pod: pod({ asked: 'r1' }), askedLast: 'r1' }).request).toBeNull();
  });
});

describe('time', () => {
  it('a finished one goes after its time', () => {
    const finished = (seconds: number, ttlSecondsAfterFinished?: number): PodRestart =>
      restart('r1', ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }, {
        phase: 'Failed',
        completionTime: at(seconds),
      });
    const left = (each: PodRestart): unknown => {
      const { expired, wakeAfterMs } = plan([each], { pod: undefined });
      return expired.length > 0 ? 'expired' : wakeAfterMs;
    };
    expect(left(finished(-10))).toBe(3_590_000);
    expect(left(finished(-3600))).toBe('expired');
    expect(left(finished(-10, 60))).toBe(50_000);
    expect(left(finished(-10, 0))).toBe('expired');
    // By a clock that is ahead of ours.
    expect(left(finished(500, 60))).toBe(60_000);
  });

  it('wakes when one is due', () => {
    expect(plan([restart('r1', later)]).wakeAfterMs).toBe(60_000);
    expect(plan([restart('r1', { notBefore: at(-60) })]).wakeAfterMs).toBeUndefined();
  });
});
