/**
 * The process of one measured API server: `server-process.ts FOLDER`, FOLDER being a checkout. It does what its parent orders over IPC, and
 * answers with the CPU time that this took.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as ApiServerDoor from '../../../src/apiserver/index.ts';
import type * as ClockAdapter from '../../../src/lib/clock.node.ts';
import type * as LibDoor from '../../../src/lib/index.ts';
import type * as StoreDoor from '../../../src/store/index.ts';
import type { BreatherAdapter, Measured, Order } from './order.ts';
import { OPERATIONS, type Target } from './operations.ts';

const [folder = ''] = process.argv.slice(2);
const load = async <T>(path: string): Promise<T> => (await import(pathToFileURL(join(folder, path)).href)) as T;
const { createApiServer } = await load<typeof ApiServerDoor>('src/apiserver/index.ts');
const { systemClock: clock } = await load<typeof ClockAdapter>('src/lib/clock.node.ts');
const { loopBreather: breather } = await load<BreatherAdapter>('src/lib/breather.node.ts');
const { seededRandom, silentLogger } = await load<typeof LibDoor>('src/lib/index.ts');
const { createMemoryStore } = await load<typeof StoreDoor>('src/store/index.ts');

const target = await startServer();
const prepared = new Set<string>();

process.on('message', (order: Order) => {
  void obey(order).then(
    (measured) => process.send?.(measured),
    (error: unknown) => process.send?.({ error: String(error) } satisfies Measured),
  );
});
process.send?.({ ready: true } satisfies Measured);

async function startServer(): Promise<Target> {
  const store = createMemoryStore({ clock });
  const server = createApiServer(
    { store, clock, random: seededRandom('bench'), logger: silentLogger, breather },
    { version: { gitVersion: 'v1.36.0' } },
  );
  await server.ready;
  const connection = server.as({ name: 'bench', groups: ['system:masters', 'system:authenticated'] });
  return { request: (request) => connection.request(request) };
}

async function obey({ operation: name, count, round }: Order): Promise<Measured> {
  const operation = OPERATIONS[name];
  if (operation === undefined) throw new Error(`no such operation: ${name}`);
  if (!prepared.has(name)) {
    if ((await operation.prepare?.(target)) === 'not served') return { unsupported: true };
    prepared.add(name);
  }
  await operation.before?.(target, count, round);
  // Each pays for its own garbage alone.
  globalThis.gc?.();
  const from = process.cpuUsage();
  await operation.run(target, count, round);
  const { user, system } = process.cpuUsage(from);
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  await operation.after?.(target, count, round);
  return { micros: user + system, heapUsed, rss };
}
