import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import { realEventLoop } from '../event-loop.node.ts';
import { type ContainerName, type EndCause, type Fact, Facts } from '../facts.ts';
import { Sim } from '../sim.ts';
import { keepsBackOff } from './back-off-spacing.ts';
import { givesFullGrace } from './full-grace.ts';
import { noStartAfterEnd } from './no-start-after-end.ts';
import { oneOfAName } from './one-of-a-name.ts';
import { oneRunning } from './one-running.ts';
import { keepsRestartPolicy } from './restart-policy.ts';
import { keepsStartOrder } from './start-order.ts';
import { keepsStatusHistory } from './status-history.ts';
import { keepsStopOrder } from './stop-order.ts';
import { hasVolumesFirst } from './volumes-first.ts';

const name = (attempt: number): ContainerName => ({
  uid: 'u',
  container: 'main',
  id: `main-${attempt}`,
  attempt,
  sandbox: 's',
});
const started = (attempt: number): Fact => ({ kind: 'started', ...name(attempt) });
/** A container of the next pod of the name. */
const startedNext: Fact = { kind: 'started', ...name(0), uid: 'v', id: 'v-0' };
const exited = (attempt: number, exitCode = 1, cause: EndCause = 'self'): Fact => ({
  kind: 'exited',
  exitCode,
  cause,
  ...name(attempt),
});
const stopSent = (attempt: number): Fact => ({ kind: 'stop-sent', graceSeconds: 0, ...name(attempt) });
const stopCalled = (attempt: number): Fact => ({ kind: 'stop-called', graceSeconds: 0, ...name(attempt) });
const startSent = (attempt: number): Fact => ({ kind: 'start-sent', ...name(attempt) });
const told: Fact = { kind: 'deletion-delivered', uid: 'u', node: 'n' };

function written(more: {
  readonly policy?: string;
  readonly phase?: string;
  readonly restarts?: number;
  readonly node?: string;
  readonly uid?: string;
  readonly deletedWithGrace?: number;
}): Fact {
  const deletion =
    more.deletedWithGrace === undefined
      ? {}
      : { deletionTimestamp: 'x', deletionGracePeriodSeconds: more.deletedWithGrace };
  const pod: Pod = {
    metadata: { uid: more.uid ?? 'u', name: 'p', ...deletion },
    spec: { containers: [{ name: 'main' }], restartPolicy: more.policy ?? 'Always', nodeName: more.node ?? 'n' },
    status: {
      phase: more.phase ?? 'Running',
      containerStatuses: [{ name: 'main', restartCount: more.restarts ?? 0, ready: true, image: '', imageID: '' }],
    },
  };
  return { kind: 'pod-written', pod, revision: 1 };
}

/** Plays facts at their times (s). @returns the message of the first violation, if there is one */
async function play(
  install: (facts: Facts) => void,
  steps: readonly (readonly [number, Fact])[],
): Promise<string | undefined> {
  const sim = new Sim({ seed: 1, loop: realEventLoop });
  const facts = new Facts(sim);
  install(facts);
  for (const [index, [at, fact]] of steps.entries())
    sim.after(at * 1000 + index / 1000, 'fact', () => facts.tell(fact));
  return sim.run(10_000_000).then(
    () => undefined,
    (error: unknown) => String(error),
  );
}

const statusHistory = (facts: Facts): void => keepsStatusHistory(facts, () => [name(9)]);

type Case = readonly [string, (facts: Facts) => void, readonly (readonly [number, Fact])[], RegExp | undefined];

