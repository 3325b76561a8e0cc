import { describe, expect, it } from 'vitest';
import type { DeathRecord, PodHistory } from '../../api/index.ts';
import { StatusError } from '../../api/index.ts';
import { createKubeClient } from '../../client/index.ts';
import { type Connection, decodeText, encodeText } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { UsageError } from '../usage-error.ts';
import { deathLines } from './death-page.ts';
import { backOffText, exitText, oomText, ranText, whyText } from './death-text.ts';
import { ageText, historyLines } from './history-table.ts';
import { UNREADY_NODE_TIMEOUT_MS } from './limits.ts';
import { numbersText, pickDeath } from './pick-death.ts';
import { parseDeath, podTarget } from './pod-target.ts';
import { type HistoryOptions, runHistory } from './run-history.ts';
import { type LogsOptions, runLogs } from './run-logs.ts';

const NOW = Date.UTC(2026, 0, 1, 12);

function death(number: number, change: Partial<DeathRecord> = {}): DeathRecord {
  return {
    number,
    containerId: `c${number}`,
    restartCount: number - 1,
    startedAt: new Date(NOW - 100_000 + number * 1000 - 500).toISOString(),
    finishedAt: new Date(NOW - 100_000 + number * 1000).toISOString(),
    exitCode: 1,
    reason: 'Error',
    log: { tail: `words of ${number}\nlast of ${number}\n`, truncated: false },
    ...change,
  };
}

function history(containers: PodHistory['containers'], change: Partial<PodHistory> = {}): PodHistory {
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'PodHistory',
    metadata: { namespace: 'default', name: 'web', uid: 'u1' },
    nodeName: 'n1',
    containers,
    ...change,
  };
}

const web = history([{ name: 'main', total: 3, deaths: [death(1), death(2), death(3)] }]);

describe('which pod, which death', () => {
  it.each([
    [['pod/web'], 'web'],
    [['web'], 'web'],
    [['po', 'web.1'], 'web.1'],
  ])('%j', (args, name) => {
    expect(podTarget(args)).toBe(name);
  });

  it.each([
    [['deploy/web'], '"deploy" has no deaths of its own'],
    [['pod/'], 'is not the name'],
    [['Web'], 'is not the name'],
    [['a', 'b'], 'Name one pod'],
    [['pod', 'a', 'b'], 'Name one pod'],
  ])('%j is refused', (args, problem) => {
    expect(() => podTarget(args)).toThrow(problem);
  });

  it.each(['0', '1.5', 'x', '', '--1'])('death %j is refused', (text) => {
    expect(() => parseDeath(text)).toThrow(UsageError);
  });

  it.each([
    [1, 1],
    [3, 3],
    [-1, 3],
    [-3, 1],
  ])('death %d is number %d', (asked, number) => {
    expect(pickDeath(web, undefined, asked).death.number).toBe(number);
  });

  const setUp = { name: 'setup', total: 1, deaths: [death(1, { exitCode: 0 })] };
  const long = { name: 'main', total: 60, deaths: [death(1), ...[58, 59, 60].map((n) => death(n))] };
  const both = history([setUp, long]);
  it('of several containers it is the one that failed', () => {
    expect(pickDeath(both, undefined, 1).container.name).toBe('main');
    expect(pickDeath(both, 'setup', 1).container.name).toBe('setup');
    expect(pickDeath(both, undefined, -1).death.number).toBe(60);
  });

  it.each([
    [both, 'main', 5, 'has no death 5. There are: container main: 1, 58-60 of 60, the others are forgotten.'],
    [both, 'nope', 1, 'no death is known of container nope of pod/web. Those that died: setup, main.'],
    [history([long, { ...long, name: 'side' }]), undefined, 1, 'which container of pod/web? Give -c main, -c side.'],
  ])('%# says what there is', (item, container, number, problem) => {
    expect(() => pickDeath(item, container, number)).toThrow(problem);
  });

  it('names ranges', () => {
    expect(numbersText([1, 2, 3, 7, 9, 10].map((n) => death(n)))).toBe('1-3, 7, 9-10');
  });
});

