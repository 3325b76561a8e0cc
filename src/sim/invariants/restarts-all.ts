/** Finds pods and containers whose rules may restart all containers of the pod, for other invariants. Pure. */
import type { Pod } from '../../api/index.ts';

/** Whether an exit of one container may restart all containers of the pod, without their own back-offs. */
export function mayRestartAll(pod: Pod | undefined): boolean {
  const containers = [...(pod?.spec?.containers ?? []), ...(pod?.spec?.initContainers ?? [])];
  return containers.some(({ restartPolicyRules }) =>
    restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'),
  );
}

/** Whether the container's exit may ask for that; such a container keeps its back-off. */
export function asksForAll(pod: Pod | undefined, container: string): boolean {
  const found = pod?.spec?.containers.find(({ name }) => name === container);
  return found?.restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers') === true;
}
