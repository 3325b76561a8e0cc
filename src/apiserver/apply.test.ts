import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeText } from '../lib/index.ts';
import { createManualClock } from '../lib/manual-clock.node.ts';
import { type Answer, type Loose, podManifest, startTestServer, type TestServer } from './test-server.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterEach(() => api.close());

const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';

function deployment(replicas: number | undefined, image = 'nginx', more: Loose = {}): Loose {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', labels: { app: 'web' } },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'c', image, ...more }] },
      },
    },
  };
}

function map(data: Loose, more: Loose = {}): Loose {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', ...more }, data };
}

interface ApplyOptions {
  readonly as?: string;
  readonly force?: boolean;
  readonly query?: string;
}

function apply(
  url: string,
  body: unknown,
  { as = 'a', force = false, query = '' }: ApplyOptions = {},
): Promise<Answer> {
  const path = `${url}?fieldManager=${as}${force ? '&force=true' : ''}${query}`;
  return api.call('PATCH', path, body, { 'content-type': 'application/apply-patch+yaml' });
}

function send(type: string, url: string, body: unknown, agent = 'tester/1.0'): Promise<Answer> {
  return api.call('PATCH', url, body, { 'content-type': `application/${type}`, 'user-agent': agent });
}

/** Manager, operation, subresource and fields of each entry. */
function owners(object: Loose): Loose[] {
  return (object.metadata.managedFields ?? []).map((entry: Loose) => [
    `${entry.manager} ${entry.operation}${entry.subresource === undefined ? '' : ` ${entry.subresource}`}`,
    entry.fieldsV1,
  ]);
}

