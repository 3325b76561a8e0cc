import { beforeEach, describe, expect, it } from 'vitest';
import { createRestartCluster, type RestartCluster } from '../../../test/support/restart-cluster.ts';
import { PODS } from '../../api/index.ts';
import { type Connection, ConnectionError, type Terminal } from '../../lib/index.ts';
import type { Overview, WorkloadRow } from '../../overview/index.ts';
import { Bell } from '../restart/bell.ts';
import { watchOverview } from './cluster-feed.ts';
import { keysOf } from './keys.ts';
import { picture } from './picture.ts';
import { changeLines } from './plain-lines.ts';
import { runWatch } from './run-watch.ts';
import { staleText } from './stale-text.ts';
import { markedPlace, pressed, START, type ViewState } from './view-state.ts';

const NOW = Date.parse('2030-01-01T12:00:00Z');

function row(name: string, more: Partial<WorkloadRow> = {}): WorkloadRow {
  return { kind: 'deploy', namespace: 'shop', name, mood: 'ok', ready: 1, wanted: 1, restarts: 0, pods: [], ...more };
}

const HEALING = row('api', {
  mood: 'healing',
  why: 'CrashLoopBackOff',
  ready: 0,
  restarts: 4,
  next: { words: 'starts again', at: NOW + 38_000 },
  lastDeath: { pod: 'api-1', container: 'main', at: NOW - 180_000, words: 'out of memory (limit 64Mi)' },
});
const OVERVIEW: Overview = {
  at: NOW,
  verdict: { mood: 'healing', text: '1 pod healthy; 1 healing' },
  rows: [HEALING, row('web')],
  nodes: [{ name: 'n1', mood: 'ok', troubles: [], runtime: 'containerd://2.1', agent: 'v1.36', pods: 2 }],
};
const FRAME = { columns: 120, rows: 12, colours: false, now: NOW };

describe('keys', () => {
  it.each([
    ['\u001B[A', ['up']],
    ['\u001B[B\u001B[B', ['down', 'down']],
    ['\u001B', ['back']],
    ['\u001B[5~q', ['page-up', { letter: 'q' }]],
    ['\r', ['enter']],
    ['\u001B[200~', []],
    ['\u0007', []],
    ['', []],
  ])('%j', (typed, keys) => expect(keysOf(typed)).toEqual(keys));
});

describe('what a key does', () => {
  const room = { rows: OVERVIEW.rows, height: 8 };
  const after = (state: ViewState, typed: string) =>
    keysOf(typed).reduce<ReturnType<typeof pressed>>((last, key) => pressed(last.state, key, room), { state });

  it('the mark goes along with its workload', () => {
    const { state } = after(START, 'j');
    expect(markedPlace(state, OVERVIEW.rows)).toBe(1);
    expect(markedPlace(state, OVERVIEW.rows.toReversed())).toBe(0);
    expect(markedPlace(state, [])).toBe(0);
  });

  it('why, logs and quit', () => {
    expect(after(START, '\r').act).toEqual({ kind: 'why', row: HEALING });
    expect(after(START, 'l').act).toEqual({ kind: 'logs', row: HEALING });
    expect(after(START, 'q').act).toEqual({ kind: 'quit' });
  });

  it('a restart is asked for twice', () => {
    const { state, act } = after(START, 'r');
    expect({ asks: state.asks?.text, act }).toEqual({ asks: 'restart deploy/api in shop? y/n', act: undefined });
    expect(after(state, 'y').act).toEqual({ kind: 'restart', row: HEALING });
    expect(after(state, 'n')).toEqual({ state: { onlyTroubled: false, said: 'nothing was done' } });
    expect(after(state, 'q').act).toBe(undefined);
  });

  it.each([
    ['t', 'try-now', /^try now what waits of deploy\/api in shop\? y\/n$/, HEALING],
    ['p', 'pause', /^pause the healing of deploy\/api in shop\? y\/n$/, HEALING],
    ['p', 'resume', /^resume the healing of deploy\/api in shop\? y\/n$/, { ...HEALING, paused: true }],
  ] as const)('%s asks for %s', (typed, kind, question, marked) => {
    const own = { ...room, rows: [marked] };
    const { state, act } = pressed(START, { letter: typed }, own);
    expect(act).toBeUndefined();
    expect(state.asks?.text).toMatch(question);
    expect(pressed(state, { letter: 'y' }, own).act).toEqual({ kind, row: marked });
    expect(pressed(state, { letter: 'n' }, own).act).toBeUndefined();
  });

  it('a pane scrolls within its lines, and goes back', () => {
    const pane = { title: 't', lines: Array.from({ length: 20 }, (_, n) => `${n}`), top: 0 };
    expect(after({ ...START, pane }, 'k').state.pane?.top).toBe(0);
    expect(after({ ...START, pane }, 'G').state.pane?.top).toBe(12);
    expect(after({ ...START, pane }, 'jj k').state.pane?.top).toBe(9);
    expect(after({ ...START, pane }, 'q')).toEqual({ state: START });
  });
});

