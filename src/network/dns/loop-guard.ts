/**
 * Finds out whether another server sends our questions back here, for instance a resolver of the machine that was told to ask
 * this one: it is asked for a name that nobody else knows, and that name must not arrive.
 */
import type { Clock, Random } from '../../lib/index.ts';
import { encodeQuery, queryFor } from './codec/encode-query.ts';
import { type DnsName, nameKey } from './codec/name.ts';
import { CLASS_IN, FLAG, TYPE } from './codec/wire.ts';
import type { DnsSockets, ServerAddress } from './dns-sockets.ts';
import { LOOP_PROBE_MS } from './limits.ts';

export interface LoopGuardPorts {
  readonly sockets: DnsSockets;
  readonly clock: Clock;
  readonly random: Random;
}

export class LoopGuard {
  readonly #ports: LoopGuardPorts;
  /** The names of probes under way: one for each server that is being tried. */
  readonly #probes = new Map<string, () => void>();

  constructor(ports: LoopGuardPorts) {
    this.#ports = ports;
  }

  /** Whether the name is a probe of ours, which then has come round. */
  readonly cameRound = (name: DnsName): boolean => {
    if (name.length !== 2) return false;
    const notice = this.#probes.get(nameKey(name));
    notice?.();
    return notice !== undefined;
  };

  /** Waits until the server has answered, or a while. */
  async leadsHere(server: ServerAddress): Promise<boolean> {
    const { sockets, clock, random } = this.#ports;
    const number = (): string => String(Math.floor(random.next() * Number.MAX_SAFE_INTEGER));
    const name = [number(), number()];
    const key = nameKey(name);
    const ended = new AbortController();
    const timer = clock.setTimer(LOOP_PROBE_MS, () => ended.abort());
    let came = false;
    this.#probes.set(key, () => {
      came = true;
    });
    try {
      const empty = {
        id: 0,
        flags: FLAG.RECURSION_DESIRED,
        question: new Uint8Array(0),
        class: CLASS_IN,
        edns: undefined,
      };
      const query = queryFor({ ...empty, name, type: TYPE.HINFO }, name);
      const packet = encodeQuery(query, Math.floor(random.next() * 65_536));
      await sockets.exchange({ server, transport: 'udp', packet, accept: () => true, signal: ended.signal });
      return came;
    } finally {
      timer.cancel();
      this.#probes.delete(key);
    }
  }
}
