/** The evidence about a service as plain data, with that of the pods behind it. An absent field was not read. */
import type { EndpointSlice, NetworkPolicy, Service } from '../../api/index.ts';
import type { Event, ListeningPort, Pod } from './kinds.ts';
import type { NobodyBehind, PodEvidence, StrayEndpoints } from './pod-evidence.ts';

export interface ServiceSubjectEvidence {
  /** Wall ms. */
  readonly now: number;
  readonly name: string;
  readonly namespace: string;
  /** Absent: there is none of this name here; then `elsewhere` has what is called like it. */
  readonly service?: Service;
  readonly elsewhere: readonly NamedService[];
  /** Of one that is only another name of a service of the cluster: whether that is there; absent: it names none, or that may not be read. */
  readonly named?: NamedService & { readonly missing: boolean; readonly elsewhere: readonly NamedService[] };
  /** Absent: a service without pods of the cluster, or they may not be read. */
  readonly behind?: ServiceBackends;
  /** Of pods of its namespace that are not ready, and that may be its clients; absent: it does not look well itself. */
  readonly clients?: readonly PodEvidence[];
  /** Events of the service. */
  readonly events: readonly Event[];
  readonly notLookedAt: readonly string[];
  readonly namespaceFlag: string;
}

export interface NamedService {
  readonly namespace: string;
  readonly name: string;
}

export interface ServiceBackends {
  /** All pods of its namespace. */
  readonly pods: readonly Pod[];
  /** Pods of other namespaces; absent: its workload is not scaled to 0. */
  readonly outside?: readonly Pod[];
  readonly slices: readonly EndpointSlice[];
  /** Why its selector matches no pod; absent: not asked for. */
  readonly nobody?: NobodyBehind;
  /** Endpoints of its namespace that are no service's; absent: it has a selector, or endpoints of its own. */
  readonly strays?: readonly StrayEndpoints[];
  readonly policies: readonly NetworkPolicy[];
  /** Of pods that its selector matches and that are not ready. */
  readonly looked: readonly PodEvidence[];
  /** Of pods that it matches, and that are ready, and listen nowhere where others reach them; absent: there is none. */
  readonly deaf?: readonly PodEvidence[];
  /** The ports on which pods listen just now, by name of the pod; of those that were asked. */
  readonly listening: Readonly<Record<string, readonly ListeningPort[]>>;
  /** Names of nodes that are ready. */
  readonly readyNodes: readonly string[];
}
