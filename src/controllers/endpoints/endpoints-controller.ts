/** Keeps the Endpoints of each service that has a selector. */
import { ENDPOINTS, isConflict, isNotFound, namespacedName, namespaceOf, PODS, SERVICES } from '../../api/index.ts';
import {
  type EventRecorder,
  type KubeClient,
  objectKey,
  referenceTo,
  splitKey,
  type Informers,
} from '../../client/index.ts';
import { errorMessage } from '../../lib/index.ts';
import { type Controller, type ReconcileContext, source } from '../controller.ts';
import { selectsLabels, selectsPods, servicesConcernedBy } from '../services/service-pods.ts';
import { TriggerTimes } from '../services/trigger-times.ts';
import { CONTROLLER_NAME, MANAGED_BY_LABEL, planEndpoints } from './plan-endpoints.ts';

/** Marks the key of a deleted service: its Endpoints are deleted, too, whoever made them. */
const DELETED = 'deleted ';

/** Keys are services. */
export function endpointsController(informers: Informers, client: KubeClient, events: EventRecorder): Controller {
  const services = informers.lister(SERVICES);
  const pods = informers.lister(PODS);
  const endpoints = informers.lister(ENDPOINTS);
  const triggerTimes = new TriggerTimes();

  const write = async (key: string, context: ReconcileContext): Promise<void> => {
    const service = services.getByKey(key);
    if (service === undefined || !selectsPods(service)) return;
    const namespace = namespaceOf(service);
    const selected = pods.list(namespace).filter((pod) => selectsLabels(service, pod.metadata?.labels));
    const triggerTime = triggerTimes.next(key, service, selected);
    const operation = planEndpoints({ service, pods: selected, current: endpoints.getByKey(key), triggerTime });
    if (operation === undefined) return;
    try {
      await context.write(operation);
    } catch (error) {
      if (!context.signal.aborted && !isConflict(error)) {
        const [reason, what] =
          operation.verb === 'create'
            ? ['FailedToCreateEndpoint', 'create endpoint for service']
            : ['FailedToUpdateEndpoint', 'update endpoint'];
        const message = `Failed to ${what} ${namespacedName(service)}: ${errorMessage(error)}`;
        const { namespace: _, ...regarding } = referenceTo(service);
        events.event({ ...regarding, namespace, kind: 'Endpoints' }, 'Warning', reason, message);
      }
      throw error;
    }
  };

  const remove = async (key: string, context: ReconcileContext): Promise<void> => {
    triggerTimes.forget(key);
    const { namespace, name } = splitKey(key);
    // Asks the server itself: the name may have been taken again.
    if (endpoints.getByKey(key) === undefined || (await serviceExists(client, namespace, name, context.signal))) return;
    const uid = endpoints.getByKey(key)?.metadata?.uid;
    const options = uid === undefined ? {} : { uid };
    await context.write({ verb: 'delete', resource: ENDPOINTS, namespace: namespace ?? '', name, options });
  };

  return {
    name: 'endpoints-controller',
    sources: [
      source(SERVICES, ({ type, object }) => {
        return [type === 'delete' ? `${DELETED}${objectKey(object)}` : objectKey(object)];
      }),
      source(PODS, (change) => servicesConcernedBy(change, services.list(namespaceOf(change.object))).map(objectKey)),
      source(ENDPOINTS, ({ object }) => {
        const key = objectKey(object);
        if (services.getByKey(key) !== undefined) return [key];
        // Left over from a service that was deleted unobserved; Endpoints of other clients stay.
        return object.metadata?.labels?.[MANAGED_BY_LABEL] === CONTROLLER_NAME ? [`${DELETED}${key}`] : [];
      }),
    ],
    reconcile: (key, context) =>
      key.startsWith(DELETED) ? remove(key.slice(DELETED.length), context) : write(key, context),
  };
}

async function serviceExists(
  client: KubeClient,
  namespace: string | undefined,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await client.get(SERVICES, namespace, name, signal, { metadataOnly: true });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
