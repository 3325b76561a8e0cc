/** Parses the target of `why`. Pure. */
import { UsageError } from '../usage-error.ts';

/** Kinds of the API. */
export type WhyKind = 'Pod' | 'Node' | 'Service' | 'PersistentVolumeClaim' | WhyWorkload;
export type WhyWorkload = 'Deployment' | 'ReplicaSet' | 'StatefulSet' | 'DaemonSet' | 'Job' | 'ReplicationController';

export interface WhyTarget {
  readonly kind: WhyKind;
  readonly name: string;
}

/** Singular, plural and short names, as in kubectl. */
const NAMES: Readonly<Record<WhyKind, readonly string[]>> = {
  Pod: ['pod', 'pods', 'po'],
  Node: ['node', 'nodes', 'no'],
  Service: ['service', 'services', 'svc'],
  PersistentVolumeClaim: ['persistentvolumeclaim', 'persistentvolumeclaims', 'pvc'],
  Deployment: ['deployment', 'deployments', 'deploy'],
  ReplicaSet: ['replicaset', 'replicasets', 'rs'],
  StatefulSet: ['statefulset', 'statefulsets', 'sts'],
  DaemonSet: ['daemonset', 'daemonsets', 'ds'],
  Job: ['job', 'jobs'],
  ReplicationController: ['replicationcontroller', 'replicationcontrollers', 'rc'],
};
const WANTED = 'pod/NAME, deploy/NAME, sts/NAME, ds/NAME, rs/NAME, job/NAME, svc/NAME, pvc/NAME or node/NAME';

/** "pod/web", "pod web" or "web" alone, which is a pod. @throws UsageError */
export function parseWhyTarget(args: readonly string[]): WhyTarget {
  const [first = '', second, ...more] = args;
  if (more.length > 0) throw new UsageError(`One at a time: ${WANTED}.`);
  if (first === '') throw new UsageError(`Say what to ask about: ${WANTED}.`);
  if (second !== undefined) {
    if (first.includes('/') || second.includes('/')) throw new UsageError(`One at a time: ${WANTED}.`);
    return { kind: kindOf(first), name: second };
  }
  const [kind = '', name, ...rest] = first.split('/');
  if (name === undefined) return nameAlone(first);
  if (kind === '' || name === '' || rest.length > 0) throw new UsageError(`"${first}" names nothing: give ${WANTED}.`);
  return { kind: kindOf(kind), name };
}

function nameAlone(name: string): WhyTarget {
  if (findKind(name) !== undefined) throw new UsageError(`Name the ${name}: ${WANTED}.`);
  return { kind: 'Pod', name };
}

function kindOf(text: string): WhyKind {
  const kind = findKind(text);
  if (kind === undefined) throw new UsageError(`"${text}" is not a kind that can be explained: give ${WANTED}.`);
  return kind;
}

/** Accepts "deployments.apps", too. */
function findKind(text: string): WhyKind | undefined {
  const [word = ''] = text.toLowerCase().split('.');
  return (Object.keys(NAMES) as WhyKind[]).find((kind) => NAMES[kind].includes(word));
}
