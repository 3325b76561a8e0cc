/** The words of rows and strips. Pure. */
import { formatAge } from '../../diagnosis/index.ts';
import type { Mood, NextStep, NodeRow, WorkloadRow } from '../../overview/index.ts';

/** A sign beside the colour: colours alone say nothing to many. */
export const SIGNS: Readonly<Record<Mood, string>> = {
  done: '·',
  ok: '✓',
  starting: '…',
  ending: '…',
  unready: '!',
  healing: '↻',
  waiting: '!',
  unknown: '?',
  stopped: '✗',
};

export function cellsOf(row: WorkloadRow, now: number): readonly string[] {
  const { mood, namespace, kind, name, ready, wanted, restarts } = row;
  return [
    SIGNS[mood],
    namespace,
    `${kind}/${name}`,
    `${ready}/${wanted}`,
    `${restarts}`,
    deathText(row, now),
    nextText(row, now),
  ];
}

/** Places of the cells that a narrow terminal has room for: what else there is, the answer to "why" says. */
export const NARROW: readonly number[] = [0, 2, 3, 6];

export const HEADS: readonly string[] = [
  '',
  'NAMESPACE',
  'WORKLOAD',
  'READY',
  'RESTARTS',
  'LAST DEATH',
  'NOW AND NEXT',
];

/** "3m ago, back in 1s: out of memory (limit 64Mi)" */
export function deathText({ lastDeath }: WorkloadRow, now: number): string {
  if (lastDeath === undefined) return '-';
  const back = lastDeath.healedMs === undefined ? '' : `, back in ${backText(lastDeath.healedMs)}`;
  return `${formatAge(now - lastDeath.at)} ago${back}: ${lastDeath.words}`;
}

/** Statuses have whole seconds. */
function backText(ms: number): string {
  return ms < 1000 ? 'under 1s' : formatAge(ms);
}

/** "in 38s starts again; CrashLoopBackOff" */
export function nextText({ mood, why, next, paused }: WorkloadRow, now: number): string {
  if (mood === 'ok') return paused === true ? 'ok; healing is paused' : 'ok';
  if (mood === 'done') return 'done';
  if (next === undefined) return why ?? mood;
  // The time is what one looks for, and the end of a cell may be cut.
  return next.at === undefined ? `${why ?? mood}; ${next.words}` : `${stepText(next, next.at, now)}; ${why ?? mood}`;
}

function stepText({ words }: NextStep, at: number, now: number): string {
  return at <= now ? `now ${words}` : `in ${formatAge(at - now)} ${words}`;
}

/** "✓ n1: 12 pods, containerd://1.7.24" */
export function nodeText({ name, mood, troubles, pods, runtime }: NodeRow): string {
  const sign = mood === 'ok' ? SIGNS.ok : mood === 'unknown' ? SIGNS.unknown : SIGNS.waiting;
  const rest = troubles.length === 0 ? runtime : troubles.join(', ');
  return `${sign} ${name}: ${pods} ${pods === 1 ? 'pod' : 'pods'}${rest === '' ? '' : `, ${rest}`}`;
}
