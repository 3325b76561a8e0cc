/**
 * A simulated container runtime: sandboxes and containers that survive their agent. It acts at once; `sim-runtime-service.ts`
 * adds latency and faults. Like containerd, it announces an exit before its status shows it.
 */
import {
  type Container,
  type ContainerConfig,
  type ContainerStatus,
  type RuntimeEvent,
  RuntimeError,
  type Sandbox,
  type SandboxConfig,
  type SandboxStatus,
} from '../../cri/index.ts';
import type { Random } from '../../lib/index.ts';
import type { ContainerName, EndCause, Facts, HostMount } from '../facts.ts';
import type { WallClock } from '../sim-clock.ts';
import type { Cancellable, Sim } from '../sim.ts';
import { type Behaviour, type Health, behaviourOf, healthOf, isSick } from './behaviour.ts';

/** Time from containerd's exit event until its status leaves RUNNING, ms; measured. */
const STATUS_LAG_MS: readonly [number, number] = [33, 125];
const DEFAULT_STOP_MS = 30;
const SIGKILL_CODE = 137;
const SIGTERM_CODE = 143;

interface SandboxRecord {
  readonly id: string;
  readonly config: SandboxConfig;
  readonly createdAt: number;
  readonly ip: string;
  ready: boolean;
}

interface ContainerRecord {
  readonly id: string;
  readonly sandbox: SandboxRecord;
  readonly config: ContainerConfig;
  readonly behaviour: Behaviour;
  readonly createdAt: number;
  state: 'created' | 'running' | 'exited';
  startedMono: number;
  startedAt: number;
  finishedAt: number;
  exitCode: number;
  reason: string;
  /** Mono ms until which reads still show it running. */
  visibleAt: number;
  termSent: boolean;
  /** SIGKILLs planned by stops under way; they are lost with the daemon, or with the caller of the stop. */
  readonly kills: Set<Cancellable>;
  readonly planned: Cancellable[];
  readonly onDead: Set<() => void>;
}

export interface RuntimeGround {
  readonly sim: Sim;
  readonly wall: WallClock;
  readonly facts: Facts;
  readonly random: Random;
}

/** A pod's network, as it truly is. */
export interface TrueSandbox {
  readonly uid: string;
  readonly ip: string;
  /** Names of the containers that run in it. */
  readonly running: ReadonlySet<string>;
}

export class SimRuntime {
  readonly #sim: Sim;
  readonly #wall: WallClock;
  readonly #facts: Facts;
  readonly #random: Random;
  readonly #podPrefix: string;
  readonly #findOnHost: (path: string) => HostMount['found'];
  readonly #sandboxes = new Map<string, SandboxRecord>();
  readonly #containers = new Map<string, ContainerRecord>();
  readonly #listeners = new Set<(event: RuntimeEvent) => void>();
  #nextIp = 2;
  #down = false;
  readonly #cutListeners = new Set<() => void>();

  /**
   * @param podPrefix "10.244"
   * @param findOnHost returns the object on the machine at a path that a container mounts
   */
  constructor(
    { sim, wall, facts, random }: RuntimeGround,
    podPrefix: string,
    findOnHost: (path: string) => HostMount['found'],
  ) {
    this.#podPrefix = podPrefix;
    this.#sim = sim;
    this.#wall = wall;
    this.#facts = facts;
    this.#random = random;
    this.#findOnHost = findOnHost;
  }