describe('a death in words', () => {
  const changes = [{ at: 'then', what: 'ConfigMap app changed' }];
  const oom = {
    kills: 1,
    limitBytes: 16_777_216,
    peakBytes: 8_912_896,
    processes: [{ name: 'hog', pid: 7 }],
    sources: [],
  };
  it.each([
    ['its last words', {}, 'last of 1'],
    ['nothing after success', { exitCode: 0 }, ''],
    ['its message', { message: 'bye\nnow' }, 'bye now'],
    ['what changed', { message: 'bye', changes }, 'bye; after: ConfigMap app changed'],
    ['memory', { oom }, 'out of memory, peak 8.5Mi of 16Mi: hog (pid 7)'],
    [
      'a probe',
      { probe: { type: 'liveness' as const, outputs: [{ at: 'then', output: 'HTTP 500' }] } },
      'liveness probe: HTTP 500',
    ],
    ['a probe of an earlier agent', { probe: { type: 'startup' as const, outputs: [] } }, 'startup probe: failed'],
    ['a request', { requested: { scope: 'pod', by: 'alice', reason: 'new key' } }, 'asked for by alice (pod): new key'],
    ['a survivor', { survived: true, message: 'a process was killed', oom }, 'a process was killed'],
  ])('%s', (_name, change, wanted) => {
    expect(whyText(death(1, change))).toBe(wanted);
  });

  it('has no control characters, whatever a container wrote', () => {
    expect(whyText(death(1, { log: { tail: '\u001b]0;title\u0007x\n', truncated: false } }))).toBe(
      '\\u001b]0;title\\u0007x',
    );
  });

  it('in numbers', () => {
    expect([ranText(death(1)), ranText(death(1, { startedAt: undefined as never }))]).toEqual(['500ms', '-']);
    expect(
      [10, 0, 0.25, 80, undefined].map((backOffSeconds) =>
        backOffText(death(1, backOffSeconds === undefined ? {} : { backOffSeconds })),
      ),
    ).toEqual(['10s', 'none', '250ms', '1m20s', '-']);
    expect([exitText(death(1)), exitText(death(1, { exitCode: 137, signal: 'SIGKILL' }))]).toEqual([
      '1',
      '137 (SIGKILL)',
    ]);
    expect(oomText({ kills: 3, sources: [] })).toBe('out of memory, 3 processes killed');
  });

  it.each([
    [0, '0s ago'],
    [119, '119s ago'],
    [125, '2m5s ago'],
    [300, '5m ago'],
    [3600, '60m ago'],
    [5 * 3600, '5h ago'],
    [72 * 3600, '3d ago'],
    [-5, '0s ago'],
  ])('%d seconds are %s', (seconds, wanted) => {
    expect(ageText(new Date(NOW - seconds * 1000).toISOString(), NOW)).toBe(wanted);
  });
});

