/** Objects that a request does not name itself but depends on: its namespace, its service account, its classes. */
import type { ApiObject } from './object.ts';
import { keyOf, type Registration } from './registration.ts';
import type { ServerContext } from '../call.ts';

/** An object as it is now; undefined when it is not there or its kind is not served. `group`: "" is core. */
export async function readCurrent(
  server: ServerContext,
  resource: string,
  namespace: string | undefined,
  name: string,
  group = '',
): Promise<ApiObject | undefined> {
  const registration = server.registry.find({ group, version: 'v1', resource });
  if (registration === undefined) return undefined;
  const storage = server.storageOf(registration);
  await storage.fresh();
  return storage.cache.get(keyOf(registration, namespace, name))?.object;
}

/** All of a kind as they are now, in one namespace or (undefined) everywhere. */
export async function listCurrent(
  server: ServerContext,
  registration: Registration,
  namespace?: string,
): Promise<readonly ApiObject[]> {
  const storage = server.storageOf(registration);
  await storage.fresh();
  return storage.cache.list(keyOf(registration, namespace)).map((item) => item.object);
}
