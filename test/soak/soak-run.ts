/**
 * A soak: churn, disasters at random moments, and after each round a check for things that were left behind, disturbed, or run
 * twice. Everything follows from the seed, except the machine's timing.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../src/lib/index.ts';
import { busyboxPod, mainContainer, type Mendlet, outFolder, until } from '../e2e/harness.ts';
import { DISASTERS, type Disaster } from './disasters.ts';
import { Footprints, type PodFootprint, type ProcessFootprint } from './footprint.ts';

export interface SoakOptions {
  readonly mendlet: Mendlet;
  readonly seed: number;
  /** The soak ends with the round in which this time is over. */
  readonly minutes: number;
  /** Disasters in a round. */
  readonly strikes: number;
  readonly smallDisk: boolean;
  readonly say: (line: string) => void;
  /** Disasters that strike first, in this order, before random ones. */
  readonly first?: readonly string[];
}

const STEADY = 4;
const CRASHERS = 4;
const PIDS_LIMIT = 40;
const LOG_BYTES = 1 << 20;
const LOG_FILES = 3;

/** A container's attempt, from the name of its termination message's file on the host. */
const ATTEMPT = "$(sed -n 's|.*/containers/main/\\([0-9]*\\) /dev/termination-log .*|\\1|p' /proc/self/mountinfo)";

/** A KubeletConfiguration with restarts within a second, so that there are many, and with small bounds. */
export function soakSettings(mendlet: Mendlet): readonly string[] {
  mkdirSync(mendlet.folder, { recursive: true });
  const path = join(mendlet.folder, 'kubelet.yaml');
  writeFileSync(
    path,
    `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
crashLoopBackOff: {maxContainerRestartPeriod: 1s}
podPidsLimit: ${PIDS_LIMIT}
containerLogMaxSize: 1Mi
containerLogMaxFiles: ${LOG_FILES}
containerLogMonitorInterval: 3s
evictionHard: {"memory.available": "0%", "nodefs.available": "0%", "nodefs.inodesFree": "0%", "imagefs.available": "0%", "imagefs.inodesFree": "0%"}
`,
  );
  return ['--kubelet-config', path];
}

interface Untouched {
  readonly containerId: string;
  readonly startedAt: string;
  readonly restarts: number;
}

/** Runs the soak; throws at the first fault. @returns the rounds and the restarts that it saw */
export async function soak(options: SoakOptions): Promise<{ readonly rounds: number; readonly restarts: number }> {
  const { mendlet, say } = options;
  const random = seededRandom(options.seed);
  const flags = soakSettings(mendlet);
  await mendlet.up(flags);
  const run = new SoakRun(options, flags);
  const endAt = performance.now() + options.minutes * 60_000;
  await run.begin();
  let rounds = 0;
  const due = [...(options.first ?? [])];
  do {
    rounds += 1;
    say(`round ${rounds}`);
    await run.churn(rounds, async () => {
      for (let strike = 0; strike < options.strikes; strike += 1) {
        await sleep(200 + random.next() * 2500);
        const next = due.shift();
        const disaster =
          DISASTERS.find(({ name }) => name === next) ?? DISASTERS[Math.floor(random.next() * DISASTERS.length)];
        say(`  ${disaster?.name}`);
        await run.strike(disaster as Disaster, random);
      }
    });
    await run.check(rounds);
  } while (performance.now() < endAt || due.length > 0);
  await run.finish();
  return { rounds, restarts: run.restarts() };
}

class SoakRun {
  readonly #options: SoakOptions;
  readonly #flags: readonly string[];
  readonly #footprints: Footprints;
  readonly #out: ReturnType<typeof outFolder>;
  readonly #untouched = new Map<string, Untouched>();
  readonly #history: ProcessFootprint[] = [];
  #podPids = new Map<string, string>();

  constructor(options: SoakOptions, flags: readonly string[]) {
    this.#options = options;
    this.#flags = flags;
    this.#footprints = new Footprints(options.mendlet);
    this.#out = outFolder(options.mendlet, 'soak');
  }

