/**
 * Pods that use more local storage than they may: an emptyDir beyond its sizeLimit, a container or the whole pod beyond its
 * ephemeral-storage limit. Upstream: managerImpl.localStorageEviction, with its texts. Pure.
 */
import { type Pod, type PodSpec, podLimits, quantityValue } from '../../api/index.ts';
import type { PodStats } from '../stats/summary.ts';
import { isCriticalPod } from '../pods/critical-pod.ts';

const RESOURCE = 'ephemeral-storage';

/** Whether the pod has any such limit: other pods need not be measured. */
export function hasStorageLimits(pod: Pod): boolean {
  const spec = pod.spec ?? { containers: [] };
  return (
    diskEmptyDirs(spec).length > 0 ||
    podLimits(spec)[RESOURCE] !== undefined ||
    allContainers(spec).some(({ resources }) => resources?.limits?.[RESOURCE] !== undefined)
  );
}

/** The message for a pod that uses too much; `undefined` when it does not, or nothing is known. */
export function storageViolation(pod: Pod, stats: PodStats | undefined): string | undefined {
  if (stats === undefined || isCriticalPod(pod)) return undefined;
  const spec = pod.spec ?? { containers: [] };
  return emptyDirViolation(spec, stats) ?? podViolation(spec, stats) ?? containerViolation(spec, stats);
}

function emptyDirViolation(spec: PodSpec, stats: PodStats): string | undefined {
  for (const { name, limit } of diskEmptyDirs(spec)) {
    const used = stats.volume?.find((volume) => volume.name === name)?.usedBytes;
    if (used !== undefined && used > quantityValue(limit)) {
      return `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}". `;
    }
  }
  return undefined;
}

function podViolation(spec: PodSpec, stats: PodStats): string | undefined {
  const limit = podLimits(spec)[RESOURCE];
  const used = stats[RESOURCE]?.usedBytes;
  if (limit === undefined || used === undefined || used <= quantityValue(limit)) return undefined;
  return `Pod ephemeral local storage usage exceeds the total limit of containers ${limit}. `;
}

function containerViolation(spec: PodSpec, stats: PodStats): string | undefined {
  for (const { name, rootfs, logs } of stats.containers) {
    const limit = allContainers(spec).find((container) => container.name === name)?.resources?.limits?.[RESOURCE];
    if (limit === undefined) continue;
    if ((rootfs?.usedBytes ?? 0) + (logs?.usedBytes ?? 0) > quantityValue(limit)) {
      return `Container ${name} exceeded its local ephemeral storage limit "${limit}". `;
    }
  }
  return undefined;
}

/** Those in memory are bounded by their file system. */
function diskEmptyDirs(spec: PodSpec): readonly { readonly name: string; readonly limit: string }[] {
  return (spec.volumes ?? []).flatMap(({ name, emptyDir }) => {
    const limit = emptyDir?.sizeLimit;
    const bounded = limit !== undefined && (emptyDir?.medium ?? '') === '' && quantityValue(limit) > 0;
    return bounded ? [{ name, limit }] : [];
  });
}

function allContainers(spec: PodSpec) {
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
}
