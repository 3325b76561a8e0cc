/** Resources as numbers: cpu in thousandths, everything else in whole units. Pure. */
import { type Pod, podRequestsInUse, quantityMilliValue, quantityValue } from '../../api/index.ts';

export type Amounts = Readonly<Record<string, number>>;

/** What upstream counts for a container without requests when it scores (never when it filters). */
const STAND_IN_CPU = 100;
const STAND_IN_MEMORY = 200 * 1024 * 1024;

export function toAmounts(quantities: Readonly<Record<string, string>>): Amounts {
  const amounts: Record<string, number> = {};
  for (const [name, quantity] of Object.entries(quantities)) {
    amounts[name] = name === 'cpu' ? quantityMilliValue(quantity) : quantityValue(quantity);
  }
  return amounts;
}

/** What the pod asks for, and holds after a resize that is not through. */
export function amountsOf(pod: Pod): Amounts {
  return toAmounts(podRequestsInUse(pod));
}

export function cpuOrStandIn(amounts: Amounts): number {
  return amounts['cpu'] || STAND_IN_CPU;
}

export function memoryOrStandIn(amounts: Amounts): number {
  return amounts['memory'] || STAND_IN_MEMORY;
}
