/** Parses the target of `why`. Pure. */
import { parseLabelSelector, SelectorError } from '../../api/index.ts';
import { UsageError } from '../usage-error.ts';

/** Kinds of the API. */
export type WhyKind =
  | 'Pod'
  | 'Node'
  | 'Service'
  | 'Namespace'
  | 'CronJob'
  | 'PersistentVolumeClaim'
  | 'PersistentVolume'
  | 'VolumeAttachment'
  | 'PodDisruptionBudget'
  | 'HorizontalPodAutoscaler'
  | WhyWorkload;
export type WhyWorkload = 'Deployment' | 'ReplicaSet' | 'StatefulSet' | 'DaemonSet' | 'Job' | 'ReplicationController';

export type WhyTarget =
  | { readonly kind: WhyKind; readonly name: string }
  /** Everything in the cluster. */
  | { readonly kind: 'Cluster' }
  /** The pods of the session's namespace that the selector matches, with their owners. */
  | { readonly kind: 'Selector'; readonly selector: string };

/** Singular, plural and short names, as in kubectl. */
const NAMES: Readonly<Record<WhyKind, readonly string[]>> = {
  Pod: ['pod', 'pods', 'po'],
  Node: ['node', 'nodes', 'no'],
  Service: ['service', 'services', 'svc'],
  Namespace: ['namespace', 'namespaces', 'ns'],
  Deployment: ['deployment', 'deployments', 'deploy'],
  ReplicaSet: ['replicaset', 'replicasets', 'rs'],
  StatefulSet: ['statefulset', 'statefulsets', 'sts'],
  DaemonSet: ['daemonset', 'daemonsets', 'ds'],
  Job: ['job', 'jobs'],
  CronJob: ['cronjob', 'cronjobs', 'cj'],
  ReplicationController: ['replicationcontroller', 'replicationcontrollers', 'rc'],
  PersistentVolumeClaim: ['persistentvolumeclaim', 'persistentvolumeclaims', 'pvc'],
  PersistentVolume: ['persistentvolume', 'persistentvolumes', 'pv'],
  VolumeAttachment: ['volumeattachment', 'volumeattachments'],
  PodDisruptionBudget: ['poddisruptionbudget', 'poddisruptionbudgets', 'pdb'],
  HorizontalPodAutoscaler: ['horizontalpodautoscaler', 'horizontalpodautoscalers', 'hpa'],
};
export const WANTED =
  'pod/NAME, deploy/NAME, sts/NAME, ds/NAME, rs/NAME, job/NAME, cronjob/NAME, svc/NAME, pvc/NAME, pv/NAME, volumeattachment/NAME, pdb/NAME, hpa/NAME, ns/NAME or node/NAME';

export interface WhyScope {
  /** The value of -l. */
  readonly selector?: string;
  /** The value of -n. */
  readonly namespace?: string;
}

/**
 * "pod/web", "pod web" or "web" alone, which is a pod. Without a name the question is about the pods of -l, else about the
 * namespace of -n, else about the whole cluster. @throws UsageError
 */
export function parseWhyTarget(args: readonly string[], { selector, namespace }: WhyScope = {}): WhyTarget {
  const [first = '', second, ...more] = args;
  if (selector !== undefined) return selectorTarget(args, selector);
  if (more.length > 0) throw new UsageError(`One at a time: ${WANTED}.`);
  if (first === '') {
    if (args.length > 0) throw new UsageError(`An empty name names nothing: give ${WANTED}.`);
    return namespace === undefined ? { kind: 'Cluster' } : { kind: 'Namespace', name: namespace };
  }
  if (second !== undefined) {
    if (first.includes('/') || second.includes('/')) throw new UsageError(`One at a time: ${WANTED}.`);
    return { kind: kindOf(first), name: second };
  }
  const [kind = '', name, ...rest] = first.split('/');
  if (name === undefined) return nameAlone(first);
  if (kind === '' || name === '' || rest.length > 0) throw new UsageError(`"${first}" names nothing: give ${WANTED}.`);
  return { kind: kindOf(kind), name };
}

/** "-l app=web", "pods -l app=web" */
function selectorTarget(args: readonly string[], selector: string): WhyTarget {
  const isPods = args.length === 0 || (args.length === 1 && findKind(args[0] ?? '') === 'Pod');
  if (!isPods) throw new UsageError('-l selects pods: give it without a name.');
  try {
    parseLabelSelector(selector);
  } catch (error) {
    if (error instanceof SelectorError) throw new UsageError(`-l: ${error.message}`);
    throw error;
  }
  if (selector.trim() === '') throw new UsageError('-l selects nothing: give labels, for instance app=web.');
  return { kind: 'Selector', selector };
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
export function findKind(text: string): WhyKind | undefined {
  const [word = ''] = text.toLowerCase().split('.');
  return (Object.keys(NAMES) as WhyKind[]).find((kind) => NAMES[kind].includes(word));
}
