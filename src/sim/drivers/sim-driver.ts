/**
 * A simulated driver on one machine: a process that serves volumes by mounting them. It outlives agents, dies and comes back, and can
 * fail, hang, lie and forget. As the standard asks, it refuses a call for a volume that another call works on.
 */
import { CsiError } from '../../csi/index.ts';
import type { Random } from '../../lib/index.ts';
import type { SimDisk } from '../sim-disk.ts';
import type { Sim } from '../sim.ts';
import type { DriverCall, StorageLaws } from './storage-laws.ts';

/** Chances from 0 to 1, drawn for each call. */
export interface DriverFaults {
  /** It fails without an effect. */
  fail: number;
  /** It takes effect, and fails. */
  failAfter: number;
  /** It does nothing, and says that it succeeded. */
  lie: number;
  /** It takes minutes: longer than anybody waits, and has its effect then. */
  hang: number;
}

export function noDriverFaults(): DriverFaults {
  return { fail: 0, failAfter: 0, lie: 0, hang: 0 };
}

export interface DriverKind {
  readonly name: string;
  readonly stages: boolean;
  /** What it stages is a mount; if not, it is state of the machine that ends with a boot. */
  readonly mountsStaging: boolean;
  /** Its volumes must be attached to a node before it stages them there. */
  readonly attaches: boolean;
  /** It expands volumes. */
  readonly expands?: boolean;
  /** It has no memory of what it did before it died. */
  readonly isForgetful: boolean;
}

export interface DriverGround {
  readonly sim: Sim;
  readonly random: Random;
  readonly laws: StorageLaws;
  readonly kubeletDir: string;
}

export interface DriverMachine {
  readonly name: string;
  readonly disk: SimDisk;
  /** Mount points. */
  readonly mounts: string[];
}

const QUICK_MS = 300;
const HANG_MS = [100_000, 500_000] as const;

export class SimDriver {
  readonly kind: DriverKind;
  readonly faults = noDriverFaults();
  readonly #ground: DriverGround;
  readonly #machine: DriverMachine;
  /** Handle → ends the call that works on the volume. */
  readonly #working = new Map<string, (isKilled: boolean) => void>();
  /** Handles that it knows to be staged. */
  readonly #staged = new Set<string>();
  #isUp = false;
  #isOff = false;

  constructor(kind: DriverKind, ground: DriverGround, machine: DriverMachine) {
    this.kind = kind;
    this.#ground = ground;
    this.#machine = machine;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  /** Its socket for registration, and for all else. */
  get socket(): string {
    return `${this.#ground.kubeletDir}/plugins_registry/${this.kind.name}.sock`;
  }

  /** Starts the process, which makes its socket anew. Nothing happens without power, or on a full disk. */
  start(): void {
    if (this.#isUp || this.#isOff || this.#machine.disk.full) return;
    const { disk } = this.#machine;
    this.#isUp = true;
    disk.remove(this.socket);
    disk.mkdir(`${this.#ground.kubeletDir}/plugins_registry`, 0o755);
    disk.mksocket(this.socket);
  }

  /** SIGKILL. What it was about to do may be done or not. @param isGone its socket goes, too: it was removed from the machine */
  die(isGone = false): void {
    this.#isUp = false;
    for (const end of this.#working.values()) end(true);
    if (this.kind.isForgetful) this.#staged.clear();
    if (isGone) this.#machine.disk.remove(this.socket);
  }

  /** The power of its machine is back; the process is not. */
  boot(): void {
    this.#isOff = false;
  }

  /** The power of its machine goes. */
  losePower(): void {
    this.#isUp = false;
    this.#isOff = true;
    for (const end of this.#working.values()) end(true);
    this.#staged.clear();
  }

  /** What it mounted is gone, as when a process that serves a file system dies. */
  loseMounts(which: (path: string) => boolean): void {
    const { mounts } = this.#machine;
    mounts.splice(0, mounts.length, ...mounts.filter((path) => !this.#isOwn(path) || !which(path)));
  }

  /** Answers the questions of a registration. Rejects with `CsiError`. */
  async question<T>(answer: () => T): Promise<T> {
    if (!this.#isUp) throw unavailable();
    return answer();
  }

  /** Rejects with `CsiError`. */
  call(call: Omit<DriverCall, 'node'>): Promise<void> {
    const { sim, laws, random } = this.#ground;
    const { name: node, mounts } = this.#machine;
    const full = { ...call, node };
    return new Promise((resolve, reject) => {
      if (!this.#isUp) return reject(unavailable());
      try {
        laws.begins(full, mounts);
      } catch (error) {
        sim.fail(error);
      }
      if (this.#working.has(call.handle))
        return reject(new CsiError('Aborted', 'an operation with the given volume is under way'));
      const fate = this.#draw();
      const timer = sim.after(fate.ms, `${call.method} ${call.handle} on ${node} ends`, () => end(false));
      const end = (isKilled: boolean): void => {
        timer.cancel();
        this.#working.delete(call.handle);
        try {
          if (fate.acts && (!isKilled || random.next() < 0.5)) this.#act(full);
        } catch (error) {
          return reject(error);
        }
        if (isKilled) return reject(unavailable());
        if (fate.fails) return reject(new CsiError('Internal', 'the simulated driver fails'));
        laws.succeeded(full);
        resolve();
      };
      this.#working.set(call.handle, end);
    });
  }

  #draw(): { readonly ms: number; readonly acts: boolean; readonly fails: boolean } {
    const { random } = this.#ground;
    const { fail, failAfter, lie, hang } = this.faults;
    const isHanging = random.next() < hang;
    const ms = isHanging ? HANG_MS[0] + random.next() * (HANG_MS[1] - HANG_MS[0]) : 1 + random.next() * QUICK_MS;
    const fails = random.next() < fail;
    return {
      ms,
      acts: !fails && random.next() >= lie,
      fails: fails || random.next() < failAfter,
    };
  }

  #act({ method, handle, path, stagingPath = '' }: DriverCall): void {
    const { mounts, disk } = this.#machine;
    const isMounted = mounts.includes(path);
    if (method === 'expand') {
      if (!isMounted && !this.#staged.has(handle)) throw new CsiError('NotFound', `volume ${handle} is not at ${path}`);
      return;
    }
    if (method === 'stage') this.#staged.add(handle);
    if (method === 'unstage') this.#staged.delete(handle);
    if (method === 'publish' && stagingPath !== '' && !this.#isStaged(handle, stagingPath))
      throw new CsiError('FailedPrecondition', `volume ${handle} is not staged at ${stagingPath}`);
    if (method === 'stage' && !this.kind.mountsStaging) return;
    if (method === 'stage' || method === 'publish') {
      if (isMounted) return;
      if (!disk.exists(path) && disk.full) throw new CsiError('Internal', 'no space is left');
      disk.mkdir(path, 0o755);
      mounts.push(path);
      return;
    }
    // One that has forgotten has nothing to undo.
    if (this.kind.isForgetful && method === 'unpublish' && this.kind.stages && !this.#staged.has(handle)) return;
    if (isMounted) mounts.splice(mounts.lastIndexOf(path), 1);
    if (method === 'unpublish' && disk.exists(path)) disk.remove(path);
  }

  #isStaged(handle: string, path: string): boolean {
    return this.#staged.has(handle) && (!this.kind.mountsStaging || this.#machine.mounts.includes(path));
  }

  #isOwn(path: string): boolean {
    return path.startsWith(`${this.#ground.kubeletDir}/`);
  }
}

function unavailable(): CsiError {
  return new CsiError('Unavailable', 'the connection to the simulated driver is refused');
}
