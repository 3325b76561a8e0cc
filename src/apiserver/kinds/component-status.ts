/**
 * ComponentStatuses: how the parts of the control plane are, asked anew for each request. The server knows of one, its store, by
 * upstream's name; controllers and scheduler are clients of it.
 */
import { COMPONENT_STATUSES, NAMESPACES, notFound, notFoundPath, methodNotAllowed } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { CachedObject } from '../cache/cached-object.ts';
import type { Asked, ServedKind } from '../call.ts';
import { readListOptions } from '../http/list-options.ts';
import { negotiateObject } from '../http/negotiate.ts';
import { renderList, renderObject } from '../http/render.ts';
import { keyOf, type Registration } from '../registry/registration.ts';
import { componentStatusTable } from '../tables/devices.ts';

const STORE = 'etcd-0';

const REGISTRATION: Registration = {
  row: COMPONENT_STATUSES,
  keyPrefix: '',
  table: componentStatusTable,
  strategy: {},
};

export const COMPONENT_STATUS_KIND: ServedKind = { row: COMPONENT_STATUSES, answer: answerStatus };

async function answerStatus(asked: Asked): Promise<HttpResponse> {
  const { info, request, server, warnings } = asked;
  if (info.subresource !== undefined) throw notFoundPath();
  if (info.verb !== 'get' && info.verb !== 'list') throw methodNotAllowed(COMPONENT_STATUSES, info.verb);
  const { deprecation } = COMPONENT_STATUSES.rules ?? {};
  if (deprecation !== undefined) warnings.push(deprecation);
  const form = negotiateObject(request.headers['accept'], info.name === undefined ? 'list' : 'object');
  const rendering = { registration: REGISTRATION, form, query: info.query, now: server.ports.clock.now().wall };
  if (info.verb === 'get') {
    if (info.name !== STORE) throw notFound(COMPONENT_STATUSES, info.name ?? '');
    return renderObject(rendering, 200, await storeStatus(asked));
  }
  const { selection } = readListOptions(info.query, REGISTRATION);
  const item = await storeStatus(asked);
  const found = selection.matches(item.object) ? [item] : [];
  return renderList(rendering, found, { resourceVersion: '' }, server.ports);
}

async function storeStatus({ server }: Asked): Promise<CachedObject> {
  const condition = await askStore(server).then(
    () => ({ type: 'Healthy', status: 'True', message: 'ok' }),
    () => ({ type: 'Healthy', status: 'False', error: 'the store does not answer' }),
  );
  const object = { apiVersion: 'v1', kind: 'ComponentStatus', metadata: { name: STORE }, conditions: [condition] };
  return new CachedObject(STORE, 0, object);
}

async function askStore(server: Asked['server']): Promise<void> {
  const namespaces = server.registry.get(NAMESPACES);
  await server.storageOf(namespaces).read(keyOf(namespaces, undefined, 'default'));
}
