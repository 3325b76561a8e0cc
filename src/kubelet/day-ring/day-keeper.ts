/**
 * Keeps the ring of days: reads it when the agent starts, has pods measured every five minutes, and writes it then and at the end.
 * Nothing here ever delays or breaks a pass over a pod.
 */
import { BUCKET_MS, MENDLET_GROUP, MENDLET_VERSION, type WorkloadDayList } from '../../api/index.ts';
import {
  type Clock,
  errorMessage,
  FileError,
  type FileSystem,
  type Histogram,
  type Logger,
  type MetricsRegistry,
} from '../../lib/index.ts';
import { isMistake } from '../mistakes.ts';
import type { PodDirectory, PodUID } from '../types.ts';
import { type DayQuery, DayRing } from './day-ring.ts';
import { MAX_FILE_BYTES, SLACK_MS, WORKLOADS_PER_TURN } from './limits.ts';
import { type PodMeter, PodUsage } from './pod-usage.ts';
import type { DayPass } from './pass-facts.ts';
import { fitting, formatRing, formatWorkload, parseRing } from './ring-file.ts';

export interface DayKeeperPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  readonly fs: FileSystem;
  readonly cgroups: PodMeter;
}

export interface DayKeeperOptions {
  readonly nodeName: string;
  /** `DIR/agent`. */
  readonly rootDir: string;
  readonly directory: () => PodDirectory;
  /** `undefined`: it is not known yet which pods there are. */
  readonly isKnown: () => ((uid: PodUID) => boolean) | undefined;
}

/** The ring is alone in its folder: what else is there is left of a write that was cut off. */
const FOLDER = 'days';
const NAME = 'ring';

export class DayKeeper {
  readonly #ports: DayKeeperPorts;
  readonly #options: DayKeeperOptions;
  readonly #ring: DayRing;
  readonly #usage: PodUsage;
  readonly #seconds: Histogram;
  /** What was seen before the file was read: for each pod, the notes before the first pass and all of the last one. */
  #early: Map<PodUID, DayPass> | undefined = new Map();
  #isBroken = false;
  #lastProblem = '';
  #bytes = 0;
  /** The last bucket that was measured. */
  #ended = 0;

