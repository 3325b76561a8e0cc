/** The real API server on the store in memory, with a clock that the test moves, for tests of its clients. */
import { createApiServer } from '../../src/apiserver/index.ts';
import { createKubeClient, type KubeClient } from '../../src/client/index.ts';
import { type Connection, seededRandom, silentLogger, type UserInfo } from '../../src/lib/index.ts';
import { createManualClock, type ManualClock, settle } from '../../src/lib/manual-clock.node.ts';
import { createMemoryStore, type Store } from '../../src/store/index.ts';

export interface InMemoryApi {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly connection: Connection;
  readonly client: KubeClient;
  /** The newest server, for requests of `user`. */
  as(user: UserInfo): Connection;
  /** Another server on the same store, as after a restart. */
  restart(): Promise<Connection>;
}

/**
 * A server with an administrator's client. By default new nodes are not tainted, because most tests run no lifecycle
 * controller.
 */
export async function createInMemoryApi({ taintNewNodes = false } = {}): Promise<InMemoryApi> {
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  const random = seededRandom('in-memory-api');
  const version = { gitVersion: 'v1.36.0' };
  let newest: ReturnType<typeof createApiServer>;
  const restart = async (): Promise<Connection> => {
    const ports = { store, clock, random, logger: silentLogger };
    const server = createApiServer(ports, { version, admission: { taintNewNodes } });
    newest = server;
    await server.ready;
    return server.as({ name: 'admin', groups: ['system:masters'] });
  };
  const connection = await restart();
  return {
    clock,
    store,
    connection,
    client: createKubeClient(connection, { clock }),
    as: (user) => newest.as(user),
    restart,
  };
}

/** Lets promises drain until `condition` holds, without moving virtual time; fails after many turns of the loop. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let turn = 0; turn < 1000; turn += 1) {
    if (await condition()) return;
    await settle();
  }
  throw new Error(`never came: ${what}`);
}
