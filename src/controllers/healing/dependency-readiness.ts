/** Decides whether a dependency of pods is ready, and since when as far as its objects show. Pure. */
import {
  type Deployment,
  type Endpoint,
  type EndpointSlice,
  type ObjectDependency,
  type Pod,
  type Service,
  type StatefulSet,
  uidOf,
} from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import { isPodReady, isPodTerminal } from '../pods/pod-state.ts';

export interface Readiness {
  readonly ready: boolean;
  /** Wall ms, in whole seconds: it has been ready since then at the latest, by its objects; absent: they do not say. */
  readonly since?: number;
}

const NOT_READY: Readiness = { ready: false };

/** The cluster's objects of a dependency. */
export interface DependencyView {
  service(namespace: string, name: string): Service | undefined;
  slices(namespace: string, service: string): readonly EndpointSlice[];
  pod(namespace: string, name: string): Pod | undefined;
  deployment(namespace: string, name: string): Deployment | undefined;
  statefulSet(namespace: string, name: string): StatefulSet | undefined;
  /** Pods that this object controls. */
  podsOf(uid: string): readonly Pod[];
}

/** A service with an endpoint that takes requests, a pod that is Ready, a workload that has such a pod. */
export function readinessOf(dependency: ObjectDependency, view: DependencyView): Readiness {
  const { kind, namespace, name } = dependency;
  switch (kind) {
    case 'Service':
      return serviceReadiness(dependency, view);
    case 'Pod':
      return podReadiness(view.pod(namespace, name));
    case 'Deployment': {
      const deployment = view.deployment(namespace, name);
      if ((deployment?.status?.readyReplicas ?? 0) < 1) return NOT_READY;
      const available = deployment?.status?.conditions?.find(({ type }) => type === 'Available');
      return readySince(available?.status === 'True' ? available.lastTransitionTime : undefined);
    }
    case 'StatefulSet': {
      const set = view.statefulSet(namespace, name);
      if (set === undefined || (set.status?.readyReplicas ?? 0) < 1) return NOT_READY;
      return oldest(view.podsOf(uidOf(set)).map(podReadiness));
    }
  }
}

function podReadiness(pod: Pod | undefined): Readiness {
  if (pod === undefined || !isPodReady(pod) || isPodTerminal(pod) || pod.metadata?.deletionTimestamp !== undefined) {
    return NOT_READY;
  }
  return readySince(pod.status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime);
}

function serviceReadiness({ namespace, name, port }: ObjectDependency, view: DependencyView): Readiness {
  const portName = port === undefined ? undefined : portNameOf(port, view.service(namespace, name));
  if (port !== undefined && portName === undefined) return NOT_READY;
  const endpoints = view
    .slices(namespace, name)
    .filter(({ ports }) => portName === undefined || (ports ?? []).some((each) => (each.name ?? '') === portName))
    .flatMap((slice) => slice.endpoints ?? [])
    .filter(isReady);
  if (endpoints.length === 0) return NOT_READY;
  const pods = endpoints.flatMap(({ targetRef }) =>
    targetRef?.kind === 'Pod' ? [podReadiness(view.pod(targetRef.namespace ?? namespace, targetRef.name ?? ''))] : [],
  );
  return oldest(pods);
}

/** As documented: an endpoint without a condition is ready. */
function isReady({ conditions, addresses }: Endpoint): boolean {
  return conditions?.ready !== false && addresses.length > 0;
}

/** How slices call a port of the service, which a pod names by number or name. */
function portNameOf(port: string, service: Service | undefined): string | undefined {
  if (!/^\d+$/.test(port)) return port;
  const found = service?.spec?.ports?.find((each) => each.port === Number(port));
  return found === undefined ? undefined : (found.name ?? '');
}

/** Of the ready parts the one that has been ready longest: before its time none of the present ones was. */
function oldest(parts: readonly Readiness[]): Readiness {
  const times = parts.flatMap(({ since }) => since ?? []);
  return times.length === 0 ? { ready: true } : { ready: true, since: Math.min(...times) };
}

function readySince(time: string | null | undefined): Readiness {
  const since = parseTime(time);
  return since === undefined ? { ready: true } : { ready: true, since };
}
