/**
 * Nodes without containers, each with its own agent that uses the API server as a kubelet does: it registers, keeps its lease,
 * reports its pods Running and Ready, and confirms deletions.
 */
import type { Pod } from '../../src/api/index.ts';
import { uidOf } from '../../src/api/index.ts';
import { createKubeClient } from '../../src/client/index.ts';
import type { Clock, Connection, Logger, Random } from '../../src/lib/index.ts';
import { runHollowAgent } from '../../src/sim/fleet/hollow-agent.ts';

export interface HollowNodesOptions {
  readonly count: number;
  /** A connection as this user. */
  readonly connectionOf: (user: { readonly name: string; readonly groups: readonly string[] }) => Connection;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The number of zones of the nodes; 3 when absent. */
  readonly zones?: number;
}

export interface HollowNodes {
  readonly names: readonly string[];
  /** Ends the agents, so that the leases are not renewed any more. */
  stop(): Promise<void>;
}

export function startHollowNodes(options: HollowNodesOptions): HollowNodes {
  const { count, connectionOf, clock, random, logger, zones = 3 } = options;
  const stop = new AbortController();
  const names = Array.from({ length: count }, (_, i) => `hollow-${i}`);
  const agents = names.map((name, i) => {
    const user = { name: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] };
    const client = createKubeClient(connectionOf(user), { clock });
    const machine = inMemoryMachine(clock);
    const zone = `zone-${i % zones}`;
    const ports = { client, clock, random: random.split(name), logger, machine };
    return runHollowAgent(ports, { name, zone, address: `192.0.2.${1 + (i % 254)}` }, stop.signal);
  });
  return {
    names,
    stop: async () => {
      stop.abort(new Error('stopped'));
      await Promise.allSettled(agents);
    },
  };
}

function inMemoryMachine(clock: Clock) {
  const startedAt = new Map<string, number>();
  return {
    isRunning: (uid: string) => startedAt.has(uid),
    uids: () => [...startedAt.keys()],
    start: (pod: Pod) => void startedAt.set(uidOf(pod), clock.now().mono),
    stop: (uid: string) => void startedAt.delete(uid),
    startedAt: (uid: string) => startedAt.get(uid) ?? clock.now().mono,
  };
}
