/** Merges the findings of several workloads that have the same service as their cause. Pure. */
import { listed, plural } from '../facts/text.ts';
import type { RankedFinding } from '../finding.ts';
import { MAX_NAMES } from '../limits.ts';

/** A finding of a namespace or cluster with the object that it is about. */
export interface PlacedFinding extends RankedFinding {
  /** "deployment/web", or "shop/deployment/web" in a cluster. */
  readonly target?: string;
}

const MAX_COMMANDS = 4;

/** What happens to all of them, by id. */
const TOGETHER: Readonly<Record<string, string>> = {
  'dependency-refused': 'are refused by one service',
  'dependency-not-resolved': 'do not find one service',
  'dependency-not-ready': 'depend on one service',
  'init-waits': 'wait in their init containers for one service',
};

/** "3 workloads (deployment/a, deployment/b and deployment/c) are refused by one service: service db has no endpoint …" */
export function bySameService(found: readonly PlacedFinding[]): readonly RankedFinding[] {
  const groups = new Map<string, PlacedFinding[]>();
  for (const finding of found) {
    const key = keyOf(finding);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  const done = new Set<string>();
  return found.flatMap((finding) => {
    const key = keyOf(finding);
    const all = key === undefined ? [] : (groups.get(key) ?? []);
    if (key === undefined || targetsOf(all).length < 2) return [finding];
    if (done.has(key)) return [];
    done.add(key);
    return [together(all)];
  });
}

/** Equal where id, severity and service are; undefined: it is told alone. */
function keyOf({ id, severity, blames, target }: PlacedFinding): string | undefined {
  if (blames === undefined || target === undefined || TOGETHER[id] === undefined) return undefined;
  return `${id}|${severity}|${blames.service}|${blames.says}`;
}

function targetsOf(all: readonly PlacedFinding[]): readonly string[] {
  return [...new Set(all.flatMap(({ target }) => target ?? []))];
}

function together(all: readonly PlacedFinding[]): RankedFinding {
  const first = all.reduce((best, one) => (one.rank > best.rank ? one : best));
  const targets = targetsOf(all);
  const what = targets.every((one) => /(?:^|\/)pod\//.test(one)) ? 'pod' : 'workload';
  return {
    ...first,
    container: undefined,
    // No name is left out: who is ill must be known.
    says: `${plural(targets.length, what)} (${targets.length > MAX_NAMES ? targets.join(', ') : listed(targets)}) ${TOGETHER[first.id] ?? ''}: ${first.blames?.says ?? ''}`,
    pods: [...new Set(all.flatMap(({ pods = [] }) => pods))],
    try: [...new Set([...first.try, ...all.slice(0, MAX_COMMANDS).flatMap(({ try: [why] }) => why ?? [])])],
  };
}
