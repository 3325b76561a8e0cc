/** The breather of this process's event loop. */
import { createBreather, type Breather } from './breather.ts';

/** The one breather of this thread, whose turns all jobs share. */
export const loopBreather: Breather = createBreather({
  now: () => performance.now(),
  nextTurn: (fire) => void setImmediate(fire),
});
