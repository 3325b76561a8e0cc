/** Custom objects whose versions a webhook converts, with a real webhook behind TLS. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { converted, type ConversionWebhook, startConversionWebhook } from '../../../test/support/conversion-webhook.ts';
import { createHttpConnection } from '../../client/http-connection.node.ts';
import { systemClock } from '../../lib/clock.node.ts';
import { decodeText } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Answer, type Loose, startTestServer, type TestServer } from '../test-server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const NAME = `${DEFINITIONS}/endpointers.stable.example.com`;
const GROUP = '/apis/stable.example.com';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const METADATA = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' };
const METADATA_LIST = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };
const TABLE = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };

let webhook: ConversionWebhook;
let api: TestServer;
beforeAll(async () => {
  webhook = await startConversionWebhook(['hook.default.svc']);
  api = await startTestServer({
    clock: createManualClock(),
    // The address of a Service must be one of the network; the test's webhook listens on loopback.
    originConnection: (server, { dial, ...route } = {}) =>
      createHttpConnection({
        server,
        ...route,
        dial: { host: '127.0.0.1', port: dial?.port ?? 0 },
        clock: systemClock,
      }),
  });
  await api.call('POST', '/api/v1/namespaces/default/services', {
    metadata: { name: 'hook' },
    spec: { ports: [{ port: 443, targetPort: webhook.port }] },
  });
  const slice = {
    metadata: { name: 'hook-1', labels: { 'kubernetes.io/service-name': 'hook' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: true } }],
    ports: [{ name: '', port: webhook.port, protocol: 'TCP' }],
  };
  await api.call('POST', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', slice);
  await api.call('POST', DEFINITIONS, definition());
  await served('v2');
});
afterAll(async () => {
  await api.close();
  await webhook.close();
});
beforeEach(() => {
  webhook.behave = undefined;
  webhook.reviews.length = 0;
  webhook.asked.length = 0;
});

function version(name: string, spec: Loose, storage: boolean): Loose {
  return {
    name,
    served: true,
    storage,
    subresources: {
      status: {},
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    },
    additionalPrinterColumns: Object.keys(spec).map((field) => ({
      name: field,
      type: spec[field].type,
      jsonPath: `.spec.${field}`,
    })),
    selectableFields: [{ jsonPath: name === 'v1' ? '.spec.hostPort' : '.spec.host' }],
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: {
          spec: { type: 'object', properties: { replicas: { type: 'integer' }, ...spec } },
          status: { type: 'object', properties: { replicas: { type: 'integer' } } },
        },
      },
    },
  };
}

function definition(storage = 'v1', more: Loose = {}): Loose {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'endpointers.stable.example.com' },
    spec: {
      group: 'stable.example.com',
      scope: 'Namespaced',
      names: { plural: 'endpointers', kind: 'Endpointer' },
      versions: [
        version('v1', { hostPort: { type: 'string' }, note: { type: 'string', default: 'n' } }, storage === 'v1'),
        version(
          'v2',
          { host: { type: 'string' }, port: { type: 'integer' }, note: { type: 'string' } },
          storage === 'v2',
        ),
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1', 'v1beta1'],
          clientConfig: {
            service: { namespace: 'default', name: 'hook', path: '/convert', port: 443 },
            caBundle: webhook.caBundle,
            ...more,
          },
        },
      },
    },
  };
}

async function served(name: string): Promise<void> {
  await vi.waitFor(async () => expect((await api.call('GET', url(name))).status).not.toBe(404));
}

/** Changes how the webhook is asked, and waits until that is served. */
async function reach(more: Loose, reviews = ['v1', 'v1beta1']): Promise<void> {
  const { webhook: hook } = definition('v1', more).spec.conversion;
  const conversion = { webhook: { ...hook, conversionReviewVersions: reviews } };
  const changed = await api.call('PATCH', NAME, { spec: { conversion } }, MERGE);
  expect(changed.status).toBe(200);
  // Who reads it has seen it change, and so has who serves it.
  await api.call('GET', NAME);
}

function url(version: string, rest = ''): string {
  return `${GROUP}/${version}/namespaces/default/endpointers${rest}`;
}

function make(name: string, more: Loose = {}): Promise<Answer> {
  const metadata = { name, ...more.metadata };
  const body = { apiVersion: 'stable.example.com/v1', kind: 'Endpointer', metadata };
  return api.call('POST', url('v1'), { ...body, spec: { hostPort: 'a.example:80', ...more.spec } });
}

