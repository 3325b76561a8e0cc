/** Which pods and containers may restart all containers of their pod, for other invariants. Pure. */
import type { Pod } from '../../api/index.ts';

/** Whether an exit of one container may restart all of the pod's: quickly, and not each by its own back-off. */
export function mayRestartAll(pod: Pod | undefined): boolean {
  const containers = [...(pod?.spec?.containers ?? []), ...(pod?.spec?.initContainers ?? [])];
  return containers.some(({ restartPolicyRules }) =>
    restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers'),
  );
}

/** The containers whose exits may ask for it: they keep their back-off. */
export function asksForAll(pod: Pod | undefined, container: string): boolean {
  const found = pod?.spec?.containers.find(({ name }) => name === container);
  return found?.restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers') === true;
}
