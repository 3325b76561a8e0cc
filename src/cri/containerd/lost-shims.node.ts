/**
 * Ends shims that containerd has lost: one that was started just before containerd was killed is never looked at again. A
 * shim that is older than the running containerd, and unknown to CRI in two looks, is lost; it ends, with its processes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage, type Logger } from '../../lib/index.ts';
import type { RuntimeService } from '../runtime.ts';
import {
  descendants,
  endProcess,
  findProcesses,
  isShimOf,
  type ProcessFacts,
  readProcess,
  signalProcess,
} from './proc.node.ts';

const LOOK_MS = 10_000;
/** Looks after each start of containerd: it lost its shims before that. */
const LOOKS = 12;
const CALL_TIMEOUT_MS = 10_000;
const SHIM_GRACE_MS = 2_000;

export interface LostShimsOptions {
  readonly socket: string;
  readonly runtime: Pick<RuntimeService, 'listSandboxes' | 'listContainers'>;
  readonly containerdPid: () => number | undefined;
  readonly logger: Logger;
}

/** Looks after each start of containerd, until the signal is aborted. Never rejects. */
export async function endLostShims(options: LostShimsOptions, signal: AbortSignal): Promise<void> {
  let watched: number | undefined;
  let looks = 0;
  let suspects: ReadonlySet<number> = new Set();
  while (!signal.aborted) {
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    const pid = options.containerdPid();
    if (signal.aborted || pid === undefined) continue;
    if (pid !== watched) {
      watched = pid;
      looks = 0;
      suspects = new Set();
    }
    if (looks >= LOOKS) continue;
    looks += 1;
    try {
      suspects = await look(options, pid, suspects);
    } catch (error) {
      options.logger.debug('lost shims could not be looked for', { error: errorMessage(error) });
    }
  }
}

/** Ends those of `suspects` that are still unknown. @returns those that were unknown for the first time */
async function look(
  options: LostShimsOptions,
  pid: number,
  suspects: ReadonlySet<number>,
): Promise<ReadonlySet<number>> {
  const containerd = readProcess(pid);
  if (containerd === undefined) return suspects;
  const old = findProcesses(
    ({ args, startTicks }) => startTicks < containerd.startTicks && isShimOf(args, options.socket),
  );
  if (old.length === 0) return new Set();
  const call = { timeoutMs: CALL_TIMEOUT_MS };
  const [sandboxes, containers] = await Promise.all([
    options.runtime.listSandboxes({}, call),
    options.runtime.listContainers({}, call),
  ]);
  const known = new Set([...sandboxes, ...containers].map(({ id }) => id));
  const lost = old.filter(({ args }) => !known.has(args[args.indexOf('-id') + 1] ?? ''));
  for (const shim of lost) if (suspects.has(shim.pid)) await end(shim, options.logger);
  return new Set(lost.filter((shim) => !suspects.has(shim.pid)).map((shim) => shim.pid));
}

async function end(shim: ProcessFacts, logger: Logger): Promise<void> {
  logger.warn('ending a shim that containerd has lost', { pid: shim.pid, id: shim.args[shim.args.indexOf('-id') + 1] });
  const all = findProcesses(() => true);
  for (const child of descendants(shim.pid, all)) signalProcess(child, 'SIGKILL');
  await endProcess(shim, SHIM_GRACE_MS);
}
