/** The evidence about one pod as plain data. An absent field was not read. */
import type { LimitRange } from '../../api/index.ts';
import type {
  ContainerHistory,
  Event,
  Hold,
  ListeningPort,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodListeningPort,
  PolicyRule,
  RoleBinding,
  StoppedProcess,
  WorkloadObject,
} from './kinds.ts';
import type { NodeEvidence } from './node-evidence.ts';
import type { Rollout } from './rollout-evidence.ts';
import type { StorageEvidence } from './storage-evidence.ts';

export interface PodEvidence {
  /** Wall ms. */
  readonly now: number;
  readonly pod: Pod;
  /** Events about the pod. */
  readonly events: readonly Event[];
  readonly node?: NodeEvidence;
  /** The controllers above it, nearest first. */
  readonly owners: readonly WorkloadObject[];
  /** The rollout that made it, of the workload above it. */
  readonly rollout?: Rollout;
  /** The deaths of its containers that its node remembers. */
  readonly history?: readonly ContainerHistory[];
  /** The last lines of logs, by container. */
  readonly logs: Readonly<Record<string, ContainerLogs>>;
  readonly claims: readonly ClaimEvidence[];
  /** Of its volumes that drivers serve; absent: nothing about the pod asks for it. */
  readonly storage?: StorageEvidence;
  /** Of a pod that no node takes: what its refusals ask for; absent: they ask for nothing. */
  readonly placement?: PlacementEvidence;
  /** ConfigMaps and Secrets that it refers to, without their values. */
  readonly configs: readonly ConfigEvidence[];
  readonly services: readonly ServiceEvidence[];
  /** CPU throttling, by container. */
  readonly throttling: Readonly<Record<string, Throttling>>;
  /** How containers are held from running, by container; absent: the node was not asked, or cannot tell. */
  readonly held?: Readonly<Record<string, Hold>>;
  /** The oldest process that is stopped (SIGSTOP), by container; likewise. */
  readonly stopped?: Readonly<Record<string, StoppedProcess>>;
  /** Where its containers listen; absent: nothing asks for it, or its node cannot tell. */
  readonly listening?: readonly PodListeningPort[];
  /** Likewise, of UDP. */
  readonly listeningUdp?: readonly PodListeningPort[];
  /**
   * RoleBindings of the namespace in which its service account lacks a right, and those of other namespaces and of the cluster that name it; absent: it lacks none,
   * or they could not be read.
   */
  readonly bindings?: readonly RoleBinding[] | undefined;
  /** LimitRanges of its namespace, of a container that was killed for memory at a limit that one of them gave it; absent: there is none. */
  readonly limitRanges?: readonly LimitRange[];
  /** The roles that bindings give to it, as far as they could be read. */
  readonly roles?: readonly RoleEvidence[];
  /** Addresses of the pods' network that it named, with the pods that have them; absent: nothing asks for them. */
  readonly addresses?: readonly AddressEvidence[];
  /** Addresses that it or its specification names, among those of services, which no service has; absent: there are none. */
  readonly unservedAddresses?: readonly string[];
  /** Pods of StatefulSets that it named ("db-0.postgres"); absent: nothing asks for them. */
  readonly namedPods?: readonly NamedPodEvidence[];
  /** Pods of the same controller, without this one. */
  readonly siblings: readonly Pod[];
  /** The first pod of its Job, where this one may only meet what that left; absent: not asked for, or it is the first. */
  readonly firstAttempt?: PodEvidence | undefined;
  /** A Job of its namespace that has failed or is not done, and may have been meant to make data that it lacks, or what it waits for; absent: nothing asks for it, or there is none. */
  readonly failedJob?: FailedJob | undefined;
  /** Killing events of siblings. */
  readonly siblingEvents: readonly Event[];
  readonly notLookedAt: readonly string[];
  /** The flag in suggested commands: "-n shop", or empty for the session's own namespace. */
  readonly namespaceFlag: string;
}

/** A Role, or a ClusterRole, which is of no namespace. */
export interface RoleEvidence {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly missing?: true;
  readonly rules?: readonly PolicyRule[];
}

/** An address, and the pod that has it; without one nobody has it. */
export interface AddressEvidence {
  readonly address: string;
  readonly pod?: { readonly name: string; readonly ready: boolean };
}

/** A pod that a container named below a service, as pods of StatefulSets are named: "cache-1.cache". */
export interface NamedPodEvidence {
  readonly namespace: string;
  /** "cache-1" */
  readonly pod: string;
  readonly state: 'missing' | 'unready' | 'ready' | 'unknown';
  /** The StatefulSet whose pod it would be by its name; absent: there is none. */
  readonly set?: SetEvidence;
  /** The StatefulSets that have the service as their serviceName; only where there is no such set. */
  readonly ofService?: readonly SetEvidence[];
}

export interface SetEvidence {
  readonly name: string;
  /** How many pods it wants. */
  readonly replicas: number;
  /** The ordinal of its first pod. */
  readonly start: number;
  readonly serviceName?: string;
}

