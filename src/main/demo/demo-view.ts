/** How the demo looks: a table of the pods and what happened to them. Pure: state in, lines out. */
import { visibleText } from '../../lib/index.ts';
import { demoNamespace, demoPods } from './demo-pods.ts';
import { type DemoState, formatMs, type PodView, type TimelineEntry } from './demo-state.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (style: Style, text: string) => string;

const codes: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

export const ansiPaint: Paint = (style, text) => `\x1b[${codes[style][0]}m${text}\x1b[${codes[style][1]}m`;
export const plainPaint: Paint = (_style, text) => text;

export interface ViewOptions {
  readonly columns: number;
  readonly rows: number;
  readonly mono: number;
  /** When the demo began, mono ms. */
  readonly began: number;
  readonly runtime: string;
  readonly kubeconfig: string;
  readonly paint: Paint;
}

/** The whole screen: at most `rows` lines of at most `columns` characters (the kubectl command is never cut). */
export function demoScreen(state: DemoState, options: ViewOptions): readonly string[] {
  const { columns, rows, paint } = options;
  const line = (given: string, style?: Style): string => {
    const text = visibleText(given.replace(/[\t\n\r]+/g, ' '));
    const short = text.length > columns ? `${text.slice(0, columns - 1)}…` : text;
    return style === undefined ? short : paint(style, short);
  };
  const head = [
    line(
      `mendlet demo: pods fail and heal, on ${options.runtime}, for ${spanText(options.mono - options.began)}`,
      'bold',
    ),
    '',
    ...podTable(state, options.mono).map(({ text, style }) => line(text, style)),
    '',
    line('WHAT HAPPENED', 'dim'),
  ];
  const foot = [
    '',
    line(summary(state), 'bold'),
    line('Look for yourself, in another terminal:', 'dim'),
    paint('cyan', `  ${lookCommand(options.kubeconfig)}`),
    paint('cyan', `  ${pageCommand(options.kubeconfig)}`),
    line('Ctrl-C ends the demo and removes everything.', 'dim'),
  ];
  const room = Math.max(1, rows - head.length - foot.length - 1);
  const entries = state.timeline
    .slice(-room)
    .map((entry) => line(entryText(entry, options.began), entryStyles[entry.kind]));
  const none = entries.length === 0 ? [line('nothing yet: the first one dies in a moment', 'dim')] : [];
  return [...head, ...none, ...entries, ...foot];
}

export function lookCommand(kubeconfig: string): string {
  return `kubectl --kubeconfig ${kubeconfig} -n ${demoNamespace} describe pod crasher`;
}

/** Prints a link to the live page. */
export function pageCommand(kubeconfig: string): string {
  return `mendlet dashboard --kubeconfig ${kubeconfig}`;
}

const entryStyles: Readonly<Record<TimelineEntry['kind'], Style>> = {
  death: 'red',
  healing: 'green',
  probe: 'yellow',
  'back-off': 'yellow',
};

/** "00:12  crasher  died, exit code 1": a line of the timeline, and of the log when there is no terminal. */
export function entryText(entry: TimelineEntry, began: number): string {
  return `${clockText(entry.at - began)}  ${entry.pod.padEnd(8)}  ${entry.text}`;
}

/** The last column is the one that a narrow window cuts. */
const titles = ['POD', 'NOW', 'RESTARTS', 'HEALED IN', 'LAST DEATH', 'WHAT IT DOES'];

/** Columns as wide as they need to be, like kubectl's. */
function podTable(state: DemoState, mono: number): readonly { readonly text: string; readonly style?: Style }[] {
  const rows = demoPods.map(({ name, what }) => {
    const pod = state.pods[name];
    const now = nowText(pod, mono);
    const death = pod?.lastDeath === undefined ? '-' : `${pod.lastDeath.short}, ${agoText(mono - pod.lastDeath.at)}`;
    const healed = pod?.healedInMs === undefined ? '-' : formatMs(pod.healedInMs);
    return { ...now, cells: [name, now.text, String(pod?.restarts ?? 0), healed, death, what] };
  });
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...rows.map(({ cells }) => cells[column]?.length ?? 0)),
  );
  const join = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [{ text: join(titles), style: 'dim' }, ...rows.map((row) => ({ ...row, text: join(row.cells) }))];
}

function nowText(pod: PodView | undefined, mono: number): { readonly text: string; readonly style?: Style } {
  if (pod === undefined) return { text: 'being created', style: 'dim' };
  const { now } = pod;
  if (now.kind === 'dead') return { text: 'dead', style: 'red' };
  if (now.kind === 'pending') return { text: now.reason, style: 'yellow' };
  if (now.kind === 'back-off') {
    if (now.until === undefined) return { text: 'back-off', style: 'yellow' };
    const seconds = Math.ceil((now.until - mono) / 1000);
    return { text: seconds <= 0 ? 'back-off: starts now' : `back-off: starts in ${seconds} s`, style: 'yellow' };
  }
  if (pod.probeFailure !== undefined) return { text: 'hangs', style: 'red' };
  return {
    text: `running for ${spanText(mono - now.since)}${now.ready ? '' : ', not ready'}`,
    ...(now.ready ? { style: 'green' } : {}),
  };
}

/** One sentence on all that happened. */
export function summary(state: DemoState): string {
  if (state.deaths === 0) return 'No death yet.';
  const slowest =
    state.slowestHealingMs > 0
      ? `; the slowest healing without a back-off took ${formatMs(state.slowestHealingMs)}`
      : '';
  return `${state.deaths} ${state.deaths === 1 ? 'death' : 'deaths'}, ${state.healings} healed${slowest}.`;
}

function clockText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
}

function spanText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function agoText(ms: number): string {
  return ms < 1000 ? 'just now' : `${spanText(ms)} ago`;
}