  onEvent(listener: (event: RuntimeEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Adds a listener for breaks of the event streams. */
  onCut(listener: () => void): () => void {
    this.#cutListeners.add(listener);
    return () => this.#cutListeners.delete(listener);
  }

  get down(): boolean {
    return this.#down;
  }

  /** Kills the runtime's daemon; containers keep running. One that ends meanwhile keeps its exit code and loses its reason. */
  goDown(): void {
    this.#down = true;
    for (const { kills, onDead } of this.#containers.values()) {
      for (const kill of kills) kill.cancel();
      kills.clear();
      onDead.clear();
    }
    for (const tell of this.#cutListeners) tell();
  }

  comeUp(): void {
    this.#down = false;
  }

  runSandbox(config: SandboxConfig): string {
    const { uid, attempt } = config.metadata;
    for (const other of this.#sandboxes.values()) {
      const same = other.config.metadata.uid === uid && other.config.metadata.attempt === attempt;
      if (same) throw new RuntimeError('AlreadyExists', `name is reserved for sandbox ${other.id}`);
    }
    const id = this.#newId();
    const ip = `${this.#podPrefix}.${this.#nextIp >> 8}.${this.#nextIp & 255}`;
    this.#nextIp += 1;
    this.#sandboxes.set(id, { id, config, createdAt: this.#wall.wall, ip, ready: true });
    this.#facts.tell({ kind: 'sandbox-created', uid, id });
    this.#announce({ kind: 'created', id, podUid: uid });
    return id;
  }

  stopSandbox(id: string): void {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) return;
    for (const container of this.#containersIn(id)) this.#kill(container, 'kill');
    if (!sandbox.ready) return;
    sandbox.ready = false;
    this.#facts.tell({ kind: 'sandbox-stopped', uid: sandbox.config.metadata.uid, id });
    this.#announce({ kind: 'stopped', id, podUid: sandbox.config.metadata.uid });
  }

  removeSandbox(id: string): void {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) return;
    this.stopSandbox(id);
    for (const container of this.#containersIn(id)) this.#containers.delete(container.id);
    this.#sandboxes.delete(id);
    this.#facts.tell({ kind: 'sandbox-removed', uid: sandbox.config.metadata.uid, id });
    this.#announce({ kind: 'deleted', id, podUid: sandbox.config.metadata.uid });
  }

  listSandboxes(): readonly Sandbox[] {
    return [...this.#sandboxes.values()].map((sandbox) => toSandbox(sandbox));
  }

  sandboxStatus(id: string): SandboxStatus | undefined {
    const sandbox = this.#sandboxes.get(id);
    if (sandbox === undefined) return undefined;
    const hostNetwork = sandbox.config.namespaces.network === 'node';
    return { ...toSandbox(sandbox), ips: sandbox.ready && !hostNetwork ? [sandbox.ip] : [], hostNetwork };
  }

  createContainer(sandboxId: string, config: ContainerConfig): string {
    const sandbox = this.#sandboxes.get(sandboxId);
    if (sandbox === undefined) throw new RuntimeError('NotFound', `failed to find sandbox id "${sandboxId}"`);
    if (!sandbox.ready) throw new RuntimeError('Unknown', `sandbox container "${sandboxId}" is not running`);
    for (const other of this.#containersIn(sandboxId)) {
      const same = other.config.name === config.name && other.config.attempt === config.attempt;
      if (same)
        throw new RuntimeError('AlreadyExists', `failed to reserve container name: is reserved for "${other.id}"`);
    }
    const id = this.#newId();
    const behaviour = behaviourOf([...config.command, ...config.args]);
    const times = { startedMono: 0, startedAt: 0, finishedAt: 0, visibleAt: 0, termSent: false };
    const container: ContainerRecord = {
      id,
      sandbox,
      config,
      behaviour,
      createdAt: this.#wall.wall,
      state: 'created',
      ...times,
      exitCode: 0,
      reason: '',
      planned: [],
      onDead: new Set(),
      kills: new Set(),
    };
    this.#containers.set(id, container);
    const mounts = config.mounts.map(({ containerPath, hostPath }) => ({
      containerPath,
      hostPath,
      found: this.#findOnHost(hostPath),
    }));
    this.#facts.tell({ kind: 'created', mounts, ...nameOf(container) });
    this.#announce({ kind: 'created', id, podUid: sandbox.config.metadata.uid });
    return id;
  }

  startContainer(id: string): void {
    const container = this.#need(id);
    if (container.state !== 'created')
      throw new RuntimeError('Unknown', `container "${id}" is in ${container.state} state`);
    if (!container.sandbox.ready) throw new RuntimeError('Unknown', 'sandbox container is not running');
    container.state = 'running';
    container.startedMono = this.#sim.mono;
    container.startedAt = this.#wall.wall;
    this.#facts.tell({ kind: 'started', ...nameOf(container) });
    this.#announce({ kind: 'started', id, podUid: container.sandbox.config.metadata.uid });
    const { exitAfterMs, exitCode = 0, oom = false } = container.behaviour;
    const attempts = { container: container.config.attempt, sandbox: container.sandbox.config.metadata.attempt };
    if (exitAfterMs === undefined || !isSick(container.behaviour, attempts)) return;
    const [min, max] = exitAfterMs;
    this.#plan(container, min + this.#random.next() * (max - min), () =>
      this.#end(container, oom ? SIGKILL_CODE : exitCode, oom ? 'oom' : 'self'),
    );
  }

  /**
   * Stops a container. `onDead` is called once it is dead and reads show it. Of overlapping stops the shortest grace period wins.
   * The returned function takes the stop back, as containerd does when its caller hangs up: the stop signal has been sent, but no
   * SIGKILL follows.
   */
  stopContainer(id: string, graceSeconds: number, onDead: () => void): () => void {
    const container = this.#containers.get(id);
    if (container === undefined || container.state !== 'running') {
      this.#sim.after(this.#lagLeft(container), 'stop of the dead', onDead);
      return () => {};
    }
    this.#facts.tell({ kind: 'stop-called', graceSeconds, ...nameOf(container) });
    container.onDead.add(onDead);
    const kill = this.#sim.after(graceSeconds * 1000, `kill ${container.config.name}`, () =>
      this.#kill(container, 'kill'),
    );
    container.kills.add(kill);
    this.#sendTerm(container);
    return () => {
      kill.cancel();
      container.kills.delete(kill);
      container.onDead.delete(onDead);
    };
  }

  removeContainer(id: string): void {
    const container = this.#containers.get(id);
    if (container === undefined) return;
    this.#kill(container, 'kill');
    this.#containers.delete(id);
    this.#announce({ kind: 'deleted', id, podUid: container.sandbox.config.metadata.uid });
  }

  listContainers(): readonly Container[] {
    return [...this.#containers.values()].map((container) => this.#toContainer(container));
  }

  containerStatus(id: string): ContainerStatus | undefined {
    const container = this.#containers.get(id);
    if (container === undefined) return undefined;
    const dead = container.state === 'exited' && this.#sim.mono >= container.visibleAt;
    return {
      ...this.#toContainer(container),
      startedAt: container.startedAt,
      finishedAt: dead ? container.finishedAt : 0,
      exitCode: dead ? container.exitCode : 0,
      reason: dead ? container.reason : '',
      message: '',
      logPath: `${container.sandbox.config.logDirectory}/${container.config.logPath}`,
    };
  }

  /** The health of a running container of the pod with this address; `undefined`: there is none. */
  healthAt(ip: string): Health | undefined {
    for (const container of this.#containers.values()) {
      if (container.sandbox.ip !== ip || container.state !== 'running') continue;
      if (container.behaviour.serves !== false) return this.healthOf(container.id);
    }
    return undefined;
  }

  healthOf(id: string): Health | undefined {
    const container = this.#containers.get(id);
    if (container?.state !== 'running') return undefined;
    return healthOf(container.behaviour, this.#sim.mono - container.startedMono);
  }

  /** The name of an existing container. */
  name(id: string): ContainerName | undefined {
    const container = this.#containers.get(id);
    return container === undefined ? undefined : nameOf(container);
  }

  /** Records that an agent sent a start, which may arrive much later. */
  startSent(id: string): void {
    const name = this.name(id);
    if (name !== undefined) this.#facts.tell({ kind: 'start-sent', ...name });
  }

  /** Records that an agent sent a stop. */
  stopSent(id: string, graceSeconds: number): void {
    const name = this.name(id);
    if (name !== undefined) this.#facts.tell({ kind: 'stop-sent', graceSeconds, ...name });
  }

  /** The running containers, for invariants. */
  running(): readonly ContainerName[] {
    return [...this.#containers.values()].filter(({ state }) => state === 'running').map(nameOf);
  }

  /** The sandboxes whose network is there, by address. */
  sandboxesByAddress(): ReadonlyMap<string, TrueSandbox> {
    const found = new Map<string, TrueSandbox>();
    for (const { id, ip, ready, config } of this.#sandboxes.values()) {
      if (!ready || config.namespaces.network === 'node') continue;
      const running = this.#containersIn(id).filter(({ state }) => state === 'running');
      const names = new Set(running.map((container) => container.config.name));
      found.set(ip, { uid: config.metadata.uid, ip, running: names });
    }
    return found;
  }

  /** UIDs of pods with remaining sandboxes. */
  uids(): ReadonlySet<string> {
    return new Set([...this.#sandboxes.values()].map(({ config }) => config.metadata.uid));
  }

  /** Kills a container for memory now. */
  outOfMemory(id: string): void {
    const container = this.#containers.get(id);
    if (container?.state === 'running') this.#end(container, SIGKILL_CODE, 'oom');
  }

  /** Ends every process, as the machine lost power; the runtime's records stay. */
  losePower(): void {
    for (const sandbox of this.#sandboxes.values()) sandbox.ready = false;
    for (const container of this.#containers.values()) {
      if (container.state === 'running') this.#end(container, 255, 'lost');
    }
  }

  #sendTerm(container: ContainerRecord): void {
    if (container.termSent || container.behaviour.ignoreTerm === true) return;
    container.termSent = true;
    this.#plan(container, container.behaviour.stopMs ?? DEFAULT_STOP_MS, () =>
      this.#end(container, SIGTERM_CODE, 'term'),
    );
  }

  #kill(container: ContainerRecord, cause: EndCause): void {
    if (container.state === 'running') this.#end(container, SIGKILL_CODE, cause);
  }

  #end(container: ContainerRecord, exitCode: number, cause: EndCause): void {
    if (container.state !== 'running') return;
    for (const event of [...container.planned.splice(0), ...container.kills]) event.cancel();
    container.kills.clear();
    container.state = 'exited';
    container.finishedAt = this.#wall.wall;
    container.exitCode = exitCode;
    container.reason = reasonOf(exitCode, this.#down ? 'self' : cause);
    const [min, max] = STATUS_LAG_MS;
    const lagMs = min + this.#random.next() * (max - min);
    container.visibleAt = this.#sim.mono + lagMs;
    this.#facts.tell({ kind: 'exited', exitCode, cause, ...nameOf(container) });
    const { uid } = container.sandbox.config.metadata;
    if (cause === 'oom') this.#announce({ kind: 'oom', id: container.id, podUid: uid });
    this.#announce({ kind: 'stopped', id: container.id, podUid: uid });
    this.#sim.after(lagMs, 'status shows exit', () => {
      for (const tell of container.onDead) tell();
      container.onDead.clear();
    });
  }

  #plan(container: ContainerRecord, delayMs: number, fire: () => void): void {
    container.planned.push(this.#sim.after(delayMs, `container ${container.config.name}`, fire));
  }

  #announce(event: RuntimeEvent): void {
    if (this.#down) return;
    for (const listener of this.#listeners) listener(event);
  }

  #need(id: string): ContainerRecord {
    const container = this.#containers.get(id);
    if (container === undefined) throw new RuntimeError('NotFound', `container "${id}" not found`);
    return container;
  }

  #containersIn(sandboxId: string): readonly ContainerRecord[] {
    return [...this.#containers.values()].filter(({ sandbox }) => sandbox.id === sandboxId);
  }

  #lagLeft(container: ContainerRecord | undefined): number {
    return container === undefined ? 0 : Math.max(0, container.visibleAt - this.#sim.mono);
  }

  #toContainer(container: ContainerRecord): Container {
    const { id, sandbox, config, createdAt } = container;
    const hidden = container.state === 'exited' && this.#sim.mono < container.visibleAt;
    const { name, attempt, image, labels, annotations } = config;
    const state = hidden ? 'running' : container.state;
    return { id, sandboxId: sandbox.id, name, attempt, state, createdAt, image, imageRef: image, labels, annotations };
  }

  #newId(): string {
    return this.#random.uuid().replaceAll('-', '') + this.#random.uuid().replaceAll('-', '');
  }
}

function nameOf({ id, sandbox, config }: ContainerRecord): ContainerName {
  return { uid: sandbox.config.metadata.uid, container: config.name, id, attempt: config.attempt, sandbox: sandbox.id };
}

function toSandbox({ id, config, createdAt, ready }: SandboxRecord): Sandbox {
  const { metadata, labels, annotations } = config;
  return { id, metadata, state: ready ? 'ready' : 'notready', createdAt, labels, annotations };
}

function reasonOf(exitCode: number, cause: EndCause): string {
  if (cause === 'oom') return 'OOMKilled';
  if (cause === 'lost') return 'Unknown';
  return exitCode === 0 ? 'Completed' : 'Error';
}
