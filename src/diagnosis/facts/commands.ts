/** Command lines that fit a pod: kubectl's and mendlet's, with its namespace, and its owner where a change belongs there. */
import { controllerOf } from '../../api/index.ts';
import type { Pod, WorkloadObject } from '../evidence/kinds.ts';
import { shellWord } from './text.ts';

export interface Commands {
  /** "deployment/web", or "pod/web" of a pod that has no owner: where its spec is changed. */
  readonly target: string;
  /** The pod's spec can be changed through its owner. */
  readonly owned: boolean;
  /** A kubectl call in the pod's namespace. */
  readonly kubectl: (...words: readonly string[]) => string;
  /** A kubectl call about no namespace: nodes, volumes. */
  readonly cluster: (...words: readonly string[]) => string;
  readonly mendlet: (...words: readonly string[]) => string;
  /** The log of the life before. */
  readonly previousLog: (container: string) => string;
  /** Opens the manifest in which the fault is: the owner's, or replaces a pod that cannot be changed. */
  readonly edit: readonly string[];
}

export function commandsFor(pod: Pod, owner: WorkloadObject | undefined, namespaceFlag: string): Commands {
  const name = pod.metadata?.name ?? '';
  const target = owner === undefined ? ownerFromPod(pod, name) : `${(owner.kind ?? '').toLowerCase()}/${nameOf(owner)}`;
  const owned = !target.startsWith('pod/');
  const flag = namespaceFlag === '' ? [] : [namespaceFlag];
  const kubectl = (...words: readonly string[]): string => ['kubectl', ...flag, ...words.map(shellWord)].join(' ');
  const edit = owned
    ? [kubectl('edit', target)]
    : [
        `${kubectl('get', `pod/${name}`, '-o', 'yaml')} > ${name}.yaml`,
        kubectl('replace', '--force', '-f', `${name}.yaml`),
      ];
  return {
    target,
    owned,
    kubectl,
    cluster: (...words) => ['kubectl', ...words.map(shellWord)].join(' '),
    mendlet: (...words) => ['mendlet', ...words.map(shellWord), ...flag].join(' '),
    previousLog: (container) => kubectl('logs', name, '-c', container, '--previous'),
    edit,
  };
}

function nameOf(owner: WorkloadObject): string {
  return owner.metadata?.name ?? '';
}

/** The owner could not be read: its reference names it. */
function ownerFromPod(pod: Pod, name: string): string {
  const owner = controllerOf(pod);
  // A mirror pod is "owned" by its node: its manifest is a file there.
  return owner === undefined || owner.kind === 'Node' ? `pod/${name}` : `${owner.kind.toLowerCase()}/${owner.name}`;
}
