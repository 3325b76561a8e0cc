/** States, lives and changes of a cluster that is not there: what the live page is built and tried with. Deterministic. */
import type {
  Delta,
  Life,
  Mood,
  PageDeath,
  PageNode,
  PageRow,
  PageState,
  StreamMessage,
} from '../../src/page/contract.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Texts that try to be something else: markup, another direction, a second line, controls, an ending script. */
export const HOSTILE = {
  name: '<img src=x onerror=alert(1)>',
  bidi: 'api\u202egpj.exe',
  script: '</script><script>alert(1)</script>',
  control: 'red \u001b[31malert\u0007 \u0000 \u200b\u2066x',
  lines: 'one\ntwo\r\nthree',
  quote: `a'b"c$(reboot)\`id\``,
} as const;

/** Numbers from a seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Pick = <T>(from: readonly [T, ...T[]]) => T;

function picker(random: () => number): Pick {
  return (from) => from[Math.floor(random() * from.length)] ?? from[0];
}

const CAUSES = [
  'out of memory (limit 512Mi)',
  'exit code 1: Error: connect ECONNREFUSED 10.0.0.7:5432',
  'liveness probe failed: HTTP 503 of /healthz',
  'exit code 137: killed after the grace period of 30 s',
  'panic: runtime error: index out of range [5] with length 3',
] as const;

function barOf(random: () => number, mood: Mood): string {
  const cells = Array.from({ length: 96 }, () => 'o');
  const trouble = random() < 0.4 ? Math.floor(random() * 3) + 1 : 0;
  for (let count = 0; count < trouble; count += 1) {
    const at = Math.floor(random() * 90);
    cells[at] = random() < 0.4 ? 'x' : 'd';
    cells[at + 1] = 'h';
  }
  if (random() < 0.08) cells.fill('.', 0, Math.floor(random() * 80));
  if (random() < 0.05) cells.fill('?', 30, 36);
  if (mood === 'stopped' || mood === 'waiting') cells.fill('x', 88);
  else if (mood === 'healing') cells.fill('x', 94);
  else if (mood === 'unready') cells.fill('d', 93);
  else if (mood === 'unknown') cells.fill('?', 92);
  return cells.join('');
}

function deathOf(random: () => number, name: string, at: number, isBack: boolean): PageDeath {
  return {
    pod: `${name}-7d9f8c6b5-x2x4z`,
    container: 'app',
    at,
    words: picker(random)(CAUSES),
    ...(isBack ? { healedMs: Math.round(80 + random() ** 4 * 60_000) } : {}),
  };
}

const TROUBLE: Readonly<Partial<Record<Mood, Partial<PageRow>>>> = {
  healing: { why: 'CrashLoopBackOff' },
  stopped: { why: 'gave up after 8 attempts: restart it when the cause is gone' },
  waiting: { why: 'ImagePullBackOff: manifest unknown', next: { words: 'pulls again' } },
  unready: { why: 'readiness probe failed: HTTP 503', next: { words: 'probes again' } },
  unknown: { why: 'node worker-3 is not heard for 2 min', next: { words: 'moves to another node' } },
  starting: { why: 'init container migrate runs' },
};

/** A row; `mood` decides what else it tells. @param index makes names and figures differ */
export function fixtureRow(random: () => number, index: number, mood: Mood, now: number): PageRow {
  const pick = picker(random);
  const namespace = pick(['shop', 'payments', 'search', 'infra', 'monitoring', 'kube-system']);
  const name = `${pick(['api', 'web', 'worker', 'cache', 'orders', 'mailer', 'ledger', 'index', 'gateway'])}-${index}`;
  const kind = pick(['deploy', 'deploy', 'deploy', 'sts', 'ds', 'job', 'pod']);
  const wanted = kind === 'pod' ? 1 : 1 + Math.floor(random() * 3);
  const isWell = mood === 'ok' || mood === 'done';
  const died = !isWell || random() < 0.3;
  const restartsDay = died ? 1 + Math.floor(random() * 5) : 0;
  const trouble = TROUBLE[mood] ?? {};
  const next =
    mood === 'healing'
      ? { words: 'starts again (attempt 4 of 8, then it gives up)', at: now + 20_000 + Math.floor(random() * 200_000) }
      : trouble.next === undefined
        ? undefined
        : { ...trouble.next, at: now + 8_000 + Math.floor(random() * 90_000) };
  const deadFor = isWell ? random() * 20 * HOUR : random() * 5 * MINUTE;
  return {
    id: `${kind}/${namespace}/${name}`,
    kind,
    namespace,
    name,
    mood,
    ...(trouble.why === undefined ? {} : { why: trouble.why }),
    ready: isWell ? wanted : wanted - 1,
    wanted,
    restarts: restartsDay + (random() < 0.2 ? Math.floor(random() * 30) : 0),
    restartsDay,
    ...(died ? { lastDeath: deathOf(random, name, now - deadFor, isWell) } : {}),
    ...(next === undefined ? {} : { next }),
    ...(random() < 0.7 ? { endpoints: isWell ? wanted : wanted - 1 } : {}),
    bar: barOf(random, mood),
    pods: Array.from({ length: wanted }, (_, pod) => ({
      name: `${name}-7d9f8c6b5-${'x2x4z'.slice(0, 4)}${pod}`,
      node: `worker-${(index + pod) % 4}`,
      mood: pod === 0 ? mood : ('ok' as const),
      ...(pod === 0 && trouble.why !== undefined ? { why: trouble.why } : {}),
      ready: pod > 0 || isWell,
      restarts: pod === 0 ? restartsDay : 0,
      containers: random() < 0.3 ? ['app', 'sidecar'] : ['app'],
    })),
  };
}

