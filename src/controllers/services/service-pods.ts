/** Which pods are behind a service, and which services before a pod. Pure. */
import { equalJson, type Pod, type Service, type ServicePort } from '../../api/index.ts';
import type { Change } from '../../client/index.ts';
import { isPodReady, isPodTerminal } from '../pods/pod-state.ts';

/** Its pods are chosen by labels; one without a selector, or of type ExternalName, has none. */
export function selectsPods({ spec = {} }: Service): boolean {
  return spec.type !== 'ExternalName' && Object.keys(spec.selector ?? {}).length > 0;
}

/** Whether the service's selector matches the labels of a pod in its namespace. */
export function selectsLabels({ spec = {} }: Service, labels: Readonly<Record<string, string>> = {}): boolean {
  const selector = Object.entries(spec.selector ?? {});
  return selector.length > 0 && selector.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

/** The services, of those in its namespace, that may look different after a change of a pod. */
export function servicesConcernedBy(change: Change<Pod>, services: readonly Service[]): readonly Service[] {
  const { object } = change;
  const previous = 'previous' in change ? change.previous : undefined;
  if (change.type === 'apply' && previous !== undefined && !matters(object, previous)) return [];
  return services.filter(
    (service) =>
      selectsLabels(service, object.metadata?.labels) ||
      (previous !== undefined && selectsLabels(service, previous.metadata?.labels)),
  );
}

/** Only what an endpoint is made of counts: most changes of a pod are not seen from outside. */
function matters(pod: Pod, previous: Pod): boolean {
  return !equalJson(visibleFrom(pod), visibleFrom(previous));
}

function visibleFrom(pod: Pod): unknown {
  const { metadata = {}, spec, status = {} } = pod;
  return {
    labels: metadata.labels,
    deleting: metadata.deletionTimestamp !== undefined,
    over: isPodTerminal(pod),
    ready: isPodReady(pod),
    ip: status.podIP,
    ips: status.podIPs,
    node: spec?.nodeName,
    hostname: spec?.hostname,
    subdomain: spec?.subdomain,
  };
}

/** Has an address, and its containers have not ended for good. */
export function isReachable(pod: Pod, options: { readonly whileTerminating: boolean }): boolean {
  if (isPodTerminal(pod) || addressesOf(pod).length === 0) return false;
  return options.whileTerminating || pod.metadata?.deletionTimestamp === undefined;
}

export function addressesOf({ status = {} }: Pod): readonly string[] {
  const all = (status.podIPs ?? []).map(({ ip }) => ip);
  if (all.length > 0) return all;
  return status.podIP ? [status.podIP] : [];
}

/** Its name in DNS below the service's: only if it asks for it by hostname and subdomain. */
export function hostnameOf({ spec }: Pod, service: Service): string | undefined {
  return spec?.hostname && spec.subdomain === service.metadata?.name ? spec.hostname : undefined;
}

/** The number of the port of `pod` that the service's port leads to; undefined when it has none of that name. */
export function targetPortOf(pod: Pod, { targetPort, port, protocol = 'TCP' }: ServicePort): number | undefined {
  if (typeof targetPort === 'number') return targetPort === 0 ? port : targetPort;
  if (targetPort === undefined || targetPort === '') return port;
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  for (const container of [...containers, ...sidecars]) {
    const found = container.ports?.find((each) => each.name === targetPort && (each.protocol ?? 'TCP') === protocol);
    if (found !== undefined) return found.containerPort;
  }
  return undefined;
}
