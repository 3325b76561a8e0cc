/** The one line above all rows. Pure. */
import { HEALED_LATELY_MS, MANY_RESTARTS, MAX_NAMED, STAYS_UP_MS } from './limits.ts';
import type { NodeRow, PodView, Verdict, WorkloadRow } from './types.ts';

export function verdictOf(rows: readonly WorkloadRow[], nodes: readonly NodeRow[], now: number): Verdict {
  const pods = rows.flatMap((row) => row.pods);
  const count = (moods: readonly PodView['mood'][]): number => pods.filter(({ mood }) => moods.includes(mood)).length;
  const healed = pods.filter((pod) => hasHealed(pod, now)).length;
  const stopped = rows.filter(({ mood }) => mood === 'stopped');
  const silent = nodes.filter(({ mood }) => mood === 'unknown');
  const healing = count(['healing']);
  const stuck = count(['waiting', 'unknown', 'unready']);
  const starting = count(['starting']);
  const lacking = rows.filter(({ mood, pods: own }) => mood === 'waiting' && own.length === 0);
  const parts = [
    `${plural(count(['ok']), 'pod')} healthy`,
    starting === 0 ? '' : `${starting} starting`,
    healing === 0 ? '' : `${healing} healing`,
    stuck === 0
      ? ''
      : `${stuck} not well: ${named(rows.filter(({ mood }) => ['waiting', 'unknown', 'unready'].includes(mood)))}`,
    lacking.length === 0 || stuck > 0 ? '' : `${plural(lacking.length, 'workload')} without pods: ${named(lacking)}`,
    healed === 0 ? '' : `${healed} healed in the last hour`,
    stopped.length === 0 ? '' : `${stopped.length} gave up: ${named(stopped)}`,
    silent.length === 0
      ? ''
      : `${plural(silent.length, 'node')} not heard: ${silent
          .slice(0, MAX_NAMED)
          .map(({ name }) => name)
          .join(', ')}`,
  ];
  const isTroubled =
    stuck > 0 || silent.length > 0 || lacking.length > 0 || nodes.some(({ mood }) => mood === 'troubled');
  return {
    mood: stopped.length > 0 ? 'stopped' : isTroubled ? 'troubled' : healing > 0 ? 'healing' : 'ok',
    text: parts.filter((part) => part !== '').join('; '),
  };
}

/** In the last hour. A pod that dies again and again has healed when it has stayed up for a while. */
function hasHealed({ mood, lastDeath, restarts }: PodView, now: number): boolean {
  if (mood !== 'ok' || lastDeath?.healedMs === undefined) return false;
  const upMs = now - lastDeath.at - lastDeath.healedMs;
  return now - lastDeath.at <= HEALED_LATELY_MS && (restarts < MANY_RESTARTS || upMs >= STAYS_UP_MS);
}

/** "shop/api, out of memory"; of several: "shop/api (out of memory), shop/web and 2 more" */
function named(rows: readonly WorkloadRow[]): string {
  const names = rows.slice(0, MAX_NAMED).map(({ namespace, name, lastDeath, why }) => {
    const cause = lastDeath?.words ?? why;
    if (cause === undefined) return `${namespace}/${name}`;
    return rows.length === 1 ? `${namespace}/${name}, ${short(cause)}` : `${namespace}/${name} (${short(cause)})`;
  });
  const more = rows.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const MAX_CAUSE = 60;

function short(text: string): string {
  return text.length <= MAX_CAUSE ? text : `${text.slice(0, MAX_CAUSE - 1)}…`;
}

function plural(count: number, word: string): string {
  return `${count} ${count === 1 ? word : `${word}s`}`;
}
