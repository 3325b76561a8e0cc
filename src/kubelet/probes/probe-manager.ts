/** Keeps one probe worker per probe of every running container, and shows their verdicts. */
import type { Container, Pod, Probe } from '../../api/index.ts';
import type { ContainerStatus, RuntimeService } from '../../cri/index.ts';
import { type Clock, type Logger, type MetricsRegistry, type Random, Semaphore } from '../../lib/index.ts';
import type { ProbeTransport } from '../ports.ts';
import type { MarkDirty, PodEvents, PodObservation, PodUID, ProbeManager, ProbeResults } from '../types.ts';
import { carriedResult } from './carried-results.ts';
import { MAX_CONCURRENT_PROBES } from './limits.ts';
import { ProbeMetrics, type ProbeSubject } from './probe-metrics.ts';
import { mayProbe, type ProbeKind } from './probe-step.ts';
import { type FailedAttempt, type ProbedContainer, ProbeWorker, type WorkerContext } from './probe-worker.ts';

export interface ProbeManagerPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly runtime: Pick<RuntimeService, 'execSync'>;
  readonly transport: ProbeTransport;
}

/** What probes tell of the node that they come from. */
export interface ProbingNode {
  /** For the User-Agent, e.g. "v1.36.0+mendlet.1". */
  readonly version: string;
  /** The node's address: the target of probes of a pod on the host network. */
  readonly hostIp: () => string | undefined;
}

export interface ProbeListener {
  readonly events: PodEvents;
  readonly markDirty: MarkDirty;
  /** An attempt failed, and counts: for the record of why a container was killed. */
  readonly onFailure?: (failed: FailedAttempt) => void;
}

export function createProbeManager(ports: ProbeManagerPorts, node: ProbingNode, listener: ProbeListener): ProbeManager {
  return new Manager(ports, node, listener);
}

type Workers = Partial<Record<ProbeKind, ProbeWorker>>;

interface ProbedPod {
  podIp: string | undefined;
  /** By container id. */
  readonly containers: Map<string, Workers>;
  /** All that was ever probed of this pod, for its metrics. */
  readonly subjects: Map<string, ProbeSubject>;
}

const KINDS: readonly ProbeKind[] = ['startup', 'liveness', 'readiness'];

class Manager implements ProbeManager {
  readonly #ports: ProbeManagerPorts;
  readonly #node: ProbingNode;
  readonly #listener: ProbeListener;
  readonly #context: WorkerContext;
  readonly #pods = new Map<PodUID, ProbedPod>();
  readonly #startedAt: number;

  constructor(ports: ProbeManagerPorts, node: ProbingNode, listener: ProbeListener) {
    this.#ports = ports;
    this.#node = node;
    this.#listener = listener;
    this.#startedAt = ports.clock.now().wall;
    this.#context = {
      ...ports,
      ...listener,
      metrics: new ProbeMetrics(ports.metrics),
      attempt: { ...ports, version: node.version },
      places: new Semaphore(MAX_CONCURRENT_PROBES),
    };
  }

  sync(pod: Pod, observation: PodObservation | undefined, options: { readonly terminating: boolean }): void {
    const uid = pod.metadata?.uid ?? '';
    const running = runningContainers(pod, observation);
    if (running.length === 0 && !this.#pods.has(uid)) return;
    const probed = this.#podOf(uid);
    probed.podIp = pod.spec?.hostNetwork === true ? this.#node.hostIp() : observation?.sandboxes[0]?.ips[0];
    const ids = new Set(running.map(({ status }) => status.id));
    for (const [id, workers] of probed.containers) {
      if (ids.has(id)) continue;
      stopAll(workers);
      probed.containers.delete(id);
    }
    for (const { container, status } of running)
      this.#syncContainer(pod, probed, container, status, options.terminating);
  }

  results(uid: PodUID): Readonly<Record<string, ProbeResults>> {
    const results: Record<string, ProbeResults> = {};
    for (const [id, workers] of this.#pods.get(uid)?.containers ?? []) {
      const verdicts = KINDS.map((kind) => [kind, workers[kind]?.verdict] as const);
      results[id] = Object.fromEntries(verdicts.filter(([, verdict]) => verdict !== undefined));
    }
    return results;
  }

  forget(uid: PodUID): void {
    const probed = this.#pods.get(uid);
    if (probed === undefined) return;
    for (const workers of probed.containers.values()) stopAll(workers);
    for (const subject of probed.subjects.values()) this.#context.metrics.forget(subject);
    this.#pods.delete(uid);
  }

  #podOf(uid: PodUID): ProbedPod {
    const known = this.#pods.get(uid);
    if (known !== undefined) return known;
    const probed: ProbedPod = { podIp: undefined, containers: new Map(), subjects: new Map() };
    this.#pods.set(uid, probed);
    return probed;
  }

  #syncContainer(
    pod: Pod,
    probed: ProbedPod,
    container: Container,
    status: ContainerStatus,
    terminating: boolean,
  ): void {
    const known = probed.containers.get(status.id);
    const workers = known ?? this.#workersOf(pod, probed, container, status);
    if (known === undefined) probed.containers.set(status.id, workers);
    for (const kind of KINDS) {
      // A pod that ends is not restarted for its health, but leaves the load balancers when it says so.
      if (terminating && kind !== 'readiness') workers[kind]?.stop();
      else if (mayProbe(kind, workers.startup?.verdict)) workers[kind]?.start();
    }
  }

  #workersOf(pod: Pod, probed: ProbedPod, container: Container, status: ContainerStatus): Workers {
    const { clock } = this.#ports;
    const { markDirty } = this.#listener;
    const uid = pod.metadata?.uid ?? '';
    const now = clock.now();
    const adopted = status.startedAt < this.#startedAt;
    const target: ProbedContainer = {
      pod,
      container,
      containerId: status.id,
      startedAt: now.mono - Math.max(0, now.wall - status.startedAt),
      podIp: () => probed.podIp,
    };
    const workers: Workers = {};
    for (const kind of KINDS) {
      const probe = probeOf(container, kind);
      if (probe === undefined) continue;
      const worker = new ProbeWorker(this.#context, {
        kind,
        probe,
        target,
        adopted,
        carried: adopted ? carriedResult(pod, container.name, status.id, kind) : undefined,
        onVerdict: () => {
          this.#startGated(workers);
          markDirty(uid, 'probe');
        },
      });
      workers[kind] = worker;
      probed.subjects.set(`${container.name}/${kind}`, worker.subject);
    }
    return workers;
  }

  /** The startup probe succeeded: the others begin now, not with the next sync. */
  #startGated(workers: Workers): void {
    if (workers.startup?.verdict !== 'success') return;
    workers.liveness?.start();
    workers.readiness?.start();
  }
}

function stopAll(workers: Workers): void {
  for (const kind of KINDS) workers[kind]?.stop();
}

function probeOf(container: Container, kind: ProbeKind): Probe | undefined {
  if (kind === 'startup') return container.startupProbe;
  return kind === 'liveness' ? container.livenessProbe : container.readinessProbe;
}

/** Containers and sidecars whose newest instance runs. */
function runningContainers(
  pod: Pod,
  observation: PodObservation | undefined,
): readonly { readonly container: Container; readonly status: ContainerStatus }[] {
  const sidecars = (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...sidecars, ...(pod.spec?.containers ?? [])].flatMap((container) => {
    const status = observation?.containers.find(({ name }) => name === container.name);
    return status?.state === 'running' ? [{ container, status }] : [];
  });
}
