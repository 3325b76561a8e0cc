/** Work in steps, done between other requests. */
import type { Steps } from '../../api/index.ts';
import type { Breather } from '../../lib/index.ts';

/** The result of the work. It gives way to others between its steps, when the present turn of the loop is used up. */
export async function inSteps<T>(steps: Steps<T>, breather: Breather): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    const pause = breather.pause('request');
    if (pause !== undefined) await pause;
  }
}
