/**
 * Watches memory while containers live. A container's cgroup is gone before CRI shows its exit, so the proof of a death for
 * want of memory must be taken earlier. Counters are read periodically, and at once on a hint (the runtime's event, the
 * kernel's log). The death of a process in a container that lives on is reported. Hints are never truth: the counter is, if
 * it can be read. And a missing report of the container's end does not prove that it lives: its cgroup decides.
 */
import type { OomProof } from '../../api/index.ts';
import { BoundedMap, type Clock, type Logger, type Timer } from '../../lib/index.ts';
import type { Cgroups, KernelLog } from '../ports.ts';
import { KernelOomReader } from './kernel-oom.ts';
import {
  MAX_OOM_CONTAINERS,
  MAX_OOM_REPORTS,
  OOM_NOTE_PERIOD_MS,
  OOM_SURVIVAL_MS,
  OOM_UNSEEN_LOOKS,
} from './limits.ts';
import { groupOf, type LivingContainer } from './living-containers.ts';
import { asTold, NO_EVIDENCE, type OomEvidence, proofOf, untoldKills, withoutHints } from './oom-proofs.ts';
import { inTurns, sampleOften } from './sampling.ts';

export interface Survival {
  readonly container: LivingContainer;
  readonly proof: OomProof;
  /** Kills that this is the first record of. */
  readonly untold: number;
}

export interface OomWatchOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly cgroups: Pick<Cgroups, 'memoryEvents' | 'processes'>;
  /** Absent: it cannot be read here. */
  readonly kernelLog?: KernelLog;
  readonly living: () => readonly LivingContainer[];
  /** Kills that an earlier agent has recorded of this container. Must not reject. */
  readonly told: (container: LivingContainer) => Promise<number>;
  readonly onSurvived: (survival: Survival) => void;
}

interface Watched {
  evidence: OomEvidence;
  /** Survivals that an earlier agent reported have been asked for. */
  restored: boolean;
  timer: Timer | undefined;
  /** Mono ms. */
  notedAt: number;
  /** Looks one after another that saw nothing alive in it. */
  unseen: number;
}

/** The lines of the kernel's log that are worth parsing. */
const WANTED = /;(?:oom-kill:|,|memory: usage |Memory cgroup out of memory|Out of memory)/;

export class OomWatch {
  readonly #options: OomWatchOptions;
  readonly #watched = new BoundedMap<string, Watched>(MAX_OOM_CONTAINERS);
  readonly #kernel = new KernelOomReader();
  #ended = false;

