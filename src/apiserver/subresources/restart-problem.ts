/** Says why a pod cannot be restarted in place, and which owner replaces it, in words for people. Pure. */
import type { OwnerReference, Pod } from '../../api/index.ts';

/** @returns undefined for a pod that may be restarted; a pod that backs off, is unready or wedged is such. */
export function problemOfRestart(pod: Pod, isDeleting: boolean): string | undefined {
  const { phase = 'Pending' } = pod.status ?? {};
  const name = JSON.stringify(pod.metadata?.name ?? '');
  const owner = pod.metadata?.ownerReferences?.find((entry) => entry.controller === true);
  if (phase === 'Succeeded' || phase === 'Failed')
    return `pod ${name} has finished (${phase}) and is not run again; ${replacement(owner)}`;
  if (isDeleting) return `pod ${name} is being deleted (phase ${phase}); ${replacement(owner)}`;
  if (!pod.spec?.nodeName)
    return `pod ${name} has no node yet (phase ${phase}): nothing of it runs that could be restarted`;
  return undefined;
}

const REPLACING: readonly string[] = ['ReplicaSet', 'ReplicationController', 'StatefulSet', 'DaemonSet'];

function replacement(owner: OwnerReference | undefined): string {
  if (owner === undefined)
    return 'no controller owns it: make it again once it is gone ("kubectl replace --force -f FILE" deletes and makes it)';
  const who = `${owner.kind} ${JSON.stringify(owner.name)}`;
  if (REPLACING.includes(owner.kind)) return `${who} replaces it`;
  // Its node runs it again from a file.
  if (owner.kind === 'Node') return `it is a static pod, which the agent of ${who} runs again`;
  return `${who} decides whether another one runs`;
}