const TROUBLED: readonly Mood[] = ['stopped', 'unknown', 'waiting', 'healing', 'healing', 'unready', 'starting'];

function nodesOf(count: number): readonly PageNode[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `worker-${index}`,
    mood: index === 3 ? ('unknown' as const) : index === 2 ? ('troubled' as const) : ('ok' as const),
    troubles: index === 3 ? ['not heard for 2 min'] : index === 2 ? ['disk pressure'] : [],
    runtime: 'containerd 2.3.1',
    agent: 'mendlet 0.1.0',
    pods: 12 + index * 3,
    diskUsedPercent: [41, 63, 92, 58][index] ?? 50,
    ...(index === 0 ? { server: '0.1.0' } : {}),
  }));
}

export interface FixtureOptions {
  readonly rows: number;
  readonly now: number;
  /** Rows that are not well. */
  readonly troubled?: number;
  readonly nodes?: number;
  readonly mayWrite?: boolean;
  /** A row whose names and texts are hostile. */
  readonly isHostile?: boolean;
}

/** The same options give the same state. */
export function fixtureState({
  rows,
  now,
  troubled = 0,
  nodes = 3,
  mayWrite = true,
  isHostile,
}: FixtureOptions): PageState {
  const random = seeded(rows + troubled * 1_000);
  const all = Array.from({ length: rows }, (_, index) =>
    fixtureRow(random, index, index < troubled ? (TROUBLED[index % TROUBLED.length] ?? 'ok') : 'ok', now),
  );
  const hostile = isHostile === true ? [hostileRow(now)] : [];
  const gaveUp = all.filter(({ mood }) => mood === 'stopped');
  const healing = all.filter(({ mood }) => mood === 'healing').length;
  return {
    revision: 1,
    at: now,
    cluster: 'shop-production',
    you: 'ada@example.com',
    mayWrite,
    verdict: {
      mood: gaveUp.length > 0 ? 'stopped' : troubled > 0 ? 'troubled' : 'ok',
      text: [
        `${all.filter(({ mood }) => mood === 'ok').reduce((sum, { wanted }) => sum + wanted, 0)} pods healthy`,
        healing === 0 ? '' : `${healing} healing`,
        '2 healed in the last hour',
        ...gaveUp.slice(0, 1).map(({ namespace, name }) => `1 gave up: ${namespace}/${name}, out of memory`),
      ]
        .filter((part) => part !== '')
        .join('; '),
    },
    day: { healed: 13, healedAlone: 12, meanMs: 1_240, p90Ms: 4_100 },
    week: { healed: 44, healedAlone: 41, meanMs: 2_310, p90Ms: 8_700 },
    rows: [...hostile, ...all],
    nodes: nodesOf(nodes),
  };
}

export function hostileRow(now: number): PageRow {
  return {
    id: `deploy/${HOSTILE.bidi}/${HOSTILE.name}`,
    kind: 'deploy',
    namespace: HOSTILE.bidi,
    name: HOSTILE.name,
    mood: 'healing',
    why: HOSTILE.script,
    ready: 0,
    wanted: 1,
    restarts: 3,
    lastDeath: { pod: HOSTILE.name, container: HOSTILE.quote, at: now - 4_000, words: HOSTILE.control },
    next: { words: HOSTILE.lines, at: now + 30_000 },
    bar: '<x>&"o',
    pods: [
      {
        name: HOSTILE.quote,
        node: HOSTILE.script,
        mood: 'healing',
        why: HOSTILE.control,
        ready: false,
        restarts: 3,
        containers: [HOSTILE.name],
      },
    ],
  };
}

