/** Waits for a node to be Ready, and says what it waits for. */
import { isNotFound, type Node, NODES, StatusError } from '../api/index.ts';
import type { KubeClient } from '../client/index.ts';
import { systemClock } from '../lib/clock.node.ts';
import { ConnectionError } from '../lib/index.ts';

const READY_POLL_MS = 50;
/** After an error. */
const READY_RETRY_MS = 500;
const READY_PROGRESS_MS = 5_000;

/** Resolves when the node is Ready. Rejects when `signal` is aborted. */
export async function untilReady(
  client: KubeClient,
  name: string,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let nextProgress = READY_PROGRESS_MS;
  for (let waitedMs = 0; ; ) {
    signal.throwIfAborted();
    const { why, isAway = false } = await whyNotReady(client, name, signal);
    if (why === undefined) return;
    if (waitedMs >= nextProgress) {
      nextProgress += READY_PROGRESS_MS;
      say(`waiting for the node: ${why}`);
    }
    const pauseMs = isAway ? READY_RETRY_MS : READY_POLL_MS;
    await systemClock.sleep(pauseMs, signal);
    waitedMs += pauseMs;
  }
}

async function whyNotReady(
  client: KubeClient,
  name: string,
  signal: AbortSignal,
): Promise<{ readonly why?: string; readonly isAway?: boolean }> {
  try {
    const node = await client.get<Node>(NODES, undefined, name, signal);
    const ready = node.status?.conditions?.find((condition) => condition.type === 'Ready');
    return ready?.status === 'True' ? {} : { why: ready?.message ?? 'it has no Ready condition yet' };
  } catch (error) {
    signal.throwIfAborted();
    if (isNotFound(error)) return { why: 'it has not registered yet' };
    if (error instanceof ConnectionError || error instanceof StatusError) return { why: error.message, isAway: true };
    throw error;
  }
}
