/** After the faults: lets time pass until nothing is missing any more. */
import type { Sim } from './sim.ts';

/** Something that must come did not. */
export class LivenessFailure extends Error {
  override readonly name = 'LivenessFailure';
}

/** @param missing what is still missing, in words; @param lookEveryMs virtual ms. @throws LivenessFailure after `withinMs` */
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
