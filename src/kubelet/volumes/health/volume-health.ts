/**
 * Watches volumes that CSI drivers and other machines serve: their mounts, whether their file systems answer, and what drivers say
 * of them. While no pod has such a volume nothing is done.
 */
import type { VolumeCondition } from '../../../csi/index.ts';
import {
  type Clock,
  decodeText,
  errorMessage,
  type FileSystem,
  type Logger,
  type Process,
  type Timer,
} from '../../../lib/index.ts';
import type { PodUID, VolumeTrouble } from '../../types.ts';
import { MAX_MOUNTINFO_BYTES } from '../limits.ts';
import { judgeVolume, MADE_ANEW, type ProbeAnswer } from './judge-volume.ts';
import { CONFIRM_MS, LOOK_MS, PROBE_MS, PROBE_REMOTE_MS } from './limits.ts';
import { MountProbes } from './mount-probes.ts';
import { isServed, type MountState, mountStates } from './mount-states.ts';

export interface VolumeHealthPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly fs: Pick<FileSystem, 'readFile'>;
  readonly process: Process;
}

/** A volume that a pod has. */
export interface WatchedVolume {
  readonly uid: PodUID;
  /** Its name in the pod. */
  readonly volume: string;
  /** Absent: it is being set up, and what was known of it stays. */
  readonly path?: string | undefined;
  readonly isBlock: boolean;
  /** Who serves it: a driver, or another machine. Absent: that is not known. */
  readonly server?: string | undefined;
  /** As it was when it was published; absent: as it is at the first look. */
  readonly wasReadOnly?: boolean | undefined;
}

export interface VolumeHealthParts {
  /** The volumes to watch; none of a pod that ends. */
  readonly volumes: () => Promise<readonly WatchedVolume[]>;
  /** Asks the drivers of a pod's volumes for their conditions; what they say is told to `heard`. Never rejects. */
  readonly askDrivers: (uid: PodUID) => Promise<void>;
  /** Wall ms: when the oldest of the pod's running containers with the volume started; `undefined`: none runs. */
  readonly oldestStart: (uid: PodUID, volume: string) => number | undefined;
  /** Something is wrong now, or is so in another way, or nothing is any more. */
  readonly onChange: (of: WatchedVolume, trouble: VolumeTrouble | undefined, before: VolumeTrouble | undefined) => void;
  /** Its file system is dead, and no container of the pod has it: nobody loses by its being mounted anew. */
  readonly onIdle: (of: WatchedVolume) => void;
}

/** What is known of one volume. */
interface Known {
  of: WatchedVolume;
  mount: MountState | undefined;
  wasReadOnly: boolean | undefined;
  trouble: VolumeTrouble | undefined;
  probe: ProbeAnswer | undefined;
  condition: VolumeCondition | undefined;
  /** Mono ms. */
  probedAt: number;
  isProbing: boolean;
  /** It did not answer once. */
  isSuspect: boolean;
  /** Its mount was not there at the look before. */
  isMissed: boolean;
  /** Its driver has told its condition. */
  isHeard: boolean;
  /** `trouble` is about an earlier mount. */
  isRenewed: boolean;
}

export class VolumeHealth {
  readonly #ports: VolumeHealthPorts;
  readonly #parts: VolumeHealthParts;
  readonly #probes: MountProbes;
  readonly #known = new Map<string, Known>();
  /** By server: its file systems are asked one after another, so that one that hangs holds up no other's. */
  readonly #probeLines = new Map<string, Promise<void>>();
  #timer: Timer | undefined;
  #looking = false;
  #table = '';
  #states: ReadonlyMap<string, MountState> = new Map();
  #statesOf = '';

  constructor(ports: VolumeHealthPorts, parts: VolumeHealthParts) {
    this.#ports = ports;
    this.#parts = parts;
    this.#probes = new MountProbes(ports);
  }

