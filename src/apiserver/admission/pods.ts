/** What admission writes into pods: pure mutators, in upstream's order. */
import type { Pod, Toleration } from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { isMirrorPod } from './node-restriction.ts';

/** Seconds that a pod stays on a node that is not ready (upstream: --default-not-ready-toleration-seconds). */
const DEFAULT_TOLERATION_SECONDS = 300;
const DEFAULT_TOLERATED: readonly string[] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** A pod as admission leaves it. `old`: the one that it replaces, whose priority it keeps. */
export function admitPod(object: ApiObject, old?: ApiObject): ApiObject {
  const pod = object as Pod;
  if (pod.spec === undefined) return object;
  const spec = { ...pod.spec };
  // A mirror pod stands for one that runs without the API: it has no account.
  if (!spec.serviceAccountName && !isMirrorPod(object)) spec.serviceAccountName = 'default';
  if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
  spec.tolerations = withDefaultTolerations(spec.tolerations ?? []);
  const before = (old as Pod | undefined)?.spec;
  if (before?.priority !== undefined) spec.priority = before.priority;
  if (before?.preemptionPolicy !== undefined) spec.preemptionPolicy = before.preemptionPolicy;
  return { ...object, spec };
}

function withDefaultTolerations(tolerations: readonly Toleration[]): Toleration[] {
  const missing = DEFAULT_TOLERATED.filter((key) => !tolerations.some((toleration) => tolerates(toleration, key)));
  const added = missing.map((key) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: DEFAULT_TOLERATION_SECONDS,
  }));
  return [...tolerations, ...added];
}

function tolerates({ key, effect }: Toleration, taint: string): boolean {
  return (!key || key === taint) && (!effect || effect === 'NoExecute');
}
