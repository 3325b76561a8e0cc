/** What nodes remember of the pods of a failed Job that are gone: the cause of its end, and its last words. Pure. */
import type { Job, PodHistory } from '../../api/index.ts';
import { peerIn } from '../../log-analysis/index.ts';
import { podFindings } from '../diagnose-pod.ts';
import type { ContainerStatus, DeathRecord, Pod } from '../evidence/kinds.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';
import type { WorkloadEvidence } from '../evidence/workload-evidence.ts';
import { containerFacts } from '../facts/pod/container-facts.ts';
import { namedServices, serviceBehind, type ServiceName, servicesOfHost } from '../facts/peers/dependencies.ts';
import { podFacts } from '../facts/pod/pod-facts.ts';
import { awaitedPeers, peerText, type SpecPeer } from '../facts/peers/spec-peers.ts';
import { quotable } from '../facts/words/text.ts';
import type { Quote, RankedFinding } from '../finding.ts';
import { because } from '../rules/peers/peer-words.ts';

/** The findings about the newest pod about which there is more to say than notes; empty: there is no such pod. */
export function goneFindings(evidence: WorkloadEvidence): readonly RankedFinding[] {
  for (const life of evidence.gone ?? []) {
    const found = podFindings(podFacts(evidenceOf(evidence, life)));
    if (found.some(({ severity }) => severity !== 'info')) return found;
  }
  return [];
}

export interface LastOfGone {
  /** "; the last that container wait said: waiting for db:5432: there is no service db" */
  readonly says: string;
  readonly quotes: readonly Quote[];
}

/** What the newest pod said last, or for what its command waited, for a job that did not fail by itself. */
export function lastOfGone(evidence: WorkloadEvidence): LastOfGone | undefined {
  const said = lastSaid(evidence.gone ?? []);
  if (said !== undefined) {
    const { container, death, line } = said;
    const quoted = quotable(line);
    const why = whyOf(evidence, peersOfWords(evidence, container, line));
    return {
      says: `; the last that container ${container} said: ${quoted}${why}`,
      quotes: [{ source: 'log', container, death, line: quoted }],
    };
  }
  const container = (evidence.gone ?? []).flatMap((life) => endedLast(life) ?? [])[0];
  const [peer, ...more] = container === undefined ? [] : peersOfWords(evidence, container, '');
  if (container === undefined || peer === undefined) return undefined;
  return {
    says: `; its container ${container} waited for ${peerText(peer)}${whyOf(evidence, [peer, ...more])}`,
    quotes: [],
  };
}

/** The container that did not end by itself. */
function endedLast({ containers }: PodHistory): string | undefined {
  return containers.find(({ deaths }) => deaths.at(-1)?.requested !== undefined)?.name;
}

/** What is known of the first of these peers of which something is wrong. */
function whyOf({ goneServices = [], workload }: WorkloadEvidence, peers: readonly Peer[]): string {
  const namespace = workload.metadata?.namespace ?? 'default';
  for (const { host, port } of peers) {
    const service = serviceBehind(goneServices, host, namespace);
    const why = service === undefined ? '' : because('refused', [service], port);
    if (why !== '') return why;
  }
  return '';
}

interface Said {
  readonly container: string;
  readonly death: number | undefined;
  readonly line: string;
}

function lastSaid(gone: readonly PodHistory[]): Said | undefined {
  for (const { containers } of gone) {
    for (const { name, deaths } of containers) {
      const { log, number } = deaths.at(-1) ?? {};
      const line = log?.tail.split('\n').findLast((each) => each.trim() !== '');
      if (line !== undefined) return { container: name, death: number, line };
    }
  }
  return undefined;
}

/** The peer that its last line names, else those for which its command waits. */
function peersOfWords({ workload }: WorkloadEvidence, container: string, line: string): readonly Peer[] {
  const { host, port } = peerIn(line);
  if (host !== undefined) return [{ host, ...(port !== undefined && { port }) }];
  const { initContainers = [], containers = [] } = (workload as Job).spec?.template?.spec ?? {};
  const spec = [...initContainers, ...containers].find(({ name }) => name === container);
  return spec === undefined ? [] : awaitedPeers(spec);
}

type Peer = Pick<SpecPeer, 'host' | 'port'>;

/** The services that the newest of its pods that are gone needed, as far as what it said last and its template name them. */
export function goneServicesOf(evidence: WorkloadEvidence): readonly ServiceName[] {
  const [life] = evidence.gone ?? [];
  if (life === undefined) return [];
  const namespace = evidence.workload.metadata?.namespace ?? 'default';
  const pod = evidenceOf(evidence, life);
  const said = lastSaid(evidence.gone ?? []) ?? { container: endedLast(life) ?? '', line: '' };
  const hosts = peersOfWords(evidence, said.container, said.line);
  const found = [
    ...hosts.flatMap(({ host }) => servicesOfHost(host, namespace)),
    ...namedServices(pod, containerFacts(pod)),
  ];
  return [...new Map(found.map((one) => [`${one.namespace}/${one.name}`, one])).values()];
}

/** The pod as it was: made of the Job's template, each container after its last end that nobody asked for. */
function evidenceOf(
  { workload, now, namespaceFlag, goneServices = [] }: WorkloadEvidence,
  life: PodHistory,
): PodEvidence {
  const { template } = (workload as Job).spec ?? {};
  const { kind = '', metadata } = workload;
  const owner = {
    apiVersion: 'batch/v1',
    kind,
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    controller: true,
  };
  const history = life.containers.map((one) => {
    const deaths = one.deaths.filter(({ requested }) => requested === undefined);
    return { ...one, deaths };
  });
  const inits = new Set((template?.spec?.initContainers ?? []).map(({ name }) => name));
  const statuses = history.flatMap(({ name, deaths }) => {
    const last = deaths.at(-1);
    return last === undefined ? [] : [statusOf(name, last)];
  });
  const pod: Pod = {
    kind: 'Pod',
    metadata: { ...life.metadata, ownerReferences: [owner] },
    spec: { ...template?.spec, containers: template?.spec?.containers ?? [], nodeName: life.nodeName },
    status: {
      phase: 'Failed',
      containerStatuses: statuses.filter(({ name }) => !inits.has(name)),
      initContainerStatuses: statuses.filter(({ name }) => inits.has(name)),
    },
  };
  return {
    now,
    pod,
    events: [],
    owners: [workload],
    history,
    logs: {},
    claims: [],
    configs: [],
    services: goneServices,
    throttling: {},
    siblings: [],
    siblingEvents: [],
    notLookedAt: [],
    namespaceFlag,
  };
}

function statusOf(name: string, death: DeathRecord): ContainerStatus {
  const { exitCode, reason, startedAt, finishedAt, containerId, restartCount } = death;
  const containerID = `containerd://${containerId}`;
  return {
    name,
    ready: false,
    restartCount,
    image: '',
    imageID: '',
    state: { terminated: { exitCode, reason, startedAt, finishedAt, containerID } },
  };
}
