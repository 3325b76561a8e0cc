/** How many pods a metric asks for that is not of the pods themselves: one value, or a sum (upstream: the replica calculator). Pure. */
import { findCondition, type Pod } from '../../api/index.ts';
import { isWithin, type Tolerance } from './count-replicas.ts';

/** Upstream's numbers of replicas have 32 bits. */
const MOST = 2 ** 31 - 1;

export interface Total {
  /** The value, thousandths. */
  readonly milli: number;
  /** The target's spec.replicas. */
  readonly current: number;
  /** The target's status.replicas. */
  readonly seen: number;
  readonly pods: readonly Pod[];
  readonly tolerance: Tolerance;
}

export type ByValue =
  | { readonly ok: true; readonly replicas: number }
  | { readonly ok: false; readonly problem: string };

/** The value as a whole should be `target` (thousandths): the ready pods are multiplied. From no pods on the value alone counts. */
export function countByTotal({ milli, current, pods, tolerance }: Total, target: number): ByValue {
  const ratio = milli / target;
  if (current === 0) return { ok: true, replicas: bounded(ratio) };
  if (isWithin(tolerance, ratio)) return { ok: true, replicas: current };
  if (pods.length === 0) {
    const text = 'no pods returned by selector while calculating replica count';
    return { ok: false, problem: `unable to calculate ready pods: ${text}` };
  }
  const ready = pods.filter(
    ({ status }) => status?.phase === 'Running' && findCondition(status.conditions, 'Ready')?.status === 'True',
  );
  return { ok: true, replicas: bounded(ratio * ready.length) };
}

/** Each pod should have `target` (thousandths) of the value. `averageMilli`: what each of those that were seen has. */
export function countPerPod({ milli, seen, tolerance }: Total, target: number) {
  const replicas = isWithin(tolerance, milli / (target * seen)) ? seen : bounded(milli / target);
  return { ok: true, replicas, averageMilli: seen === 0 ? 0 : Math.ceil(milli / seen) } as const;
}

function bounded(replicas: number): number {
  return Math.min(Math.ceil(replicas), MOST);
}
