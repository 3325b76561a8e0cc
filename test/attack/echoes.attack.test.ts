/** Tests that a refusal repeats only a bounded part of the request, wherever the long part is. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2, type IncomingHttpHeaders, type IncomingHttpStatusHeader } from 'node:http2';
import { request as askHttp1 } from 'node:https';
import { expect, it } from 'vitest';
import type { ResourceRow } from '../../src/api/index.ts';
import { encodeText, type HttpRequest, readAll } from '../../src/lib/index.ts';
import { createInMemoryApi, type InMemoryApi } from '../support/in-memory-api.ts';
import { startUnderAttack } from './edge/edge-under-attack.ts';
import type { Target } from './edge/hostile-client.ts';
import { ALL_ROWS } from './access/manifests.ts';
import { inShort } from './extent.ts';

/** Maximum size of a refusal's body; one that names a hundred fields of a usual object has a fifth of it. */
const MAX_ANSWER_BYTES = 160 * 1024;
/** Maximum size of all lines of one header of an answer; clients read only some tens of KiB of headers. */
const MAX_HEADER_BYTES = 8 * 1024;

const HUGE = inShort(100_000, 400_000);
/** Plain text, text that JSON makes longer, text of surrogate pairs, and white space. */
const VALUES = ['x'.repeat(HUGE), '"\\\u0001'.repeat(HUGE / 3), '😀'.repeat(HUGE / 4), `\n${' '.repeat(HUGE)}\r\n`];

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

interface Rich {
  readonly name: string;
  readonly object: { readonly apiVersion: string; readonly kind: string; readonly metadata?: { name?: string } };
}