describe('an apply', () => {
  it('creates what does not exist, and owns what it says', async () => {
    const created = await apply(`${MAPS}/m`, map({ a: '1' }));
    expect(created.status).toBe(201);
    expect(created.body.metadata.managedFields).toEqual([
      {
        manager: 'a',
        operation: 'Apply',
        apiVersion: 'v1',
        time: expect.any(String),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:a': {} } },
      },
    ]);
    const again = await apply(`${MAPS}/m`, map({ a: '1' }));
    expect(again.status).toBe(200);
    expect(again.body).toEqual(created.body);
  });

  it('removes what its manager does not name any more, and nothing else', async () => {
    await apply(`${MAPS}/m`, map({ a: '1', b: '2' }));
    await apply(`${MAPS}/m`, map({ c: '3' }), { as: 'b' });
    await send('merge-patch+json', `${MAPS}/m`, { data: { d: '4' } });
    const pruned = await apply(`${MAPS}/m`, map({ a: '1' }));
    expect(pruned.body.data).toEqual({ a: '1', c: '3', d: '4' });
  });

  it('meets a conflict with what another owns, unless it is forced', async () => {
    await apply(`${DEPLOYMENTS}/web`, deployment(2));
    const refused = await apply(`${DEPLOYMENTS}/web`, deployment(3), { as: 'b' });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "a": .spec.replicas',
      details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "a"', field: '.spec.replicas' }] },
    });
    const forced = await apply(`${DEPLOYMENTS}/web`, deployment(3), { as: 'b', force: true });
    expect(forced.status).toBe(200);
    expect(forced.body.spec.replicas).toBe(3);
    const [a, b] = owners(forced.body);
    expect(a[0]).toBe('a Apply');
    expect(a[1]['f:spec']['f:replicas']).toBeUndefined();
    expect(b[1]['f:spec']['f:replicas']).toEqual({});
    // Who lost it and applies without it is content.
    expect((await apply(`${DEPLOYMENTS}/web`, deployment(undefined))).body.spec.replicas).toBe(3);
  });

  it('shares what two apply with the same value, and it stays until both have given it up', async () => {
    await apply(`${MAPS}/m`, map({ a: '1' }));
    expect((await apply(`${MAPS}/m`, map({ a: '1' }), { as: 'b' })).status).toBe(200);
    expect((await apply(`${MAPS}/m`, map(undefined))).body.data).toEqual({ a: '1' });
    expect((await apply(`${MAPS}/m`, map(undefined), { as: 'b' })).body.data).toBeUndefined();
  });

  it('takes what another update has changed only by force, and names it', async () => {
    await apply(`${MAPS}/m`, map({ a: '1' }));
    await send('merge-patch+json', `${MAPS}/m`, { data: { a: '2' } }, 'kubectl-edit/v1 (linux)');
    const refused = await apply(`${MAPS}/m`, map({ a: '1' }));
    expect(refused.body.message).toBe('Apply failed with 1 conflict: conflict with "kubectl-edit" using v1: .data.a');
  });

  it('belongs to before-first-apply what an object without managers had', async () => {
    await api.call('POST', MAPS, map({ a: '1' }), { 'user-agent': 'x/1' });
    const reset = await send('merge-patch+json', `${MAPS}/m`, { metadata: { managedFields: [{}] } });
    expect(reset.body.metadata.managedFields).toBeUndefined();
    const update = await send('merge-patch+json', `${MAPS}/m`, { data: { b: '2' } });
    expect(update.body.metadata.managedFields).toBeUndefined();
    const applied = await apply(`${MAPS}/m`, map({ a: '1' }));
    expect(owners(applied.body)).toEqual([
      ['a Apply', { 'f:data': { 'f:a': {} } }],
      ['before-first-apply Update', { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } }],
    ]);
  });

  it.each<[string, Loose, string, number, RegExp]>([
    ['without a manager', map({}), '', 422, /fieldManager: Required value: is required for apply patch/],
    ['of another version', { ...map({}), apiVersion: 'v2' }, '?fieldManager=a', 400, /Incorrect version specified/],
    ['of another kind', { ...map({}), kind: 'Secret' }, '?fieldManager=a', 400, /kind/],
    ['without a kind', { metadata: { name: 'm' } }, '?fieldManager=a', 400, /Incorrect version/],
    ['with managed fields', map({}, { managedFields: [] }), '?fieldManager=a', 400, /managedFields must be nil/],
    [
      'of unknown fields',
      { ...map({}), foo: 1 },
      '?fieldManager=a',
      500,
      /failed to create typed patch object \(\/m; \/v1, Kind=ConfigMap\): \.foo: field not declared in schema/,
    ],
    [
      'of a wrong type',
      map({ a: 1 }),
      '?fieldManager=a',
      500,
      /\.data\.a: expected string, got &value\.valueUnstructured\{Value:1\}/,
    ],
    ['with a uid and no object', map({}, { uid: 'u' }), '?fieldManager=a', 409, /uid mismatch/],
    ['that is no YAML', '{a: [', '?fieldManager=a', 400, /error decoding/],
    ['that is a list', [], '?fieldManager=a', 400, /must be an object/],
    ['with another name', map({}, { name: 'n' }), '?fieldManager=a', 400, /does not match the name on the URL/],
    ['in another namespace', map({}, { namespace: 'n' }), '?fieldManager=a', 400, /namespace/],
    ['of too long a manager', map({}), `?fieldManager=${'x'.repeat(129)}`, 422, /fieldManager: Too long/],
  ])('%s is refused', async (_, body, query, status, message) => {
    const answer = await api.call('PATCH', `${MAPS}/m${query}`, body, {
      'content-type': 'application/apply-patch+yaml',
    });
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(message)]);
  });
});