describe('the picture', () => {
  it.each([3, 4, 5, 6, 8, 12])('of %d lines still has a row, and what is asked', (rows) => {
    const node = OVERVIEW.nodes[0];
    const nodes = Array.from({ length: 9 }, (_, at) => ({
      ...node,
      name: `n${at}`,
    })) as unknown as typeof OVERVIEW.nodes;
    const asks = { text: 'restart deploy/api in shop? y/n', act: { kind: 'quit' } } as const;
    const lines = picture({ ...OVERVIEW, nodes }, { ...START, asks }, { ...FRAME, rows });
    expect(lines.at(-1)).toContain('y/n');
    expect(lines.join('\n')).toContain('deploy/api');
    if (rows >= 4) expect(lines.length).toBeLessThanOrEqual(rows);
  });

  it('has the verdict, the nodes, a row each, and what the keys do', () => {
    const [verdict, node, head, api, web, keys] = picture(OVERVIEW, START, FRAME);
    expect(verdict).toBe('1 pod healthy; 1 healing');
    expect(node).toBe('✓ n1: 2 pods, containerd://2.1');
    expect(head).toMatch(/NAMESPACE +WORKLOAD +READY +RESTARTS +LAST DEATH +NOW AND NEXT/);
    expect(api).toMatch(
      /^> +shop +deploy\/api +0\/1 +4 +3m ago: out of memory \(limit 64Mi\) +in 38s starts again; CrashLoopBackOff$/,
    );
    expect(web).toMatch(/^✓ +shop +deploy\/web +1\/1 +0 +- +ok$/);
    expect(keys).toContain('q quit');
  });

  it('only what is not well', () => {
    expect(picture(OVERVIEW, { onlyTroubled: true }, FRAME).join('\n')).not.toContain('deploy/web');
  });

  it('says nothing of before where nothing was heard', () => {
    const stale = 'no word of pods for 2s: refused';
    const nothing = { ...OVERVIEW, rows: [], verdict: { mood: 'ok' as const, text: '0 pods healthy' } };
    expect(picture(nothing, START, { ...FRAME, stale })[0]).toBe(stale);
  });

  it('is never green from a dead feed', () => {
    const well: Overview = { ...OVERVIEW, verdict: { mood: 'ok', text: 'all well' } };
    const [fresh] = picture(well, START, { ...FRAME, colours: true });
    const [stale] = picture(well, START, { ...FRAME, colours: true, stale: 'no word of pods for 12s: refused' });
    expect(fresh).toContain('\u001B[32m');
    expect(stale).not.toContain('\u001B[32m');
    expect(stale).toContain('no word of pods for 12s: refused; before that: all well');
  });

  it('keeps what matters where there is little room', () => {
    const text = '1 pod healthy; 1 gave up: shop/api (out of memory)';
    const verdict = { mood: 'stopped' as const, text };
    const lines = picture({ ...OVERVIEW, verdict }, START, { ...FRAME, columns: 40 });
    expect(lines).toEqual([
      '1 pod healthy; 1 gave up: shop/api (out',
      'of memory)',
      '✓ n1: 2 pods, containerd://2.1',
      '   WORKLOAD    READY  NOW AND NEXT',
      '>  deploy/api  0/1    in 38s starts aga…',
      '✓  deploy/web  1/1    ok',
      'enter why   l r t p f   q quit',
    ]);
  });

  it('keeps within its window, whatever the names and words are', () => {
    const long = row('n'.repeat(300), { mood: 'stopped', why: '\u001B[2Jw'.repeat(100) });
    for (const columns of [40, 80, 200]) {
      for (const state of [
        START,
        { ...START, pane: { title: 't'.repeat(300), lines: ['\u0007x'.repeat(200)], top: 0 } },
      ]) {
        const rows = Array.from({ length: 600 }, (_, n) => ({ ...long, namespace: `ns${n}` }));
        const lines = picture({ ...OVERVIEW, rows }, state, { ...FRAME, columns, rows: 20 });
        expect(lines.length).toBeLessThanOrEqual(20);
        for (const line of lines) {
          expect(line.length).toBeLessThanOrEqual(columns);
          expect(line).not.toMatch(/\p{Cc}/u);
        }
      }
    }
  });
});

