/**
 * Looks up the listening ports of a pod when it refuses a probe. That is possible only while the container lives, not when
 * somebody asks why it died. It happens seldom, but always at the failure for which the container may be killed.
 */
import type { ListeningPort, Pod } from '../../api/index.ts';
import { BoundedMap, type Clock, type Logger } from '../../lib/index.ts';
import { podCgroupPath } from '../pods/pod-cgroup.ts';
import type { Cgroups, Listeners } from '../ports.ts';
import type { FailedAttempt } from '../probes/probe-worker.ts';
import { type FailedProbes, isRefusal } from './failed-probes.ts';
import { LISTENING_PERIOD_MS, MAX_PROBED_CONTAINERS } from './limits.ts';

export interface RefusedProbesOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly failedProbes: FailedProbes;
  readonly cgroups: Pick<Cgroups, 'processes'>;
  /** Absent: the ports cannot be found out. */
  readonly listeners?: Pick<Listeners, 'of'>;
}

type Ports = readonly ListeningPort[] | undefined;

interface Look {
  /** Mono ms. */
  readonly at: number;
  /** Never rejects. */
  readonly ports: Promise<Ports>;
}

export class RefusedProbes {
  readonly #options: RefusedProbesOptions;
  /** The last look, by container id. */
  readonly #looks = new BoundedMap<string, Look>(MAX_PROBED_CONTAINERS);

  constructor(options: RefusedProbesOptions) {
    this.#options = options;
  }

  /** Takes a failed attempt. Never blocks, and never throws. */
  failed(attempt: FailedAttempt): void {
    const { failedProbes } = this.#options;
    const { containerId, kind, output } = attempt;
    failedProbes.failed(containerId, kind, output);
    if (this.#options.listeners === undefined || !isRefusal(output) || !asksItsPod(attempt)) return;
    void this.#lookOf(attempt).ports.then((ports) => {
      if (ports !== undefined) failedProbes.listened(containerId, kind, ports);
    });
  }

  #lookOf({ pod, containerId, decides }: FailedAttempt): Look {
    const at = this.#options.clock.now().mono;
    const last = this.#looks.get(containerId);
    if (last !== undefined && !decides && at - last.at < LISTENING_PERIOD_MS) return last;
    const look = { at, ports: this.#look(pod, containerId) };
    this.#looks.set(containerId, look);
    return look;
  }

  async #look(pod: Pod, containerId: string): Promise<Ports> {
    const { cgroups, listeners, logger } = this.#options;
    try {
      const pids = await cgroups.processes({ path: podCgroupPath(pod), containerId });
      return await listeners?.of(pids);
    } catch (error) {
      logger.warn('nobody can tell where a pod listens', { uid: pod.metadata?.uid, containerId, error });
      return undefined;
    }
  }
}

/** By the network, in a network of the pod's own, which our kernel has. */
export function asksItsPod({ pod, container, kind }: Pick<FailedAttempt, 'pod' | 'container' | 'kind'>): boolean {
  const { spec } = pod;
  // A runtime of another make may have a kernel, and so sockets, of its own.
  if (spec?.hostNetwork === true || (spec?.runtimeClassName ?? '') !== '') return false;
  const { livenessProbe, readinessProbe, startupProbe } = container;
  const probe = { liveness: livenessProbe, readiness: readinessProbe, startup: startupProbe }[kind];
  const asked = probe?.httpGet ?? probe?.tcpSocket;
  return probe?.grpc !== undefined || (asked !== undefined && (asked.host ?? '') === '');
}