const failing = (text: string) => `conversion webhook for stable.example.com/v1, Kind=Endpointer ${text}`;
const POST = 'failed: Post "https://hook.default.svc:443/convert?timeout=30s":';

describe('a webhook', () => {
  it('converts what is read in another version, once, and is asked by the name of its Service', async () => {
    await make('one');
    const read = await api.call('GET', url('v2', '/one'));
    expect(read.body).toMatchObject({
      apiVersion: 'stable.example.com/v2',
      kind: 'Endpointer',
      metadata: { name: 'one', managedFields: [{ apiVersion: 'stable.example.com/v1' }] },
      spec: { host: 'a.example', port: 80, note: 'n' },
    });
    await api.call('GET', url('v2', '/one'));
    await api.call('GET', url('v1', '/one'));
    expect(webhook.asked).toEqual(['hook.default.svc:443/convert?timeout=30s']);
    const [review] = webhook.reviews;
    expect(review).toMatchObject({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      request: { desiredAPIVersion: 'stable.example.com/v2', objects: [{ metadata: { name: 'one' } }] },
    });
    expect(review.request.objects[0].metadata.managedFields[0].fieldsV1).toMatchObject({ 'f:spec': {} });
  });

  it('is sent a list in one review, and a table and a selection of fields are of the converted objects', async () => {
    for (const name of ['l-1', 'l-2', 'l-3']) await make(name, { spec: { hostPort: `${name}:1` } });
    webhook.reviews.length = 0;
    const list = await api.call('GET', url('v2'));
    expect(list.body.items.map(({ spec }: Loose) => spec.host)).toEqual(expect.arrayContaining(['l-1', 'l-2', 'l-3']));
    expect(webhook.reviews.length).toBe(1);
    const chosen = await api.call('GET', url('v2', '?fieldSelector=spec.host%3Dl-2'), undefined, TABLE);
    expect(chosen.body.rows.map(({ cells }: Loose) => cells)).toEqual([['l-2', 'l-2', 1, 'n']]);
  });

  it('converts what is written in another version to the stored one, and the answer back', async () => {
    const body = { metadata: { name: 'two' }, spec: { host: 'b.example', port: 443, replicas: 2 } };
    const made = await api.call('POST', url('v2'), body);
    expect([made.status, made.body.spec]).toEqual([201, { host: 'b.example', port: 443, note: 'n', replicas: 2 }]);
    expect((await api.call('GET', url('v1', '/two'))).body.spec).toMatchObject({ hostPort: 'b.example:443' });
    const changed = await api.call('PATCH', url('v2', '/two'), { spec: { port: 80 } }, MERGE);
    expect([changed.body.spec.port, changed.body.metadata.generation]).toEqual([80, 2]);
    await api.call('PATCH', url('v2', '/two/status'), { status: { replicas: 1 } }, MERGE);
    const scale = await api.call('GET', url('v2', '/two/scale'));
    expect([scale.body.spec, scale.body.status]).toEqual([{ replicas: 2 }, { replicas: 1 }]);
    const scaled = await api.call('PATCH', url('v2', '/two/scale'), { spec: { replicas: 3 } }, MERGE);
    expect([scaled.status, scaled.body.spec]).toEqual([200, { replicas: 3 }]);
    expect((await api.call('GET', url('v1', '/two'))).body.spec).toMatchObject({
      hostPort: 'b.example:80',
      replicas: 3,
    });
  });

  it('lets owners of fields in one version conflict with those in another', async () => {
    const in1 = { apiVersion: 'stable.example.com/v1', kind: 'Endpointer', metadata: { name: 'own' } };
    const in2 = { ...in1, apiVersion: 'stable.example.com/v2' };
    const first = { ...in1, spec: { hostPort: 'c.example:1' } };
    expect((await api.call('PATCH', url('v1', '/own?fieldManager=one'), first, APPLY)).status).toBe(201);
    const other = await api.call('PATCH', url('v2', '/own?fieldManager=two'), { ...in2, spec: { port: 2 } }, APPLY);
    expect([other.status, other.body.details?.causes]).toMatchObject([
      409,
      [{ reason: 'FieldManagerConflict', message: 'conflict with "one"' }],
    ]);
    const forced = { ...in2, spec: { port: 2 } };
    const taken = await api.call('PATCH', url('v2', '/own?fieldManager=two&force=true'), forced, APPLY);
    expect([taken.status, taken.body.spec]).toMatchObject([200, { host: 'c.example', port: 2 }]);
    const managers = taken.body.metadata.managedFields.map(({ manager }: Loose) => manager);
    expect(managers).toEqual(['two']);
  });

  it('is watched through', async () => {
    const { reader, next } = await watch(url('v2', '?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Dseen'));
    await make('seen', { spec: { hostPort: 'd.example:1' } });
    expect(await next()).toMatchObject({ type: 'ADDED', object: { spec: { host: 'd.example', port: 1 } } });
    await api.call('PATCH', url('v1', '/seen'), { spec: { hostPort: 'e.example:1' } }, MERGE);
    expect(await next()).toMatchObject({ type: 'MODIFIED', object: { spec: { host: 'e.example' } } });
    webhook.behave = (_, answer) => answer(500, 'broken');
    await api.call('DELETE', url('v1', '/seen'));
    expect(await next()).toMatchObject({
      type: 'ERROR',
      object: { code: 500, message: expect.stringContaining('broken') },
    });
    expect((await reader.next()).done).toBe(true);
  });

  it('is asked in the first version of the review that both speak', async () => {
    await make('beta');
    await reach({}, ['v7', 'v1beta1']);
    expect((await api.call('GET', url('v2', '/beta'))).status).toBe(200);
    expect(webhook.reviews[0].apiVersion).toBe('apiextensions.k8s.io/v1beta1');
    await reach({});
  });

  it('may say when it is to be asked again', async () => {
    await make('later');
    let count = 0;
    webhook.behave = (review, answer) => {
      count += 1;
      if (count < 3) answer(429, 'busy', { 'retry-after': '0' });
      else answer(200, converted(review));
    };
    expect((await api.call('GET', url('v2', '/later'))).status).toBe(200);
  });
});

