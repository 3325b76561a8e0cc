/** From a request on a resource to the verb that answers it. */
import { methodNotAllowed, notFoundPath } from '../../api/index.ts';
import type { HttpResponse, UpgradeResponse } from '../../lib/index.ts';
import { verbOfMethod } from '../authorization/access-request.ts';
import { scaleHandlers } from '../subresources/scale.ts';
import type { Call, Handler, Part, StoredKind } from '../call.ts';
import { create } from './create.ts';
import { removeCollection } from './delete-collection.ts';
import { remove } from './delete.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { patch } from './patch.ts';
import { update } from './update.ts';
import { watch } from './watch.ts';
import { partHandlers } from './part-handlers.ts';

/** Verbs on an object or its collection. */
const verbs: Readonly<Record<string, Handler>> = {
  get,
  list,
  watch,
  create,
  update: (call) => update(call),
  patch: (call) => patch(call),
  delete: remove,
  deletecollection: removeCollection,
};

/** Verbs that need a name in the path (true), and those that have none (false). */
const onObjects: ReadonlyMap<string, boolean> = new Map([
  ['get', true],
  ['update', true],
  ['patch', true],
  ['delete', true],
  ['create', false],
]);

/** The same for all kinds whose row has them. */
const GENERAL_PARTS: Readonly<Record<string, Part>> = { status: partHandlers('status'), scale: scaleHandlers() };

/** What answers a subresource; undefined: the kind has none of that name. */
function partOf({ row, parts = {} }: StoredKind, subresource: string): Part | undefined {
  const part = own(parts, subresource);
  if (part !== undefined) return part;
  return row.subresources.some(({ name }) => name === subresource) ? own(GENERAL_PARTS, subresource) : undefined;
}

/** Verbs that need to know the namespace, if there are any. */
const inNamespace: ReadonlySet<string> = new Set(['create', 'deletecollection']);

/** Throws 404 for a subresource that is not served and 405 for a verb that it does not know. */
export function dispatch(call: Call): Promise<HttpResponse> {
  const { info, registration } = call;
  const { verb, subresource } = info;
  const handlers = subresource === undefined ? verbs : partOf(registration, subresource)?.verbs;
  if (handlers === undefined) throw notFoundPath();
  const handler = own(handlers, verb);
  const known = subresource !== undefined || (registration.row.verbs as readonly string[]).includes(verb);
  const misplaced = subresource === undefined && onObjects.get(verb) === (info.name === undefined);
  if (verb === 'other') throw methodNotAllowed(undefined, verb);
  if (handler === undefined || !known || misplaced) throw methodNotAllowed(registration.row, verb);
  if (registration.row.namespaced && info.namespace === undefined && inNamespace.has(verb)) {
    throw methodNotAllowed(undefined, verb);
  }
  refuseStrangeMethod(call);
  return handler(call);
}

/** The same for what asks to change its protocol. */
export function dispatchUpgrade(call: Call): Promise<UpgradeResponse> {
  const { info, registration } = call;
  const handler = partOf(registration, info.subresource ?? '')?.upgrade;
  if (handler === undefined) throw notFoundPath();
  refuseStrangeMethod(call);
  return handler(call);
}

/** Requests that are passed on keep their method; a stream into a container is opened by GET or POST alone. */
function refuseStrangeMethod({ info, registration }: Call): void {
  if (info.verb !== 'connect' || info.subresource === 'proxy') return;
  const row = registration.row.subresources.find(({ name }) => name === info.subresource);
  const verb = verbOfMethod(info.method);
  if (row === undefined || !(row.verbs as readonly string[]).includes(verb)) throw methodNotAllowed(undefined, verb);
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