  /** Creates the pods that must stay undisturbed, and those that always misbehave. */
  async begin(): Promise<void> {
    const { mendlet } = this.#options;
    const pods = [
      ...this.#names('steady', STEADY).map((name) => this.#pod(name, 'exec sleep 360000')),
      ...this.#names('crasher', CRASHERS).map((name, n) => this.#pod(name, `sleep 0.${n}; exit 1`)),
      this.#pod(
        'runaway',
        'yes "a log that never ends, and never asks whether somebody reads it" | head -c 30000000; sleep 1',
      ),
      // Each child keeps running, so without the limit this would exhaust the machine.
      this.#pod('bomb', 'for i in $(seq 500); do sleep 3600 & done; sleep 2; exit 1'),
    ];
    await mendlet.create(...pods);
    for (const name of this.#names('steady', STEADY)) {
      const pod = await mendlet.untilPod(name, 'ready', (each) => mainContainer(each)?.ready === true);
      this.#untouched.set(name, identity(pod));
      this.#podPids.set(name, await this.#untilAlone(name));
    }
  }

  async strike(disaster: Disaster, random: ReturnType<typeof seededRandom>): Promise<void> {
    const { mendlet, smallDisk, say } = this.#options;
    await disaster.strike({ mendlet, footprints: this.#footprints, random, flags: this.#flags, smallDisk, say });
  }

  /** Creates, runs and deletes pods during `during`. */
  async churn(round: number, during: () => Promise<void>): Promise<void> {
    const { mendlet } = this.#options;
    const label = { metadata: { labels: { churn: `${round}` } } };
    const never = { ...label, spec: { restartPolicy: 'Never' } };
    await this.#insist('create', () =>
      mendlet.create(
        ...this.#names(`once-${round}`, 3).map((name) => this.#pod(name, 'sleep 0.5; exit 0', never)),
        ...this.#names(`brief-${round}`, 3).map((name) => this.#pod(name, 'exec sleep 3600', label)),
      ),
    );
    await during();
    for (const name of this.#names(`once-${round}`, 3))
      await mendlet.untilPod(name, 'over', ({ status }) => status.phase === 'Succeeded' || status.phase === 'Failed');
    for (const name of this.#names(`brief-${round}`, 3))
      await mendlet.untilPod(name, 'ready', (pod) => mainContainer(pod)?.ready === true);
    await this.#insist('delete', () =>
      mendlet.kubectl(['delete', 'pod', '-l', `churn=${round}`, '--wait=true', '--timeout=300s']),
    );
  }

  async check(round: number): Promise<void> {
    const pods = STEADY + CRASHERS + 2;
    const wanted: PodFootprint = {
      sandboxes: pods,
      shims: pods,
      addresses: pods,
      interfaces: pods,
      cgroups: pods,
      logFolders: pods,
      podFolders: pods,
      superfluousContainers: 0,
    };
    // Crash loops go on meanwhile, so a count may be wrong for a moment; it must become right.
    await until(`nothing of round ${round} to be left`, async () => {
      try {
        const found = await this.#footprints.ofPods();
        return isDeepStrictEqual(found, wanted) ? { value: true } : { last: differences(found, wanted) };
      } catch (error) {
        return { last: String(error) };
      }
    });
    await this.#checkUntouched();
    this.#checkNothingTwice();
    this.#checkLogs();
    this.#checkPids();
    this.#checkTrend();
  }

  async finish(): Promise<void> {
    const { mendlet } = this.#options;
    await mendlet.kubectl(['delete', 'pod', '--all', '--grace-period=0', '--force', '--wait=true']);
    const nothing = { sandboxes: 0, shims: 0, addresses: 0, interfaces: 0, cgroups: 0, logFolders: 0, podFolders: 0 };
    await until('nothing at all to be left', async () => {
      const found = await this.#footprints.ofPods();
      const wanted = { ...nothing, superfluousContainers: 0 };
      return isDeepStrictEqual(found, wanted) ? { value: true } : { last: differences(found, wanted) };
    });
  }

  restarts(): number {
    return readdirSync(this.#out.path).reduce((sum, name) => sum + Math.max(0, this.#out.lines(name).length - 1), 0);
  }

  async #checkUntouched(): Promise<void> {
    for (const [name, before] of this.#untouched) {
      const after = identity(await this.#options.mendlet.pod(name));
      must(isDeepStrictEqual(after, before), `${name} was touched: ${JSON.stringify({ before, after })}`);
      const pids = this.#pidOf(name);
      const wanted = this.#podPids.get(name);
      must(pids === wanted, `${name} is another process: ${pids} (not ${wanted})`);
    }
  }

  /** Checks that each attempt of each container ran at most once, and a pod that runs once exactly once. */
  #checkNothingTwice(): void {
    for (const name of readdirSync(this.#out.path)) {
      const attempts = this.#out.lines(name);
      must(new Set(attempts).size === attempts.length, `${name} ran an attempt twice: ${attempts.join(' ')}`);
      if (name.startsWith('once-')) must(attempts.length <= 1, `${name} ran ${attempts.length} times`);
    }
  }

  /** Checks log sizes. The rotation looks every few seconds, so the bytes that a pod writes in between are not counted. */
  #checkLogs(): void {
    for (const folder of this.#options.mendlet.podLogs('default', 'runaway_')) {
      const path = join(folder, 'main');
      // The pod's folder is there before its container's.
      if (!existsSync(path)) continue;
      const files = readdirSync(path).map(
        (name) => [name, statSync(join(path, name), { throwIfNoEntry: false })?.size ?? 0] as const,
      );
      must(files.length <= 3 * LOG_FILES, `the runaway has ${files.length} log files: ${files.join(' ')}`);
      const old = files.filter(([name]) => name.endsWith('.gz')).reduce((sum, [, size]) => sum + size, 0);
      must(old <= 64 * LOG_BYTES, `the runaway keeps ${old} bytes of old logs`);
    }
  }

  #checkPids(): void {
    const processes = readdirSync('/proc').filter(
      (pid) => /^\d+$/.test(pid) && inBomb(pid, this.#options.mendlet),
    ).length;
    must(processes <= PIDS_LIMIT, `the fork bomb has ${processes} processes, allowed are ${PIDS_LIMIT}`);
  }

  /** Compares memory and descriptors of the last third with the first: they may settle, but must not grow for ever. */
  #checkTrend(): void {
    const now = this.#footprints.ofProcess();
    this.#history.push(now);
    this.#options.say(
      `  ${now.rssMiB} MiB, ${now.descriptors} descriptors, ${now.threads} threads, ${now.mounts} mounts, containerd ${now.containerdDescriptors} descriptors, ${this.restarts()} restarts`,
    );
    must(now.rssMiB < 600, `${now.rssMiB} MiB of memory`);
    must(now.descriptors < 400, `${now.descriptors} file descriptors`);
    const third = Math.floor(this.#history.length / 3);
    if (third < 3) return;
    const mean = (part: readonly ProcessFootprint[], what: keyof ProcessFootprint) =>
      part.reduce((sum, each) => sum + each[what], 0) / part.length;
    for (const what of ['descriptors', 'mounts', 'threads', 'containerdDescriptors'] as const) {
      const [early, late] = [mean(this.#history.slice(0, third), what), mean(this.#history.slice(-third), what)];
      must(late <= early * 1.5 + 20, `${what} grow: ${early.toFixed(0)} → ${late.toFixed(0)}`);
    }
  }

  /**
   * Waits until the pod has only one process, as the commands of its first line have ended.
   * @returns its process id on the host
   */
  async #untilAlone(name: string): Promise<string> {
    return await until<string>(`${name} to be one process`, async () => {
      const pids = this.#pidOf(name);
      return /^\d+$/.test(pids) ? { value: pids } : { last: pids };
    });
  }

  #pidOf(name: string): string {
    const marker = `SOAK=${name}\0`;
    return readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid) && environmentOf(pid).includes(marker))
      .join(' ');
  }

  #names(prefix: string, count: number): readonly string[] {
    return Array.from({ length: count }, (_, n) => `${prefix}-${n}`);
  }

  #pod(name: string, script: string, extra: { readonly metadata?: object; readonly spec?: object } = {}): object {
    return busyboxPod(name, `echo ${ATTEMPT} >>/out/${name}; ${script}`, {
      ...(extra.metadata && { metadata: extra.metadata }),
      spec: { ...this.#out.spec, terminationGracePeriodSeconds: 0, ...extra.spec },
      container: { ...this.#out.mount, env: [{ name: 'SOAK', value: name }] },
    });
  }

  /** Repeats a call, because the API server may be away or full for a moment. */
  async #insist(what: string, run: () => Promise<unknown>): Promise<void> {
    await until(`kubectl ${what}`, async () => {
      try {
        await run();
        return { value: true };
      } catch (error) {
        return String(error).includes('AlreadyExists') ? { value: true } : { last: String(error) };
      }
    });
  }
}

function identity(pod: Parameters<typeof mainContainer>[0]): Untouched {
  const container = mainContainer(pod);
  return {
    containerId: container?.containerID ?? '',
    startedAt: container?.state.running?.startedAt ?? '',
    restarts: container?.restartCount ?? -1,
  };
}

function differences(found: object, wanted: object): string {
  const expected = wanted as Record<string, unknown>;
  return Object.entries(found)
    .filter(([name, value]) => value !== expected[name])
    .map(([name, value]) => `${name} ${String(value)} (not ${String(expected[name])})`)
    .join(', ');
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

function inBomb(pid: string, mendlet: Mendlet): boolean {
  try {
    return (
      environmentOf(pid).includes('SOAK=bomb\0') &&
      readFileSync(`/proc/${pid}/mountinfo`, 'utf8').includes(mendlet.dataDir)
    );
  } catch {
    return false;
  }
}

function must(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