describe('invariants', () => {
  it.each<Case>([
    [
      'one after the other',
      oneRunning,
      [
        [0, started(0)],
        [1, exited(0)],
        [2, started(1)],
      ],
      undefined,
    ],
    [
      'two at once',
      oneRunning,
      [
        [0, started(0)],
        [1, started(1)],
      ],
      /one running/,
    ],

    [
      'the next pod of a name after the end of the first',
      oneOfAName,
      [
        [0, written({})],
        [0, started(0)],
        [1, written({ uid: 'v' })],
        [2, exited(0)],
        [3, startedNext],
      ],
      undefined,
    ],
    [
      'the next pod of a name beside the first',
      oneOfAName,
      [
        [0, written({})],
        [0, started(0)],
        [1, written({ uid: 'v' })],
        [2, startedNext],
      ],
      /one of a name: .*p on n: v started while u runs/,
    ],
    [
      'the next pod of a name on another node',
      oneOfAName,
      [
        [0, written({})],
        [0, started(0)],
        [1, written({ uid: 'v', node: 'other' })],
        [2, startedNext],
      ],
      undefined,
    ],

    [
      'a start before the stop',
      noStartAfterEnd,
      [
        [0, told],
        [1, startSent(0)],
        [2, stopCalled(0)],
      ],
      undefined,
    ],
    [
      'a start after the stop of a pod being deleted',
      noStartAfterEnd,
      [
        [0, told],
        [1, stopCalled(0)],
        [2, startSent(1)],
      ],
      /its termination began/,
    ],
    [
      'a start after a stop for another reason',
      noStartAfterEnd,
      [
        [1, stopCalled(0)],
        [2, startSent(1)],
      ],
      undefined,
    ],
    [
      'a start after the terminal phase',
      noStartAfterEnd,
      [
        [0, written({ phase: 'Failed' })],
        [2, startSent(1)],
      ],
      /terminal/,
    ],

    [
      'Never, once',
      keepsRestartPolicy,
      [
        [0, written({ policy: 'Never' })],
        [1, started(0)],
        [2, exited(0)],
      ],
      undefined,
    ],
    [
      'Never, twice',
      keepsRestartPolicy,
      [
        [0, written({ policy: 'Never' })],
        [1, started(0)],
        [2, exited(0)],
        [3, started(1)],
      ],
      /under Never/,
    ],
    [
      'OnFailure after a failure',
      keepsRestartPolicy,
      [
        [0, written({ policy: 'OnFailure' })],
        [1, started(0)],
        [2, exited(0, 1)],
        [3, started(1)],
      ],
      undefined,
    ],
    [
      'OnFailure after success',
      keepsRestartPolicy,
      [
        [0, written({ policy: 'OnFailure' })],
        [1, started(0)],
        [2, exited(0, 0)],
        [3, started(1)],
      ],
      /after exit 0/,
    ],

    [
      'the ladder',
      keepsBackOff,
      [
        [0, started(0)],
        [1, exited(0)],
        [1, started(1)],
        [2, exited(1)],
        [12, started(2)],
        [13, exited(2)],
        [33, started(3)],
      ],
      undefined,
    ],
    [
      'a second restart too early',
      keepsBackOff,
      [
        [0, started(0)],
        [1, exited(0)],
        [1, started(1)],
        [2, exited(1)],
        [11, started(2)],
      ],
      /not 10000 \(restart 2\)/,
    ],
    [
      'a third restart too early',
      keepsBackOff,
      [
        [0, started(0)],
        [1, exited(0)],
        [1, started(1)],
        [2, exited(1)],
        [12, started(2)],
        [13, exited(2)],
        [32, started(3)],
      ],
      /not 20000/,
    ],
    [
      'a reset after ten minutes',
      keepsBackOff,
      [
        [0, started(0)],
        [1, exited(0)],
        [1, started(1)],
        [2, exited(1)],
        [12, started(2)],
        [700, exited(2)],
        [700, started(3)],
      ],
      undefined,
    ],
    [
      'a new sandbox',
      keepsBackOff,
      [
        [0, started(0)],
        [1, exited(0)],
        [1, started(1)],
        [2, exited(1)],
        [3, { kind: 'sandbox-created', uid: 'u', id: 's' }],
        [3, started(2)],
      ],
      undefined,
    ],

    [
      'killed after the grace of its deletion',
      givesFullGrace,
      [
        [0, written({ deletedWithGrace: 30 })],
        [0, stopSent(0)],
        [30, exited(0, 137, 'kill')],
      ],
      undefined,
    ],
    [
      'killed before it',
      givesFullGrace,
      [
        [0, written({ deletedWithGrace: 30 })],
        [0, stopSent(0)],
        [20, exited(0, 137, 'kill')],
      ],
      /killed 10\.0 s early/,
    ],
    [
      'killed after a shortened one',
      givesFullGrace,
      [
        [0, written({ deletedWithGrace: 30 })],
        [5, written({ deletedWithGrace: 1 })],
        [6, exited(0, 137, 'kill')],
      ],
      undefined,
    ],
    [
      'killed out of the blue',
      givesFullGrace,
      [
        [0, written({})],
        [5, exited(0, 137, 'kill')],
      ],
      /early/,
    ],
    [
      'ended at SIGTERM',
      givesFullGrace,
      [
        [0, written({})],
        [1, stopSent(0)],
        [5, exited(0, 143, 'term')],
      ],
      undefined,
    ],

    [
      'counts that rise',
      statusHistory,
      [
        [0, written({ restarts: 1 })],
        [1, written({ restarts: 2 })],
      ],
      undefined,
    ],
    [
      'counts that fall',
      statusHistory,
      [
        [0, written({ restarts: 2 })],
        [1, written({ restarts: 1 })],
      ],
      /fell from 2 to 1/,
    ],
    [
      'a terminal phase that leaves',
      (facts) => keepsStatusHistory(facts, () => []),
      [
        [0, written({ phase: 'Succeeded' })],
        [1, written({})],
      ],
      /from Succeeded to Running/,
    ],
    [
      'a terminal phase while something runs',
      statusHistory,
      [
        [0, written({})],
        [1, written({ phase: 'Failed' })],
      ],
      /while main runs/,
    ],
    [
      'a pod that moves',
      statusHistory,
      [
        [0, written({})],
        [1, written({ node: 'm' })],
      ],
      /moved from n to m/,
    ],
  ])('%s', async (_, install, steps, violation) => {
    const found = await play(install, steps);
    if (violation === undefined) expect(found).toBeUndefined();
    else expect(found).toMatch(violation);
  });
});

