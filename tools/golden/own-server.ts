/** Our own API server in memory, in the state of the golden one: a namespace with its accounts. */
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
import type { EmptyValueRow } from './ask-empty-values.ts';
import type { DefaultsRow } from './ask-defaults.ts';
import type { QuantityRow } from './ask-quantities.ts';
import { type Base, type Call, NAMESPACE } from './call.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Maximum size of an answer. */
const MAX_ANSWER_BYTES = 1024 * 1024;
const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

export interface OwnServer {
  readonly call: Call;
  close(): Promise<void>;
}

export async function startOwnServer(): Promise<OwnServer> {
  const clock = createManualClock();
  const store = createMemoryStore({ clock });
  const server = createApiServer(
    { store, clock, random: seededRandom('golden'), logger: silentLogger },
    { version: { gitVersion: 'v1.36.0' }, tokens: createPlainTokenSigner('golden') },
  );
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
    return { status: response.status, text: decodeText(await readAll(response.body, MAX_ANSWER_BYTES)) };
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

/** The objects that the questions need: our namespace and its accounts. */
export async function prepareNamespace(call: Call): Promise<void> {
  await call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  for (const name of ['robot', 'default']) {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } };
    await call('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, account);
  }
}

/** Whether our server has the kind. */
export function isServed({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): boolean {
  return RESOURCES.some((row) => apiVersionOf(row) === apiVersion && row.kind === kind);
}

export function readSchema(): Schema {
  return JSON.parse(readFileSync(resolve(ROOT, 'src/api/schema/schema.json'), 'utf8')) as Schema;
}

/** The objects that are asked with: "rich" ones have all fields, "minimal" ones what is needed. */
export function readBases(which: 'rich' | 'minimal'): readonly Base[] {
  return readLines(readFileSync(resolve(ROOT, `test/golden/${which}-objects.jsonl`), 'utf8')) as readonly Base[];
}

export interface Golden {
  readonly 'empty-values': EmptyValueRow;
  readonly quantities: QuantityRow;
  readonly defaults: DefaultsRow;
}

/** The answer of upstream's server. */
export function readGolden<K extends keyof Golden>(which: K): readonly Golden[K][] {
  const text = gunzipSync(readFileSync(resolve(ROOT, `test/golden/${which}.jsonl.gz`))).toString();
  return readLines(text.replaceAll(FOREIGN_SOURCE, '')) as readonly Golden[K][];
}

/** A source of token volumes that only the distribution's patched server adds. */
const FOREIGN_SOURCE = /,\{"configMap":\{"name":"openshift-service-ca\.crt"[^\]]*\]\}\}/g;

function readLines(text: string): readonly unknown[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}
