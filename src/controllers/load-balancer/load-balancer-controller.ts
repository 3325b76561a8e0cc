/** Gives services of type LoadBalancer the addresses of the nodes, and says which addresses of services nobody routes. */
import {
  ENDPOINT_SLICES,
  type EndpointSlice,
  equalJson,
  nameOf,
  namespaceOf,
  type Node,
  NODES,
  type Service,
  SERVICE_CIDRS,
  SERVICES,
} from '../../api/index.ts';
import { type Change, type EventRecorder, type Informers, referenceTo } from '../../client/index.ts';
import { BALANCER_ANNOTATION, BALANCER_VALUE, hasNodeAddresses, takenPortsOf } from '../../network/index.ts';
import { type Controller, type ReconcileContext, source } from '../controller.ts';
import { externalIpProblems } from './external-ips.ts';
import { type BalancerDecision, planBalancers, takesTraffic } from './plan-balancers.ts';

/** There is one key: services compete for the ports of the nodes. */
const ALL = 'services';
const SERVICE_NAME = 'kubernetes.io/service-name';

export function loadBalancerController(informers: Informers, events: EventRecorder): Controller {
  const services = informers.lister(SERVICES);
  const nodes = informers.lister(NODES);
  const slices = informers.lister(ENDPOINT_SLICES);
  const cidrs = informers.lister(SERVICE_CIDRS);
  /** By service, what was last told about it: each thing once. */
  const told = new Map<string, string>();
  const tell = (service: Service, reason: string, message: string): void => {
    const key = `${reason} ${service.metadata?.uid}`;
    if (told.get(key) === message) return;
    told.set(key, message);
    events.event(referenceTo(service), 'Warning', reason, message);
  };
  const forget = (service: Service, reason: string): void => void told.delete(`${reason} ${service.metadata?.uid}`);

  const reconcile = async (context: ReconcileContext): Promise<void> => {
    const all = services.list();
    const decisions = planBalancers({
      services: all,
      nodes: nodes.list(),
      slicesOf: (service) =>
        slices.list(namespaceOf(service)).filter((slice) => serviceNameOf(slice) === nameOf(service)),
    });
    for (const decision of decisions) {
      if (decision.problem === undefined) forget(decision.service, FAILED);
      else tell(decision.service, FAILED, `Error syncing load balancer: ${decision.problem}`);
      const operation = operationOf(decision);
      if (operation !== undefined) await context.write(operation);
    }
    const cluster = { nodes: nodes.list(), serviceCidrs: cidrs.list().flatMap(({ spec }) => spec?.cidrs ?? []) };
    for (const service of all) {
      const problems = externalIpProblems(service, cluster);
      if (problems.length === 0) forget(service, UNROUTED);
      else tell(service, UNROUTED, problems.join('; '));
    }
  };

  const isBalancer = (namespace: string, name: string): boolean =>
    services.get(namespace, name)?.spec?.type === 'LoadBalancer';
  return {
    name: 'service-lb-controller',
    concurrency: 1,
    sources: [
      source(SERVICES, (change) => {
        if (change.type === 'delete') for (const reason of [FAILED, UNROUTED]) forget(change.object, reason);
        return concernsBalancers(change) ? [ALL] : [];
      }),
      source(NODES, (change) => (concernsAddresses(change) ? [ALL] : [])),
      source(ENDPOINT_SLICES, ({ object }) => (isBalancer(namespaceOf(object), serviceNameOf(object)) ? [ALL] : [])),
      source(SERVICE_CIDRS, () => [ALL]),
    ],
    reconcile: (_key, context) => reconcile(context),
  };
}

/** Upstream's reason for a load balancer that could not be made. */
const FAILED = 'SyncLoadBalancerFailed';
const UNROUTED = 'ExternalIPNotRouted';

function serviceNameOf({ metadata }: EndpointSlice): string {
  return metadata?.labels?.[SERVICE_NAME] ?? '';
}

/** Services that have ports or addresses of nodes, before or after: few changes are of such. */
function concernsBalancers(change: Change<Service>): boolean {
  const previous = 'previous' in change ? change.previous : undefined;
  return [change.object, ...(previous === undefined ? [] : [previous])].some(
    (service) =>
      service.spec?.type === 'LoadBalancer' ||
      service.spec?.type === 'NodePort' ||
      (service.spec?.externalIPs?.length ?? 0) > 0 ||
      hasNodeAddresses(service),
  );
}

/** A heartbeat changes nothing here. */
function concernsAddresses(change: Change<Node>): boolean {
  const previous = 'previous' in change ? change.previous : undefined;
  if (change.type === 'delete' || previous === undefined) return true;
  return !equalJson(seen(change.object), seen(previous));
}

function seen(node: Node): unknown {
  return [takesTraffic(node), node.status?.addresses, node.spec?.podCIDRs, [...takenPortsOf(node)]];
}

/** Undefined: the status says it already. */
function operationOf({ service, ingress }: BalancerDecision) {
  const stored = service.status?.loadBalancer?.ingress ?? [];
  const marked = ingress.length > 0;
  const isSame = equalJson(
    stored.map(({ ip, hostname }) => ip ?? hostname),
    ingress.map(({ ip }) => ip),
  );
  if (isSame && hasNodeAddresses(service) === marked) return undefined;
  return {
    verb: 'patch',
    resource: SERVICES,
    namespace: namespaceOf(service),
    name: nameOf(service),
    type: 'merge',
    subresource: 'status',
    patch: {
      metadata: { uid: service.metadata?.uid, annotations: { [BALANCER_ANNOTATION]: marked ? BALANCER_VALUE : null } },
      status: { loadBalancer: { ingress: ingress.length === 0 ? null : ingress } },
    },
  } as const;
}