export interface ContainerLogs {
  /** The log of the life before this one, oldest line first. */
  readonly previous?: readonly string[];
  readonly current?: readonly string[];
  /** The first lines of the present life; absent: nothing asks for them. */
  readonly beginning?: readonly string[];
}

/** What explains why no node takes a pod. An absent field was not read. */
export interface PlacementEvidence {
  /** Pods that may have what it wants: its claim, or its host port. */
  readonly pods?: readonly Pod[];
  readonly nodes?: readonly Node[];
}

export interface ClaimEvidence {
  readonly name: string;
  readonly missing: boolean;
  /** Of one that is missing: claims of its namespace with similar names. */
  readonly similar?: readonly string[];
  readonly claim?: PersistentVolumeClaim;
  readonly volume?: PersistentVolume;
  /** The claim names a volume that does not exist. */
  readonly volumeMissing?: boolean;
  /** Of one that has no volume: those of the cluster, of which one may nearly fit; absent: not read. */
  readonly volumes?: readonly PersistentVolume[];
  /** Of one that has no volume, and names a StorageClass that does not exist: those that there are. */
  readonly otherClasses?: readonly string[];
  /** The node that has the volume, when it is a folder of one. */
  readonly home?: NodeEvidence;
  readonly events: readonly Event[];
}

export interface FailedJob {
  readonly name: string;
  /** Absent: it is a Job. */
  readonly kind?: 'cronjob' | 'deployment' | 'statefulset';
  /** Absent: it has failed. */
  readonly state?: 'failed' | 'trying' | 'suspended' | 'unfinished' | 'done' | 'stopped';
  /** RFC 3339, of one that is done. */
  readonly doneAt?: string;
  /** Of one that is done: the only database that its template names. */
  readonly database?: string;
  /** The headline of its pod; absent: it has none left. */
  readonly says?: string;
}

export interface ConfigEvidence {
  readonly kind: 'ConfigMap' | 'Secret';
  readonly name: string;
  readonly state: 'found' | 'missing' | 'forbidden';
  /** Names of its keys. */
  readonly keys: readonly string[];
  /** What is odd about the content of a key, as the rest of a sentence; the content itself is not kept. */
  readonly odd?: Readonly<Record<string, string>>;
  /** Of a ConfigMap: the beginnings of what its keys hold. They are compared with what programs say; shown are only names, paths, and a line that an error names by its number. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Of a Secret: where the values of its keys lead, hosts and ports alone (`secretAddresses`). */
  readonly addresses?: Readonly<Record<string, string>>;
  /** Of a Secret: marks of the passwords of its keys (`credentialMark`), which are compared and never shown. */
  readonly marks?: Readonly<Record<string, string>>;
  /** Of a Secret: the first certificate of each key that has one. A certificate is shown to whoever connects. */
  readonly certificates?: Readonly<Record<string, CertificateFacts>>;
  /** Of one that is missing: other namespaces that have one of its name. */
  readonly elsewhere?: readonly string[];
  /** Of one that is missing: those of its namespace with similar names. */
  readonly similar?: readonly string[];
  /** Names of the keys whose values are empty. */
  readonly emptyKeys?: readonly string[];
  /** Names of the keys whose values are "localhost". */
  readonly localhostKeys?: readonly string[];
  /** Of a Secret for pulling images: the registries that it has credentials for. */
  readonly registries?: readonly string[];
  /** RFC 3339: when it was made, or written last as far as it says itself. */
  readonly writtenAt?: string;
}

/** What a certificate tells whoever connects. */
export interface CertificateFacts {
  /** "": it has none. */
  readonly commonName: string;
  readonly issuer: string;
  /** Hosts and addresses of its subjectAltName. */
  readonly names: readonly string[];
  /** Wall ms; NaN: it cannot be read. */
  readonly fromMs: number;
  readonly untilMs: number;
  readonly isSelfSigned: boolean;
}

export interface ServiceEvidence {
  readonly namespace: string;
  readonly name: string;
  readonly missing: boolean;
  /** Of one that is missing: other namespaces that have a service of its name. */
  readonly elsewhere?: readonly string[];
  /** That namespace is the one of the pod that names it. */
  readonly isInOwn?: true;
  /** Of one that is missing: the workload of its name, for which nobody has made it: "deployment/billing". */
  readonly workload?: string;
  /** Of one that is missing: services of its namespace with similar names. */
  readonly similar?: readonly string[];
  /** Of one that is missing in another namespace than its pod's: whether that does not exist either; absent: not known. */
  readonly noNamespace?: boolean;
  /** Of one whose namespace does not exist: namespaces with similar names. */
  readonly similarNamespaces?: readonly string[];
  readonly clusterIPs: readonly string[];
  readonly ports: readonly number[];
  /** Its ports with their protocols, "53/UDP"; absent: not read. */
  readonly served?: readonly string[];
  /** Its ports that lead to a port by its name, which none of its pods has; absent: there is none. */
  readonly unled?: readonly { readonly port: number; readonly target: string }[];
  readonly ready: number;
  readonly notReady: number;
  /** Absent: it has none. */
  readonly selector?: Readonly<Record<string, string>>;
  /** Of one that is only another name: that name. It counts as one endpoint that is ready, of which nothing is known. */
  readonly externalName?: string;
  /** The endpoints that somebody wrote for one without a selector: "10.2.3.4:3306". */
  readonly written?: readonly string[];
  /** Of one without a selector and endpoints: those of its namespace that are no service's, and may be meant for it. */
  readonly strays?: readonly StrayEndpoints[];
  /** Why nobody is behind it; read only while none of its endpoints is ready. */
  readonly nobody?: NobodyBehind;
  /** Why the pod behind it is not well that looks worst; read only while none of its endpoints is ready. */
  readonly cause?: ServiceCause;
  /** What a pod of it that is ready complains of again and again; read only where another one gets no answer from it. */
  readonly complaint?: { readonly pod: string; readonly says: string } | undefined;
  /** Where its ports lead; read only of a port that refuses, or may be what a pod needs that says nothing, while pods are ready. */
  readonly heard?: readonly HeardPort[];
  /** Init containers of its pods that wait for services; read only while none of its endpoints is ready. */
  readonly waiting?: readonly WaitingInit[];
  /** Where its ports lead, as its endpoints have them. */
  readonly targets?: readonly { readonly port: number; readonly target: number }[];
  /** A pod of it that is ready; read only where another one is refused by it, or tells what it said. */
  readonly server?: ServerBehind | undefined;
}

