/** How many pods a metric asks for (upstream: the replica calculator). Pure. */
import {
  addQuantities,
  isRestartableInit,
  nameOf,
  type Pod,
  podRequests,
  quantityMilliValue,
} from '../../api/index.ts';
import { groupPods, type Sample, type Samples } from './group-pods.ts';

/** How far the use may be from its target before anything is done, as parts of one (upstream: 0.1 each way). */
export interface Tolerance {
  readonly up: number;
  readonly down: number;
}

export interface CountInput {
  readonly current: number;
  readonly pods: readonly Pod[];
  readonly samples: Samples;
  readonly resource: string;
  /** Absent: all containers of the pods together. */
  readonly container?: string;
  readonly tolerance: Tolerance;
  /** Wall ms. */
  readonly now: number;
}

/** What each pod should use: percent of its request, or thousandths of the resource's unit. */
export type Target =
  | { readonly kind: 'utilization'; readonly percent: number }
  | { readonly kind: 'value'; readonly milli: number };

export type Counted =
  | {
      readonly ok: true;
      readonly replicas: number;
      /** Percent of the requests; only with such a target. */
      readonly utilization?: number;
      /** Thousandths of the unit, of a pod on average. */
      readonly averageMilli: number;
    }
  | { readonly ok: false; readonly problem: string };

/** The use of the pods as a part of the target's. */
interface Usage {
  readonly ratio: number;
  readonly utilization?: number;
  readonly averageMilli: number;
}

export function countReplicas(input: CountInput, target: Target): Counted {
  const { current, pods, samples, resource, tolerance, now } = input;
  if (pods.length === 0) return failure('no pods returned by selector while calculating replica count');
  const { ready, unready, missing, ignored } = groupPods(pods, samples, resource, now);
  const counting = new Map([...samples].filter(([name]) => !ignored.has(name) && !unready.has(name)));
  const own = new Set(pods.map(nameOf));
  for (const name of counting.keys()) if (!own.has(name)) counting.delete(name);
  if (counting.size === 0) return failure('did not receive metrics for targeted pods (pods might be unready)');
  const requests = target.kind === 'utilization' ? requestsOf(input) : new Map<string, number>();
  if (typeof requests === 'string') return failure(requests);
  const usage = usageOf(counting, requests, target);
  if (usage === undefined) return failure('no metrics returned matched known pods');
  const told = { utilization: usage.utilization, averageMilli: usage.averageMilli };
  const counted = (replicas: number): Counted => ({ ok: true, replicas, ...withoutUndefined(told) });
  const addsUnready = unready.size > 0 && usage.ratio > 1;
  if (!addsUnready && missing.size === 0)
    return counted(isWithin(tolerance, usage.ratio) ? current : Math.ceil(usage.ratio * ready));
  assumeMissing(counting, { missing, requests, target, ratio: usage.ratio });
  if (addsUnready) for (const name of unready) counting.set(name, IDLE);
  const ratio = usageOf(counting, requests, target)?.ratio ?? usage.ratio;
  const turned = (usage.ratio < 1 && ratio > 1) || (usage.ratio > 1 && ratio < 1);
  if (isWithin(tolerance, ratio) || turned) return counted(current);
  const replicas = Math.ceil(ratio * counting.size);
  const isAgainst = (ratio < 1 && replicas > current) || (ratio > 1 && replicas < current);
  return counted(isAgainst ? current : replicas);
}

const IDLE: Sample = { milli: 0, at: 0, windowMs: 0 };

function failure(problem: string): Counted {
  return { ok: false, problem };
}

function withoutUndefined(told: { readonly utilization: number | undefined; readonly averageMilli: number }) {
  const { utilization, averageMilli } = told;
  return utilization === undefined ? { averageMilli } : { utilization, averageMilli };
}

/** @param ratio the use as a part of its target */
export function isWithin({ up, down }: Tolerance, ratio: number): boolean {
  return ratio >= 1 - down && ratio <= 1 + up;
}

interface Missing {
  readonly missing: ReadonlySet<string>;
  readonly requests: ReadonlyMap<string, number>;
  readonly target: Target;
  readonly ratio: number;
}

/** Pods of which nothing is known speak against what is about to be done: on the way down they are busy, on the way up idle. */
function assumeMissing(counting: Map<string, Sample>, { missing, requests, target, ratio }: Missing): void {
  for (const name of missing) {
    if (ratio > 1) counting.set(name, IDLE);
    if (ratio >= 1) continue;
    const milli =
      target.kind === 'value' ? target.milli : ((requests.get(name) ?? 0) * Math.max(100, target.percent)) / 100;
    counting.set(name, { ...IDLE, milli });
  }
}

/** Undefined: there is nothing to compare. */
function usageOf(samples: Samples, requests: ReadonlyMap<string, number>, target: Target): Usage | undefined {
  let [used, requested, count] = [0, 0, 0];
  for (const [name, { milli }] of samples) {
    const request = target.kind === 'value' ? 0 : requests.get(name);
    if (request === undefined) continue;
    used += milli;
    requested += request;
    count++;
  }
  if (count === 0) return undefined;
  const averageMilli = Math.trunc(used / count);
  if (target.kind === 'value') return { ratio: averageMilli / target.milli, averageMilli };
  if (requested === 0) return undefined;
  const utilization = Math.trunc((used * 100) / requested);
  return { ratio: utilization / target.percent, utilization, averageMilli };
}

/** The requests of each pod, thousandths; the problem when one has none. */
function requestsOf({ pods, resource, container }: CountInput): ReadonlyMap<string, number> | string {
  const requests = new Map<string, number>();
  for (const pod of pods) {
    const whole = container === undefined ? pod.spec?.resources?.requests?.[resource] : undefined;
    if (whole !== undefined && pod.spec !== undefined) {
      requests.set(nameOf(pod), quantityMilliValue(podRequests(pod.spec)[resource] ?? whole));
      continue;
    }
    const containers = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? []).filter(isRestartableInit)];
    let sum = '0';
    if (container !== undefined && !containers.some(({ name }) => name === container))
      return `container ${container} not found in Pod ${nameOf(pod)}`;
    for (const each of containers) {
      if (container !== undefined && each.name !== container) continue;
      const request = each.resources?.requests?.[resource];
      if (request === undefined)
        return `missing request for ${resource} in container ${each.name} of Pod ${nameOf(pod)}`;
      sum = addQuantities(sum, request);
    }
    requests.set(nameOf(pod), quantityMilliValue(sum));
  }
  return requests;
}