  constructor(options: OomWatchOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    await sampleOften({ ...this.#options, what: 'memory' }, () => this.sample(), signal);
    this.#ended = true;
    for (const [, { timer }] of this.#watched.entries()) timer?.cancel();
  }

  /** One look at all containers that have a limit. */
  async sample(): Promise<void> {
    const { clock, living } = this.#options;
    const containers = living();
    this.#readKernelLog(containers);
    const limited = containers.filter(({ limitBytes }) => limitBytes !== undefined);
    await inTurns(clock, limited, (container) => this.#count(container));
  }

  /** The runtime says that a process of this container was killed for memory. Never blocks, never throws. */
  hint(containerId: string): void {
    try {
      this.#heed(containerId);
    } catch (error) {
      this.#options.logger.error('the watch over memory broke', { containerId, error });
    }
  }

  #heed(containerId: string): void {
    const containers = this.#options.living();
    this.#change(containerId, (evidence) => ({ ...evidence, announced: true }));
    this.#readKernelLog(containers);
    const container = containers.find(({ id }) => id === containerId);
    if (container !== undefined) void this.#count(container).catch(() => {});
    this.#suspect(containerId);
  }

  /** The evidence about a container that has ended. */
  evidence(containerId: string): OomEvidence {
    this.#readKernelLog([]);
    return this.#watched.get(containerId)?.evidence ?? NO_EVIDENCE;
  }

  /** Its end is recorded. */
  forget(containerId: string): void {
    this.#watched.get(containerId)?.timer?.cancel();
    this.#watched.delete(containerId);
  }

  #of(containerId: string): Watched {
    const known = this.#watched.get(containerId);
    if (known !== undefined) return known;
    const watched: Watched = {
      evidence: NO_EVIDENCE,
      restored: false,
      timer: undefined,
      notedAt: Number.NEGATIVE_INFINITY,
      unseen: 0,
    };
    this.#watched.set(containerId, watched);
    return watched;
  }

  #change(containerId: string, change: (evidence: OomEvidence) => OomEvidence): void {
    const watched = this.#of(containerId);
    watched.evidence = change(watched.evidence);
  }

  #readKernelLog(living: readonly LivingContainer[]): void {
    for (const record of this.#options.kernelLog?.read(WANTED) ?? []) {
      const report = this.#kernel.read(record);
      if (report === undefined) continue;
      const { containerId } = report;
      this.#change(containerId, (evidence) => ({
        ...evidence,
        reports: [...evidence.reports, report].slice(-MAX_OOM_REPORTS),
      }));
      const container = living.find(({ id }) => id === containerId);
      if (container !== undefined) void this.#count(container).catch(() => {});
    }
  }

  /** @returns whether its group exists. The last reading stays when it is gone. */
  async #count(container: LivingContainer): Promise<boolean> {
    const counted = await this.#options.cgroups.memoryEvents(groupOf(container));
    if (counted === undefined) return false;
    this.#change(container.id, (evidence) => ({ ...evidence, counted }));
    if (untoldKills(this.#of(container.id).evidence) > 0) this.#suspect(container.id);
    return true;
  }

  /**
   * Its group exists and is not empty: the kernel ends all processes of a container with its main process, long before the
   * runtime reports the end.
   */
  async #isAlive(container: LivingContainer): Promise<boolean> {
    if (!(await this.#count(container))) return false;
    return (await this.#options.cgroups.processes(groupOf(container))).length > 0;
  }

  #find(containerId: string): LivingContainer | undefined {
    return this.#options.living().find(({ id }) => id === containerId);
  }

  /** In a moment we see whether it lives on. */
  #suspect(containerId: string, delayMs: number = OOM_SURVIVAL_MS): void {
    const watched = this.#of(containerId);
    if (watched.timer !== undefined || this.#ended) return;
    watched.timer = this.#options.clock.setTimer(delayMs, () => {
      watched.timer = undefined;
      this.#look(containerId, watched).catch((error: unknown) => {
        this.#options.logger.error('the look at a survivor broke', { containerId, error });
      });
    });
  }

  async #look(containerId: string, watched: Watched): Promise<void> {
    const { clock, told, onSurvived } = this.#options;
    const container = this.#find(containerId);
    if (container === undefined) return;
    if (!watched.restored) {
      const before = await told(container);
      watched.restored = true;
      watched.evidence = { ...watched.evidence, told: Math.max(before, watched.evidence.told) };
    }
    if (!(await this.#isAlive(container))) {
      this.#lookAgain(containerId, watched);
      return;
    }
    watched.unseen = 0;
    const { evidence } = watched;
    const untold = untoldKills(evidence);
    // Nothing new is counted: an old line of the log.
    if (untold === 0) {
      watched.evidence = withoutHints(evidence);
      return;
    }
    const waitMs = watched.notedAt + OOM_NOTE_PERIOD_MS - clock.now().mono;
    if (waitMs > 0) {
      this.#suspect(containerId, waitMs);
      return;
    }
    this.#readKernelLog([]);
    const proof = proofOf(watched.evidence, { byRuntime: false, limitBytes: container.limitBytes });
    // Its end may have been seen meanwhile.
    if (proof === undefined || this.#watched.get(containerId) !== watched || !this.#find(containerId)) return;
    watched.notedAt = clock.now().mono;
    watched.evidence = asTold(watched.evidence, clock.now().wall);
    onSurvived({ container, proof, untold });
  }

  /**
   * Either it has ended and nobody has reported that yet: then the evidence is for the record of its death. Or its group
   * cannot be read here: then nothing will ever prove the hints.
   */
  #lookAgain(containerId: string, watched: Watched): void {
    watched.unseen += 1;
    if (watched.unseen < OOM_UNSEEN_LOOKS) {
      this.#suspect(containerId);
      return;
    }
    watched.unseen = 0;
    watched.evidence = withoutHints(watched.evidence);
  }
}
