/** Loaded into the server under attack (--import): records the lateness of its event loop and its memory, five times a second. */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const file = process.env['MENDLET_LOOP_OBSERVER'];
if (file !== undefined && isMainThread) {
  const resolution = 2;
  const delays = monitorEventLoopDelay({ resolution });
  delays.enable();
  setInterval(() => {
    const { rss, heapUsed, external } = process.memoryUsage();
    const pauseMs = Math.max(0, delays.max / 1e6 - resolution);
    delays.reset();
    appendFileSync(file, `${JSON.stringify({ at: Date.now(), pauseMs, rss, heapUsed, external })}\n`);
  }, 200).unref();
}
