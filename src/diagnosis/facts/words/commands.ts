/** Builds command lines of kubectl and mendlet for a pod, with its namespace, and with its owner where a change belongs there. */
import { controllerOf } from '../../../api/index.ts';
import type { Pod, WorkloadObject } from '../../evidence/kinds.ts';
import { shellWord } from './text.ts';

export interface Commands {
  /** The object in which the spec is changed: "deployment/web", or "pod/web" for a pod without an owner. */
  readonly target: string;
  /** Whether the pod's spec can be changed through its owner. */
  readonly owned: boolean;
  /** Whether the owner's template can be changed in place; that of a Job is immutable. */
  readonly settable: boolean;
  /** A kubectl call in the pod's namespace. */
  readonly kubectl: (...words: readonly string[]) => string;
  /** A kubectl call for objects without a namespace, such as nodes and volumes. */
  readonly cluster: (...words: readonly string[]) => string;
  readonly mendlet: (...words: readonly string[]) => string;
  readonly whyNode: (name: string) => string;
  /** Prints the log of the life before. */
  readonly previousLog: (container: string) => string;
  /** Starts a pod without an owner, or a Job, once more as it is. Empty for others. */
  readonly again: readonly string[];
  /** Starts the containers anew: a rollout of its owner's, or a restart of the pod in place. */
  readonly restart: string;
  /** Edits the manifest with the fault: that of the owner, or of a pod, which is then replaced. Empty for a static pod. */
  readonly edit: readonly string[];
}

export function commandsFor(pod: Pod, owner: WorkloadObject | undefined, namespaceFlag: string): Commands {
  const name = pod.metadata?.name ?? '';
  const target = owner === undefined ? ownerFromPod(pod, name) : `${(owner.kind ?? '').toLowerCase()}/${nameOf(owner)}`;
  const owned = !target.startsWith('pod/');
  const flag = namespaceFlag === '' ? [] : [namespaceFlag];
  const kubectl = (...words: readonly string[]): string => ['kubectl', ...flag, ...words.map(shellWord)].join(' ');
  const settable = owned && !target.startsWith('job/');
  // An immutable object is replaced. A Job's selector and labels must go, because they contain its old UID.
  const anew = (what: string, filter = ''): string => {
    const file = `${what.slice(what.indexOf('/') + 1)}.yaml`;
    return `${kubectl('get', what, '-o', 'yaml')}${filter} > ${file} && \${EDITOR:-vi} ${file} && ${kubectl('replace', '--force', '-f', file)}`;
  };
  const whole = owned ? anew(target, ' | sed /controller-uid/d') : anew(`pod/${name}`);
  // What is changed of a CronJob's Job is gone with its next one.
  const cron = owner?.kind === 'Job' ? controllerOf(owner) : undefined;
  const schedule = cron?.kind === 'CronJob' ? cron.name : undefined;
  const edit =
    schedule !== undefined
      ? [kubectl('edit', `cronjob/${schedule}`)]
      : settable
        ? [kubectl('edit', target)]
        : isStatic(pod)
          ? []
          : [whole];
  const isJob = target.startsWith('job/');
  const filter = isJob ? ' | sed /controller-uid/d' : '';
  const once = `${kubectl('get', isJob ? target : `pod/${name}`, '-o', 'yaml')}${filter} | ${kubectl('replace', '--force', '-f', '-')}`;
  const mendlet = (...words: readonly string[]): string => ['mendlet', ...words.map(shellWord), ...flag].join(' ');
  return {
    again:
      schedule !== undefined
        ? [kubectl('create', 'job', `${schedule}-again`, `--from=cronjob/${schedule}`)]
        : isJob || (!owned && !isStatic(pod))
          ? [once]
          : [],
    target,
    owned,
    settable,
    kubectl,
    cluster: (...words) => ['kubectl', ...words.map(shellWord)].join(' '),
    mendlet,
    restart: settable ? kubectl('rollout', 'restart', target) : mendlet('restart', `pod/${name}`),
    whyNode: (name) => `mendlet why ${shellWord(`node/${name}`)}`,
    previousLog: (container) => kubectl('logs', name, '-c', container, '--previous'),
    edit,
  };
}

/** Whether the pod's manifest is a file on its node. */
function isStatic(pod: Pod): boolean {
  return controllerOf(pod)?.kind === 'Node';
}

function nameOf(owner: WorkloadObject): string {
  return owner.metadata?.name ?? '';
}

/** The owner's name by the pod's owner reference, for an owner that could not be read. */
function ownerFromPod(pod: Pod, name: string): string {
  const owner = controllerOf(pod);
  return owner === undefined || isStatic(pod) ? `pod/${name}` : `${owner.kind.toLowerCase()}/${owner.name}`;
}
