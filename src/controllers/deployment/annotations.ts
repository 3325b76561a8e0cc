/** The annotations by which a deployment and its replica sets remember: revisions, sizes, and what the deployment says. Pure. */
import type { Deployment, ReplicaSet } from '../../api/index.ts';
import { MAX_REVISION_HISTORY_LENGTH } from './limits.ts';
import { desiredOf, fencepostsOf } from './rollout-math.ts';

/** On a replica set and, copied from the newest, on its deployment: the number of the rollout, counted from 1. */
export const REVISION = 'deployment.kubernetes.io/revision';
/** On a replica set that came back: its earlier revisions. */
export const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
/** On a replica set: the deployment's size when it was scaled last. */
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
/** The same with the surge. */
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';

/** Annotations that a replica set does not take over from its deployment. */
const OWN = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
]);

type Annotations = Readonly<Record<string, string>>;

/** The whole number in an annotation; undefined when there is none. */
export function numberIn(
  { metadata }: { readonly metadata?: ReplicaSet['metadata'] },
  name: string,
): number | undefined {
  const text = metadata?.annotations?.[name];
  return text !== undefined && /^-?\d+$/.test(text) ? Number(text) : undefined;
}

/** A set's revision, all 64 bits of it (numbers would lose the last digits of a big one); 0 when it has none that counts. */
export function revisionOf({ metadata }: { readonly metadata?: ReplicaSet['metadata'] }): bigint {
  return parseRevision(metadata?.annotations?.[REVISION]) ?? 0n;
}

function parseRevision(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[-+]?\d{1,19}$/.test(text)) return undefined;
  const revision = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, revision) === revision ? revision : undefined;
}

/** One more than the highest revision among the sets. */
export function nextRevision(sets: readonly ReplicaSet[]): bigint {
  return sets.map(revisionOf).reduce((highest, each) => (each > highest ? each : highest), 0n) + 1n;
}

/** The annotations of a replica set that is scaled. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const desired = desiredOf(deployment);
  return {
    [DESIRED_REPLICAS]: String(desired),
    [MAX_REPLICAS]: String(desired + fencepostsOf(deployment).maxSurge),
  };
}

/**
 * Annotations that the newest replica set must get, none when it has them all. A revision only ever rises: a set that comes
 * back gets a new one, and notes the old.
 * @param current its annotations; undefined for one that is about to be made
 * @param revision one more than that of all others
 */
export function newestSetAnnotations(
  deployment: Deployment,
  current: Annotations | undefined,
  revision: bigint,
): Annotations {
  const wanted: Record<string, string> = {};
  for (const [name, value] of Object.entries(deployment.metadata?.annotations ?? {})) {
    if (!OWN.has(name) && current?.[name] !== value) wanted[name] = value;
  }
  const text = current?.[REVISION];
  const old = text === undefined ? 0n : parseRevision(text);
  if (old === undefined || old >= revision) return wanted;
  wanted[REVISION] = String(revision);
  const history = text === undefined ? undefined : longerHistory(current?.[REVISION_HISTORY] ?? '', text);
  if (history !== undefined) wanted[REVISION_HISTORY] = history;
  return wanted;
}

/** The list with one more at its end, without its oldest where it would be too long. */
function longerHistory(history: string, revision: string): string | undefined {
  if (history === '') return revision;
  let revisions = [...history.split(','), revision];
  while (revisions.length > 0 && revisions.join(',').length > MAX_REVISION_HISTORY_LENGTH)
    revisions = revisions.slice(1);
  return revisions.length === 0 ? undefined : revisions.join(',');
}