describe('other writes', () => {
  it('own what they change', async () => {
    const created = await api.call('POST', PODS, podManifest('p'), { 'user-agent': 'kubectl/v1.36 (linux)' });
    expect(owners(created.body)).toMatchObject([
      [
        'kubectl Update',
        { 'f:spec': { 'f:containers': { 'k:{"name":"main"}': { '.': {}, 'f:image': {}, 'f:name': {} } } } },
      ],
    ]);
    const status = { status: { phase: 'Running', podIPs: [{ ip: '10.0.0.1' }] } };
    const changed = await send('merge-patch+json', `${PODS}/p/status`, status, 'kubelet/v1.36');
    expect(owners(changed.body)[1]).toEqual([
      'kubelet Update status',
      { 'f:status': { 'f:phase': {}, 'f:podIPs': { '.': {}, 'k:{"ip":"10.0.0.1"}': { '.': {}, 'f:ip': {} } } } },
    ]);
    const read = await api.call('GET', `${PODS}/p`);
    expect(read.body).toEqual(changed.body);
  });

  it('through scale own the number of replicas', async () => {
    await apply(`${DEPLOYMENTS}/web`, deployment(2));
    await send('merge-patch+json', `${DEPLOYMENTS}/web/scale`, { spec: { replicas: 5 } }, 'kubectl/v1');
    const { body } = await api.call('GET', `${DEPLOYMENTS}/web`);
    expect(owners(body)[1]).toEqual(['kubectl Update scale', { 'f:spec': { 'f:replicas': {} } }]);
    const refused = await apply(`${DEPLOYMENTS}/web`, deployment(2));
    expect(refused.body.message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas',
    );
  });

  it('more than ten of them share an entry', async () => {
    await apply(`${MAPS}/m`, map({ a: '1' }));
    for (let i = 0; i < 20; i++) {
      await api.clock.advance(1000);
      await send('merge-patch+json', `${MAPS}/m`, { data: { [`k${i}`]: 'v' } }, `m${i}/1`);
    }
    const { body } = await api.call('GET', `${MAPS}/m`);
    const names = owners(body).map(([name]) => name);
    expect(names).toHaveLength(11);
    expect(names.slice(0, 3)).toEqual(['a Apply', 'ancient-changes Update', 'm11 Update']);
    expect(Object.keys(owners(body)[1][1]['f:data'])).toHaveLength(11);
  });
});

describe('an apply through a subresource', () => {
  it('of the status owns the status alone', async () => {
    await apply(`${DEPLOYMENTS}/web`, deployment(1));
    const status = { ...deployment(7), status: { observedGeneration: 3, replicas: 1 } };
    const { body } = await apply(`${DEPLOYMENTS}/web/status`, status, { as: 's' });
    expect([body.spec.replicas, body.status.observedGeneration, body.metadata.generation]).toEqual([1, 3, 1]);
    const [, told] = owners(body).find(([name]) => name === 's Apply status') ?? [];
    expect(told).toEqual({ 'f:status': { 'f:observedGeneration': {}, 'f:replicas': {} } });
    expect((await apply(`${DEPLOYMENTS}/none/status`, { ...status, metadata: { name: 'none' } })).status).toBe(404);
  });

  it('of the object does not own the status', async () => {
    const { body } = await apply(`${DEPLOYMENTS}/web`, { ...deployment(1), status: { replicas: 5 } });
    expect(body.status.replicas).toBeUndefined();
    expect(Object.keys(owners(body)[0][1])).toEqual(['f:metadata', 'f:spec']);
  });

  it('of the scale owns the number of replicas', async () => {
    await apply(`${DEPLOYMENTS}/web`, deployment(undefined));
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'web' }, spec: { replicas: 4 } };
    const { status, body } = await apply(`${DEPLOYMENTS}/web/scale`, scale, { as: 's' });
    expect([status, body.kind, body.spec.replicas]).toEqual([200, 'Scale', 4]);
    expect(body.metadata.managedFields).toEqual([
      {
        manager: 's',
        operation: 'Apply',
        apiVersion: 'autoscaling/v1',
        subresource: 'scale',
        time: expect.any(String),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      },
    ]);
    const refused = await apply(`${DEPLOYMENTS}/web/scale`, { ...scale, spec: { replicas: 5 } }, { as: 't' });
    expect(refused.body.message).toBe(
      'Apply failed with 1 conflict: conflict with "s" with subresource "scale": .spec.replicas',
    );
    expect((await apply(`${DEPLOYMENTS}/web`, deployment(5))).status).toBe(409);
  });
});

