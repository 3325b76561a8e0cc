/** Resources as numbers: cpu in thousandths, everything else in whole units. Pure. */
import { type Pod, podRequestsInUse, quantityMilliValue, quantityValue } from '../../api/index.ts';

export type Amounts = Readonly<Record<string, number>>;

/** Upstream's amounts for a container without requests; they count in scores, never in filters. */
const STAND_IN_CPU = 100;
const STAND_IN_MEMORY = 200 * 1024 * 1024;

export function toAmounts(quantities: Readonly<Record<string, string>>): Amounts {
  const amounts: Record<string, number> = {};
  for (const [name, quantity] of Object.entries(quantities)) {
    amounts[name] = name === 'cpu' ? quantityMilliValue(quantity) : quantityValue(quantity);
  }
  return amounts;
}

/** The pod's requests, including the amounts that it still holds while a resize is under way. */
export function amountsOf(pod: Pod): Amounts {
  return toAmounts(podRequestsInUse(pod));
}

export function cpuOrStandIn(amounts: Amounts): number {
  return amounts['cpu'] || STAND_IN_CPU;
}

export function memoryOrStandIn(amounts: Amounts): number {
  return amounts['memory'] || STAND_IN_MEMORY;
}
