/** Registers the node, keeps its status and its lease up to date, and sends events about its changes. */
import {
  canonicalPart,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type Node,
  NODES,
  type NodeVolumeSpace,
  VOLUME_DISK_PROBLEM,
  VOLUME_SPACE_ANNOTATION,
} from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import type { Image, ImageService, RuntimeService, RuntimeVersion } from '../../cri/index.ts';
import { type Clock, exponentialDelay, type Logger, type Random, withDeadline } from '../../lib/index.ts';
import type { Machine } from '../ports.ts';
import type { MachineFacts, MachinePressure } from '../figures.ts';
import { DEFAULT_SETTINGS, type KubeletSettings } from '../settings.ts';
import { sameValue } from '../status/status-patch.ts';
import type { KubeletHealth, PodEvents, PressureVerdict } from '../types.ts';
import { callInTime } from './call-in-time.ts';
import { FACTS_TIMEOUT_MS, FAST_STATUS_MS, FAST_STATUS_PERIOD_MS, MAX_CONFLICTS, RETRY_BACK_OFF } from './limits.ts';
import { nodeConditions, type VolumeDiskVerdict } from './node-conditions.ts';
import { renewNodeLease } from './node-lease.ts';
import { adoptionPatch, newNode, type NodeIdentity, nodeStatus } from './node-object.ts';

export interface NodeManagerPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly client: KubeClient;
  readonly machine: Machine;
  readonly runtime: Pick<RuntimeService, 'version'>;
  readonly images: Pick<ImageService, 'list'>;
}

export interface NodeManagerParts {
  readonly events: PodEvents;
  readonly health: Pick<KubeletHealth, 'runtimeErrors'>;
  /** The server answers again after it did not. */
  readonly onReached?: () => void;
  /** The observations of the eviction manager. */
  readonly pressure: () => PressureVerdict;
  /** Absent: the node makes no volumes. */
  readonly volumes?: NodeVolumes;
  /** Absent: the node runs no drivers, and leaves on record what it may have used before. */
  readonly volumesInUse?: ReportedVolumes;
}

/** The volumes that the Node's status says are in use here. */
export interface ReportedVolumes {
  /** @param before as the server has it */
  toReport(before: readonly string[]): Promise<readonly string[]>;
  /** The server has this list now. */
  reported(names: readonly string[]): void;
}

/** What the Node object says of the volumes that the node makes; `undefined`: not known yet. */
export interface NodeVolumes {
  space(): NodeVolumeSpace | undefined;
  disk(): VolumeDiskVerdict | undefined;
}

type NodeSettings = Pick<
  KubeletSettings,
  'nodeStatusUpdateFrequencyMs' | 'nodeStatusReportFrequencyMs' | 'nodeLeaseDurationSeconds'
>;

export interface NodeManager {
  /** The node as the server last had it; `undefined` before registration. */
  node(): Node | undefined;
  /** Mono ms when that read of the node began; it shows what was written before. */
  readAt(): number;
  /** Something that the status shows may have changed (the runtime came or went): look now. */
  refresh(): void;
  run(signal: AbortSignal): Promise<void>;
}

export function createNodeManager(
  ports: NodeManagerPorts,
  identity: NodeIdentity,
  parts: NodeManagerParts,
  settings: NodeSettings = DEFAULT_SETTINGS,
): NodeManager {
  return new Manager(ports, identity, parts, settings);
}

/** The input of the status. A figure that could not be read keeps its last value. */
interface Observed {
  readonly machine: MachineFacts;
  readonly pressure: MachinePressure;
  readonly runtime: RuntimeVersion | undefined;
  readonly images: readonly Image[];
}

class Manager implements NodeManager {
  readonly #ports: NodeManagerPorts;
  readonly #identity: NodeIdentity;
  readonly #parts: NodeManagerParts;
  readonly #settings: NodeSettings;
  #node: Node | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #observed: Observed | undefined;
  /** The last status that the server took, as we wrote it: it may keep it in another form. */
  #written: Node['status'];
  /** Mono ms of that. */
  #reportedAt = Number.NEGATIVE_INFINITY;
  #wasReady = false;
  #bootChecked = false;
  /** The state that was reported last. */
  #wasCordoned = false;
  #wake: (() => void) | undefined;
  /** A refresh was asked for since the last look began. */
  #wanted = false;

  constructor(ports: NodeManagerPorts, identity: NodeIdentity, parts: NodeManagerParts, settings: NodeSettings) {
    this.#ports = ports;
    this.#identity = identity;
    this.#parts = parts;
    this.#settings = settings;
  }

