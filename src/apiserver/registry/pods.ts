/** The strategy of pods (upstream: pkg/registry/core/pod/strategy.go). */
import { type Container, type Pod, type PodStatus, qosClassOf } from '../../api/index.ts';
import { withMergedLabelKeys } from './merge-label-keys.ts';
import type { ApiObject } from './object.ts';
import type { Strategy } from './registration.ts';

/** Used when a pod names none (upstream: DefaultTerminationGracePeriodSeconds). */
const DEFAULT_GRACE_SECONDS = 30;

export const podStrategy: Strategy = {
  hasGeneration: true,
  returnsDeleted: true,
  prepareForCreate: (object) => {
    const pod = object as Pod;
    const spec = withMergedLabelKeys(pod);
    return {
      ...object,
      ...(spec === undefined ? {} : { spec }),
      status: { phase: 'Pending', ...gated(pod), ...qos(pod) },
    };
  },
  prepareForStatusUpdate: (object, old) => {
    const metadata = { ...object.metadata };
    delete metadata.ownerReferences;
    if (old.metadata.ownerReferences !== undefined) metadata.ownerReferences = old.metadata.ownerReferences;
    const status = { ...(object as Pod).status };
    status.qosClass ??= (old as Pod).status?.qosClass ?? qos(old).qosClass;
    return { ...object, metadata, status };
  },
  gracePeriodSeconds: (object: ApiObject, asked) => {
    const { spec, status } = object as Pod;
    const seconds = asked ?? spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS;
    // No kubelet runs it (yet, or any more): there is nothing to wait for.
    if (!spec?.nodeName || status?.phase === 'Succeeded' || status?.phase === 'Failed') return 0;
    return seconds < 0 ? 1 : seconds;
  },
};

/** The old pod with the resources that the new one asks for: all that a resize may change. */
export function resized(object: ApiObject, old: ApiObject): ApiObject {
  const { spec: next } = object as Pod;
  const { spec } = old as Pod;
  if (spec === undefined) return old;
  // Names and resize policies too: that they change is for validation to refuse.
  const take = (containers: Container[] | undefined, from: Container[] | undefined): Container[] | undefined =>
    containers?.length === from?.length
      ? containers?.map((container, position) => {
          const { name = container.name, resources = {}, resizePolicy } = from?.[position] ?? {};
          const { resizePolicy: _, ...kept } = container;
          return { ...kept, name, resources, ...(resizePolicy === undefined ? {} : { resizePolicy }) };
        })
      : from;
  const initContainers = take(spec.initContainers, next?.initContainers);
  return {
    ...old,
    spec: {
      ...spec,
      containers: take(spec.containers, next?.containers) ?? [],
      ...(initContainers === undefined ? {} : { initContainers }),
    },
  };
}

/** Until its gates are gone no scheduler looks at the pod; kubectl shows this reason as its status. */
function gated({ metadata, spec }: Pod): PodStatus {
  if ((spec?.schedulingGates ?? []).length === 0) return {};
  const message = 'Scheduling is blocked due to non-empty scheduling gates';
  const { creationTimestamp: lastTransitionTime } = metadata ?? {};
  const reason = 'SchedulingGated';
  return { conditions: [{ type: 'PodScheduled', status: 'False', reason, message, lastTransitionTime }] };
}

function qos(pod: Pod): { qosClass: string } {
  return { qosClass: pod.spec === undefined ? 'BestEffort' : qosClassOf(pod.spec) };
}