describe('who goes over from the client', () => {
  const LAST = 'kubectl.kubernetes.io/last-applied-configuration';
  const applied = (data: Loose): Loose => {
    const plain = map(data);
    return map(data, { annotations: { [LAST]: `${JSON.stringify(plain)}\n` } });
  };

  it('has no conflict with what kubectl applied there, and its annotation follows', async () => {
    await api.call('POST', `${MAPS}?fieldManager=kubectl-client-side-apply`, applied({ a: '1', b: '2' }));
    const { status, body } = await apply(`${MAPS}/m`, map({ a: '2' }), { as: 'kubectl' });
    expect([status, body.data]).toEqual([200, { a: '2', b: '2' }]);
    expect(JSON.parse(body.metadata.annotations[LAST]).data).toEqual({ a: '2' });
    await send('merge-patch+json', `${MAPS}/m`, { data: { a: '3' } });
    expect((await apply(`${MAPS}/m`, map({ a: '4' }), { as: 'kubectl' })).status).toBe(409);
  });

  it('has conflicts under another name', async () => {
    await api.call('POST', `${MAPS}?fieldManager=kubectl-client-side-apply`, applied({ a: '1' }));
    expect((await apply(`${MAPS}/m`, map({ a: '2' }), { as: 'other' })).body.message).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using v1: .data.a',
    );
  });

  it('may hand its fields over by a JSON patch of the managed fields', async () => {
    const { body } = await api.call('POST', `${MAPS}?fieldManager=kubectl-client-side-apply`, map({ a: '1', b: '2' }));
    const [entry] = body.metadata.managedFields;
    const handed = [{ ...entry, manager: 'kubectl', operation: 'Apply' }];
    const patched = await send('json-patch+json', `${MAPS}/m`, [
      { op: 'replace', path: '/metadata/managedFields', value: handed },
      { op: 'replace', path: '/metadata/resourceVersion', value: body.metadata.resourceVersion },
    ]);
    expect(patched.body.metadata.managedFields).toEqual(handed);
    expect((await apply(`${MAPS}/m`, map({ a: '1' }), { as: 'kubectl' })).body.data).toEqual({ a: '1' });
  });
});