  troubles(uid: PodUID): readonly VolumeTrouble[] {
    return [...this.#known.values()].flatMap(({ of, trouble }) => (of.uid === uid && trouble ? [trouble] : []));
  }

  /** Of all pods. */
  *all(): Iterable<VolumeTrouble> {
    for (const { trouble } of this.#known.values()) if (trouble !== undefined) yield trouble;
  }

  /** There may be a volume to watch. */
  wake(): void {
    if (this.#timer === undefined && !this.#looking) this.#lookAfter(LOOK_MS);
  }

  /** A driver is gone, which may be how its file systems ended: everything is looked at and asked. */
  lookNow(): void {
    for (const known of this.#known.values()) known.probedAt = Number.NEGATIVE_INFINITY;
    if (this.#known.size > 0 && !this.#looking) this.#lookAfter(0);
  }

  /** What drivers say of the volumes of a pod, by the volume's name there. */
  heard(uid: PodUID, conditions: ReadonlyMap<string, { readonly condition?: VolumeCondition }>): void {
    for (const known of this.#known.values()) {
      const said = known.of.uid === uid ? conditions.get(known.of.volume) : undefined;
      if (said === undefined) continue;
      known.condition = said.condition;
      known.isHeard = true;
      this.#judge(known);
    }
  }

  /** It is mounted anew: what is wrong with it stays said until as much is known of the new mount. */
  renewed(uid: PodUID, volume: string): void {
    const known = this.#known.get(keyOf({ uid, volume }));
    if (known === undefined) return;
    const { of, trouble } = known;
    this.#known.set(keyOf(of), { ...fresh(of), trouble, isRenewed: true });
    if (!this.#looking) this.#lookAfter(0);
  }

  /** What is mounted now. */
  async mountTable(): Promise<string> {
    return decodeText(await this.#ports.fs.readFile('/proc/self/mountinfo', { maxBytes: MAX_MOUNTINFO_BYTES }));
  }

  /**
   * A set-up has left a mount at the path. If there was none before, though containers have the volume, then it vanished before it
   * was missed at a look, or while the agent was away.
   * @param table what was mounted before the set-up
   */
  setUp(of: WatchedVolume & { readonly path: string }, table: string): void {
    const { uid, volume, path } = of;
    if (mountStates(table, new Set([path])).has(path)) return;
    if (this.#parts.oldestStart(uid, volume) === undefined) return;
    const known = this.#known.get(keyOf(of)) ?? fresh(of);
    const { trouble: before } = known;
    if (before?.reason === 'MountLost') return;
    known.trouble = { volume, reason: 'MountLost', message: MADE_ANEW, since: this.#ports.clock.now().wall };
    this.#known.set(keyOf(of), known);
    this.#parts.onChange(of, known.trouble, before);
    this.wake();
  }

  /** Whether what is mounted at the path does not answer, or cannot be written to any more. */
  async isDead(path: string, wasReadOnly: boolean): Promise<boolean> {
    const mount = mountStates(await this.mountTable(), new Set([path])).get(path);
    if (mount === undefined) return false;
    if (mount.readOnly && !wasReadOnly) return true;
    const answer = await this.#probes.ask(path, '');
    return answer?.kind === 'fails' || answer?.kind === 'hangs';
  }

  #lookAfter(delayMs: number): void {
    this.#timer?.cancel();
    this.#timer = this.#ports.clock.setTimer(delayMs, () => {
      this.#timer = undefined;
      void this.#look();
    });
  }

  async #look(): Promise<void> {
    const { logger } = this.#ports;
    this.#looking = true;
    let nextMs = LOOK_MS;
    try {
      const volumes = await this.#parts.volumes();
      this.#keep(volumes);
      if (volumes.length > 0) await this.#readTable(volumes);
      for (const known of this.#known.values()) if (this.#lookAt(known)) nextMs = CONFIRM_MS;
      this.#askDrivers();
    } catch (error) {
      logger.warn('the volumes of pods cannot be looked at', { error: errorMessage(error) });
    }
    this.#looking = false;
    if (this.#known.size > 0) this.#lookAfter(nextMs);
    else this.#forgetTable();
  }

  #keep(volumes: readonly WatchedVolume[]): void {
    const keys = new Set(volumes.map(keyOf));
    for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key);
    for (const of of volumes) {
      const known = this.#known.get(keyOf(of));
      if (known !== undefined) keep(known, of);
      else if (of.path !== undefined) this.#known.set(keyOf(of), fresh(of));
    }
  }

  /** A table that is as it was is not read line by line. */
  async #readTable(volumes: readonly WatchedVolume[]): Promise<void> {
    const table = await this.mountTable();
    const paths = volumes.flatMap(({ path }) => path ?? []);
    const of = paths.join('\n');
    if (table === this.#table && of === this.#statesOf) return;
    this.#table = table;
    this.#statesOf = of;
    this.#states = mountStates(table, new Set(paths));
  }

  #forgetTable(): void {
    this.#table = '';
    this.#statesOf = '';
    this.#states = new Map();
  }

  /** True: it is to be looked at again soon. */
  #lookAt(known: Known): boolean {
    const { path } = known.of;
    if (path === undefined) return false;
    const mount = this.#states.get(path);
    known.mount = mount;
    const wasMissed = known.isMissed;
    known.isMissed = mount === undefined;
    if (known.isMissed && !wasMissed) return true;
    if (mount !== undefined) {
      known.wasReadOnly ??= known.of.wasReadOnly ?? mount.readOnly;
      this.#probe(known, path, mount);
    }
    this.#judge(known);
    return false;
  }

  #judge(known: Known): void {
    const { of, mount, wasReadOnly = false, probe, condition, trouble: before } = known;
    const { volume, path, isBlock } = of;
    // One that was not looked at yet has no mount for no fault of its own.
    if (path === undefined || (mount === undefined && !known.isMissed)) return;
    if (known.isRenewed && mount !== undefined && !isKnownAgain(known)) return;
    const oldestStart = this.#parts.oldestStart(of.uid, volume);
    const facts = { volume, path, isBlock, wasReadOnly, mount, probe, condition, oldestStart };
    const trouble = judgeVolume(facts, known.isRenewed ? undefined : before, this.#ports.clock.now().wall);
    known.trouble = trouble;
    known.isRenewed = false;
    if (trouble?.reason === 'Stale' && oldestStart === undefined) this.#parts.onIdle(of);
    if (trouble?.since === before?.since && trouble?.message === before?.message) return;
    this.#parts.onChange(of, trouble, before);
  }

  /** A device is no file system: its driver answers for it. */
  #probe(known: Known, path: string, { type }: MountState): void {
    const { clock } = this.#ports;
    const now = clock.now().mono;
    const periodMs = known.isSuspect ? 0 : isServed(type) ? PROBE_REMOTE_MS : PROBE_MS;
    if (known.of.isBlock || known.isProbing || now - known.probedAt < periodMs) return;
    known.isProbing = true;
    known.probedAt = now;
    const { server = '' } = known.of;
    const line = (this.#probeLines.get(server) ?? Promise.resolve()).then(async () => {
      const answer = await this.#probes.ask(path, server);
      known.isProbing = false;
      if (answer === undefined || known.of.path !== path || this.#known.get(keyOf(known.of)) !== known) return;
      // One late answer may be the machine's fault.
      const isFirst = answer.kind === 'hangs' && known.probe?.kind !== 'hangs' && !known.isSuspect;
      known.isSuspect = isFirst;
      if (isFirst) return;
      known.probe = answer;
      this.#judge(known);
    });
    this.#probeLines.set(server, line);
    void line.then(() => {
      if (this.#probeLines.get(server) === line) this.#probeLines.delete(server);
    });
  }

  /** Drivers are asked once in a period by those who keep their answers. */
  #askDrivers(): void {
    for (const uid of new Set([...this.#known.values()].map(({ of }) => of.uid))) void this.#parts.askDrivers(uid);
  }
}

/** As much is known of the new mount as of the one with the trouble. */
function isKnownAgain({ trouble, probe, isHeard }: Known): boolean {
  if (trouble?.reason === 'Stale' || trouble?.reason === 'Hangs') return probe !== undefined;
  return trouble?.reason !== 'Abnormal' || isHeard;
}

function keep(known: Known, of: WatchedVolume): void {
  known.of = of;
  if (of.path !== undefined) return;
  // The mount that comes is another one.
  known.probe = undefined;
  known.isSuspect = false;
  known.probedAt = Number.NEGATIVE_INFINITY;
}

function fresh(of: WatchedVolume): Known {
  return {
    of,
    mount: undefined,
    wasReadOnly: undefined,
    trouble: undefined,
    probe: undefined,
    condition: undefined,
    probedAt: Number.NEGATIVE_INFINITY,
    isProbing: false,
    isSuspect: false,
    isMissed: false,
    isHeard: false,
    isRenewed: false,
  };
}

function keyOf({ uid, volume }: Pick<WatchedVolume, 'uid' | 'volume'>): string {
  return `${uid}/${volume}`;
}
