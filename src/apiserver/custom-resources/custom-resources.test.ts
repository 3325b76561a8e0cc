import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ContractKind,
  expectCounted,
  expectExplained,
  expectTable,
  expectWatch,
  expectWrites,
  prepareContract,
} from '../../../test/support/kind-contract.ts';
import type { ResourceRow } from '../../api/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { decodeText } from '../../lib/index.ts';
import { type Answer, type Loose, startTestServer, type TestServer } from '../test-server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MERGE = { 'content-type': 'application/merge-patch+json' };

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterEach(() => api.close());

const SPEC_SCHEMA = {
  type: 'object',
  required: ['cronSpec'],
  properties: {
    cronSpec: {
      type: 'string',
      pattern: '^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$',
      description: 'When it runs.',
    },
    image: { type: 'string', default: 'busybox' },
    replicas: { type: 'integer', minimum: 1, maximum: 10, default: 1 },
    ports: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, port: { type: 'integer' } },
      },
    },
    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

function version(name: string, more: object = {}): Loose {
  return {
    name,
    served: true,
    storage: true,
    subresources: {
      status: {},
      scale: {
        specReplicasPath: '.spec.replicas',
        statusReplicasPath: '.status.replicas',
        labelSelectorPath: '.status.selector',
      },
    },
    additionalPrinterColumns: [
      { name: 'Spec', type: 'string', jsonPath: '.spec.cronSpec' },
      { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas', priority: 1 },
      { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ],
    selectableFields: [{ jsonPath: '.spec.image' }],
    schema: {
      openAPIV3Schema: {
        type: 'object',
        description: 'A job that comes back.',
        properties: {
          spec: SPEC_SCHEMA,
          status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } },
        },
      },
    },
    ...more,
  };
}

