/** Our own API server in memory, as the golden one was when it was asked: a namespace with its accounts. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { apiVersionOf, RESOURCES } from '../../src/api/index.ts';
import { createPlainTokenSigner } from '../../src/apiserver/tokens/plain-token-signer.ts';
import { createApiServer } from '../../src/apiserver/index.ts';
import { decodeText, encodeText, readAll, seededRandom, silentLogger } from '../../src/lib/index.ts';
import { createManualClock } from '../../src/lib/manual-clock.node.ts';
import { createMemoryStore } from '../../src/store/index.ts';
import type { Schema } from '../schema/schema-format.ts';
import { type Base, type Call, type Json, NAMESPACE } from './call.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** An answer never is longer. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

export interface OwnServer {
  readonly call: Call;
  close(): Promise<void>;
}

export async function startOwnServer(): Promise<OwnServer> {
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  const server = createApiServer({
    store,
    clock,
    random: seededRandom('golden'),
    logger: silentLogger,
    version: { gitVersion: 'v1.36.0' },
    tokens: createPlainTokenSigner('golden'),
  });
  await server.ready;
  const connection = server.as(ADMIN);
  const call: Call = async (method, url, body) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'content-type': 'application/json' };
    const response = await connection.request({
      method,
      url,
      headers,
      ...(body === undefined ? {} : { body: encodeText(text) }),
    });
    const answer = JSON.parse(decodeText(await readAll(response.body, MAX_ANSWER_BYTES))) as Json;
    return { status: response.status, body: answer };
  };
  await prepareNamespace(call);
  return {
    call,
    close: async () => {
      await server.close();
      await store.close();
    },
  };
}

/** What the objects that are asked with need: our namespace and its accounts. */
export async function prepareNamespace(call: Call): Promise<void> {
  await call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  for (const name of ['robot', 'default']) {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
    await call('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, account);
  }
}

/** Whether a server of ours has the kind. */
export function isServed({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean {
  return RESOURCES.some((row) => apiVersionOf(row) === apiVersion && row.kind === kind);
}

export function readSchema(): Schema {
  return JSON.parse(readFileSync(resolve(ROOT, 'src/api/schema/schema.json'), 'utf8')) as Schema;
}

/** The objects that are asked with: "rich" ones have all fields, "minimal" ones what is needed. */
export function readBases(which: 'rich' | 'minimal'): readonly Base[] {
  return readLines(readFileSync(resolve(ROOT, `test/golden/${which}-objects.jsonl`), 'utf8'));
}

/** What upstream's server answered. */
export function readGolden<T>(which: 'empty-values' | 'quantities' | 'defaults'): readonly T[] {
  return readLines(gunzipSync(readFileSync(resolve(ROOT, `test/golden/${which}.jsonl.gz`))).toString());
}

function readLines<T>(text: string): readonly T[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}
