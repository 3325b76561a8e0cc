/**
 * Delays calls about a container that has just ended. We report its end as soon as its task has ended; CRI learns of it a
 * moment later, and until then refuses to remove it because it "runs", or tries to kill it and finds its shim gone.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RuntimeError } from '../runtime.ts';

const STILL_RUNNING = 'container is still running, to stop first';
const NOT_KILLED = 'failed to kill container';
const SHIM_GONE = 'ttrpc: closed';
/** containerd's status lags by 125 ms at worst, on a quiet machine. */
const WAIT_MS = 25;
const MAX_TRIES = 80;

/** Repeats `work` while CRI refuses it for that reason; after two seconds the refusal stands. */
export async function onceCriKnows<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isEarly(error) || tries >= MAX_TRIES) throw error;
      await sleep(WAIT_MS);
    }
  }
}

function isEarly(error: unknown): boolean {
  if (!(error instanceof RuntimeError)) return false;
  const { message } = error;
  return message.includes(STILL_RUNNING) || (message.includes(NOT_KILLED) && message.includes(SHIM_GONE));
}