function definition(more: Loose = {}): Loose {
  const names = { plural: 'crontabs', kind: 'CronTab', shortNames: ['ct'], categories: ['all'], ...more.names };
  const { names: _, ...rest } = more;
  return structuredClone({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${names.plural}.${rest.group ?? 'stable.example.com'}` },
    spec: { group: 'stable.example.com', scope: 'Namespaced', versions: [version('v1')], ...rest, names },
  });
}

const conditionsOf = ({ body }: Answer): Record<string, string> =>
  Object.fromEntries(
    (body.status?.conditions ?? []).map((each: Loose) => [each.type, `${each.status} ${each.reason}`]),
  );

async function establish(body: Loose): Promise<void> {
  const made = await api.call('POST', DEFINITIONS, body);
  expect([made.status, made.body.message]).toEqual([201, undefined]);
  await expect
    .poll(async () => conditionsOf(await api.call('GET', `${DEFINITIONS}/${body.metadata.name}`)))
    .toMatchObject({ Established: 'True InitialNamesAccepted', NamesAccepted: 'True NoConflicts' });
}

const CRONTABS = '/apis/stable.example.com/v1/namespaces/default/crontabs';
const crontab = (name: string, spec: Loose = { cronSpec: '* * * * */5' }, more: object = {}): Loose => ({
  apiVersion: 'stable.example.com/v1',
  kind: 'CronTab',
  metadata: { name },
  spec,
  ...more,
});

describe('a definition', () => {
  it('gets its names, and its kind is served', async () => {
    await establish(definition());
    const { body } = await api.call('GET', `${DEFINITIONS}/crontabs.stable.example.com`);
    expect(body.spec).toMatchObject({
      names: { singular: 'crontab', listKind: 'CronTabList' },
      conversion: { strategy: 'None' },
    });
    expect(body.status).toMatchObject({
      storedVersions: ['v1'],
      acceptedNames: {
        plural: 'crontabs',
        kind: 'CronTab',
        singular: 'crontab',
        listKind: 'CronTabList',
        shortNames: ['ct'],
      },
    });
    const { resources } = (await api.call('GET', '/apis/stable.example.com/v1')).body;
    expect(resources).toMatchObject([
      { name: 'crontabs', singularName: 'crontab', shortNames: ['ct'], categories: ['all'] },
      { name: 'crontabs/scale', group: 'autoscaling' },
      { name: 'crontabs/status' },
    ]);
    const groups = (await api.call('GET', '/apis')).body.groups.map(({ name }: Loose) => name);
    expect(groups).toContain('stable.example.com');
  });

  it('loses to one that has its names, and gets them when that one goes', async () => {
    await establish(definition());
    const rival = definition({ names: { plural: 'tables', kind: 'Table', shortNames: ['ct'] } });
    await api.call('POST', DEFINITIONS, rival);
    const read = async (): Promise<Record<string, string>> =>
      conditionsOf(await api.call('GET', `${DEFINITIONS}/tables.stable.example.com`));
    await expect
      .poll(read)
      .toMatchObject({ NamesAccepted: 'False ShortNamesConflict', Established: 'False NotAccepted' });
    expect((await api.call('GET', '/apis/stable.example.com/v1/tables')).status).toBe(404);
    await api.call('DELETE', `${DEFINITIONS}/crontabs.stable.example.com`);
    await expect
      .poll(read)
      .toMatchObject({ NamesAccepted: 'True NoConflicts', Established: 'True InitialNamesAccepted' });
    expect((await api.call('GET', '/apis/stable.example.com/v1/tables')).status).toBe(200);
  });

  it('cannot take what every server has', async () => {
    const taken = definition({ group: 'metrics.k8s.io', names: { plural: 'nodes', kind: 'Pod' } });
    taken.metadata.annotations = { 'api-approved.kubernetes.io': 'unapproved, a test' };
    taken.spec.versions = [version('v1beta1')];
    expect((await api.call('POST', DEFINITIONS, taken)).status).toBe(201);
    await expect
      .poll(async () => conditionsOf(await api.call('GET', `${DEFINITIONS}/nodes.metrics.k8s.io`)))
      .toMatchObject({ NamesAccepted: 'False PluralConflict', Established: 'False NotAccepted' });
    const { resources } = (await api.call('GET', '/apis/metrics.k8s.io/v1beta1')).body;
    expect(resources.find(({ name }: Loose) => name === 'nodes').kind).toBe('NodeMetrics');
  });

  it('is gone after the objects of its kind', async () => {
    await establish(definition());
    await api.call('POST', CRONTABS, crontab('a'));
    await api.call('POST', CRONTABS, { ...crontab('b'), metadata: { name: 'b', finalizers: ['example.com/held'] } });
    const url = `${DEFINITIONS}/crontabs.stable.example.com`;
    const { body } = await api.call('DELETE', url);
    expect(body.metadata?.finalizers ?? body.status).toBeDefined();
    await expect.poll(async () => (await api.call('GET', `${CRONTABS}/a`)).status).toBe(404);
    await expect
      .poll(async () => conditionsOf(await api.call('GET', url)))
      .toMatchObject({ Terminating: 'True InstanceDeletionInProgress' });
    expect((await api.call('POST', CRONTABS, crontab('c'))).status).toBe(405);
    const freed = await api.call('PATCH', `${CRONTABS}/b`, { metadata: { finalizers: null } }, MERGE);
    expect(freed.status).toBe(200);
    await expect
      .poll(async () => {
        await api.clock.advance(5000);
        return (await api.call('GET', url)).status;
      })
      .toBe(404);
    expect((await api.call('GET', CRONTABS)).status).toBe(404);
    await establish(definition());
    expect((await api.call('GET', CRONTABS)).body.items).toEqual([]);
  });

  it('of which no version is served any more goes with what it had', async () => {
    await establish(definition());
    await api.call('POST', CRONTABS, crontab('a'));
    const url = `${DEFINITIONS}/crontabs.stable.example.com`;
    const { body } = await api.call('GET', url);
    body.spec.versions[0].served = false;
    expect((await api.call('PUT', url, body)).status).toBe(200);
    await expect.poll(async () => (await api.call('GET', CRONTABS)).status).toBe(404);
    await api.call('DELETE', url);
    await expect.poll(async () => (await api.call('GET', url)).status).toBe(404);
    await establish(definition());
    expect((await api.call('GET', CRONTABS)).body.items).toEqual([]);
  });

  it('is back after a restart before the server is ready', async () => {
    await establish(definition());
    await api.call('POST', CRONTABS, crontab('a'));
    await api.server.close();
    const again = await startTestServer({ clock: createManualClock(), store: api.store });
    expect((await again.call('GET', `${CRONTABS}/a`)).body.spec.image).toBe('busybox');
    await again.server.close();
  });
});

describe('custom resources', () => {
  beforeEach(() => establish(definition()));

  it('are created with defaults, without unknown fields, and counted', async () => {
    const made = await api.call(
      'POST',
      CRONTABS,
      crontab('a', { cronSpec: '* * * * */5', nope: 1, image: null, free: { x: [1] } }),
    );
    expect(made.body).toMatchObject({ metadata: { generation: 1 }, spec: { image: 'busybox', replicas: 1 } });
    expect(made.body.spec).toEqual({ cronSpec: '* * * * */5', image: 'busybox', replicas: 1, free: { x: [1] } });
    const changed = await api.call('PATCH', `${CRONTABS}/a`, { spec: { replicas: 3 }, status: { replicas: 9 } }, MERGE);
    expect(changed.body).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 3 } });
    expect(changed.body.status).toBeUndefined();
    const told = await api.call(
      'PATCH',
      `${CRONTABS}/a/status`,
      { status: { replicas: 9 }, spec: { replicas: 5 }, metadata: { labels: { a: 'b' } } },
      MERGE,
    );
    expect(told.body).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 3 }, status: { replicas: 9 } });
    expect(told.body.metadata.labels).toBeUndefined();
    expect((await api.call('GET', CRONTABS)).body).toMatchObject({
      kind: 'CronTabList',
      apiVersion: 'stable.example.com/v1',
      items: [{ metadata: { name: 'a' } }],
    });
    expect((await api.call('DELETE', `${CRONTABS}/a`)).body.status).toBe('Success');
    expect((await api.call('GET', `${CRONTABS}/a`)).body.message).toBe('crontabs.stable.example.com "a" not found');
  });

  it.each<[string, Loose, string]>([
    ['a missing field', {}, 'spec.cronSpec: Required value'],
    [
      'a wrong type',
      { cronSpec: 5 },
      'spec.cronSpec: Invalid value: "integer": spec.cronSpec in body must be of type string: "integer"',
    ],
    [
      'a pattern',
      { cronSpec: '* *' },
      `spec.cronSpec: Invalid value: "* *": spec.cronSpec in body should match '^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$'`,
    ],
    [
      'a bound',
      { cronSpec: '* * * * *', replicas: 15 },
      'spec.replicas: Invalid value: 15: spec.replicas in body should be less than or equal to 10',
    ],
    [
      'a member twice',
      { cronSpec: '* * * * *', ports: [{ name: 'a' }, { name: 'a', port: 1 }] },
      'spec.ports[1]: Duplicate value: {"name":"a"}',
    ],
  ])('are refused for %s', async (_, spec, message) => {
    const { status, body } = await api.call('POST', CRONTABS, crontab('a', spec));
    expect([status, body.message]).toEqual([422, `CronTab.stable.example.com "a" is invalid: ${message}`]);
  });

  it('report unknown fields as the request asks', async () => {
    const bad = crontab('a', { cronSpec: '* * * * *', nope: 1, ports: [{ name: 'x', y: 1 }] });
    bad.metadata.odd = 1;
    const strict = await api.call('POST', `${CRONTABS}?fieldValidation=Strict`, bad);
    expect([strict.status, strict.body.message]).toEqual([
      400,
      'CronTab in version "v1" cannot be handled as a CronTab: strict decoding error: unknown field "spec.nope", unknown field "spec.ports[0].y", unknown field "metadata.odd"',
    ]);
    const warned = await api.call('POST', `${CRONTABS}?fieldValidation=Warn`, bad);
    expect([warned.status, warned.headers['warning']]).toEqual([
      201,
      expect.stringContaining('unknown field \\"spec.nope\\"'),
    ]);
    const twice =
      '{"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"b"},"spec":{"cronSpec":"* * * * *","image":"a","image":"b"}}';
    const doubled = await api.call('POST', `${CRONTABS}?fieldValidation=Strict`, twice);
    expect(doubled.body.message).toContain('duplicate field "spec.image"');
  });

  it('scale', async () => {
    await api.call('POST', CRONTABS, crontab('a'));
    await api.call('PATCH', `${CRONTABS}/a/status`, { status: { replicas: 1, selector: 'a=b' } }, MERGE);
    expect((await api.call('GET', `${CRONTABS}/a/scale`)).body).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 1 },
      status: { replicas: 1, selector: 'a=b' },
    });
    const scaled = await api.call('PATCH', `${CRONTABS}/a/scale`, { spec: { replicas: 4 } }, MERGE);
    expect(scaled.body.spec.replicas).toBe(4);
    expect((await api.call('PATCH', `${CRONTABS}/a/scale`, { spec: { replicas: 40 } }, MERGE)).status).toBe(422);
    expect((await api.call('GET', `${CRONTABS}/a`)).body).toMatchObject({
      metadata: { generation: 2 },
      spec: { replicas: 4 },
    });
  });

  it('are printed by their columns', async () => {
    await api.call('POST', CRONTABS, crontab('a'));
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    const { body } = await api.call('GET', CRONTABS, undefined, { accept });
    expect(body.columnDefinitions.map(({ name, type, priority }: Loose) => [name, type, priority])).toEqual([
      ['Name', 'string', 0],
      ['Spec', 'string', 0],
      ['Replicas', 'integer', 1],
      ['Age', 'date', 0],
    ]);
    expect(body.rows[0].cells).toEqual(['a', '* * * * */5', 1, '0s']);
  });

  it('are selected by the fields that the definition names', async () => {
    await api.call('POST', CRONTABS, crontab('a'));
    await api.call('POST', CRONTABS, crontab('b', { cronSpec: '* * * * *', image: 'x' }));
    const { body } = await api.call('GET', `${CRONTABS}?fieldSelector=spec.image%3Dx`);
    expect(body.items.map(({ metadata }: Loose) => metadata.name)).toEqual(['b']);
    expect((await api.call('GET', `${CRONTABS}?fieldSelector=spec.nope%3Dx`)).status).toBe(400);
  });

  it('take no strategic merge patch', async () => {
    await api.call('POST', CRONTABS, crontab('a'));
    const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
    const { status, body } = await api.call('PATCH', `${CRONTABS}/a`, { spec: {} }, strategic);
    expect([status, body.reason]).toEqual([415, 'UnsupportedMediaType']);
  });

  it('keep what became invalid as long as it does not change', async () => {
    await api.call('POST', CRONTABS, crontab('a', { cronSpec: '* * * * *', replicas: 9 }));
    const url = `${DEFINITIONS}/crontabs.stable.example.com`;
    const { body } = await api.call('GET', url);
    body.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.replicas.maximum = 5;
    expect((await api.call('PUT', url, body)).status).toBe(200);
    const image = await api.call('PATCH', `${CRONTABS}/a`, { spec: { image: 'y' } }, MERGE);
    expect([image.status, image.body.spec.image]).toEqual([200, 'y']);
    expect((await api.call('PATCH', `${CRONTABS}/a`, { spec: { replicas: 8 } }, MERGE)).status).toBe(422);
  });

  it('are watched until the definition changes', async () => {
    const abort = new AbortController();
    const { body } = await api.raw('GET', `${CRONTABS}?watch=1`, undefined, {}, abort.signal);
    const reader = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    const first = reader.next();
    await api.call('POST', CRONTABS, crontab('a'));
    expect(JSON.parse(decodeText((await first).value ?? new Uint8Array()))).toMatchObject({
      type: 'ADDED',
      object: { kind: 'CronTab' },
    });
    const url = `${DEFINITIONS}/crontabs.stable.example.com`;
    const found = (await api.call('GET', url)).body;
    found.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.extra = { type: 'string', default: 'new' };
    await api.call('PUT', url, found);
    expect((await reader.next()).done).toBe(true);
    // Defaults show on what was stored before.
    expect((await api.call('GET', `${CRONTABS}/a`)).body.spec.extra).toBe('new');
    expect((await api.call('GET', CRONTABS)).body.items[0].spec.extra).toBe('new');
    abort.abort();
  });
});

it('keep the contract of every kind', async () => {
  const plain = definition();
  delete plain.spec.versions[0].subresources;
  await establish(plain);
  await prepareContract(api);
  const row: ResourceRow = {
    group: 'stable.example.com',
    version: 'v1',
    resource: 'crontabs',
    kind: 'CronTab',
    listKind: 'CronTabList',
    singular: 'crontab',
    namespaced: true,
    shortNames: ['ct'],
    categories: ['all'],
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    subresources: [],
  };
  const { metadata: _, ...sample } = crontab('');
  const kind: ContractKind = { row, sample, names: ['one', 'two'], isCounted: true };
  await expectWrites(api, kind);
  await expectWatch(api, kind);
  await expectTable(api, kind);
  await expectExplained(api, kind);
  await expectCounted(api, kind);
});

describe('versions', () => {
  it('share the stored objects, and old ones are told', async () => {
    const two = definition();
    two.spec.versions = [
      version('v1beta1', { storage: false, deprecated: true, deprecationWarning: 'use v1' }),
      version('v1'),
    ];
    await establish(two);
    const old = '/apis/stable.example.com/v1beta1/namespaces/default/crontabs';
    const made = await api.call('POST', old, { ...crontab('a'), apiVersion: 'stable.example.com/v1beta1' });
    expect([made.status, made.body.apiVersion, made.headers['warning']]).toEqual([
      201,
      'stable.example.com/v1beta1',
      '299 - "use v1"',
    ]);
    expect((await api.call('GET', `${CRONTABS}/a`)).body.apiVersion).toBe('stable.example.com/v1');
    expect((await api.call('GET', old)).body.items[0].apiVersion).toBe('stable.example.com/v1beta1');
    const group = (await api.call('GET', '/apis/stable.example.com')).body;
    expect(group.preferredVersion.version).toBe('v1');
    const url = `${DEFINITIONS}/crontabs.stable.example.com`;
    const found = (await api.call('GET', url)).body;
    found.spec.versions[0].storage = true;
    found.spec.versions[1].storage = false;
    const moved = await api.call('PUT', url, found);
    expect(moved.body.status.storedVersions).toEqual(['v1', 'v1beta1']);
    expect((await api.call('GET', `${CRONTABS}/a`)).body.apiVersion).toBe('stable.example.com/v1');
    const without = (await api.call('GET', url)).body;
    without.spec.versions = [without.spec.versions[0]];
    expect((await api.call('PUT', url, without)).body.message).toContain(
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions',
    );
  });
});

describe('definitions that are refused', () => {
  it.each<[string, (draft: Loose) => void, string]>([
    [
      'another name',
      (draft) => (draft.metadata.name = 'a.b.c'),
      'metadata.name: Invalid value: "a.b.c": must be spec.names.plural+"."+spec.group',
    ],
    [
      'no schema',
      (draft) => delete draft.spec.versions[0].schema,
      'spec.versions[0].schema.openAPIV3Schema: Required value',
    ],
    ['no scope', (draft) => delete draft.spec.scope, 'spec.scope: Required value'],
    [
      'a field without a type',
      (draft) => delete draft.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.image.type,
      'spec.validation.openAPIV3Schema.properties[spec].properties[image].type: Required value: must not be empty for specified object fields',
    ],
    [
      'a bad default',
      (draft) => (draft.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.replicas.default = 11),
      'properties[replicas].default: Invalid value: 11',
    ],
  ])('for %s', async (_, change, message) => {
    const draft = definition();
    change(draft);
    const { status, body } = await api.call('POST', DEFINITIONS, draft);
    expect([status, body.message]).toEqual([422, expect.stringContaining(message)]);
  });
});

describe('server-side apply', () => {
  const APPLY = { 'content-type': 'application/apply-patch+yaml' };
  const apply = (manager: string, spec: Loose, force = false): Promise<Answer> =>
    api.call('PATCH', `${CRONTABS}/a?fieldManager=${manager}${force ? '&force=true' : ''}`, crontab('a', spec), APPLY);

  it('knows who owns which fields of custom resources, and merges their lists by keys', async () => {
    await establish(definition());
    const made = await apply('one', { cronSpec: '* * * * *', ports: [{ name: 'a', port: 1 }] });
    expect([made.status, made.body.message]).toEqual([201, undefined]);
    const joined = await apply('two', { cronSpec: '* * * * *', ports: [{ name: 'b', port: 2 }] });
    expect(joined.body.spec.ports).toEqual([
      { name: 'a', port: 1 },
      { name: 'b', port: 2 },
    ]);
    const clash = await apply('two', { cronSpec: '* * * * 5', ports: [{ name: 'b', port: 2 }] });
    expect([clash.status, clash.body.details.causes[0].field]).toEqual([409, '.spec.cronSpec']);
    expect((await apply('two', { cronSpec: '* * * * 5' }, true)).body.spec).toMatchObject({
      cronSpec: '* * * * 5',
      ports: [{ name: 'a', port: 1 }],
    });
    const { body } = await api.call('GET', `${CRONTABS}/a`);
    expect(body.metadata.managedFields.map((each: Loose) => [each.manager, each.operation])).toEqual([
      ['one', 'Apply'],
      ['two', 'Apply'],
    ]);
  });
});

it('are JSON or YAML alone', async () => {
  await establish(definition());
  const protobuf = 'application/vnd.kubernetes.protobuf';
  const sent = await api.call('POST', CRONTABS, 'k8s', { 'content-type': protobuf });
  expect([sent.status, sent.body.reason]).toEqual([415, 'UnsupportedMediaType']);
  expect((await api.call('GET', CRONTABS, undefined, { accept: protobuf })).status).toBe(406);
  expect((await api.call('GET', CRONTABS, undefined, { accept: `${protobuf},application/json` })).status).toBe(200);
});
