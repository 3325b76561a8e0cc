/**
 * Measures what the ring of days costs a node's agent with nobody looking: `npm run bench:days` (root) prints, for 100 and 500 pods
 * that are workloads of their own, the CPU time and the bytes of one write every five minutes, the CPU time of a look at the pods'
 * cgroups, and that of a pass over a pod.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DAY_BUCKETS, BUCKET_MS } from '../../src/api/index.ts';
import { openCgroups } from '../../src/kubelet/cgroups.node.ts';
import { DayRing } from '../../src/kubelet/day-ring/day-ring.ts';
import { dayPass } from '../../src/kubelet/day-ring/day-ring.fixtures.ts';
import { PodUsage } from '../../src/kubelet/day-ring/pod-usage.ts';
import { fitting, formatRing, formatWorkload } from '../../src/kubelet/day-ring/ring-file.ts';
import { podCgroupPath } from '../../src/kubelet/pods/pod-cgroup.ts';
import type { PodView } from '../../src/kubelet/types.ts';
import type { Clock, Now } from '../../src/lib/index.ts';
import { systemFileSystem } from '../../src/lib/file-system.node.ts';
import { systemProcess } from '../../src/lib/process.node.ts';

const ROUNDS = 20;
const START = 5_000_000 * BUCKET_MS;

/** A clock that only the bench moves. */
class BenchClock implements Clock {
  #wall = START;

  now(): Now {
    return { wall: this.#wall, mono: this.#wall };
  }

  pass(ms: number): void {
    this.#wall += ms;
  }

  setTimer(): { cancel(): void } {
    return { cancel: () => {} };
  }

  async sleep(): Promise<void> {}
}

/** CPU milliseconds of one of `ROUNDS` runs, of user and kernel, on all threads. */
async function cpuMs(run: () => unknown, rounds = ROUNDS): Promise<number> {
  await run();
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / rounds;
}

function fullRing(clock: BenchClock, pods: number): DayRing {
  const ring = new DayRing(clock);
  const uids = Array.from({ length: pods }, (_, at) => `3f0f7d70-2b1e-4a55-9f6a-${String(at).padStart(12, '0')}`);
  for (let bucket = 0; bucket < DAY_BUCKETS + 1; bucket += 1) {
    for (const [at, uid] of uids.entries()) {
      const wish = { uid, workload: `workload-${at}` };
      // One death a day in each workload.
      const dies = bucket === at % DAY_BUCKETS;
      if (dies) ring.passed(dayPass({ ...wish, ready: false, deaths: [{}] }));
      if (bucket === 0 || dies) ring.passed(dayPass({ ...wish, restarts: dies ? 1 : 0 }));
    }
    clock.pass(BUCKET_MS);
    ring.measured(
      ring.advance() - 1,
      new Map(uids.map((uid, at) => [uid, { cpu: at + bucket, memory: (at + 1) * 7e6 }])),
    );
  }
  return ring;
}

async function write(ring: DayRing, path: string): Promise<number> {
  const stored = ring.stored();
  const bytes = formatRing(stored, fitting([...stored.workloads].map(formatWorkload)).fit);
  await systemFileSystem.writeFile(path, bytes, { atomic: true, mode: 0o600 });
  return statSync(path).size;
}

async function lookMs(pods: number): Promise<number> {
  const cgroups = await openCgroups({ instanceId: 'bench-days', process: systemProcess });
  const views = Array.from({ length: pods }, (_, at): PodView => {
    const { pod } = dayPass({ uid: `bench-${at}` });
    const sandboxes = [{ state: 'ready' }] as unknown as NonNullable<PodView['observation']>['sandboxes'];
    const observation = { uid: '', name: '', namespace: '', sandboxes, containers: [], at: 0 };
    return { pod, status: undefined, observation };
  });
  try {
    for (const { pod } of views) await cgroups.ensure(podCgroupPath(pod), {});
    const usage = new PodUsage(new BenchClock(), cgroups);
    return await cpuMs(() => usage.measure({ pods: () => views, find: () => undefined }));
  } finally {
    await cgroups.remove([]);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'mendlet-days-'));
try {
  for (const pods of [100, 500]) {
    const clock = new BenchClock();
    const ring = fullRing(clock, pods);
    let bytes = 0;
    const writeMs = await cpuMs(async () => {
      clock.pass(BUCKET_MS);
      bytes = await write(ring, join(folder, 'ring'));
    });
    const pass = dayPass({ uid: '3f0f7d70-2b1e-4a55-9f6a-000000000000', workload: 'workload-0', restarts: 1 });
    const passMs = await cpuMs(() => {
      for (let count = 0; count < 1000; count += 1) ring.passed(pass);
    });
    const look = await lookMs(pods);
    const share = ((writeMs + look) / BUCKET_MS) * 100;
    process.stdout.write(
      `${pods} workloads: ${bytes} bytes (${Math.round(bytes / pods)} each); a write ${writeMs.toFixed(1)} ms, ` +
        `a look ${look.toFixed(1)} ms of CPU: ${share.toFixed(4)} % of a core; a pass ${passMs.toFixed(2)} µs\n`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}
