/** Notices that clients still open connections to pods that leave: other nodes may be behind. Pure. */

/** A TCP connection, by its client and by who answers it. */
export interface SeenConnection {
  readonly from: string;
  readonly fromPort: number;
  /** The address of whoever answers: after translation, the pod's. */
  readonly answeredBy: string;
}

/** Client ends by address of a pod. */
export type Clients = ReadonlyMap<string, ReadonlySet<string>>;

/** The clients of these addresses. */
export function clientsOf(addresses: ReadonlySet<string>, connections: readonly SeenConnection[]): Clients {
  const found = new Map<string, Set<string>>([...addresses].map((address) => [address, new Set()]));
  for (const { from, fromPort, answeredBy } of connections) found.get(answeredBy)?.add(`${from}:${fromPort}`);
  return found;
}

/** Addresses with a client that was not there before. An address that was not looked at before has none. */
export function freshlyReached(before: Clients, now: Clients): ReadonlySet<string> {
  return new Set(
    [...now].flatMap(([address, clients]) => {
      const known = before.get(address);
      return known !== undefined && [...clients].some((client) => !known.has(client)) ? [address] : [];
    }),
  );
}