/** A few of its rows changed, a few times a second: what a busy cluster sends. */
export function fixtureDelta(state: PageState, random: () => number, now: number): Delta {
  const count = Math.max(1, Math.min(8, Math.floor(state.rows.length / 40)));
  const rows = Array.from({ length: count }, () => state.rows[Math.floor(random() * state.rows.length)]).flatMap(
    (row): readonly PageRow[] =>
      row === undefined
        ? []
        : row.mood === 'ok'
          ? [{ ...row, mood: 'healing', ready: row.wanted - 1, lastDeath: deathOf(random, row.name, now, false) }]
          : row.mood === 'healing' && row.lastDeath !== undefined
            ? [withoutNext({ ...row, mood: 'ok', ready: row.wanted, lastDeath: { ...row.lastDeath, healedMs: 420 } })]
            : [],
  );
  return { type: 'delta', revision: state.revision + 1, at: now, rows };
}

function withoutNext(row: PageRow): PageRow {
  const copy: { -readonly [Field in keyof PageRow]: PageRow[Field] } = { ...row };
  delete copy.next;
  delete copy.why;
  return copy;
}

export function fixtureBeat(now: number): StreamMessage {
  return { type: 'beat', at: now };
}

/** The life of a row, with deaths, findings, events and a day of figures. */
export function fixtureLife(row: PageRow, now: number): Life {
  const random = seeded(row.name.length * 77 + row.restarts);
  const ages = [3 * MINUTE, 22 * MINUTE, 5 * HOUR].slice(0, row.lastDeath === undefined ? 0 : 3);
  return {
    row,
    deaths: ages.map((age, index) => ({
      ...deathOf(random, row.name, now - age, index > 0 || row.mood === 'ok'),
      exit: 'exit code 137 (SIGKILL), by the kernel',
      evidence: {
        lastLines: [
          '14:02:11.231 INFO  batch 4711 of 9000 loaded',
          '14:02:11.902 WARN  heap 498 MiB, the pause was 212 ms',
          '14:02:12.044 INFO  batch 4712 of 9000 loaded',
        ],
        probes: index === 0 ? ['liveness: HTTP 200 in 3 ms, 4 s before'] : [],
        memory: '511 Mi of 512 Mi, 40 Mi more within the last minute',
        cpu: '0.82 of 1 core',
      },
      before: index === 0 ? ['image shop/api:1.4.2 → shop/api:1.5.0, 2 min before'] : [],
      done: ['started again at once', 'taken from the service for 0.4 s'],
    })),
    findings:
      row.mood === 'ok'
        ? []
        : [
            {
              severity: 'critical',
              headline: 'app needs more memory than its limit of 512Mi',
              evidence: [
                '3 deaths out of memory in 25 min',
                'the peak was 511 Mi each time',
                'new since shop/api:1.5.0',
              ],
              commands: [
                `kubectl -n ${row.namespace} set resources ${row.kind}/${row.name} -c app --limits=memory=1Gi`,
                `kubectl -n ${row.namespace} rollout undo ${row.kind}/${row.name}`,
              ],
            },
            {
              severity: 'warning',
              headline: 'the database refuses connections now and then',
              evidence: ['Error: connect ECONNREFUSED 10.0.0.7:5432'],
              commands: [],
            },
          ],
    missing: row.mood === 'ok' ? [] : ['node worker-3 does not answer', 'the log of pod/db-0 is gone'],
    events: [
      {
        at: now - 3 * MINUTE,
        type: 'Warning',
        reason: 'BackOff',
        object: `pod/${row.name}-7d9f`,
        words: 'back-off of 40 s before the next start',
        count: 4,
      },
      {
        at: now - 4 * MINUTE,
        type: 'Normal',
        reason: 'Started',
        object: `pod/${row.name}-7d9f`,
        words: 'container app has started',
        count: 5,
      },
      {
        at: now - 9 * MINUTE,
        type: 'Normal',
        reason: 'Pulled',
        object: `pod/${row.name}-7d9f`,
        words: 'the image shop/api:1.5.0 was there',
        count: 1,
      },
    ],
    series: {
      stepMs: 5 * MINUTE,
      from: now - 24 * HOUR,
      cpu: Array.from({ length: 288 }, (_, step) =>
        step > 100 && step < 108 ? null : 0.2 + 0.15 * Math.sin(step / 30) + random() * 0.08,
      ),
      memory: Array.from({ length: 288 }, (_, step) =>
        step > 100 && step < 108 ? null : (180 + (step % 96) * 3.2 + random() * 12) * 1024 * 1024,
      ),
      restarts: Array.from({ length: 288 }, (_, step) => (step % 96 === 0 && step > 0 ? 1 + (step % 3) : 0)),
    },
  };
}