describe('lines of what changed', () => {
  it('first what is not well, then only what is new', () => {
    expect(changeLines(undefined, OVERVIEW)).toEqual([
      '1 pod healthy; 1 healing',
      '↻ shop deploy/api 0/1: in 38s starts again; CrashLoopBackOff; last death 3m ago: out of memory (limit 64Mi)',
    ]);
    expect(changeLines(OVERVIEW, { ...OVERVIEW, at: NOW + 1000 })).toEqual([]);
    const healed = {
      ...OVERVIEW,
      verdict: { mood: 'ok' as const, text: '2 pods healthy' },
      rows: [row('api'), row('web')],
    };
    expect(changeLines(OVERVIEW, healed)).toEqual(['2 pods healthy', '✓ shop deploy/api 1/1: ok']);
    expect(changeLines(healed, { ...healed, rows: [row('web')] })).toEqual(['- shop deploy/api is gone']);
  });
});

describe('an old picture', () => {
  it.each([
    [[], undefined],
    [[{ resource: 'pods', since: NOW - 12_000, problem: 'refused' }], 'no word of pods for 12s: refused'],
    [[{ resource: 'nodes', since: NOW, problem: 'nodes is forbidden: no' }], undefined],
    [
      [{ resource: 'pods', since: NOW, problem: 'pods is forbidden: no' }],
      'no word of pods for 0s: pods is forbidden: no',
    ],
    [
      [{ resource: 'pods', since: NOW, problem: 'pods is forbidden: no at the cluster scope' }],
      'no word of pods for 0s: pods is forbidden: no at the cluster scope (one namespace is watched with -n)',
    ],
  ])('%j', (failures, text) => expect(staleText(failures, NOW)).toBe(text));
});

