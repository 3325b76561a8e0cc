/** The fields that admission fills into pods: pure mutators, in upstream's order. */
import type { Pod, Toleration } from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { isMirrorPod } from './node-restriction.ts';
import type { AdmissionSettings } from './settings.ts';

/** A pod after admission. `old`: the one that it replaces, whose priority it keeps. */
export function admitPod(object: ApiObject, settings: AdmissionSettings, old?: ApiObject): ApiObject {
  const pod = object as Pod;
  if (pod.spec === undefined) return object;
  const spec = { ...pod.spec };
  // A mirror pod stands for one that runs without the API: it has no account.
  if (!spec.serviceAccountName && !isMirrorPod(object)) spec.serviceAccountName = 'default';
  if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName;
  spec.tolerations = withDefaultTolerations(spec.tolerations ?? [], settings);
  const before = (old as Pod | undefined)?.spec;
  if (before?.priority !== undefined) spec.priority = before.priority;
  if (before?.preemptionPolicy !== undefined) spec.preemptionPolicy = before.preemptionPolicy;
  return { ...object, spec };
}

/** DefaultTolerationSeconds: a pod without a toleration for lost nodes stays on one for a while. */
function withDefaultTolerations(tolerations: readonly Toleration[], settings: AdmissionSettings): Toleration[] {
  const defaults: readonly (readonly [string, number])[] = [
    ['node.kubernetes.io/not-ready', settings.notReadyTolerationSeconds],
    ['node.kubernetes.io/unreachable', settings.unreachableTolerationSeconds],
  ];
  const missing = defaults.filter(([key]) => !tolerations.some((toleration) => tolerates(toleration, key)));
  const added = missing.map(([key, tolerationSeconds]) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds,
  }));
  return [...tolerations, ...added];
}

function tolerates({ key, effect }: Toleration, taint: string): boolean {
  return (!key || key === taint) && (!effect || effect === 'NoExecute');
}
