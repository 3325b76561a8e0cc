/** Whether this node knows that a pod must get no traffic, before any slice says so. Pure. */
import type { Pod, PodStatus } from '../../api/index.ts';
import { isAlive } from '../plan/container-view.ts';
import { sandboxesOf } from '../plan/plan-sandbox.ts';
import type { PodVerdict } from '../ports.ts';
import type { PodObservation, RuntimeContainer } from '../types.ts';

/** The state of a pod after a pass over it. */
export interface JudgedPod {
  readonly pod: Pod;
  readonly observed: PodObservation | undefined;
  readonly status: PodStatus;
  /** Its end has begun. */
  readonly ending: boolean;
  /** It is about to be restarted, and others serve its clients. */
  readonly leaving: boolean;
}

/** Undefined: nothing is known against it. */
export function podVerdict({ pod, observed, status, ending, leaving }: JudgedPod): PodVerdict | undefined {
  const [sandbox] = sandboxesOf(observed);
  if (sandbox?.state !== 'ready') return 'gone';
  const serving = servingContainers(pod, observed);
  if (ending) return serving.length > 0 ? 'leaving' : 'dead';
  if (serving.length < servingNames(pod).size) return 'dead';
  if (leaving) return 'leaving';
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? undefined : 'unready';
}

/** The running containers whose end takes the pod out of service: its app containers and sidecars. */
export function servingContainers(pod: Pod, observed: PodObservation | undefined): readonly RuntimeContainer[] {
  const [sandbox] = sandboxesOf(observed);
  const names = servingNames(pod);
  return (observed?.containers ?? []).filter(
    (each) => isAlive(each) && each.sandboxId === sandbox?.id && names.has(each.name),
  );
}

function servingNames({ spec }: Pod): ReadonlySet<string> {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return new Set([...(spec?.containers ?? []), ...sidecars].map(({ name }) => name));
}