  node(): Node | undefined {
    return this.#node;
  }

  readAt(): number {
    return this.#readAt;
  }

  refresh(): void {
    this.#wanted = true;
    this.#wake?.();
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#parts.events.node('Normal', 'Starting', 'Starting kubelet.');
    await this.#register(signal);
    if (signal.aborted) return;
    const { nodeLeaseDurationSeconds: durationSeconds } = this.#settings;
    const lease = {
      ...this.#ports,
      nodeName: this.#identity.nodeName,
      node: () => this.#node,
      durationSeconds,
      // If a controller took us for lost meanwhile, it is corrected now, not at the end of the period.
      onRecovered: () => {
        this.refresh();
        this.#parts.onReached?.();
      },
    };
    await Promise.all([renewNodeLease(lease, signal), this.#statusLoop(signal)]);
  }

  async #register(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#ports;
    for (let failures = 0; !signal.aborted; ) {
      try {
        this.#node = await this.#createOrAdopt(signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        logger.warn('node not registered yet', { failures, error });
        await clock.sleep(exponentialDelay(RETRY_BACK_OFF, failures), signal).catch(() => {});
      }
    }
  }

  async #createOrAdopt(signal: AbortSignal): Promise<Node> {
    const { clock, client } = this.#ports;
    const { nodeName } = this.#identity;
    const wanted = newNode(this.#identity, await this.#ports.machine.facts());
    try {
      return await callInTime(clock, signal, (callSignal) => client.create(NODES, wanted, callSignal));
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const existing = await callInTime(clock, signal, (callSignal) =>
      client.get(NODES, undefined, nodeName, callSignal),
    );
    const patch = adoptionPatch(existing, wanted);
    if (patch === undefined) return existing;
    return callInTime(clock, signal, (callSignal) =>
      client.patch(NODES, undefined, nodeName, 'merge', patch, undefined, callSignal),
    );
  }

  async #statusLoop(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#ports;
    const { nodeStatusUpdateFrequencyMs } = this.#settings;
    const begun = clock.now().mono;
    let failures = 0;
    while (!signal.aborted) {
      this.#wanted = false;
      try {
        await this.#sync(signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        logger.warn('node status not updated', { failures, error });
      }
      const hurry = !this.#wasReady && clock.now().mono - begun < FAST_STATUS_MS;
      const periodMs = hurry ? FAST_STATUS_PERIOD_MS : nodeStatusUpdateFrequencyMs;
      // A server that refuses is not asked, nor complained about, ten times a second.
      const backOffMs = failures === 0 ? 0 : exponentialDelay(RETRY_BACK_OFF, failures);
      await this.#pause(Math.max(periodMs, backOffMs), signal);
    }
  }

  #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        signal.removeEventListener('abort', end);
        this.#wake = undefined;
        resolve();
      };
      const timer = this.#ports.clock.setTimer(delayMs, end);
      signal.addEventListener('abort', end, { once: true });
      this.#wake = end;
      if (signal.aborted || this.#wanted) end();
    });
  }

  async #sync(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    const observed = await this.#observe(signal);
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts++) {
      const readAt = clock.now().mono;
      this.#node = await this.#read(signal);
      this.#readAt = readAt;
      try {
        await this.#tellSpace(signal);
        await this.#write(observed, signal);
        return;
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    }
  }

  /** Others write the node, too (a controller that took us for dead); one that was deleted is made again. */
  async #read(signal: AbortSignal): Promise<Node> {
    const { clock, client } = this.#ports;
    const { nodeName } = this.#identity;
    try {
      return await callInTime(clock, signal, (callSignal) => client.get(NODES, undefined, nodeName, callSignal));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#written = undefined;
      return this.#createOrAdopt(signal);
    }
  }

  async #write(observed: Observed, signal: AbortSignal): Promise<void> {
    const { clock, client } = this.#ports;
    const { health } = this.#parts;
    const before = this.#node ?? {};
    const errors = health.runtimeErrors();
    const now = clock.now();
    const volumeDisk = this.#parts.volumes?.disk();
    // An earlier agent may have made volumes.
    const known = (before.status?.conditions ?? []).filter(
      ({ type }) => type !== VOLUME_DISK_PROBLEM || this.#parts.volumes !== undefined,
    );
    const { conditions, changes } = nodeConditions(known, {
      pressure: this.#parts.pressure(),
      errors,
      ...(volumeDisk && { volumeDisk }),
      wall: now.wall,
    });
    const facts = { ...observed, ephemeralBytes: observed.pressure.rootFs.bytes };
    const used = before.status?.volumesInUse ?? [];
    const volumesInUse = (await this.#parts.volumesInUse?.toReport(used)) ?? used;
    const status = {
      ...nodeStatus(before.status ?? {}, this.#identity, facts),
      conditions,
      volumesInUse: [...volumesInUse],
    };
    this.#tellReboot(before, observed.machine.bootId);
    const { nodeStatusReportFrequencyMs: reportMs } = this.#settings;
    const due = now.mono - this.#reportedAt >= reportMs;
    const isNews = changes.length > 0 || !sameValue(used, volumesInUse);
    if (due || isNews || !sameStatus(this.#written, status)) {
      this.#node = await callInTime(clock, signal, (callSignal) =>
        client.update(NODES, { ...before, status }, 'status', callSignal),
      );
      this.#written = status;
      this.#reportedAt = now.mono;
    }
    this.#parts.volumesInUse?.reported(volumesInUse);
    for (const reason of changes) this.#tell(reason);
    this.#tellCordon(before.spec?.unschedulable === true);
    this.#wasReady ||= errors.length === 0;
  }

  /** Others of the node's annotations stay. One that is not true any more goes: this agent may make no volumes, and the last did. */
  async #tellSpace(signal: AbortSignal): Promise<void> {
    const { clock, client } = this.#ports;
    const { nodeName } = this.#identity;
    const { volumes } = this.#parts;
    const space = volumes?.space();
    if (volumes !== undefined && space === undefined) return;
    const wanted = space === undefined ? undefined : JSON.stringify(space);
    if (this.#node?.metadata?.annotations?.[VOLUME_SPACE_ANNOTATION] === wanted) return;
    const patch = { metadata: { annotations: { [VOLUME_SPACE_ANNOTATION]: wanted ?? null } } };
    this.#node = await callInTime(clock, signal, (callSignal) =>
      client.patch(NODES, undefined, nodeName, 'merge', patch, undefined, callSignal),
    );
  }

  #tell(reason: string): void {
    const { nodeName } = this.#identity;
    const { events } = this.#parts;
    events.node('Normal', reason, `Node ${nodeName} status is now: ${reason}`);
  }

  #tellCordon(isCordoned: boolean): void {
    if (isCordoned === this.#wasCordoned) return;
    this.#wasCordoned = isCordoned;
    this.#tell(isCordoned ? 'NodeNotSchedulable' : 'NodeSchedulable');
  }

  #tellReboot(before: Node, bootId: string): void {
    if (this.#bootChecked) return;
    this.#bootChecked = true;
    const known = before.status?.nodeInfo?.bootID ?? '';
    if (known === '' || known === bootId) return;
    const { nodeName } = this.#identity;
    const { events } = this.#parts;
    events.node('Warning', 'Rebooted', `Node ${nodeName} has been rebooted, boot id: ${bootId}`);
  }

  /** Rejects only when the machine cannot be asked; a runtime that is away leaves what it said before. */
  async #observe(signal: AbortSignal): Promise<Observed> {
    const { machine, runtime, images } = this.#ports;
    const call = { signal, timeoutMs: FACTS_TIMEOUT_MS };
    const [facts, pressure, version, list] = await Promise.all([
      machine.facts(),
      machine.pressure(),
      this.#orBefore(() => runtime.version(call), this.#observed?.runtime, signal),
      this.#orBefore(() => images.list(call), this.#observed?.images, signal),
    ]);
    this.#observed = { machine: facts, pressure, runtime: version, images: list ?? [] };
    return this.#observed;
  }

  async #orBefore<T>(ask: () => Promise<T>, before: T | undefined, signal: AbortSignal): Promise<T | undefined> {
    try {
      const result = await withDeadline({ clock: this.#ports.clock, timeoutMs: FACTS_TIMEOUT_MS, signal }, ask);
      return result.kind === 'done' ? result.value : before;
    } catch (error) {
      if (!signal.aborted) this.#ports.logger.debug('the runtime did not answer for the node status', { error });
      return before;
    }
  }
}

/** Equal but for the heartbeats, which alone are no reason to write. */
function sameStatus(before: Node['status'], after: Node['status']): boolean {
  return sameValue(withoutHeartbeats(before), withoutHeartbeats(after));
}

/** In canonical form, so that the server's answer does not look like a change. */
function withoutHeartbeats(status: Node['status']): unknown {
  const conditions = status?.conditions?.map((condition) => ({ ...condition, lastHeartbeatTime: null }));
  return canonicalPart('core.v1.NodeStatus', { ...status, conditions });
}