async function watch(path: string): Promise<{ reader: AsyncIterator<Uint8Array>; next: () => Promise<Loose> }> {
  const { body } = await api.raw('GET', path);
  const reader = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  return { reader, next: async () => JSON.parse(decodeText((await reader.next()).value ?? new Uint8Array())) };
}

const same = (review: Loose, change: (answer: Loose) => void): Loose => {
  const answer = converted(review);
  change(answer);
  return answer;
};
const object = (review: Loose, change: (object: Loose) => Loose): Loose => converted(review, change);

describe('an answer is refused', () => {
  beforeAll(() => make('bad', { metadata: { labels: { a: 'b' } } }));

  it.each<[string, (review: Loose) => unknown, string]>([
    [
      'that failed',
      (r) => same(r, (a) => (a.response.result = { status: 'Failed', message: 'no way' })),
      'failed: no way',
    ],
    [
      'that failed without a word',
      (r) => same(r, (a) => (a.response.result = { status: 'Failed' })),
      "failed: response.result.status was 'Failed', not 'Success'",
    ],
    ['without a response', (r) => same(r, (a) => delete a.response), 'failed: no response provided'],
    [
      'to another request',
      (r) => same(r, (a) => (a.response.uid = 'x')),
      expect.stringMatching(/ failed: expected response.uid="[0-9a-f-]{36}", got "x"$/),
    ],
    [
      'of another version',
      (r) => same(r, (a) => (a.apiVersion = 'x/v1')),
      'failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got x/v1, Kind=ConversionReview',
    ],
    ['with too few', (r) => same(r, (a) => (a.response.convertedObjects = [])), 'returned 0 objects, expected 1'],
    [
      'in the wrong version',
      (r) => object(r, (o) => ({ ...o, apiVersion: 'stable.example.com/v1' })),
      'returned invalid object at index 0: invalid groupVersion (expected stable.example.com/v2, received stable.example.com/v1)',
    ],
    [
      'of another kind',
      (r) => object(r, (o) => ({ ...o, kind: 'Other' })),
      'returned invalid object at index 0: invalid kind (expected Endpointer, received Other)',
    ],
    [
      'with another name',
      (r) => object(r, (o) => ({ ...o, metadata: { ...o.metadata, name: 'x' } })),
      'returned invalid object: must have the same name: bad != x',
    ],
    [
      'with another uid',
      (r) => object(r, (o) => ({ ...o, metadata: { ...o.metadata, uid: 'x' } })),
      expect.stringMatching(/ returned invalid object: must have the same UID: [0-9a-f-]{36} != x$/),
    ],
    [
      'without metadata',
      (r) => object(r, ({ apiVersion, kind, spec }) => ({ apiVersion, kind, spec })),
      expect.stringContaining('must have the same name'),
    ],
    [
      'with a label that is none',
      (r) => object(r, (o) => ({ ...o, metadata: { ...o.metadata, labels: { a: 1 } } })),
      'returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
    ],
    [
      'with a label that may not be',
      (r) => object(r, (o) => ({ ...o, metadata: { ...o.metadata, labels: { 'a b': '' } } })),
      expect.stringContaining('returned invalid metadata: metadata.labels: Invalid value: "a b"'),
    ],
  ])('%s', async (_, change, text) => {
    webhook.behave = (review, answer) => answer(200, change(review));
    const { status, body } = await api.call('GET', url('v2', '/bad'));
    const message = typeof text === 'string' ? failing(text) : text;
    expect([status, body.kind, body.status, body.message]).toEqual([500, 'Status', 'Failure', message]);
  });

  it('as one of several', async () => {
    await make('bad-2');
    webhook.behave = (review, answer) =>
      answer(
        200,
        converted(review, (o) => (o.metadata.name === 'bad-2' ? { ...o, kind: 'x' } : o)),
      );
    const { status, body } = await api.call('GET', url('v2'));
    expect([status, body.message]).toEqual([
      500,
      expect.stringMatching(/returned invalid converted object at index \d+: invalid kind/),
    ]);
  });

  it('that is no answer', async () => {
    await make('bad-3');
    webhook.behave = (_, answer) => answer(404, '');
    const text = failing('failed: the server could not find the requested resource');
    expect((await api.call('GET', url('v2', '/bad-3'))).body.message).toBe(text);
    webhook.behave = (_, answer) => answer(200, 'nonsense');
    expect((await api.call('GET', url('v2', '/bad-3'))).body.message).toContain("couldn't get version/kind");
  });

  it('but metadata that are not its business stay as they were', async () => {
    await make('kept', { metadata: { labels: { a: 'b' } } });
    webhook.behave = (review, answer) =>
      answer(
        200,
        converted(review, (o) => {
          const { ownerReferences: _, ...metadata } = o.metadata;
          return { ...o, metadata: { ...metadata, labels: { c: 'd' }, creationTimestamp: '2000-01-01T00:00:00Z' } };
        }),
      );
    const { metadata } = (await api.call('GET', url('v2', '/kept'))).body;
    const before = (await api.call('GET', url('v1', '/kept'))).body.metadata;
    expect(metadata).toEqual({ ...before, labels: { c: 'd' } });
  });
});

