/** The resources in a container's status: those that were allocated, unless the runtime knows better. Pure. */
import { compareQuantities, type Quantity, quantityValue, type ResourceRequirements } from '../../api/index.ts';
import type { RuntimeContainer } from '../types.ts';

type Actual = NonNullable<RuntimeContainer['resources']>;
type Quantities = Record<string, Quantity>;

/** Below these the cgroup cannot follow what was given (upstream: MinMilliCPULimit, MinShares). */
const MIN_MILLI_CPU_LIMIT = 10;
const MIN_SHARES = 2;
/** A memory limit is rounded to whole pages. */
const PAGE_BYTES = 4096;

/** Upstream: convertContainerStatusResources. */
export function statusResources(
  given: ResourceRequirements | undefined,
  running: RuntimeContainer | undefined,
): ResourceRequirements {
  const actual = running?.resources;
  const requests = actual === undefined ? given?.requests : actualRequests(given?.requests, actual);
  const limits = actual === undefined ? given?.limits : actualLimits(given?.limits, actual);
  return {
    ...(limits === undefined ? {} : { limits }),
    ...(requests === undefined ? {} : { requests }),
  };
}

/** Only allocated resources are reported: a container without limits has none, whatever its cgroup shows. */
function actualLimits(given: Quantities | undefined, actual: Actual): Quantities | undefined {
  if (given === undefined) return undefined;
  const limits = { ...given };
  const milli = actual.cpuPeriod > 0 ? Math.floor((actual.cpuQuota * 1000) / actual.cpuPeriod) : 0;
  if (given['cpu'] !== undefined && milli > MIN_MILLI_CPU_LIMIT)
    limits['cpu'] = nearly(given['cpu'], milliCpu(milli), 0);
  if (given['memory'] !== undefined && actual.memoryLimitBytes > 0) {
    limits['memory'] = nearly(given['memory'], bytes(actual.memoryLimitBytes), PAGE_BYTES);
  }
  return limits;
}

function actualRequests(given: Quantities | undefined, actual: Actual): Quantities | undefined {
  if (given?.['cpu'] === undefined || actual.cpuShares <= MIN_SHARES) return given;
  return { ...given, cpu: nearly(given['cpu'], milliCpu(Math.ceil((actual.cpuShares * 1000) / 1024)), 0) };
}

/** As it was written, where the cgroup has that, rounded. */
function nearly(given: Quantity, actual: Quantity, roundedBy: number): Quantity {
  if (compareQuantities(given, actual) === 0) return given;
  return Math.abs(quantityValue(given) - quantityValue(actual)) < roundedBy ? given : actual;
}

function milliCpu(milli: number): Quantity {
  return milli % 1000 === 0 ? String(milli / 1000) : `${milli}m`;
}

const UNITS = [
  ['Gi', 2 ** 30],
  ['Mi', 2 ** 20],
  ['Ki', 2 ** 10],
] as const;

function bytes(count: number): Quantity {
  const unit = UNITS.find(([, size]) => count % size === 0);
  return unit === undefined ? String(count) : `${count / unit[1]}${unit[0]}`;
}
