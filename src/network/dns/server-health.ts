/** Which other servers were silent lately: those come last. */
import { BoundedMap, type Clock } from '../../lib/index.ts';
import type { ServerAddress } from './dns-sockets.ts';
import { MAX_SERVERS, SILENT_SERVER_MS } from './limits.ts';

export class ServerHealth {
  readonly #clock: Clock;
  /** Until when each comes last, mono ms. */
  readonly #silent = new BoundedMap<string, number>(MAX_SERVERS * 8);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** In the order that they have, the silent ones behind the others. */
  ordered(servers: readonly ServerAddress[]): readonly ServerAddress[] {
    const { mono } = this.#clock.now();
    const isSilent = (server: ServerAddress): boolean => (this.#silent.get(keyOf(server)) ?? 0) > mono;
    return [...servers.filter((server) => !isSilent(server)), ...servers.filter(isSilent)];
  }

  wasSilent(server: ServerAddress): void {
    this.#silent.set(keyOf(server), this.#clock.now().mono + SILENT_SERVER_MS);
  }

  answered(server: ServerAddress): void {
    this.#silent.delete(keyOf(server));
  }
}

function keyOf({ address, port }: ServerAddress): string {
  return `${address} ${port}`;
}