describe('a webhook that cannot be reached', () => {
  beforeAll(async () => {
    await make('far');
    const spec = { ports: [{ port: 443 }] };
    await api.call('POST', '/api/v1/namespaces/default/services', { metadata: { name: 'empty' }, spec });
  });

  it.each<[string, Loose, string]>([
    ['has no Service', { service: { namespace: 'default', name: 'nobody' } }, 'service "nobody" not found'],
    [
      'has no such port',
      { service: { namespace: 'default', name: 'hook', port: 1 } },
      'no service port 1 found for service "hook"',
    ],
    [
      'has no address',
      { service: { namespace: 'default', name: 'empty' } },
      'no endpoints available for service "empty"',
    ],
  ])('%s', async (_, more, text) => {
    await reach(more);
    const { status, body } = await api.call('GET', url('v2', '/far'));
    expect([status, body.message]).toEqual([500, expect.stringContaining(text)]);
    await reach({});
  });

  it('has a certificate of somebody else', async () => {
    const other = await startConversionWebhook([]);
    await other.close();
    await reach({ caBundle: other.caBundle });
    const text = `${POST} tls: failed to verify certificate: x509: certificate signed by unknown authority`;
    expect((await api.call('GET', url('v2', '/far'))).body.message).toBe(failing(text));
    await reach({});
  });

  it('is waited for half a minute, while other kinds and metadata are served', async () => {
    webhook.behave = () => {};
    const asked = api.call('GET', url('v2', '/far'));
    await expect.poll(() => webhook.reviews.length).toBe(1);
    expect((await api.call('GET', '/api/v1/namespaces')).status).toBe(200);
    expect((await api.call('GET', url('v1', '/far'))).status).toBe(200);
    expect((await api.call('GET', url('v2', '/far'), undefined, METADATA)).body.metadata.name).toBe('far');
    await (api.clock as ReturnType<typeof createManualClock>).advance(30_000);
    const { status, body } = await asked;
    expect([status, body.message]).toEqual([
      500,
      failing(`${POST} context deadline exceeded (Client.Timeout exceeded while awaiting headers)`),
    ]);
  });
});

