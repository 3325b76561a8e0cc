/** How clients of this program name themselves: the server keeps the first part as the manager of the fields that they write. */
import { kubernetesVersion } from './version.ts';

/** @param component "kubelet" and the like bear upstream's names; all else is mendlet's own */
export function userAgentOf(component: string): string {
  const name = component.startsWith('kube') ? component : `mendlet-${component}`;
  return `${name}/${kubernetesVersion}`;
}