  constructor(ports: DayKeeperPorts, options: DayKeeperOptions) {
    const { clock, metrics } = ports;
    this.#ports = ports;
    this.#options = options;
    this.#ring = new DayRing(clock);
    this.#usage = new PodUsage(clock, ports.cgroups);
    this.#seconds = metrics.histogram({
      name: 'mendlet_day_ring_write_duration_seconds',
      help: 'How long it takes to measure the pods and write the ring of days, every five minutes.',
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    });
    const gauges = {
      workloads: metrics.gauge({ name: 'mendlet_day_ring_workloads', help: 'Workloads in the ring of days.' }),
      leftOut: metrics.gauge({
        name: 'mendlet_day_ring_left_out_workloads',
        help: 'Workloads of the last day for which the ring of days has no place.',
      }),
      bytes: metrics.gauge({ name: 'mendlet_day_ring_file_bytes', help: 'Size of the file of the ring of days.' }),
    };
    metrics.onCollect(() => {
      gauges.workloads.set(this.#ring.size);
      gauges.leftOut.set(this.#ring.leftOut);
      gauges.bytes.set(this.#bytes);
    });
  }

  /** Takes what a pass shows. Never waits, never throws. */
  passed(pass: DayPass): void {
    if (this.#early === undefined) {
      this.#safely(() => this.#ring.passed(pass));
      return;
    }
    const uid = pass.pod.metadata?.uid ?? '';
    const { noteBefore } = this.#early.get(uid) ?? pass;
    this.#early.set(uid, { ...pass, noteBefore });
  }

  /** Nothing is left of the pod. Never throws. */
  gone(uid: PodUID): void {
    this.#early?.delete(uid);
    if (this.#early === undefined) this.#safely(() => this.#ring.gone(uid));
  }

  answer(query: DayQuery): WorkloadDayList {
    const leftOut = this.#ring.leftOut;
    return {
      apiVersion: `${MENDLET_GROUP}/${MENDLET_VERSION}`,
      kind: 'WorkloadDayList',
      nodeName: this.#options.nodeName,
      items: this.#ring.answer(query),
      ...(leftOut === 0 ? {} : { leftOut }),
    };
  }

  /** Until the signal is aborted; then what there is is written once more. Rejects only for a mistake of ours. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports;
    await this.#load();
    this.#ended = this.#ring.advance() - 1;
    while (!signal.aborted) {
      const { wall } = clock.now();
      await clock.sleep(BUCKET_MS - (wall % BUCKET_MS) + SLACK_MS, signal).catch(() => {});
      if (!signal.aborted) await this.#endBucket();
    }
    await this.#save();
  }

  async #endBucket(): Promise<void> {
    const { clock } = this.#ports;
    const begun = clock.now().mono;
    const known = this.#options.isKnown();
    if (known !== undefined) this.#ring.forgetKept(known);
    const bucket = this.#ring.advance() - 1;
    // A clock that was set back a little is still in the bucket that it was in.
    if (bucket !== this.#ended) this.#ring.measured(bucket, await this.#usage.measure(this.#options.directory()));
    this.#ended = bucket;
    await this.#save();
    this.#seconds.observe((clock.now().mono - begun) / 1000);
  }

  async #load(): Promise<void> {
    const { fs, logger } = this.#ports;
    const path = this.#path();
    try {
      const bytes = await fs.readFile(path, { maxBytes: MAX_FILE_BYTES });
      const parsed = parseRing(bytes);
      if (parsed.ok) this.#ring.restore(parsed.value);
      else logger.error('the ring of days cannot be used; another one is begun', { path, problem: parsed.problem });
    } catch (error) {
      if (isMistake(error)) throw error;
      if (!(error instanceof FileError && error.code === 'ENOENT')) {
        logger.error('the ring of days cannot be read; another one is begun', { path, error: errorMessage(error) });
      }
    }
    await this.#removeLeftOvers();
    const early = this.#early ?? new Map<PodUID, DayPass>();
    this.#early = undefined;
    for (const pass of early.values()) this.passed(pass);
  }

  async #removeLeftOvers(): Promise<void> {
    const { fs, logger } = this.#ports;
    try {
      const names = await fs.readdir(this.#folder());
      for (const name of names) if (name !== NAME) await fs.remove(`${this.#folder()}/${name}`);
    } catch (error) {
      if (isMistake(error)) throw error;
      if (error instanceof FileError && error.code === 'ENOENT') return;
      logger.warn('what is left of a write of the ring of days cannot be removed', { error: errorMessage(error) });
    }
  }

  /** A disk that takes nothing is said once, and tried again at the next bucket. */
  async #save(): Promise<void> {
    const { fs, clock, logger } = this.#ports;
    const stored = this.#ring.stored();
    const texts: (Uint8Array | undefined)[] = [];
    for (const workload of stored.workloads) {
      if (texts.length > 0 && texts.length % WORKLOADS_PER_TURN === 0) await clock.sleep(0);
      texts.push(formatWorkload(workload));
    }
    const { fit, leftOut } = fitting(texts);
    if (leftOut > 0) logger.warn('workloads are left out of the file of the ring of days: it is full', { leftOut });
    const bytes = formatRing(stored, fit);
    try {
      await fs.mkdir(this.#folder(), { mode: 0o700 });
      await fs.writeFile(this.#path(), bytes, { atomic: true, mode: 0o600 });
      this.#bytes = bytes.length;
      this.#lastProblem = '';
    } catch (error) {
      if (isMistake(error)) throw error;
      const problem = errorMessage(error);
      if (problem !== this.#lastProblem) logger.error('the ring of days cannot be written', { error: problem });
      this.#lastProblem = problem;
    }
  }

  #folder(): string {
    return `${this.#options.rootDir}/${FOLDER}`;
  }

  #path(): string {
    return `${this.#folder()}/${NAME}`;
  }

  /** A mistake in the code costs what one pass showed, and is logged once. */
  #safely(take: () => void): void {
    try {
      take();
    } catch (error) {
      if (!this.#isBroken) this.#ports.logger.error('the ring of days broke', { error });
      this.#isBroken = true;
    }
  }
}