describe('without its webhook', () => {
  beforeEach(() => {
    webhook.behave = (_, answer) => answer(503, 'gone');
  });

  it('an object is deleted in any version, and a collection', async () => {
    for (const name of ['d-1', 'd-2', 'd-3']) await make(name, { metadata: { labels: { gone: 'soon' } } });
    expect((await api.call('DELETE', url('v2', '/d-1'))).status).toBe(200);
    const some = await api.call('DELETE', url('v2', '?labelSelector=gone%3Dsoon'));
    expect([some.status, some.body.status, some.headers['warning']]).toEqual([
      200,
      'Success',
      expect.stringContaining('conversion webhook'),
    ]);
    const left = await api.call('GET', url('v1', '?labelSelector=gone%3Dsoon'));
    expect(left.body.items).toEqual([]);
  });

  it('finalizers and owners can be taken away', async () => {
    await make('f-1', { metadata: { finalizers: ['a.example/b'] } });
    expect((await api.call('DELETE', url('v2', '/f-1'))).body.status).toBe('Success');
    const listed = await api.call('GET', url('v2'), undefined, METADATA_LIST);
    expect(listed.body.items.some(({ metadata }: Loose) => metadata.deletionTimestamp !== undefined)).toBe(true);
    const freed = await api.call('PATCH', url('v2', '/f-1'), { metadata: { finalizers: null } }, MERGE);
    expect([freed.status, freed.body.kind]).toEqual([200, 'PartialObjectMetadata']);
    expect((await api.call('GET', url('v1', '/f-1'))).status).toBe(404);
  });

  it('metadata are watched', async () => {
    const { body } = await api.raw('GET', url('v2', '?watch=1&resourceVersion=0'), undefined, METADATA);
    const reader = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    const { value } = await reader.next();
    expect(decodeText(value ?? new Uint8Array())).toContain('"type":"ADDED","object":{"kind":"PartialObjectMetadata"');
    await reader.return?.();
  });

  it('a write in another version fails, and one in the stored version does not', async () => {
    await make('w-1');
    const patch = { spec: { replicas: 4 } };
    expect((await api.call('PATCH', url('v2', '/w-1'), patch, MERGE)).status).toBe(500);
    expect((await api.call('PATCH', url('v1', '/w-1'), patch, MERGE)).status).toBe(200);
  });
});

it('objects are migrated to a new storage version by a write that changes nothing', async () => {
  await make('m-1', { spec: { hostPort: 'm.example:7' } });
  const { versions } = definition('v2').spec;
  expect((await api.call('PATCH', NAME, { spec: { versions } }, MERGE)).body.status.storedVersions).toEqual([
    'v1',
    'v2',
  ]);
  const before = (await api.call('GET', url('v2', '/m-1'))).body;
  const after = (await api.call('PUT', url('v2', '/m-1'), before)).body;
  expect(after.metadata.resourceVersion).not.toBe(before.metadata.resourceVersion);
  expect(after.metadata.generation).toBe(before.metadata.generation);
  webhook.behave = (_, answer) => answer(503, 'gone');
  expect((await api.call('GET', url('v2', '/m-1'))).body.spec).toEqual({ host: 'm.example', port: 7, note: 'n' });
  const again = (await api.call('PUT', url('v2', '/m-1'), after)).body;
  expect(again.metadata.resourceVersion).toBe(after.metadata.resourceVersion);
  // Without any conversion the definition and all of its objects go.
  expect((await api.call('DELETE', NAME)).status).toBe(200);
  await expect.poll(async () => (await api.call('GET', NAME)).status).toBe(404);
  const { body: metrics } = await api.call('GET', '/metrics');
  expect(metrics).toContain(
    'apiserver_crd_conversion_webhook_duration_seconds_count{crd_name="endpointers.stable.example.com"',
  );
  expect(metrics).toContain('apiserver_conversion_webhook_request_total{result="failure"');
});
