/** What several rules about a service need. Pure. */
import type { ContainerPort, Pod, Service, ServicePort } from '../../api/index.ts';
import { isConditionTrue } from '../../api/index.ts';
import type { ServiceBackends, ServiceSubjectEvidence } from '../evidence/service-evidence.ts';
import { shellWord } from '../facts/words/text.ts';
import type { RankedFinding } from '../finding.ts';

/** A service that exists, with what is behind it. */
export interface ServiceFacts {
  readonly evidence: ServiceSubjectEvidence;
  readonly service: Service;
  readonly behind: ServiceBackends;
  /** Pods that its selector matches, those that have ended left out. */
  readonly selected: readonly Pod[];
  readonly ready: readonly Pod[];
}

export type ServiceRule = (facts: ServiceFacts) => readonly RankedFinding[];

export function serviceFacts(evidence: ServiceSubjectEvidence): ServiceFacts | undefined {
  const { service, behind } = evidence;
  if (service === undefined || behind === undefined) return undefined;
  const selector = Object.entries(service.spec?.selector ?? {});
  const selected = behind.pods.filter(
    ({ metadata, status }) =>
      selector.length > 0 &&
      status?.phase !== 'Succeeded' &&
      status?.phase !== 'Failed' &&
      selector.every(([name, value]) => metadata?.labels?.[name] === value),
  );
  return { evidence, service, behind, selected, ready: selected.filter(isReadyPod) };
}

export function isReadyPod({ status, metadata }: Pod): boolean {
  return isConditionTrue(status?.conditions, 'Ready') && metadata?.deletionTimestamp === undefined;
}

/** Each node's own agent answers at it, without endpoints. */
export function isNodeDns({ metadata, spec }: Service): boolean {
  return metadata?.annotations?.['mendlet.dev/node-dns'] === 'true' && Object.keys(spec?.selector ?? {}).length === 0;
}

export function selectorText(service: Service): string {
  return Object.entries(service.spec?.selector ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}

/** "80/TCP", "web 80/TCP" */
export function portText({ name, port, protocol = 'TCP' }: ServicePort): string {
  return `${name ? `${name} ` : ''}${port}/${protocol}`;
}

/** The port of the pod to which a port of the service leads; undefined: no container has the named one. */
export function targetOf(pod: Pod, { targetPort, port, protocol = 'TCP' }: ServicePort): number | undefined {
  if (targetPort === undefined) return port;
  if (typeof targetPort === 'number') return targetPort;
  return declaredPorts(pod).find((each) => each.name === targetPort && (each.protocol ?? 'TCP') === protocol)
    ?.containerPort;
}

/** The ports that containers of the pod declare. */
export function declaredPorts({ spec }: Pod): readonly ContainerPort[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...(spec?.containers ?? []), ...sidecars].flatMap(({ ports = [] }) => ports);
}

export function kubectl({ namespaceFlag }: ServiceSubjectEvidence, ...words: readonly string[]): string {
  return ['kubectl', ...(namespaceFlag === '' ? [] : [namespaceFlag]), ...words.map(shellWord)].join(' ');
}

export function why({ namespaceFlag }: ServiceSubjectEvidence, target: string): string {
  return ['mendlet why', shellWord(target), ...(namespaceFlag === '' ? [] : [namespaceFlag])].join(' ');
}