describe('the verb', () => {
  let cluster: RestartCluster;
  beforeEach(async () => {
    cluster = await createRestartCluster();
  });

  it('prints the state once', async () => {
    await cluster.pod('web');
    await cluster.pod('sick', { ready: false });
    const run = runWatch(cluster.session(), { namespace: undefined, output: 'text', once: true });
    expect(await cluster.finish(run)).toBe(0);
    expect(cluster.said.out).toMatch(/^\d\d:\d\d:\d\d 1 pod healthy; 1 /);
    expect(cluster.said.out).toContain('default pod/sick');
  });

  it.each(['Ctrl-C', 'the end of its reader'])('ends with %s at once, though nothing changes', async (how) => {
    const end = new AbortController();
    const session = how === 'Ctrl-C' ? cluster.session(end.signal) : { ...cluster.session(), readerGone: end.signal };
    const run = runWatch(session, { namespace: undefined, output: 'text', once: false });
    const { clock } = cluster.api;
    await cluster.finish(
      (async () => {
        while (cluster.said.out === '') await clock.sleep(50);
      })(),
    );
    await clock.advance(5000);
    const before = clock.now().mono;
    end.abort();
    expect(await cluster.finish(run)).toBe(0);
    expect(clock.now().mono - before).toBeLessThan(1000);
  });

  it('as JSON for programs, of one namespace', async () => {
    await cluster.pod('web');
    const run = runWatch(cluster.session(), { namespace: 'elsewhere', output: 'json', once: true });
    expect(await cluster.finish(run)).toBe(0);
    expect(JSON.parse(cluster.said.out)).toMatchObject({ verdict: { mood: 'ok' }, rows: [] });
  });

  it('draws, follows, answers keys, and leaves the terminal as it was', async () => {
    await cluster.pod('web');
    let typed: (text: string) => void = () => {};
    let drawn = '';
    const screen: Terminal = {
      columns: () => 120,
      rows: () => 20,
      write: (text) => {
        drawn += text;
      },
      atExit: () => {},
      keys: (listener) => {
        typed = listener;
        return () => {
          typed = () => {};
        };
      },
    };
    const { api } = cluster;
    const run = runWatch(
      { ...cluster.session(), screen, isPlain: true },
      { namespace: undefined, output: 'text', once: false },
    );
    const until = async (text: string): Promise<void> => {
      const seen = (async () => {
        while (!drawn.includes(text)) await api.clock.sleep(50);
      })();
      await cluster.finish(seen);
    };
    await until('1 pod healthy');
    drawn = '';
    await api.client.delete(PODS, 'default', 'web');
    await until('Terminating');
    await cluster.pod('other', { ready: false });
    await until('pod/other');
    typed('\r');
    await until('why pod/other -n default');
    typed('q');
    typed('q');
    expect(await cluster.finish(run)).toBe(0);
    expect(drawn.endsWith('\u001B[?7h\u001B[?25h\u001B[?1049l')).toBe(true);
  });

  it('says that the server is gone, and that it is back although nothing has changed', async () => {
    await cluster.pod('web');
    const { api } = cluster;
    const server = breakable(api.connection);
    const stop = new AbortController();
    const session = cluster.session(stop.signal, server.connection);
    const feed = watchOverview(session, undefined, new Bell(), stop.signal);
    await cluster.finish(feed.ready);
    const untilFailing = async (count: number): Promise<void> =>
      await cluster.finish(
        (async () => {
          while (feed.failures().length !== count) await api.clock.sleep(50);
        })(),
      );
    await untilFailing(0);
    server.break();
    await untilFailing(10);
    // Pauses have become long.
    await api.clock.advance(40_000);
    server.mend();
    const from = api.clock.now().mono;
    await untilFailing(0);
    expect(api.clock.now().mono - from).toBeLessThan(10_000);
    stop.abort();
  });
});

/** A connection to a server that goes away, with all watches, and comes back. */
function breakable(inner: Connection): { connection: Connection; break: () => void; mend: () => void } {
  let gone = new AbortController();
  const connection: Connection = {
    upgrade: (request) => inner.upgrade(request),
    request: async (request) => {
      if (gone.signal.aborted) throw new ConnectionError('connect ECONNREFUSED');
      const signal = AbortSignal.any([gone.signal, ...(request.signal === undefined ? [] : [request.signal])]);
      return await inner.request({ ...request, signal });
    },
  };
  return {
    connection,
    break: () => gone.abort(new ConnectionError('the connection was reset')),
    mend: () => {
      gone = new AbortController();
    },
  };
}
