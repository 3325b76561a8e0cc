/** The packet filter of a simulated machine as the port of one agent: calls take time and fail; what was written stays. */
import type { RouterMachine } from '../network/index.ts';
import type { Random } from '../lib/index.ts';
import type { Life } from './life.ts';
import type { PacketFilter } from './packet-filter/packet-filter.ts';
import { remoteCall } from './remote-call.ts';
import type { Sim } from './sim.ts';

/** Transactions take so long on an idle machine, ms. */
const CALL_MS: readonly [number, number] = [4, 20];

export interface FilterFaults {
  /** Shares of transactions, 0 to 1: refused, and done although nft says that they failed. */
  refuse: number;
  failAfter: number;
  slow: number;
  slowMs: number;
  /** `nft monitor` ends at once. */
  blind: boolean;
}

export function noFilterFaults(): FilterFaults {
  return { refuse: 0, failAfter: 0, slow: 0, slowMs: 0, blind: false };
}

export function isFilterWell({ refuse, failAfter, slow, blind }: FilterFaults): boolean {
  return refuse === 0 && failAfter === 0 && slow === 0 && !blind;
}

export interface RouterMachineWiring {
  readonly sim: Sim;
  readonly life: Life;
  readonly filter: PacketFilter;
  readonly faults: FilterFaults;
  readonly random: Random;
  readonly addresses: readonly string[];
}

export function createSimRouterMachine(wiring: RouterMachineWiring): RouterMachine {
  const { sim, life, filter, faults, random, addresses } = wiring;
  const call = <T>(label: string, work: () => T): Promise<T> => {
    const [min, max] = CALL_MS;
    const slowMs = random.next() < faults.slow ? random.next() * faults.slowMs : 0;
    const fate = { thereMs: min + random.next() * (max - min) + slowMs, backMs: 0.2 };
    return remoteCall(sim, life, `${label} by ${life.name}`, fate, work);
  };
  return {
    apply: (text) => {
      const isRefused = random.next() < faults.refuse;
      const failsAfter = random.next() < faults.failAfter;
      return call('nft', () => {
        // The programs of an agent end with it.
        if (isRefused || !life.alive) return 'netlink: Error: cache initialization failed: Operation not permitted';
        try {
          const refusal = filter.apply(text, sim.mono);
          return refusal ?? (failsAfter ? 'nft ended with code 1' : undefined);
        } catch (error) {
          sim.fail(error);
          return String(error);
        }
      });
    },
    outline: (table) => call('nft list', () => filter.outline(table)),
    contents: (table) => call('nft -j list', () => filter.contents(table, sim.mono)),
    removeTable: async () => {},
    watchRemovals: (onRemoval, signal) => watchRemovals(wiring, onRemoval, signal),
    filterBridges: async () => undefined,
    ensureServiceRoute: async () => undefined,
    removeServiceRoute: async () => undefined,
    removeServiceRoutes: async () => {},
    addresses: () => addresses,
    udpConnections: async () => [],
    forget: async () => {},
    begunConnections: async () => [],
    forgetUntranslated: async () => {},
  };
}

function watchRemovals(
  { sim, life, filter, faults, random }: RouterMachineWiring,
  onRemoval: () => void,
  signal: AbortSignal,
): Promise<string> {
  if (faults.blind)
    return remoteCall(sim, life, `nft monitor by ${life.name}`, { thereMs: 5, backMs: 1 }, () => 'killed');
  return new Promise((resolve) => {
    const stop = filter.onDestroy(() => {
      sim.after(1 + random.next() * 5, `removal told to ${life.name}`, () => life.deliver(onRemoval));
    });
    life.onKill(stop);
    signal.addEventListener('abort', () => {
      stop();
      resolve('told to end');
    });
  });
}
