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

/** "CrashLoopBackOff; starts again in 38s" */
export function nextText({ mood, why, next, paused }: WorkloadRow, now: number): string {
  if (mood === 'ok') return paused === true ? 'ok; healing is paused' : 'ok';
  if (mood === 'done') return 'done';
  const parts = [why ?? mood, ...(next === undefined ? [] : [stepText(next, now)])];
  return parts.join('; ');
}

function stepText({ words, at }: NextStep, now: number): string {
  if (at === undefined) return words;
  return at <= now ? `${words} at any moment` : `${words} in ${formatAge(at - now)}`;
}

/** "✓ n1: 12 pods, containerd://1.7.24" */
export function nodeText({ name, mood, troubles, pods, runtime }: NodeRow): string {
  const sign = mood === 'ok' ? SIGNS.ok : mood === 'unknown' ? SIGNS.unknown : SIGNS.waiting;
  const rest = troubles.length === 0 ? runtime : troubles.join(', ');
  return `${sign} ${name}: ${pods} ${pods === 1 ? 'pod' : 'pods'}, ${rest}`;
}
