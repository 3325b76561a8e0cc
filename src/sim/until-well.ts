/** Lets time pass after the faults until nothing is missing any more. */
import type { Sim } from './sim.ts';

/** A required state was not reached in time. */
export class LivenessFailure extends Error {
  override readonly name = 'LivenessFailure';
}

/** @param missing describes what is still missing; @param lookEveryMs virtual ms. @throws LivenessFailure after `withinMs` */
export async function untilWell(
  sim: Sim,
  missing: () => string | undefined,
  { withinMs, lookEveryMs }: { readonly withinMs: number; readonly lookEveryMs: number },
): Promise<void> {
  const until = sim.mono + withinMs;
  for (;;) {
    await sim.run(sim.mono + lookEveryMs);
    const pending = missing();
    if (pending === undefined) return;
    if (sim.mono >= until) throw new LivenessFailure(`after ${withinMs / 60_000} quiet minutes: ${pending}`);
  }
}
