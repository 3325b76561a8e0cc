/** The breather of this process's event loop. */
import { createBreather, type Breather } from './breather.ts';

/** One for all that runs on this thread: they share its turns. */
export const loopBreather: Breather = createBreather({
  now: () => performance.now(),
  nextTurn: (fire) => void setImmediate(fire),
});
