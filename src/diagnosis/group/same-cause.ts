/** Merges the findings of several workloads that have one cause: a service of which nothing is ready, or what its peer says to all. Pure. */
import { listed, plural } from '../facts/words/text.ts';
import type { Blame, RankedFinding } from '../finding.ts';
import { MAX_NAMES } from '../limits.ts';
import { ordered } from '../order-findings.ts';

/** A finding of a namespace or cluster with the object that it is about. */
export interface PlacedFinding extends RankedFinding {
  /** "deployment/web", or "shop/deployment/web" in a cluster. */
  readonly target?: string;
}

const MAX_COMMANDS = 4;

/** What happens to all that need a service of which nothing is ready, by id. */
const AWAY: Readonly<Record<string, string>> = {
  'dependency-refused': 'are refused by one service',
  'dependency-not-resolved': 'do not find one service',
  'dependency-not-ready': 'depend on one service',
  'init-waits': 'wait in their init containers for one service',
};
const SEVERAL_WAYS = 'need one service';

/** What is wrong with a peer, whoever asks. */
const OF_PEER_ALONE: ReadonlySet<string> = new Set(['connections-exhausted', 'dependency-times-out']);
/** What a peer says of who asks and of what is asked for, which is one cause only in the same words. */
const OF_PEER: ReadonlySet<string> = new Set(['authentication-refused', 'missing-data', 'not-allowed', 'tls-mismatch']);

/**
 * "3 workloads (deployment/a, deployment/b and deployment/c) are refused by one service: service db has no endpoint …", or, of what
 * lies in the peer itself, "4 of 15 pods (…) have one cause: db:5432 gives no connection any more: …".
 * @param total all pods that are asked about
 */
export function bySameCause(found: readonly PlacedFinding[], total: number): readonly RankedFinding[] {
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
    return [together(all, total)];
  });
}

/** Equal where the service is, and for what lies in the peer itself also the kind of it; undefined: it is told alone. */
function keyOf({ id, severity, blames, target }: PlacedFinding): string | undefined {
  if (blames === undefined || target === undefined || severity === 'info') return undefined;
  if (AWAY[id] !== undefined) return `away|${blames.service}`;
  if (OF_PEER_ALONE.has(id)) return `${id}|${blames.service}`;
  return OF_PEER.has(id) ? `${id}|${blames.service}|${blames.says}` : undefined;
}

function targetsOf(all: readonly PlacedFinding[]): readonly string[] {
  return [...new Set(all.flatMap(({ target }) => target ?? []))];
}

function together(all: readonly PlacedFinding[], total: number): RankedFinding {
  const [first = all[0] as PlacedFinding] = ordered(all);
  const targets = targetsOf(all);
  const pods = [...new Set(all.flatMap(({ pods: own = [] }) => own))];
  const isAway = AWAY[first.id] !== undefined;
  const what = targets.every((one) => /(?:^|\/)pod\//.test(one)) ? 'pod' : 'workload';
  const who = isAway || pods.length === 0 ? plural(targets.length, what) : `${pods.length} of ${plural(total, 'pod')}`;
  // No name is left out: who is ill must be known.
  const names = targets.length > MAX_NAMES ? targets.join(', ') : listed(targets);
  // The one that is nearest to the cause says it shortest.
  const [cause] = all.flatMap(({ blames }) => blames ?? []).toSorted((a, b) => a.says.length - b.says.length);
  const ofEach = all.slice(0, MAX_COMMANDS).flatMap(({ try: [why] }) => why ?? []);
  return {
    ...first,
    container: undefined,
    says: `${who} (${names}) ${isAway ? fateOf(all) : 'have one cause'}: ${cause?.says ?? ''}`,
    ...(cause && { blames: cause }),
    manifest: undefined,
    pods,
    try: [...new Set([...commandsAbout(cause, first), ...(isAway ? first.try : []), ...ofEach])],
  };
}

function fateOf(all: readonly PlacedFinding[]): string {
  // Some may need it only because another service does.
  const ways = new Set(all.map(({ id, blames }) => `${id} ${blames?.says ?? ''}`));
  return ways.size > 1 ? SEVERAL_WAYS : (AWAY[all[0]?.id ?? ''] ?? SEVERAL_WAYS);
}

/** The question about the place of the cause comes before those about who suffers from it. */
function commandsAbout(cause: Blame | undefined, { try: [why = ''] }: PlacedFinding): readonly string[] {
  const [namespace, name] = (cause?.service ?? '').split('/');
  if (namespace === undefined || name === undefined) return [];
  const flag = / -n \S+$/.exec(why) === null ? '' : ` -n ${namespace}`;
  return [`mendlet why service/${name}${flag}`];
}
