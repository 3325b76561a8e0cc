/**
 * The usage of node, pods and containers (upstream: pkg/kubelet/stats). Between requests only CPU time is read, every 10 s,
 * so that a rate is known at the first request; everything else is read on demand and shared by requests at about the same
 * time.
 */
import { errorMessage } from '../../lib/index.ts';
import type { ClaimMeasurement } from './claim-metrics.ts';
import { CpuHistory } from './cpu-history.ts';
import { DiskUsageCache } from './disk-usage-cache.ts';
import {
  FIRST_SAMPLE_GAPS_MS,
  FRESH_SUMMARY_MAX_AGE_MS,
  PODS_PER_TURN,
  SAMPLE_PERIOD_MS,
  SUMMARY_MAX_AGE_MS,
} from './limits.ts';
import type { Measurement } from './measurement.ts';
import { RuntimeFiguresCache } from './runtime-figures-cache.ts';
import type { StatsProvider } from './summary.ts';
import {
  ALL_PODS,
  ALL_PODS_KEY,
  containerKey,
  type CpuSubject,
  MACHINE_KEY,
  measureClaims,
  measuredPods,
  type MeasuringMemory,
  type MeasuringOptions,
  podKey,
  runningContainers,
  takeMeasurement,
} from './take-measurement.ts';
import { podCgroupPath } from '../pods/pod-cgroup.ts';
import { toSummary } from './to-summary.ts';

export interface Stats extends StatsProvider {
  /** All figures as they were read, for metrics; without `disk` CPU and memory alone. */
  measurement(options: { readonly disk: boolean }): Promise<Measurement>;
  /** The volumes of claims, for metrics. */
  claims(): Promise<readonly ClaimMeasurement[]>;
  /** Samples CPU time until the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

export function createStats(options: MeasuringOptions): Stats {
  const memory: MeasuringMemory = {
    cpu: new CpuHistory(),
    disk: new DiskUsageCache({ ...options.ports, meter: options.ports.machine }),
    runtime: new RuntimeFiguresCache(options.ports),
  };
  const { clock } = options.ports;
  const full = shared(
    () => takeMeasurement(options, memory, true),
    () => clock.now().mono,
  );
  const cheap = shared(
    () => takeMeasurement(options, memory, false),
    () => clock.now().mono,
  );
  const claims = shared(
    () => measureClaims(options),
    () => clock.now().mono,
  );
  return {
    summary: async ({ fresh = false } = {}) =>
      toSummary(await full(fresh ? FRESH_SUMMARY_MAX_AGE_MS : SUMMARY_MAX_AGE_MS)),
    cpuAndMemory: async () => toSummary(await cheap(FRESH_SUMMARY_MAX_AGE_MS)),
    measurement: ({ disk }) => (disk ? full(SUMMARY_MAX_AGE_MS) : cheap(FRESH_SUMMARY_MAX_AGE_MS)),
    claims: () => claims(SUMMARY_MAX_AGE_MS),
    run: (signal) => sampleCpu(options, memory.cpu, signal),
  };
}

/** Requests during a measurement, or within `maxAgeMs` of its beginning, share it. */
function shared<T>(take: () => Promise<T>, monoNow: () => number): (maxAgeMs: number) => Promise<T> {
  let last: { readonly at: number; readonly value: Promise<T> } | undefined;
  let isUnderWay = false;
  return (maxAgeMs) => {
    if (last !== undefined && (isUnderWay || monoNow() - last.at <= maxAgeMs)) return last.value;
    isUnderWay = true;
    const value = take().finally(() => {
      isUnderWay = false;
    });
    last = { at: monoNow(), value };
    return value;
  };
}

async function sampleCpu(options: MeasuringOptions, history: CpuHistory, signal: AbortSignal): Promise<void> {
  const { clock, logger } = options.ports;
  for (let count = 0; !signal.aborted; count += 1) {
    try {
      await sampleOnce(options, history);
    } catch (error) {
      logger.warn('CPU time cannot be sampled', { error: errorMessage(error) });
    }
    await clock.sleep(FIRST_SAMPLE_GAPS_MS[count] ?? SAMPLE_PERIOD_MS, signal).catch(() => {});
  }
}

async function sampleOnce(options: MeasuringOptions, history: CpuHistory): Promise<void> {
  const { clock, cgroups, machine } = options.ports;
  const keys = new Set<string>();
  const note = (key: string, nanoseconds: number | undefined): void => {
    if (nanoseconds === undefined) return;
    keys.add(key);
    history.note(key, { at: clock.now().mono, nanoseconds });
  };
  note(MACHINE_KEY, (await machine.usage()).cpu?.usageNanoseconds);
  for (const which of ['kubelet', 'runtime'] as const) note(which, machine.process(which)?.cpuNanoseconds);
  for (const [index, { key, group }] of cpuSubjects(options).entries()) {
    if (index > 0 && index % (PODS_PER_TURN * 4) === 0) await clock.sleep(0);
    note(key, await cgroups.cpuNanoseconds(group));
  }
  history.retain(keys);
}

function cpuSubjects({ directory }: MeasuringOptions): readonly CpuSubject[] {
  const ofPods = measuredPods(directory).flatMap(({ pod, observation }) => {
    const path = podCgroupPath(pod);
    const containers = observation === undefined ? [] : runningContainers(observation);
    return [
      { key: podKey(pod.metadata?.uid ?? ''), group: { path } },
      ...containers.map(({ id }) => ({ key: containerKey(id), group: { path, containerId: id } })),
    ];
  });
  return [{ key: ALL_PODS_KEY, group: ALL_PODS }, ...ofPods];
}