/** A pod that serves behind a service. */
export interface ServerBehind {
  readonly pod: Pod;
  /** The workload that makes it: "statefulset/etcd"; absent: none. */
  readonly owner?: string;
  /** Other workloads of which pods serve behind the service; absent: there are none. */
  readonly others?: readonly string[];
  /** Where it listens; absent: nothing asks for it, or its node cannot tell. */
  readonly listening?: readonly PodListeningPort[];
  /** The last lines of its log, where it refuses something; absent: nothing asks for them. */
  readonly lines?: readonly string[];
  /** The first of its containers that somebody holds from running; absent: none is, nothing asks for it, or its node cannot tell. */
  readonly paused?: PausedContainer;
  /** The ConfigMaps that it uses, and its Secrets where a password is refused; absent: nothing asks for them. */
  readonly configs?: readonly ConfigEvidence[];
}

export interface PausedContainer {
  readonly container: string;
  readonly hold?: Hold;
  readonly stopped?: StoppedProcess;
}

/** What is worth reading of a pod that serves behind a service. */
export interface ServerWanted {
  readonly service: ServiceEvidence;
  readonly listening: boolean;
  readonly configs: boolean;
  /** Whether the Secrets of its variables are read, too. */
  readonly secrets: boolean;
  /** Whether the Secret is read that its certificate is of. */
  readonly certificate: boolean;
  /** Whether the end of its log is read. */
  readonly lines: boolean;
  /** Whether its node is asked if somebody holds it from running; of several pods the first that is held counts. */
  readonly held: boolean;
}

/** A port of a service, and where a ready pod of it listens. */
export interface HeardPort {
  readonly port: number;
  /** The port of the pod to which it leads; a name that no container of the pod has. */
  readonly target: number | string;
  readonly pod: string;
  /** Absent: its node was not asked, or cannot tell. */
  readonly listens?: readonly Pick<ListeningPort, 'port' | 'loopback'>[] | undefined;
  /** The ports that its containers declare: "web 8080", "8080". */
  readonly declared: readonly string[];
}

/** Endpoints that somebody wrote and that belong to no service that exists. */
export interface StrayEndpoints {
  readonly kind: 'endpointslice' | 'endpoints';
  readonly name: string;
  /** The service that it names by its label, or its own name; absent: it has no label. */
  readonly service?: string;
}

/** What a pod behind a service suffers from, perhaps for a service that it needs itself. */
export interface ServiceCause {
  /** The pod at the end of the way. */
  readonly pod: string;
  readonly says: string;
  /** The service of that pod, "shop/redis", where it is another one. */
  readonly root?: string;
  /** The way there: a pod of the service before, and the service that it needs. */
  readonly through?: readonly { readonly pod: string; readonly service: string }[];
  /** The way leads back to a service that is on it already, or to the pod that is asked about. */
  readonly isCircle?: true;
}

/** Why a service has no pods. */
export interface NobodyBehind {
  /** The workloads that would make its pods, all of them scaled to 0: "deployment/db". */
  readonly scaledToZero: readonly string[];
  /** Why the only workload that would make its pods has none, by its own finding: "deployment/db lacks 1 of 1 pods, which cannot be made: …". */
  readonly unmade?: string;
  /** Neither a pod nor the template of a Deployment or StatefulSet has the labels that it selects. */
  readonly unlabelled?: boolean;
  /** Then those whose labels are nearest: "the pods of deployment/api have app=api". */
  readonly nearest?: string;
}

/** An init container that runs, and the services that its command waits for. */
export interface WaitingInit {
  readonly pod: string;
  readonly container: string;
  readonly services: readonly { readonly namespace: string; readonly name: string }[];
}

/** Counters of cpu.stat since the container started. */
export interface Throttling {
  readonly periods: number;
  readonly throttledPeriods: number;
}
