/** Definitions and objects that nobody should send: always an answer, and never a wrong one. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Answer, type Loose, startTestServer, type TestServer } from '../test-server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterAll(() => api.close());

const definition = (plural: string, schema: unknown, more: object = {}): Loose => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.hostile.example.com` },
  spec: {
    group: 'hostile.example.com',
    scope: 'Cluster',
    names: { plural, kind: `${plural[0]?.toUpperCase()}${plural.slice(1)}` },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    ...more,
  },
});
const post = (body: unknown): Promise<Answer> => api.call('POST', DEFINITIONS, body);
const isAnswer = ({ status, body }: Answer): boolean => status === 201 || (body.kind === 'Status' && status < 500);

describe('a definition', () => {
  it('with a schema as deep as a body may be is answered', async () => {
    let schema: Loose = { type: 'string' };
    for (let depth = 0; depth < 240; depth++) schema = { type: 'object', properties: { a: schema } };
    const answer = await post(definition('deeps', schema));
    expect(isAnswer(answer)).toBe(true);
    let value: Loose = 'x';
    for (let depth = 0; depth < 230; depth++) value = { a: value };
    await expect.poll(async () => (await api.call('GET', '/apis/hostile.example.com/v1/deeps')).status).toBe(200);
    const object = { apiVersion: 'hostile.example.com/v1', kind: 'Deeps', metadata: { name: 'a' }, a: value };
    expect(isAnswer(await api.call('POST', '/apis/hostile.example.com/v1/deeps', object))).toBe(true);
    let deeper: Loose = {};
    for (let depth = 0; depth < 600; depth++) deeper = { a: deeper };
    const refused = await api.call('POST', '/apis/hostile.example.com/v1/deeps', { ...object, a: deeper });
    expect([refused.status, refused.body.kind]).toEqual([400, 'Status']);
  });

  it('with many fields is bounded', async () => {
    const properties = Object.fromEntries(Array.from({ length: 1500 }, (_, at) => [`f${at}`, { type: 'string' }]));
    const { status, body } = await post(definition('wides', { type: 'object', properties }));
    expect([status, body.message]).toEqual([422, expect.stringContaining('must have at most 1000 items')]);
  });

  it('with a pattern on which a matcher that tries all ways never ends is answered', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' } } };
    expect((await post(definition('slows', schema))).status).toBe(201);
    await expect.poll(async () => (await api.call('GET', '/apis/hostile.example.com/v1/slows')).status).toBe(200);
    const object = {
      apiVersion: 'hostile.example.com/v1',
      kind: 'Slows',
      metadata: { name: 'a' },
      a: 'a'.repeat(50_000),
    };
    expect((await api.call('POST', '/apis/hostile.example.com/v1/slows', object)).status).toBe(422);
  });

  it.each<[string, Loose]>([
    ['a group with a slash', { group: 'a/b' }],
    ['a group of Kubernetes without approval', { group: 'apps.k8s.io' }],
    ['a short group', { group: 'apps' }],
    ['no versions', { versions: [] }],
    ['a version of two', { versions: 'v1' }],
    [
      'two storage versions',
      {
        versions: ['v1', 'v2'].map((name) => ({
          name,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
        })),
      },
    ],
    ['names out of place', { names: { plural: '../x', kind: 'a b' } }],
    [
      'conversion by a webhook without TLS',
      {
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { url: 'http://a.example' }, conversionReviewVersions: ['v1'] },
        },
      },
    ],
  ])('with %s is refused', async (_, more) => {
    const answer = await post(definition('odds', { type: 'object' }, more));
    expect([400, 422]).toContain(answer.status);
    expect(answer.body.kind).toBe('Status');
  });

  it('takes no path of the definitions themselves', async () => {
    const thief = definition('customresourcedefinitions', { type: 'object' }, { group: 'apiextensions.k8s.io' });
    thief.metadata = {
      name: 'customresourcedefinitions.apiextensions.k8s.io',
      annotations: { 'api-approved.kubernetes.io': 'unapproved, a test' },
    };
    expect((await post(thief)).status).toBe(201);
    const url = `${DEFINITIONS}/${thief.metadata.name}`;
    await expect
      .poll(async () => (await api.call('GET', url)).body.status.conditions?.map((each: Loose) => each.reason))
      .toEqual(expect.arrayContaining(['SingularConflict', 'NotAccepted', 'UnapprovedAnnotation']));
    expect((await api.call('GET', DEFINITIONS)).body.items.length).toBeGreaterThan(0);
    await api.call('DELETE', url);
    await expect.poll(async () => (await api.call('GET', url)).status).toBe(404);
    expect((await api.call('GET', DEFINITIONS)).body.items.length).toBeGreaterThan(0);
  });

  it('whatever is sent, is answered', async () => {
    const anything = fc.jsonValue({ maxDepth: 4 });
    const spec = fc.record(
      {
        group: fc.oneof(fc.constant('hostile.example.com'), anything),
        scope: fc.oneof(fc.constantFrom('Cluster', 'Namespaced'), anything),
        names: fc.oneof(
          fc.record({ plural: fc.constant('fuzzes'), kind: fc.constant('Fuzz'), shortNames: anything }),
          anything,
        ),
        versions: fc.oneof(
          fc.array(
            fc.record(
              {
                name: fc.constantFrom('v1', 'v2', 'v1beta1'),
                served: fc.boolean(),
                storage: fc.boolean(),
                schema: fc.oneof(fc.record({ openAPIV3Schema: anything }), anything),
                subresources: anything,
                additionalPrinterColumns: anything,
                selectableFields: anything,
              },
              { requiredKeys: ['name'] },
            ),
            { maxLength: 3 },
          ),
          anything,
        ),
        conversion: anything,
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(spec, async (given) => {
        const body = { ...definition('fuzzes', {}), spec: given };
        const answer = await api.call('POST', `${DEFINITIONS}?dryRun=All`, body);
        expect(isAnswer(answer), JSON.stringify(answer.body).slice(0, 500)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
