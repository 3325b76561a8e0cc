/** Says that what is shown is old. Pure. */
import { formatAge } from '../../diagnosis/index.ts';
import { visibleLine } from '../../lib/index.ts';
import type { Failure } from './cluster-feed.ts';

/** Without these one sees less, and nothing that is false: who may not read them is told once, below. */
const OPTIONAL = new Set(['nodes', 'leases', 'cronjobs', 'replicationcontrollers']);

/**
 * "no word of pods for 12s: …"; undefined: all is heard.
 * @param now wall ms of this machine, as the failures' times
 */
export function staleText(failures: readonly Failure[], now: number): string | undefined {
  const counting = failures.filter(({ resource, problem }) => !(OPTIONAL.has(resource) && /forbidden/i.test(problem)));
  const [first] = counting.toSorted((a, b) => a.since - b.since);
  if (first === undefined) return undefined;
  const others = counting.length > 1 ? ` and ${counting.length - 1} more` : '';
  const hint = /forbidden.*at the cluster scope/s.test(first.problem) ? ' (one namespace is watched with -n)' : '';
  return visibleLine(
    `no word of ${first.resource}${others} for ${formatAge(now - first.since)}: ${first.problem}${hint}`,
  );
}
