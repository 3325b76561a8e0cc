/** Reads the facts about machine and runtime that the kubelet needs once before it acts; tried until they are known. */
import type { RuntimeService } from '../cri/index.ts';
import { type Clock, errorMessage, exponentialDelay, type Logger } from '../lib/index.ts';
import type { Machine } from './ports.ts';
import type { MachineFacts } from './figures.ts';

const RETRY = { baseMs: 100, capMs: 5000 };

export interface KnownNode {
  readonly machine: MachineFacts;
  readonly runtimeName: string;
  readonly runtimeVersion: string;
}

export async function readNode(
  ports: {
    readonly clock: Clock;
    readonly logger: Logger;
    readonly machine: Machine;
    readonly runtime: RuntimeService;
  },
  signal: AbortSignal,
): Promise<KnownNode | undefined> {
  for (let failures = 0; !signal.aborted; ) {
    try {
      const [machine, version] = await Promise.all([ports.machine.facts(), ports.runtime.version({ signal })]);
      const { runtimeName, runtimeVersion } = version;
      return { machine, runtimeName, runtimeVersion };
    } catch (error) {
      failures += 1;
      ports.logger.warn('machine or runtime do not answer yet', { failures, error: errorMessage(error) });
      await ports.clock.sleep(exponentialDelay(RETRY, failures), signal).catch(() => {});
    }
  }
  return undefined;
}
