/** DELETE of all objects that a list would show, one after the other; those that go meanwhile are no error. */
import { isNotFound } from '../../api/index.ts';
import { type HttpResponse, mapLimit } from '../../lib/index.ts';
import type { CachedObject } from '../cache/cached-object.ts';
import { readDeleteOptions } from '../http/delete-options.ts';
import { readListOptions } from '../http/list-options.ts';
import { negotiateObject } from '../http/negotiate.ts';
import { jsonResponse, successStatus } from '../http/respond.ts';
import { DELETE_COLLECTION_WORKERS } from '../limits.ts';
import { keyOf } from '../registry/registration.ts';
import type { Call } from '../call.ts';
import { isFailedConversion } from './answer.ts';
import { readPage, renderItems } from './list.ts';
import { removeObject } from './write.ts';

export async function removeCollection(call: Call): Promise<HttpResponse> {
  const { registration, info } = call;
  negotiateObject(call.request.headers['accept'], 'list');
  const removal = readDeleteOptions(call.request, info.query);
  const options = readListOptions(info.query, registration);
  const page = await readPage(call, keyOf(registration, info.namespace), { ...options, limit: 0 });
  const removed = await mapLimit(
    page.items,
    DELETE_COLLECTION_WORKERS,
    async (item): Promise<CachedObject | undefined> => {
      const name = item.object.metadata.name ?? '';
      registration.strategy.refuseDelete?.(name);
      try {
        return (await removeObject(call, item.key, name, removal)).item;
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
  );
  const items = removed.filter((item) => item !== undefined);
  return renderItems(call, items, { resourceVersion: String(page.revision) }).catch((error: unknown) => {
    if (!isFailedConversion(call, error)) throw error;
    // They are deleted, or are being: what they were cannot be said.
    call.warnings.push(error.message);
    const { group, resource } = registration.row;
    return jsonResponse(200, successStatus({ ...(group === '' ? {} : { group }), kind: resource }));
  });
}
