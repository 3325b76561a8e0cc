/** From a plan of slices to writes. Pure. */
import { ENDPOINT_SLICES, type EndpointSlice, nameOf, namespaceOf, type OwnerReference } from '../../api/index.ts';
import type { Operation } from '../operation.ts';
import { withTriggerTime } from '../services/trigger-times.ts';
import type { SliceContent, SlicePlan } from './plan-slices.ts';

export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name';
export const MANAGED_BY_LABEL = 'endpointslice.kubernetes.io/managed-by';
export const HEADLESS_LABEL = 'service.kubernetes.io/headless';

/** The common properties of one service's slices. */
export interface SliceIdentity {
  readonly namespace: string;
  /** Names of slices begin with it. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Beside the trigger time, of new slices and changed ones. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owner: OwnerReference;
  readonly addressType: string;
  readonly triggerTime: string | undefined;
}

/** First those that bring endpoints, so that none is missing meanwhile; then those that only take away. */
export function sliceOperations(plan: SlicePlan, identity: SliceIdentity): readonly Operation[] {
  const creates = plan.creates.map(
    (content): Operation => ({ verb: 'create', resource: ENDPOINT_SLICES, object: newSlice(identity, content) }),
  );
  const updates = plan.updates.map(
    ({ slice, content }): Operation => ({
      verb: 'update',
      resource: ENDPOINT_SLICES,
      object: changedSlice(slice, identity, content),
    }),
  );
  return [...creates, ...updates, ...plan.deletes.map(deleteSlice)];
}

export function deleteSlice(slice: EndpointSlice): Operation {
  const { uid } = slice.metadata ?? {};
  return {
    verb: 'delete',
    resource: ENDPOINT_SLICES,
    namespace: namespaceOf(slice),
    name: nameOf(slice),
    options: uid === undefined ? {} : { uid },
  };
}

function newSlice(identity: SliceIdentity, content: SliceContent): EndpointSlice {
  const annotations = withTriggerTime(identity.annotations, identity.triggerTime);
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      namespace: identity.namespace,
      generateName: `${identity.name}-`,
      labels: { ...identity.labels },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ownerReferences: [identity.owner],
    },
    addressType: identity.addressType,
    endpoints: [...content.endpoints],
    ports: [...content.ports],
  };
}

function changedSlice(slice: EndpointSlice, identity: SliceIdentity, content: SliceContent): EndpointSlice {
  const kept = identity.annotations ?? slice.metadata?.annotations;
  const annotations = withTriggerTime(kept, identity.triggerTime);
  return {
    ...slice,
    metadata: { ...slice.metadata, labels: { ...identity.labels }, annotations },
    endpoints: [...content.endpoints],
    ports: [...content.ports],
  };
}
