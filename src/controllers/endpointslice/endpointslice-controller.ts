/** Keeps the EndpointSlices of each service that has a selector. */
import {
  ENDPOINT_SLICES,
  type EndpointSlice,
  isConflict,
  type KubeObject,
  nameOf,
  namespacedName,
  namespaceOf,
  NODES,
  PODS,
  SERVICES,
} from '../../api/index.ts';
import { type Change, type EventRecorder, keyOf, objectKey, referenceTo, type Informers } from '../../client/index.ts';
import { errorMessage } from '../../lib/index.ts';
import { BY_NODE } from '../indexes.ts';
import { type Controller, source } from '../controller.ts';
import { selectsLabels, selectsPods, servicesConcernedBy } from '../services/service-pods.ts';
import { TriggerTimes } from '../services/trigger-times.ts';
import { CONTROLLER_NAME, planEndpointSlices } from './plan-endpoint-slices.ts';
import { zoneOf } from './pod-endpoint.ts';
import { MANAGED_BY_LABEL, SERVICE_NAME_LABEL } from './slice-operations.ts';

/** Those of one service and manager. */
export function slicesOf(
  all: readonly EndpointSlice[],
  serviceName: string,
  managedBy: string,
): readonly EndpointSlice[] {
  return all.filter(({ metadata }) => {
    const labels = metadata?.labels ?? {};
    return labels[SERVICE_NAME_LABEL] === serviceName && labels[MANAGED_BY_LABEL] === managedBy;
  });
}

/** The key of the service that a slice of this manager is of. */
export function serviceKeysOf(managedBy: string) {
  return (change: Change<EndpointSlice>): readonly string[] => {
    const versions = [
      change.object,
      ...('previous' in change && change.previous !== undefined ? [change.previous] : []),
    ];
    return versions.flatMap((slice) => {
      const labels = slice.metadata?.labels ?? {};
      const name = labels[SERVICE_NAME_LABEL];
      return name === undefined || labels[MANAGED_BY_LABEL] !== managedBy ? [] : [keyOf(namespaceOf(slice), name)];
    });
  };
}

/** Keys are services. */
export function endpointSliceController(informers: Informers, events: EventRecorder): Controller {
  const services = informers.lister(SERVICES);
  const pods = informers.lister(PODS);
  const nodes = informers.lister(NODES);
  const slices = informers.lister(ENDPOINT_SLICES);
  const triggerTimes = new TriggerTimes();
  const keys = (found: readonly KubeObject[]): readonly string[] => found.map(objectKey);
  return {
    name: 'endpointslice-controller',
    sources: [
      source(SERVICES, ({ object }) => [objectKey(object)]),
      source(PODS, (change) => keys(servicesConcernedBy(change, services.list(namespaceOf(change.object))))),
      source(NODES, (change) => {
        const previous = 'previous' in change ? change.previous : undefined;
        if (previous !== undefined && zoneOf(previous) === zoneOf(change.object)) return [];
        return pods
          .byIndex(BY_NODE, nameOf(change.object))
          .flatMap((pod) =>
            keys(servicesConcernedBy({ type: 'apply', key: '', object: pod }, services.list(namespaceOf(pod)))),
          );
      }),
      source(ENDPOINT_SLICES, serviceKeysOf(CONTROLLER_NAME)),
    ],
    reconcile: async (key, context) => {
      const service = services.getByKey(key);
      // Its slices are its own, and go with it.
      if (service === undefined) triggerTimes.forget(key);
      if (service === undefined || !selectsPods(service)) return;
      const namespace = namespaceOf(service);
      const selected = pods.list(namespace).filter((pod) => selectsLabels(service, pod.metadata?.labels));
      const operations = planEndpointSlices({
        service,
        pods: selected,
        slices: slicesOf(slices.list(namespace), nameOf(service), CONTROLLER_NAME),
        nodeOf: (name) => nodes.getByKey(name),
        triggerTime: triggerTimes.next(key, service, selected),
      });
      try {
        await context.perform(operations);
      } catch (error) {
        if (!context.signal.aborted && !isConflict(error)) {
          const message = `Error updating Endpoint Slices for Service ${namespacedName(service)}: ${errorMessage(error)}`;
          events.event(referenceTo(service), 'Warning', 'FailedToUpdateEndpointSlices', message);
        }
        throw error;
      }
    },
  };
}
