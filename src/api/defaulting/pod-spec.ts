/** Defaults of a PodSpec, in a pod and in every template (upstream `SetDefaults_PodSpec`). They fill a draft in place. */
import type { PodSpec } from '../types.gen.ts';
import { defaultContainer } from './container.ts';
import { defaultVolume } from './volume.ts';

const TERMINATION_GRACE_PERIOD_SECONDS = 30;

export function defaultPodSpec(spec: PodSpec): void {
  // Never absent in upstream either: code that walks them need not check. Validation refuses an empty list.
  spec.containers ??= [];
  // Workload scheduling is behind a gate that is closed.
  delete spec.schedulingGroup;
  spec.dnsPolicy ||= 'ClusterFirst';
  spec.restartPolicy ||= 'Always';
  spec.securityContext ??= {};
  spec.terminationGracePeriodSeconds ??= TERMINATION_GRACE_PERIOD_SECONDS;
  spec.schedulerName ||= 'default-scheduler';
  defaultServiceAccount(spec);
  spec.volumes?.forEach(defaultVolume);
  for (const containers of [spec.containers, spec.initContainers, spec.ephemeralContainers])
    containers?.forEach(defaultContainer);
}

/** The old and the new name of one field always agree; the new one wins. */
function defaultServiceAccount(spec: PodSpec): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}