describe('managed fields', () => {
  it('are whole to a patch that looks into them', async () => {
    await apply(`${MAPS}/m`, map({ a: '1' }));
    const test = { op: 'test', path: '/metadata/managedFields/0/fieldsV1/f:data/f:a', value: {} };
    const remove = { op: 'remove', path: '/metadata/managedFields/0/fieldsV1/f:data/f:a' };
    expect((await send('json-patch+json', `${MAPS}/m`, [test])).status).toBe(200);
    const { body } = await send('json-patch+json', `${MAPS}/m`, [test, remove]);
    expect(owners(body)).toEqual([['a Apply', { 'f:data': {} }]]);
  });

  it('that a client sends back are no change', async () => {
    const { body } = await apply(`${MAPS}/m`, map({ a: '1' }));
    expect((await api.call('PUT', `${MAPS}/m`, body)).body).toEqual(body);
    const { managedFields: _, ...metadata } = body.metadata;
    expect((await api.call('PUT', `${MAPS}/m`, { ...body, metadata })).body).toEqual(body);
    expect(
      (await api.call('PUT', `${MAPS}/m`, { ...body, metadata: { ...metadata, managedFields: [] } })).body,
    ).toEqual(body);
  });

  it('are the same in lists, watches, metadata and tables', async () => {
    const { body } = await apply(`${MAPS}/m`, map({ a: '1' }));
    const { managedFields } = body.metadata;
    const found = async (url: string, accept: string): Promise<Loose> =>
      (await api.call('GET', url, undefined, { accept })).body;
    expect((await found(MAPS, 'application/json')).items[0].metadata.managedFields).toEqual(managedFields);
    const partial = await found(`${MAPS}/m`, 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io');
    expect(partial.metadata.managedFields).toEqual(managedFields);
    const table = await found(MAPS, 'application/json;as=Table;v=v1;g=meta.k8s.io');
    expect(table.rows[0].object.metadata.managedFields).toEqual(managedFields);
    const whole = (await found(MAPS, 'application/json')).items[0];
    const { managedFields: _, ...bare } = whole.metadata;
    const without = await found(`${MAPS}/m`, 'application/json;managed-fields=none,application/json');
    expect(without).toEqual({ ...body, metadata: bare });
    const { body: stream } = await api.raw('GET', `${MAPS}?watch=1`);
    if (stream instanceof Uint8Array) throw new Error('not a stream');
    const { value } = await stream[Symbol.asyncIterator]().next();
    expect(JSON.parse(decodeText(value as Uint8Array)).object.metadata.managedFields).toEqual(managedFields);
  });

  it('survive a restart of the server byte for byte', async () => {
    await apply(`${MAPS}/m`, map({ a: '1' }));
    await send('merge-patch+json', `${MAPS}/m`, { data: { b: '2' } });
    const { body } = await api.call('GET', `${MAPS}/m`);
    const next = await startTestServer({ clock: createManualClock(), store: api.store });
    const read = await next.call('GET', `${MAPS}/m`);
    expect(JSON.stringify(read.body)).toBe(JSON.stringify(body));
    await next.server.close();
  });

  it('of a dry run are answered and not stored', async () => {
    await apply(`${MAPS}/m`, map({ a: '1' }));
    const { body } = await apply(`${MAPS}/m`, map({ a: '2' }), { as: 'b', force: true, query: '&dryRun=All' });
    expect([body.data.a, owners(body)]).toEqual(['2', [['b Apply', { 'f:data': { 'f:a': {} } }]]]);
    expect(owners((await api.call('GET', `${MAPS}/m`)).body)[0][0]).toBe('a Apply');
    const none = await apply(`${MAPS}/none`, { ...map({}), metadata: { name: 'none' } }, { query: '&dryRun=All' });
    expect([none.status, (await api.call('GET', `${MAPS}/none`)).status]).toEqual([201, 404]);
  });

  it('of any shape lead to a Status or to an object, never to an error of the server', async () => {
    const shape = fc.oneof(
      fc.jsonValue(),
      fc.array(
        fc.dictionary(
          fc.constantFrom('manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1', 'subresource'),
          fc.oneof(
            fc.jsonValue(),
            fc.constantFrom('Apply', 'Update', 'v1', 'FieldsV1', '{}', { 'f:data': {} }, { 'k:{': {} }),
          ),
        ),
      ),
    );
    const { body } = await apply(`${MAPS}/m`, map({ a: '1' }));
    await fc.assert(
      fc.asyncProperty(shape, async (managedFields) => {
        const metadata = { ...body.metadata, resourceVersion: undefined, managedFields };
        const answers = [
          await api.call('PUT', `${MAPS}/m`, { ...body, metadata }),
          await send('merge-patch+json', `${MAPS}/m`, { metadata: { managedFields } }),
          await send('json-patch+json', `${MAPS}/m`, [
            { op: 'add', path: '/metadata/managedFields', value: managedFields },
          ]),
          await api.call('POST', MAPS, map({}, { name: 'n', managedFields })),
          await apply(`${MAPS}/m`, map({ a: '1' }, { managedFields })),
        ];
        await api.call('DELETE', `${MAPS}/n`);
        for (const { status, body: answer } of answers) {
          expect(status).toBeLessThan(500);
          expect(['ConfigMap', 'Status']).toContain(answer.kind);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('of a configuration of any shape lead to a Status or to an object', async () => {
    const part = fc.oneof(fc.jsonValue(), fc.constantFrom<Loose[]>({}, [], null, 'x', 1));
    await fc.assert(
      fc.asyncProperty(part, part, part, async (metadata, spec, containers) => {
        const whole = { ...deployment(1), metadata, spec };
        const inner = deployment(1);
        inner.spec.template.spec.containers = containers;
        for (const body of [whole, inner]) {
          const { body: answer } = await apply(`${DEPLOYMENTS}/web`, body, { force: true });
          expect(['Deployment', 'Status']).toContain(answer.kind);
          expect(answer.message ?? '').not.toMatch(/Internal error occurred/);
        }
      }),
      { numRuns: 60 },
    );
  });
});

it('an object of a form that another one is stored in keeps who owns it', async () => {
  const EVENTS = '/apis/events.k8s.io/v1/namespaces/default/events';
  const event = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: 'e' },
    eventTime: '2026-01-01T00:00:00.000000Z',
    action: 'Did',
    reason: 'Because',
    regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
    reportingController: 'x.y/z',
    reportingInstance: 'z',
    type: 'Normal',
  };
  expect((await apply(`${EVENTS}/e`, event)).status).toBe(201);
  const { status, body } = await apply(`${EVENTS}/e`, event);
  expect([status, owners(body).map(([name]) => name)]).toEqual([200, ['a Apply']]);
  const core = await api.call('GET', '/api/v1/namespaces/default/events/e');
  expect(core.body.metadata.managedFields).toEqual(body.metadata.managedFields);
});
