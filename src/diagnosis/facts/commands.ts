/** Command lines that fit a pod: kubectl's and mendlet's, with its namespace, and its owner where a change belongs there. */
import { controllerOf } from '../../api/index.ts';
import type { Pod, WorkloadObject } from '../evidence/kinds.ts';
import { shellWord } from './text.ts';

export interface Commands {
  /** "deployment/web", or "pod/web" of a pod that has no owner: where its spec is changed. */
  readonly target: string;
  /** The pod's spec can be changed through its owner. */
  readonly owned: boolean;
  /** Its owner's template can be changed where it is: that of a Job never changes. */
  readonly settable: boolean;
  /** A kubectl call in the pod's namespace. */
  readonly kubectl: (...words: readonly string[]) => string;
  /** A kubectl call about no namespace: nodes, volumes. */
  readonly cluster: (...words: readonly string[]) => string;
  readonly mendlet: (...words: readonly string[]) => string;
  /** The log of the life before. */
  readonly whyNode: (name: string) => string;
  readonly previousLog: (container: string) => string;
  /** Opens the manifest in which the fault is: the owner's, or of a pod that is then made anew. None of a static pod. */
  readonly edit: readonly string[];
}

export function commandsFor(pod: Pod, owner: WorkloadObject | undefined, namespaceFlag: string): Commands {
  const name = pod.metadata?.name ?? '';
  const target = owner === undefined ? ownerFromPod(pod, name) : `${(owner.kind ?? '').toLowerCase()}/${nameOf(owner)}`;
  const owned = !target.startsWith('pod/');
  const flag = namespaceFlag === '' ? [] : [namespaceFlag];
  const kubectl = (...words: readonly string[]): string => ['kubectl', ...flag, ...words.map(shellWord)].join(' ');
  const settable = owned && !target.startsWith('job/');
  // What cannot be changed is made anew; a Job's selector and labels hold the UID that it had.
  const anew = (what: string, filter = ''): string => {
    const file = `${what.slice(what.indexOf('/') + 1)}.yaml`;
    return `${kubectl('get', what, '-o', 'yaml')}${filter} > ${file} && \${EDITOR:-vi} ${file} && ${kubectl('replace', '--force', '-f', file)}`;
  };
  const whole = owned ? anew(target, ' | sed /controller-uid/d') : anew(`pod/${name}`);
  const edit = settable ? [kubectl('edit', target)] : isStatic(pod) ? [] : [whole];
  return {
    target,
    owned,
    settable,
    kubectl,
    cluster: (...words) => ['kubectl', ...words.map(shellWord)].join(' '),
    mendlet: (...words) => ['mendlet', ...words.map(shellWord), ...flag].join(' '),
    whyNode: (name) => `mendlet why ${shellWord(`node/${name}`)}`,
    previousLog: (container) => kubectl('logs', name, '-c', container, '--previous'),
    edit,
  };
}

/** Its manifest is a file on its node. */
function isStatic(pod: Pod): boolean {
  return controllerOf(pod)?.kind === 'Node';
}

function nameOf(owner: WorkloadObject): string {
  return owner.metadata?.name ?? '';
}

/** The owner could not be read: its reference names it. */
function ownerFromPod(pod: Pod, name: string): string {
  const owner = controllerOf(pod);
  return owner === undefined || isStatic(pod) ? `pod/${name}` : `${owner.kind.toLowerCase()}/${owner.name}`;
}