describe('init containers and sidecars', () => {
  const pod: Pod = {
    metadata: { uid: 'u', name: 'p' },
    spec: {
      volumes: [{ name: 'memory', emptyDir: { medium: 'Memory' } }],
      initContainers: [
        {
          name: 'proxy',
          restartPolicy: 'Always',
          command: ['sim', '{"readyAfterMs":5000}'],
          startupProbe: { httpGet: { port: 80 } },
        },
        { name: 'first' },
      ],
      containers: [{ name: 'main', volumeMounts: [{ name: 'memory', mountPath: '/memory' }] }],
    },
  };
  const put: Fact = { kind: 'pod-written', pod, revision: 1 };
  const deletion = { deletionTimestamp: 'x', deletionGracePeriodSeconds: 30 };
  const remove: Fact = {
    kind: 'pod-written',
    pod: { ...pod, metadata: { ...pod.metadata, ...deletion } },
    revision: 2,
  };
  const of = (container: string, sandbox = 's') => ({ uid: 'u', container, id: container, attempt: 0, sandbox });
  const start = (container: string, sandbox?: string): Fact => ({ kind: 'started', ...of(container, sandbox) });
  const end = (container: string, exitCode = 0): Fact => ({
    kind: 'exited',
    exitCode,
    cause: 'self',
    ...of(container),
  });
  const stop = (container: string): Fact => ({ kind: 'stop-sent', graceSeconds: 30, ...of(container) });

  it.each<[string, readonly (readonly [number, Fact])[], string | undefined]>([
    [
      'in order',
      [
        [0, put],
        [1, start('proxy')],
        [6, start('first')],
        [7, end('first')],
        [8, start('main')],
      ],
      undefined,
    ],
    [
      'too early for the sidecar',
      [
        [0, put],
        [1, start('proxy')],
        [2, start('first')],
      ],
      'could answer its startup probe',
    ],
    [
      'without the sidecar',
      [
        [0, put],
        [1, start('first')],
      ],
      'before sidecar proxy had',
    ],
    [
      'before init',
      [
        [0, put],
        [1, start('proxy')],
        [7, start('main')],
      ],
      'before first had',
    ],
    [
      'beside init',
      [
        [0, put],
        [1, start('proxy')],
        [7, start('first')],
        [8, start('main')],
      ],
      'while first ran',
    ],
    [
      'after a failed init',
      [
        [0, put],
        [1, start('proxy')],
        [7, start('first')],
        [8, end('first', 1)],
        [9, start('main')],
      ],
      'after first had failed',
    ],
    [
      'anew in each sandbox',
      [
        [0, put],
        [1, start('proxy')],
        [7, start('first')],
        [8, end('first')],
        [9, start('main', 'other')],
      ],
      'before sidecar proxy had',
    ],
    [
      'a sidecar comes back at any time',
      [
        [0, put],
        [1, start('proxy')],
        [7, start('first')],
        [8, end('proxy')],
        [9, start('proxy')],
      ],
      undefined,
    ],
  ])('start %s', async (_, steps, expected) => {
    const found = await play(keepsStartOrder, steps);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(expected);
  });

  it.each<[string, readonly (readonly [number, Fact])[], string | undefined]>([
    [
      'after what they serve',
      [
        [2, stop('main')],
        [3, end('main')],
        [4, stop('proxy')],
      ],
      undefined,
    ],
    ['too early', [[2, stop('proxy')]], 'sidecar proxy#0 was stopped while main ran'],
    ['when the grace is over', [[31, stop('proxy')]], undefined],
  ])('sidecars stop %s', async (_, steps, expected) => {
    const before: readonly (readonly [number, Fact])[] = [
      [0, put],
      [0, start('proxy')],
      [0, start('main')],
      [1, remove],
      [1, told],
    ];
    const found = await play(keepsStopOrder, [...before, ...steps]);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(expected);
  });

  it.each([
    ['mounted', undefined],
    ['files', 'volume memory is not in memory'],
    ['nothing', 'volume memory is not there'],
  ] as const)('a volume of which there is %s', async (what, expected) => {
    const mounts = [{ containerPath: '/memory', hostPath: '/x', found: what }];
    const found = await play(hasVolumesFirst, [
      [0, put],
      [1, { kind: 'created', mounts, ...of('main') }],
    ]);
    if (expected === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(expected);
  });
});
