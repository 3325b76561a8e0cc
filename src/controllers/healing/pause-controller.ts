/**
 * The pause of a workload → annotations of its pods, also of those that are made later. Keys are pods. An agent knows nothing of
 * workloads, so it may run below any API server.
 */
import {
  DAEMON_SETS,
  DEPLOYMENTS,
  HEALING_PAUSED,
  HEALING_PAUSED_FROM,
  isDeleting,
  type KubeObject,
  nameOf,
  namespaceOf,
  pausedFrom,
  pauseText,
  type Pod,
  PODS,
  type Resource,
  STATEFUL_SETS,
} from '../../api/index.ts';
import { type Change, type Informers, type Lister, METADATA, objectKey } from '../../client/index.ts';
import { type Controller, type ControllerSource, source } from '../controller.ts';
import { annotatePod } from './annotate-pod.ts';
import { type PauseOwner, pauseOwnerOf, planPodPause } from './plan-pod-pause.ts';

const OF_WORKLOADS = { form: METADATA };
const WORKLOADS: readonly Resource<KubeObject>[] = [DEPLOYMENTS, STATEFUL_SETS, DAEMON_SETS];

export function pauseController(informers: Informers): Controller {
  const pods = informers.lister(PODS);
  const workloads = new Map(WORKLOADS.map((resource) => [resource.kind, informers.lister(resource, OF_WORKLOADS)]));
  const find = (pod: Pod, owner: PauseOwner | undefined): KubeObject | undefined =>
    owner === undefined ? undefined : workloads.get(owner.kind)?.get(namespaceOf(pod), owner.name);
  return {
    name: 'healing-pause',
    sources: [
      source(PODS, (change) => {
        if (change.type === 'delete' || !isNews(change)) return [];
        const { object: pod } = change;
        const isMarked = pod.metadata?.annotations?.[HEALING_PAUSED_FROM] !== undefined;
        const workload = find(pod, pauseOwnerOf(pod));
        return isMarked || (workload !== undefined && pauseText(workload) !== undefined) ? [objectKey(pod)] : [];
      }),
      ...WORKLOADS.map((resource) => podsOf(resource, pods)),
    ],
    reconcile: async (key, context) => {
      const pod = pods.getByKey(key);
      if (pod === undefined) return;
      const owner = pauseOwnerOf(pod);
      const workload = find(pod, owner);
      const paused =
        owner === undefined || workload === undefined ? undefined : { ...owner, metadata: workload.metadata };
      const change = planPodPause(pod, paused);
      if (change !== undefined) await context.write(annotatePod(pod, change));
    },
  };
}

/** The pods of a workload that is paused, or is so no more. Most changes of workloads are of other things. */
function podsOf(resource: Resource<KubeObject>, pods: Lister<Pod>): ControllerSource {
  const keysOf = (change: Change<KubeObject>): readonly string[] => {
    const { object } = change;
    const before = change.type === 'apply' && change.previous !== undefined ? pauseText(change.previous) : undefined;
    const now = pauseText(object);
    if (change.type === 'apply' && before === now) return [];
    const origin = pausedFrom(resource.kind, nameOf(object));
    const concerned = pods.list(namespaceOf(object)).filter((pod) => {
      if (pod.metadata?.annotations?.[HEALING_PAUSED_FROM] === origin) return true;
      const owner = pauseOwnerOf(pod);
      return owner?.kind === resource.kind && owner.name === nameOf(object);
    });
    return concerned.map(objectKey);
  };
  return source(resource, keysOf, OF_WORKLOADS);
}

function isNews({ object, previous }: Extract<Change<Pod>, { type: 'apply' }>): boolean {
  if (previous === undefined) return true;
  const facts = ({ metadata }: Pod): readonly unknown[] => [
    metadata?.uid,
    metadata?.annotations?.[HEALING_PAUSED],
    metadata?.annotations?.[HEALING_PAUSED_FROM],
    pauseOwnerOf({ metadata: metadata ?? {} })?.name,
    isDeleting({ metadata: metadata ?? {} }),
  ];
  const before = facts(previous);
  return facts(object).some((fact, at) => fact !== before[at]);
}
