/** The message of an evicted pod, in upstream's words (eviction/helpers.go evictionMessage). Pure. */
import { type Pod, quantityValue } from '../../api/index.ts';
import type { ContainerStats, PodStats } from '../stats/summary.ts';
import type { Observation } from './observations.ts';
import { conditionOf } from './pressure-step.ts';
import { type EvictionSignal, type Threshold, thresholdAmount } from './thresholds.ts';

/** The resource that a signal is about, as upstream calls it. */
export function resourceOf(signal: EvictionSignal): string {
  switch (conditionOf(signal)) {
    case 'memory':
      return 'memory';
    case 'pid':
      return 'pids';
    case 'disk':
      return signal.endsWith('inodesFree') ? 'inodes' : 'ephemeral-storage';
  }
}

/** "The node was low on resource: memory. Threshold quantity: 100Mi, available: 80Mi. Container a was using …". */
export function evictionMessage(
  threshold: Threshold,
  seen: Observation | undefined,
  pod: Pod,
  stats: PodStats | undefined,
): string {
  const resource = resourceOf(threshold.signal);
  let text = `The node was low on resource: ${resource}. `;
  if (seen !== undefined) {
    const least = formatAmount(resource, thresholdAmount(threshold.value, seen.capacity));
    text += `Threshold quantity: ${least}, available: ${formatAmount(resource, seen.available)}. `;
  }
  for (const container of stats?.containers ?? []) text += containerText(resource, pod, container);
  return text;
}

function containerText(resource: string, pod: Pod, stats: ContainerStats): string {
  const used = containerUsage(resource, stats);
  if (used === undefined) return '';
  const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
  const container = containers.find(({ name }) => name === stats.name);
  const request = container?.resources?.requests?.[resource];
  const requested = request === undefined ? 0 : quantityValue(request);
  if (used <= requested) return '';
  const asked = request === undefined ? '0' : request;
  return `Container ${stats.name} was using ${formatAmount(resource, used)}, request is ${asked}, has larger consumption of ${resource}. `;
}

function containerUsage(resource: string, { memory, rootfs, logs }: ContainerStats): number | undefined {
  if (resource === 'memory') return memory?.workingSetBytes;
  if (resource !== 'ephemeral-storage') return undefined;
  if (rootfs?.usedBytes === undefined && logs?.usedBytes === undefined) return undefined;
  return (rootfs?.usedBytes ?? 0) + (logs?.usedBytes ?? 0);
}

/** Bytes in Ki as upstream shows them, all else as a number. */
export function formatAmount(resource: string, amount: number): string {
  const whole = Math.floor(amount);
  if (resource === 'inodes' || resource === 'pids') return String(whole);
  return whole >= 1024 ? `${Math.floor(whole / 1024)}Ki` : String(whole);
}
