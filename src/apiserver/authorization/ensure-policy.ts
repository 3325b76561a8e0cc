/** The bootstrap policy, made or completed through the server itself when it starts. */
import { type KubeObject, type ResourceRow } from '../../api/index.ts';
import { decodeText, encodeText, mapLimit, readAll } from '../../lib/index.ts';
import { MAX_REQUEST_BODY_BYTES, POLICY_WRITES_AT_ONCE } from '../limits.ts';
import { rootPath } from '../openapi/paths.ts';
import { type Connection, OWN_HEADERS } from '../ports.ts';
import type { ApiObject } from '../registry/object.ts';
import type { ServedRows } from '../registry/served-rows.ts';
import { BOOTSTRAP_POLICY } from './bootstrap-policy.ts';
import { reconcilePolicy } from './reconcile-policy.ts';

/** The stored objects of a row, by namespace and name. */
export type Stored = (row: ResourceRow, namespace: string | undefined, name: string) => ApiObject | undefined;

/** `stored`: as the caches show it. Rejects when something could not be written. */
export async function ensurePolicy(server: Connection, registry: ServedRows, stored: Stored): Promise<void> {
  for (const objects of BOOTSTRAP_POLICY) {
    await mapLimit(objects, POLICY_WRITES_AT_ONCE, (wanted) => ensure(server, registry, stored, wanted));
  }
}

async function ensure(server: Connection, registry: ServedRows, stored: Stored, wanted: KubeObject): Promise<void> {
  const { namespace, name = '' } = wanted.metadata ?? {};
  const row = rowOf(registry, wanted);
  const path = row.namespaced ? `namespaces/${namespace}/${row.resource}` : row.resource;
  const collection = `${rootPath(row)}/${path}`;
  const found = stored(row, namespace, name);
  if (found === undefined) return send(server, 'POST', collection, wanted);
  const step = reconcilePolicy(found, wanted);
  if (step.kind === 'none') return undefined;
  const url = `${collection}/${name}`;
  if (step.kind === 'update') return send(server, 'PUT', url, step.object);
  await send(server, 'DELETE', url);
  return send(server, 'POST', collection, step.object);
}

function rowOf(registry: ServedRows, { apiVersion, kind }: KubeObject): ResourceRow {
  const row = registry.rows().find((each) => each.kind === kind && `${each.group}/${each.version}` === apiVersion);
  if (row === undefined) throw new Error(`no row for ${kind}`);
  return row;
}

/** Another server's write is as good as ours. */
async function send(server: Connection, method: string, url: string, body?: object): Promise<void> {
  const answer = await server.request({
    method,
    url,
    headers: OWN_HEADERS,
    ...(body === undefined ? {} : { body: encodeText(JSON.stringify(body)) }),
  });
  const text = decodeText(await readAll(answer.body, MAX_REQUEST_BODY_BYTES));
  if (answer.status >= 300 && answer.status !== 409 && answer.status !== 404)
    throw new Error(`bootstrap policy: ${method} ${url}: ${text}`);
}
