/** Waits as `until` does, and says meanwhile what it waits for: a soak that hangs must not keep that to itself. */
import { until } from '../e2e/harness.ts';

const SAY_EVERY_MS = 30_000;

export async function patiently<T>(
  say: (line: string) => void,
  what: string,
  ask: () => Promise<{ value: T } | { last: string }>,
): Promise<T> {
  let saidAt = performance.now();
  return await until<T>(what, async () => {
    const answer = await ask();
    if ('last' in answer && performance.now() - saidAt > SAY_EVERY_MS) {
      saidAt = performance.now();
      say(`still waiting for ${what}: ${answer.last}`);
    }
    return answer;
  });
}
