/**
 * LIST: from the watch cache; only pages of a past that the cache no longer shows come from the store.
 */
import { hasReason, StatusError } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import { type ContinueToken, decodeContinue, encodeContinue } from '../http/continue-token.ts';
import { type ListOptions, readListOptions, type Selection } from '../http/list-options.ts';
import { negotiateObject } from '../http/negotiate.ts';
import { type ListMeta, renderList } from '../http/render.ts';
import { prefersYaml } from '../http/yaml.ts';
import { LIST_STEP } from '../limits.ts';
import { keyOf } from '../registry/registration.ts';
import { type Call, renderingOf } from '../call.ts';
import { prepareItems, prepareObjects } from './answer.ts';

export interface Page {
  /** Those that match, at most `limit`. */
  readonly items: readonly CachedObject[];
  readonly revision: number;
  /** Others that match come after them … */
  readonly more: boolean;
  /** … so many; undefined with a selector, where nobody counts them (as upstream). */
  readonly remaining: number | undefined;
}

export async function list(call: Call): Promise<HttpResponse> {
  negotiateObject(call.request.headers['accept'], 'list');
  const options = readListOptions(call.info.query, call.registration, call.info.name);
  const prefix = keyOf(call.registration, call.info.namespace);
  const { items, revision, more, remaining } = await readPage(call, prefix, options);
  // A client that asks for one object by its name would take an empty list for its absence.
  const { name } = options.selection;
  const hidden = name && call.storage.cache.damagedUnder(prefix).find((key) => key.endsWith(`/${name}`));
  if (hidden) call.storage.refuseDamaged(hidden);
  warnOfDamage(call, prefix, options.continue === undefined);
  const last = items.at(-1);
  const meta = {
    resourceVersion: String(revision),
    ...(more && last !== undefined && { continue: encodeContinue({ revision, after: last.key }, prefix) }),
    ...(more && remaining !== undefined && { remainingItemCount: remaining }),
  };
  return renderItems(call, items, meta, items === call.storage.cache.list(prefix));
}

/** The items of a list in the form that the client asked for; `isShared`: they are the very list that the cache hands to all. */
export async function renderItems(
  call: Call,
  items: readonly CachedObject[],
  meta: ListMeta,
  isShared = false,
): Promise<HttpResponse> {
  const accept = call.request.headers['accept'];
  const rendering = renderingOf(call, negotiateObject(accept, 'list'));
  const prepared = prepareItems(rendering, items);
  if (prepared !== undefined) await prepared;
  return renderList(rendering, items, meta, {
    breather: call.server.ports.breather,
    yaml: prefersYaml(accept),
    ...(isShared ? { shared: call.storage.cache.lines } : {}),
  });
}

/** Names that one warning may hold. */
const MAX_NAMED = 10;

/** Objects that a list leaves out are named: an incomplete list must not pass for a whole one. */
function warnOfDamage(call: Call, prefix: string, isFirstPage: boolean): void {
  const damaged = isFirstPage ? call.storage.cache.damagedUnder(prefix) : [];
  if (damaged.length === 0) return;
  const { keyPrefix, row } = call.registration;
  const names = damaged.slice(0, MAX_NAMED).map((key) => key.slice(keyPrefix.length));
  const more = damaged.length > names.length ? ` and ${damaged.length - names.length} more` : '';
  call.warnings.push(`left out, because they are damaged on the disk: ${row.resource} ${names.join(', ')}${more}`);
}

/** The objects that match; with a `limit` (0: none) at most one more than it, which shows that there are more. */
async function selectItems(
  { registration, server, request, info }: Call,
  items: readonly CachedObject[],
  selection: Selection,
  limit: number,
): Promise<readonly CachedObject[]> {
  if (selection.isEmpty) return items;
  // Who asks for metadata alone, or deletes, depends on no conversion, if he selects by metadata alone.
  const { as } = negotiateObject(request.headers['accept'], 'list');
  const isByMetadata = selection.isOfMetadata && (as === 'metadata' || info.verb === 'deletecollection');
  const prepared = isByMetadata ? undefined : prepareObjects(registration, items);
  if (prepared !== undefined) await prepared;
  const found: CachedObject[] = [];
  for (const item of items) {
    const pause = server.ports.breather.pause();
    if (pause !== undefined) await pause;
    const served = isByMetadata ? item.object : (registration.form?.fromStored(item.object) ?? item.object);
    if (!selection.matches(served)) continue;
    found.push(item);
    if (limit > 0 && found.length > limit) break;
  }
  return found;
}

/** The objects that the options ask for: of the newest revision, or one that they name. */
export async function readPage(call: Call, prefix: string, options: ListOptions): Promise<Page> {
  const { storage } = call;
  const { cache } = storage;
  if (options.continue !== undefined) {
    const token = decodeContinue(options.continue, prefix);
    await storage.fresh(Math.max(token.revision, 0));
    if (token.revision === -1) return cut(call, cache.list(prefix, token.after), cache.revision, options);
    return readAt(call, prefix, { revision: token.revision, after: token.after }, options);
  }
  await storage.fresh(options.revision);
  if (options.versionMatch === 'Exact' && options.revision !== undefined) {
    return readAt(call, prefix, { revision: options.revision, after: '' }, options);
  }
  return cut(call, cache.list(prefix), cache.revision, options);
}

async function cut(
  call: Call,
  items: readonly CachedObject[],
  revision: number,
  { selection, limit }: ListOptions,
): Promise<Page> {
  const found = await selectItems(call, items, selection, limit);
  if (limit === 0 || found.length <= limit) return { items: found, revision, more: false, remaining: undefined };
  const remaining = selection.isEmpty ? found.length - limit : undefined;
  return { items: found.slice(0, limit), revision, more: true, remaining };
}

async function readAt(call: Call, prefix: string, token: ContinueToken, options: ListOptions): Promise<Page> {
  const { cache } = call.storage;
  const { revision, after } = token;
  if (revision >= cache.changedAt) return cut(call, cache.list(prefix, after), revision, options);
  try {
    return await readStore(call, prefix, token, options);
  } catch (error) {
    if (!hasReason(error, 'Expired') || after === '') throw error;
    // The client may go on from here at the price of a consistent picture.
    const text =
      'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';
    const metadata = { continue: encodeContinue({ revision: -1, after }, prefix) };
    throw new StatusError({ ...error.status, message: text, metadata });
  }
}

/** A revision that the cache no longer shows, from the store and in steps: what a selector leaves out does not lie in memory. */
async function readStore(
  call: Call,
  prefix: string,
  { revision, after }: ContinueToken,
  { selection, limit }: ListOptions,
): Promise<Page> {
  const step = limit > 0 && selection.isEmpty ? Math.min(limit, LIST_STEP) : LIST_STEP;
  const found: CachedObject[] = [];
  for (let from = after || prefix; ; ) {
    const { items, remaining } = await call.storage.listAt(prefix, revision, from, step);
    found.push(...(await selectItems(call, items, selection, 0)));
    const last = items.at(-1);
    const more = found.length > limit || remaining > 0;
    if (limit > 0 && found.length >= limit && more) {
      // Of those that nobody selects all are counted; else one more match is looked for, as upstream does.
      if (selection.isEmpty) {
        return { items: found.slice(0, limit), revision, more, remaining: remaining + found.length - limit };
      }
      if (found.length > limit) return { items: found.slice(0, limit), revision, more, remaining: undefined };
    }
    if (remaining === 0 || last === undefined) return { items: found, revision, more: false, remaining: undefined };
    from = last.key;
  }
}