describe('the table', () => {
  const options = { wide: false, now: NOW, columns: 100 };
  it('has a line for each death, oldest first, within the terminal', () => {
    const long = history([
      {
        name: 'main',
        total: 9,
        deaths: [death(1), death(9, { message: 'x'.repeat(200), backOffSeconds: 10, rung: 'pod' })],
      },
      {
        name: 'setup',
        total: 1,
        deaths: [death(1, { exitCode: 0, reason: 'Completed', finishedAt: '2026-01-01T11:00:00Z' })],
      },
    ]);
    const lines = historyLines([long], options);
    expect(lines.map((line) => line.split(/ {3,}/).slice(0, 2))).toEqual([
      ['#', 'CONTAINER'],
      ['1', 'setup'],
      ['1', 'main'],
      ['9', 'main'],
      ['7 more deaths of container main after its first are forgotten.'],
    ]);
    expect(lines[3]).toMatch(/x…\s+10s\s+pod$/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('names each life of the pod', () => {
    const gone = { ...web, metadata: { ...web.metadata, uid: 'u0' }, goneAt: '2026-01-01T11:59:00Z' };
    const lines = historyLines([web, gone], options);
    expect(lines.filter((line) => line.startsWith('pod/'))).toEqual([
      'pod/web (uid u1) on node n1:',
      'pod/web (uid u0) on node n1, gone 60s ago:',
    ]);
  });
});

describe('one death at length', () => {
  it('has all that is known', () => {
    const full = death(2, {
      message: 'bye',
      image: 'busybox',
      cpu: { periods: 60, throttledPeriods: 58, limitMillicores: 20 },
      probe: { type: 'liveness', outputs: [{ at: 'T1', output: 'sick\n' }] },
      requested: { scope: 'container', by: 'alice', reason: 'because' },
      changes: [{ at: 'T0', what: 'the node booted' }],
      backOffSeconds: 20,
      rung: 'container',
    });
    const item = history([{ name: 'main', total: 3, deaths: [full] }]);
    const text = deathLines({ pod: item, container: item.containers[0]!, death: full }, NOW).join('\n');
    for (const part of [
      'Death 2 of 3 of container main in pod default/web',
      'CPU:            limit 20m; throttled in 58 of 60 periods (97%) of its last minute',
      'Asked for:      by alice: because',
      'Back-off:       20s',
      'Failed liveness probe, newest first:\n    T1  sick\n  Before:',
      'Before:\n    T0  the node booted',
      'Log:\n    words of 2\n    last of 2',
    ]) {
      expect(text).toContain(part);
    }
  });

  it.each([
    [
      'somewhere',
      [
        { port: 8080, own: true },
        { port: 9, loopback: '127.0.0.1' },
      ],
      '8080, 127.0.0.1:9 only',
    ],
    ['nowhere', [], 'none'],
  ])('has where the pod listened when it refused its probe: %s', (_, listening, listed) => {
    const refused = death(1, { probe: { type: 'startup', outputs: [{ at: 'T1', output: 'refused' }], listening } });
    const item = history([{ name: 'main', total: 1, deaths: [refused] }]);
    const text = deathLines({ pod: item, container: item.containers[0]!, death: refused }, NOW).join('\n');
    expect(text).toContain(`newest first:\n    T1  refused\n  Ports listened on then: ${listed}\n`);
  });
});

type Served = Readonly<Record<string, { readonly status: number; readonly body: unknown } | 'silent'>>;

/** A cluster that serves these paths, and answers 404 to all others. */
function cluster(served: Served) {
  const out: string[] = [];
  const err: string[] = [];
  const asked: string[] = [];
  const connection: Connection = {
    request: async ({ url }) => {
      asked.push(url);
      const answer = served[url] ?? { status: 404, body: '404 page not found' };
      if (answer === 'silent') return new Promise(() => {});
      const { status, body } = answer;
      return { status, headers: {}, body: encodeText(typeof body === 'string' ? body : JSON.stringify(body)) };
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
  return { session, clock, asked, out: () => out.join(''), err: () => err.join('') };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

const PODS = '/api/v1/namespaces/default/pods';
const list = (...items: readonly PodHistory[]) => ({ status: 200, body: { kind: 'PodHistoryList', items } });
const notFound = (kind: string, name: string) => ({
  status: 404,
  body: {
    kind: 'Status',
    reason: 'NotFound',
    message: `${kind} "${name}" not found`,
    details: { kind, name },
    code: 404,
  },
});
const node = (name: string, ready = 'True') => ({
  metadata: { name },
  status: { conditions: [{ type: 'Ready', status: ready }] },
});
const onNode = (node: string, query = 'namespace=default&pod=web') =>
  `/api/v1/nodes/${node}/proxy/mendlet/v1/history?${query}`;
const options: HistoryOptions = { pod: 'web', output: 'table' };

describe('history', () => {
  it('asks the server of mendlet once', async () => {
    const { session, asked, out } = cluster({ [`${PODS}/web/history`]: list(web) });
    expect(await runHistory(session, options)).toBe(0);
    expect(asked).toEqual([`${PODS}/web/history`]);
    expect(out().split('\n').length).toBe(5);
  });

  it('says which nodes the server did not hear, also in JSON', async () => {
    const notAsked = [{ node: 'n2', problem: 'it is not ready: it does not answer in time' }];
    const served = {
      [`${PODS}/web/history`]: { status: 200, body: { kind: 'PodHistoryList', items: [web], notAsked } },
    };
    const { session, err } = cluster(served);
    expect(await runHistory(session, options)).toBe(0);
    expect(err()).toBe('mendlet: no history from node n2: it is not ready: it does not answer in time\n');
    const json = cluster(served);
    expect(await runHistory(json.session, { ...options, output: 'json' })).toBe(0);
    expect(JSON.parse(json.out())).toMatchObject({ notAsked });
  });

  it('prints JSON, one container, one death', async () => {
    const { session, out } = cluster({ [`${PODS}/web/history`]: list(web) });
    await runHistory(session, { ...options, output: 'json', death: -1 });
    const printed = JSON.parse(out()) as { kind: string; items: PodHistory[] };
    expect([printed.kind, printed.items[0]?.containers[0]?.deaths.map(({ number }) => number)]).toEqual([
      'PodHistoryList',
      [3],
    ]);
  });

  it('says so when nothing died, and somebody refuses a probe', async () => {
    const refused = [{ type: 'readiness' as const, outputs: [], listening: [] }];
    const living = { name: 'side', total: 0, deaths: [], refused };
    const served = cluster({ [`${PODS}/web/history`]: list(history([living])) });
    expect(await runHistory(served.session, options)).toBe(0);
    expect([served.out(), served.err()]).toEqual(['', 'No death of pod/web is known.\n']);
    const ofOne = cluster({ [`${PODS}/web/history`]: list(history([living])) });
    expect(await runHistory(ofOne.session, { ...options, death: 1 })).toBe(0);
    expect(ofOne.err()).toBe('No death of pod/web is known.\n');
    const other = history([...web.containers, living]);
    expect(() => pickDeath(other, undefined, 9)).toThrow('There are: container main: 1-3.');
    expect(() => pickDeath(other, 'side', 1)).toThrow('Those that died: main.');
  });

  it('says so when nothing died', async () => {
    const { session, out, err } = cluster({ [`${PODS}/web/history`]: list() });
    expect(await runHistory(session, options)).toBe(0);
    expect([out(), err()]).toEqual(['', 'No death of pod/web is known.\n']);
  });

  it('leaves it to the server to say that there is no such pod', async () => {
    const { session } = cluster({ [`${PODS}/web/history`]: notFound('pods', 'web') });
    await expect(runHistory(session, options)).rejects.toThrow('pods "web" not found');
  });

  it.each([
    ['another server', { status: 404, body: '404 page not found' }],
    ['one that may not be asked that', { status: 403, body: { kind: 'Status', reason: 'Forbidden', code: 403 } }],
    ['the words of Kubernetes', { status: 404, body: { kind: 'Status', reason: 'NotFound', details: {}, code: 404 } }],
  ])('goes through the node of the pod on %s', async (_name, refusal) => {
    const { session, out } = cluster({
      [`${PODS}/web/history`]: refusal,
      [`${PODS}/web`]: { status: 200, body: { metadata: { name: 'web', uid: 'u1' }, spec: { nodeName: 'n1' } } },
      [onNode('n1')]: list(web),
    });
    expect(await runHistory(session, options)).toBe(0);
    expect(out()).toContain('last of 3');
  });

  it('names the smaller right where neither is granted', async () => {
    const refused = (message: string) => ({
      status: 403,
      body: { kind: 'Status', reason: 'Forbidden', message, code: 403 },
    });
    const { session } = cluster({
      [`${PODS}/web/history`]: refused('cannot get resource "pods/history"'),
      [`${PODS}/web`]: { status: 200, body: { metadata: { name: 'web', uid: 'u1' }, spec: { nodeName: 'n1' } } },
      [onNode('n1')]: refused('cannot get resource "nodes/proxy"'),
    });
    await expect(runHistory(session, options)).rejects.toThrow('cannot get resource "pods/history"');
  });

  it('asks all nodes for a pod that is gone, and says who does not tell', async () => {
    const gone = { ...web, goneAt: '2026-01-01T11:59:00Z' };
    const { session, out, err } = cluster({
      [`${PODS}/web`]: notFound('pods', 'web'),
      '/api/v1/nodes': { status: 200, body: { items: ['n1', 'n2', 'n3'].map((name) => node(name)) } },
      [onNode('n1')]: notFound('podhistories', 'web'),
      [onNode('n2')]: list(gone),
    });
    expect(await runHistory(session, options)).toBe(0);
    expect(out()).toContain('gone 60s ago');
    expect(err()).toBe('mendlet: no history from node n3: its agent is none of mendlet’s: it keeps no history\n');
  });

  it('takes a pod for gone that the server has no more, whatever its node says yet', async () => {
    const uid = '00000000-0000-4000-8000-000000000001';
    const { session, out } = cluster({
      [`${PODS}/web`]: notFound('pods', 'web'),
      '/api/v1/nodes': { status: 200, body: { items: [node('n1')] } },
      [onNode('n1')]: list({ ...web, metadata: { ...web.metadata, uid } }),
    });
    expect(await runHistory(session, options)).toBe(0);
    expect(out()).toMatch(/^pod\/web \(uid .*\) on node n1, gone 0s ago:\n#/);
  });

  it('waits only a moment for a node that is not ready', async () => {
    const { session, asked, out, err, clock } = cluster({
      [`${PODS}/web`]: notFound('pods', 'web'),
      '/api/v1/nodes': { status: 200, body: { items: [node('n1'), node('n2', 'Unknown')] } },
      [onNode('n1')]: list({ ...web, goneAt: '2026-01-01T11:59:00Z' }),
      [onNode('n2')]: 'silent',
    });
    const done = runHistory(session, options);
    await until(() => asked.includes(onNode('n2')));
    await clock.advance(UNREADY_NODE_TIMEOUT_MS);
    expect(await done).toBe(0);
    expect(out()).toContain('gone 63s ago');
    expect(err()).toBe('mendlet: no history from node n2: it is not ready: it does not answer in time\n');
  });

  it('knows nothing of what is nowhere', async () => {
    const { session } = cluster({
      [`${PODS}/web`]: notFound('pods', 'web'),
      '/api/v1/nodes': { status: 200, body: { items: [node('n1')] } },
      [onNode('n1')]: notFound('podhistories', 'web'),
    });
    await expect(runHistory(session, options)).rejects.toBeInstanceOf(StatusError);
  });
});

describe('a pod in which nothing has died, and its namesakes', () => {
  const fresh = history([], { metadata: { ...web.metadata, uid: 'u2' } });
  const gone = { ...web, goneAt: '2026-01-01T11:59:00Z' };
  const served = { [`${PODS}/web/history`]: list(fresh, gone) };

  it('are told both', async () => {
    const { session, out } = cluster(served);
    expect(await runHistory(session, options)).toBe(0);
    expect(out().split('\n').slice(0, 4)).toEqual([
      'pod/web (uid u2) on node n1:',
      'No death of it is known.',
      '',
      'pod/web (uid u1) on node n1, gone 60s ago:',
    ]);
  });

  it('are told both of one container', async () => {
    const { session, out } = cluster(served);
    await runHistory(session, { ...options, container: 'main' });
    expect(out()).toContain('pod/web (uid u2) on node n1:\nNo death of its container main is known.\n');
  });

  it('are both in JSON', async () => {
    const { session, out } = cluster(served);
    await runHistory(session, { ...options, output: 'json' });
    const { items } = JSON.parse(out()) as { items: PodHistory[] };
    expect(items.map(({ metadata, containers }) => [metadata.uid, containers.length])).toEqual([
      ['u2', 0],
      ['u1', 1],
    ]);
  });

  it('are told apart where one death is asked for', async () => {
    const { session, out, err } = cluster(served);
    expect(await runHistory(session, { ...options, death: 1 })).toBe(0);
    expect(out()).toContain('uid u1, on node n1, gone 60s ago');
    const said = 'mendlet: of pod/web as it is now (uid u2) no death is known: this is of the one before (uid u1)\n';
    expect(err()).toBe(said);
    const logs = cluster(served);
    expect(
      await runLogs(logs.session, {
        pod: 'web',
        live: { previous: false, follow: false, timestamps: false },
        raw: false,
        death: 1,
      }),
    ).toBe(0);
    expect([logs.out(), logs.err()]).toEqual(['words of 1\nlast of 1\n', said]);
  });

  it('without namesakes there is nothing to tell', async () => {
    const { session, out, err } = cluster({ [`${PODS}/web/history`]: list(fresh) });
    expect(await runHistory(session, options)).toBe(0);
    expect([out(), err()]).toEqual(['', 'No death of pod/web is known.\n']);
    expect(await runHistory(session, { ...options, death: 1 })).toBe(0);
    expect(
      await runLogs(session, {
        pod: 'web',
        live: { previous: false, follow: false, timestamps: false },
        raw: false,
        death: 1,
      }),
    ).toBe(1);
  });
});

describe('logs', () => {
  const live = { previous: false, follow: false, timestamps: false };
  const wish: LogsOptions = { pod: 'web', live, raw: false };
  const served: Served = { [`${PODS}/web/history`]: list(web) };

  it.each([
    [{ death: 1 }, 'words of 1\nlast of 1\n'],
    [{ death: -2 }, 'words of 2\nlast of 2\n'],
    [{ death: 2, tail: 1 }, 'last of 2\n'],
    [{ death: 2, tail: 0 }, ''],
    [{ death: 2, tail: -1 }, 'words of 2\nlast of 2\n'],
  ])('of a death: %j', async (change, wanted) => {
    const { session, out } = cluster(served);
    expect(await runLogs(session, { ...wish, ...change })).toBe(0);
    expect(out()).toBe(wanted);
  });

  describe('of a program that writes to terminals', () => {
    const hostile = '\u001b]0;owned\u0007\u009b31mx\u202e\rtab\there\r\n';
    const deaths = [death(1, { log: { tail: hostile, truncated: false } })];
    const bytes = new Uint8Array([...encodeText(hostile), 0xff, 0x0a]);
    const answers: Served = {
      [`${PODS}/web/history`]: list(history([{ name: 'main', total: 1, deaths }])),
    };
    const logOf = async (isTerminal: boolean, change: Partial<LogsOptions>) => {
      const { session } = cluster(answers);
      const pieces: (string | Uint8Array)[] = [];
      const connection: Connection = {
        ...session.connection,
        request: (request) =>
          request.url.includes('/log?')
            ? Promise.resolve({ status: 200, headers: {}, body: bytes })
            : session.connection.request(request),
      };
      const client = { ...session.client, get: async () => ({ spec: { containers: [{ name: 'main' }] } }) as never };
      const outRaw = (data: string | Uint8Array): void => void pieces.push(data);
      const out = (): void => expect.unreachable();
      await runLogs({ ...session, client, connection, isTerminal, outRaw, out }, { ...wish, ...change });
      return Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
    };
    const seen = '\\u001b]0;owned\\u0007\\u009b31mx\\u202e\\u000dtab\there\r\n';

    it('shows its controls to a terminal', async () => {
      expect((await logOf(true, {})).toString()).toBe(`${seen}\\xff\n`);
      expect((await logOf(true, { death: 1 })).toString()).toBe(seen);
    });

    it('gives its bytes as they are to a file, and with --raw', async () => {
      for (const [isTerminal, raw] of [
        [false, false],
        [true, true],
        [false, true],
      ] as const) {
        expect([...(await logOf(isTerminal, { raw }))]).toEqual([...bytes]);
        expect((await logOf(isTerminal, { raw, death: 1 })).toString()).toBe(hostile);
      }
    });
  });

  it('says which deaths there are', async () => {
    const { session } = cluster(served);
    await expect(runLogs(session, { ...wish, death: 4 })).rejects.toThrow('There are: container main: 1-3.');
  });

  it('says when it is not all, or lost, or empty', async () => {
    const deaths = [
      death(1, { log: { tail: 'x\n', truncated: true } }),
      death(2, { log: undefined as never }),
      death(3, { log: { tail: '', truncated: false } }),
    ];
    const item = history([{ name: 'main', total: 3, deaths }]);
    const { session, err } = cluster({ [`${PODS}/web/history`]: list(item) });
    const codes = [];
    for (const number of [1, 2, 3]) codes.push(await runLogs(session, { ...wish, death: number }));
    expect(codes).toEqual([0, 1, 0]);
    expect(err().split('\n')).toEqual([
      '(only the end: the node keeps no more of the log of death 1)',
      'mendlet: the log of death 2 of container main is lost; the known deaths are 1-3.',
      '(container main wrote nothing before its death 3)',
      '',
    ]);
  });

  it('without a death are those of kubectl', async () => {
    const { session, out } = cluster({
      [`${PODS}/web`]: { status: 200, body: { spec: { containers: [{ name: 'a' }, { name: 'b' }] } } },
      [`${PODS}/web/log?container=a&previous=true&tailLines=5`]: { status: 200, body: 'hello\n' },
    });
    expect(await runLogs(session, { ...wish, live: { ...live, previous: true }, tail: 5 })).toBe(0);
    expect(out()).toBe('hello\n');
    await expect(runLogs(session, { ...wish, container: 'b' })).rejects.toThrow('404 page not found');
  });
});