const RICH = readFileSync(new URL('../golden/rich-objects.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Rich);

const isObject = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Copies of the object, each with a different value or name replaced by `huge`. */
function* withHuge(value: Json, huge: string): Generator<Json> {
  if (Array.isArray(value)) {
    for (const [at, item] of (value as readonly Json[]).entries())
      for (const changed of withHuge(item, huge)) yield value.with(at, changed) as Json;
  } else if (isObject(value)) {
    for (const [name, inner] of Object.entries(value)) {
      const { [name]: _, ...rest } = value;
      yield { ...rest, [huge]: inner };
      for (const changed of withHuge(inner, huge)) yield { ...value, [name]: changed };
    }
  }
  yield huge;
}

function collectionOf(row: ResourceRow, namespace = 'default'): string {
  const root = row.group === '' ? `/api/${row.version}` : `/apis/${row.group}/${row.version}`;
  return row.namespaced ? `${root}/namespaces/${namespace}/${row.resource}` : `${root}/${row.resource}`;
}

interface Answered {
  readonly code: number;
  readonly bytes: number;
  readonly longestHeader: number;
}

async function ask(api: InMemoryApi, method: string, url: string, more: Partial<HttpRequest> = {}): Promise<Answered> {
  const end = new AbortController();
  const asked = { method, url, headers: {}, signal: end.signal, ...more };
  const { status: code, headers, body } = await api.connection.request(asked);
  const longestHeader = Math.max(...Object.values(headers).map((value) => Buffer.byteLength(value)));
  // A successful answer may be an endless watch.
  const bytes = code < 400 ? 0 : (await readAll(body, 64 * 1024 * 1024)).length;
  end.abort();
  return { code, bytes, longestHeader };
}

const json = (value: Json, type = 'application/json'): Partial<HttpRequest> => ({
  headers: { 'content-type': type },
  body: encodeText(JSON.stringify(value)),
});

/** All answers that were too long; a whole list is more useful than the first failure. */
class Findings {
  readonly found: string[] = [];
  asked = 0;
  refused = 0;

  note(what: string, { code, bytes, longestHeader }: Answered): void {
    this.asked += 1;
    if (longestHeader > MAX_HEADER_BYTES) this.found.push(`${what}: ${code} with a header of ${longestHeader} bytes`);
    if (code < 400) return;
    this.refused += 1;
    if (bytes > MAX_ANSWER_BYTES) this.found.push(`${what}: ${code} of ${bytes} bytes`);
  }
}

it('stays short wherever a huge value or name stands in an object of any kind', { timeout: 600_000 }, async () => {
  const api = await createInMemoryApi();
  const findings = new Findings();
  let turn = 0;
  for (const { name, object } of RICH) {
    const row = ALL_ROWS.find(({ kind, group, version }) => {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      return kind === object.kind && apiVersion === object.apiVersion;
    });
    // Some objects are of kinds that are not served.
    if (row === undefined) continue;
    const own = { ...object, metadata: { ...object.metadata, namespace: row.namespaced ? 'default' : undefined } };
    const plain = JSON.parse(JSON.stringify(own)) as Json;
    const path = collectionOf(row);
    const made = await ask(api, 'POST', path, json(plain));
    findings.note(`${name} as it is`, made);
    for (const huge of VALUES) {
      for (const changed of withHuge(plain, huge)) {
        turn += 1;
        if (turn % inShort(97, 1) !== 0) continue;
        const strictness = ['Strict', 'Warn', 'Ignore'][turn % 3] ?? '';
        const query = `?dryRun=All&fieldValidation=${strictness}`;
        const what = `${name} with ${JSON.stringify(huge.slice(0, 3))} (change ${turn})`;
        findings.note(`POST of ${what}`, await ask(api, 'POST', `${path}${query}`, json(changed)));
        if (made.code !== 201) continue;
        const one = `${path}/${object.metadata?.name ?? ''}${query}`;
        const type = ['application/merge-patch+json', 'application/strategic-merge-patch+json'][turn % 2] ?? '';
        findings.note(`PUT of ${what}`, await ask(api, 'PUT', one, json(changed)));
        findings.note(`PATCH of ${what}`, await ask(api, 'PATCH', one, json(changed, type)));
      }
    }
  }
  expect(findings.found).toEqual([]);
  // The test would prove nothing if the requests were not refused.
  expect(findings.refused).toBeGreaterThan(findings.asked / 2);
});

it('stays short whatever stands in the path, in the query and in the headers', { timeout: 600_000 }, async () => {
  const api = await createInMemoryApi();
  const findings = new Findings();
  const PODS = '/api/v1/namespaces/default/pods';
  const parameters = [
    'labelSelector',
    'fieldSelector',
    'continue',
    'limit',
    'resourceVersion',
    'resourceVersionMatch',
    'timeoutSeconds',
    'watch',
    'dryRun',
    'fieldManager',
    'fieldValidation',
    'force',
    'propagationPolicy',
    'gracePeriodSeconds',
    'orphanDependents',
    'pretty',
    'includeObject',
    'sendInitialEvents',
    'container',
    'tailLines',
    'sinceTime',
    'command',
    'path',
  ];
  for (const value of inShort(VALUES.slice(0, 2), VALUES)) {
    const huge = encodeURIComponent(value);
    const paths = [
      `/${huge}`,
      `/api/${huge}`,
      `/api/v1/${huge}`,
      `/api/v1/namespaces/${huge}`,
      `/api/v1/namespaces/${huge}/pods`,
      `/api/v1/namespaces/${huge}/pods/x`,
      `${PODS}/${huge}`,
      `${PODS}/x/${huge}`,
      `${PODS}/${huge}/log`,
      `${PODS}/x:${huge}/proxy/`,
      `/apis/${huge}`,
      `/apis/apps/${huge}`,
      `/apis/apps/v1/namespaces/default/${huge}`,
      `/apis/${huge}/v1/things`,
      `/livez/${huge}`,
      `/openapi/v3/${huge}`,
      `/openid/${huge}`,
    ];
    const shapes = [`a%20in%20(${huge}`, huge, `a%3D${huge}`, `${huge}%3Db`, `metadata.name%3D${huge}`];
    for (const parameter of parameters)
      for (const shape of inShort(shapes.slice(0, 2), shapes))
        for (const path of [PODS, `${PODS}/x`, `${PODS}/x/log`]) paths.push(`${path}?${parameter}=${shape}`);
    paths.push(`${PODS}?${huge}=1`);
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: { containers: [] } };
    for (const url of paths) {
      for (const method of inShort(['GET', 'DELETE'], ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', value.slice(0, 999)])) {
        const more = method === 'GET' || method === 'DELETE' ? {} : json(pod);
        findings.note(`${method} ${url.slice(0, 120)}`, await ask(api, method, url, more));
      }
    }
    const headers = ['accept', 'content-type', 'authorization', 'user-agent', 'impersonate-user', 'impersonate-group'];
    for (const header of [...headers, 'impersonate-uid', 'upgrade', 'connection', 'sec-websocket-protocol'])
      for (const [method, url] of [
        ['GET', PODS],
        ['GET', '/openapi/v2'],
        ['POST', PODS],
        ['PATCH', `${PODS}/x`],
      ] as const) {
        const { body } = json(pod);
        const more = { headers: { [header]: value }, ...(method === 'GET' || body === undefined ? {} : { body }) };
        findings.note(`${method} ${url} with ${header}`, await ask(api, method, url, more));
      }
  }
  expect(findings.found).toEqual([]);
});

it('stays short when the body is no object at all', { timeout: 600_000 }, async () => {
  const api = await createInMemoryApi();
  const findings = new Findings();
  for (const huge of inShort(VALUES.slice(0, 2), VALUES)) {
    const bodies = [
      huge,
      `"${huge}`,
      JSON.stringify(huge),
      `[${JSON.stringify(huge)}]`,
      `{"${huge}`,
      `{"metadata":{"name":${huge}}}`,
      `kind: ${huge}`,
      `? ${huge}\n: [`,
      `*${huge.replaceAll(/\W/g, 'a')}`,
      `${JSON.stringify(huge)}: {a: 1, a: 1`,
      JSON.stringify([{ op: huge, path: huge }]),
      JSON.stringify([{ op: 'replace', path: `/${huge}`, value: huge }]),
      JSON.stringify([{ op: 'test', path: '/metadata', value: huge }]),
      JSON.stringify({ $patch: huge, spec: { $retainKeys: huge, containers: [{ $patch: huge, name: huge }] } }),
      JSON.stringify({ kind: huge, apiVersion: huge }),
      JSON.stringify({
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        preconditions: { uid: huge },
        propagationPolicy: huge,
      }),
    ];
    const types = [
      'json',
      'yaml',
      'apply-patch+yaml',
      'json-patch+json',
      'merge-patch+json',
      'vnd.kubernetes.protobuf',
    ];
    const urls = [
      '/api/v1/namespaces',
      '/api/v1/namespaces/default',
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    ];
    for (const text of bodies)
      for (const type of types)
        for (const url of urls)
          for (const method of type.includes('patch') ? ['PATCH'] : ['POST', 'PUT', 'DELETE']) {
            const headers = { 'content-type': `application/${type}` };
            // A delete that succeeds would leave no object for the next request.
            const query = method === 'POST' ? '' : '?dryRun=All&fieldManager=m';
            const answered = await ask(api, method, `${url}${query}`, { headers, body: encodeText(text) });
            findings.note(`${method} ${url} ${type} ${JSON.stringify(text.slice(0, 60))}`, answered);
          }
  }
  expect(findings.found).toEqual([]);
  expect(findings.refused).toBeGreaterThan(findings.asked / 2);
});

interface Warned {
  readonly code: number;
  readonly warning: string;
}

/** Posts with Node's client, so that our client's handling of headers does not matter. */
async function postOver(version: 1 | 2, target: Target, path: string, body: string): Promise<Warned> {
  const { port, credentials } = target;
  const tls = { cert: credentials?.certificatePem, key: credentials?.keyPem, rejectUnauthorized: false };
  const type = { 'content-type': 'application/json' };
  if (version === 1) {
    const call = askHttp1({ host: '127.0.0.1', port, path, method: 'POST', headers: type, ...tls });
    call.end(body);
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    return { code: response.statusCode ?? 0, warning: String(response.headers['warning']) };
  }
  const session = connectHttp2(`https://127.0.0.1:${port}`, tls);
  try {
    const stream = session.request({ ':method': 'POST', ':path': path, ...type });
    stream.end(body);
    const [headers] = (await once(stream, 'response')) as [IncomingHttpHeaders & IncomingHttpStatusHeader];
    stream.resume();
    await once(stream, 'end');
    return { code: headers[':status'] ?? 0, warning: String(headers['warning']) };
  } finally {
    session.close();
  }
}

it('warns of any field by name through either HTTP, and does what was asked', { timeout: 600_000 }, async () => {
  const target = await startUnderAttack();
  try {
    for (const [at, name] of ['😀', 'ü', 'a\u0085b', '\u2028', '\ud83d', '😀'.repeat(5000), '\u007f"\\'].entries()) {
      const spec = { containers: [{ name: 'c', image: 'i' }], [name]: 1 };
      for (const version of [1, 2] as const) {
        const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: `pod-${at}-${version}` }, spec };
        const answer = await postOver(version, target.admin, '/api/v1/namespaces/default/pods', JSON.stringify(object));
        expect([name.slice(0, 3), version, answer.code, answer.warning]).toEqual([
          name.slice(0, 3),
          version,
          201,
          expect.stringMatching(/^299 - "unknown field/),
        ]);
      }
    }
  } finally {
    await target.close();
  }
});
