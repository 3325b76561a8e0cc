/** What admission writes into pods: pure mutators, in upstream's order. */
import { forbidden, type Pod, PODS, type Toleration } from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { isMirrorPod } from './node-restriction.ts';

/** Seconds that a pod stays on a node that is not ready (upstream: --default-not-ready-toleration-seconds). */
const DEFAULT_TOLERATION_SECONDS = 300;
const DEFAULT_TOLERATED: readonly string[] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** The classes that exist everywhere (upstream: scheduling.SystemPriorityClasses). */
const SYSTEM_PRIORITIES: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};

/** A pod as admission leaves it. Throws 403 for a priority class that does not exist. */
export function admitPod(object: ApiObject): ApiObject {
  const pod = object as Pod;
  if (pod.spec === undefined) return object;
  const spec = { ...pod.spec };
  // A mirror pod stands for one that runs without the API: it has no account.
  if (!spec.serviceAccountName && !isMirrorPod(object)) spec.serviceAccountName = 'default';
  if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
  spec.tolerations = withDefaultTolerations(spec.tolerations ?? []);
  spec.priority = priorityOf(pod);
  spec.preemptionPolicy ??= 'PreemptLowerPriority';
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

function priorityOf(pod: Pod): number {
  const className = pod.spec?.priorityClassName ?? '';
  const priority = className === '' ? 0 : SYSTEM_PRIORITIES[className];
  const name = pod.metadata?.name ?? '';
  if (priority === undefined) throw forbidden(PODS, name, `no PriorityClass with name ${className} was found`);
  const given = pod.spec?.priority;
  if (given === undefined || given === priority) return priority;
  const text = `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`;
  throw forbidden(PODS, name, text);
}
