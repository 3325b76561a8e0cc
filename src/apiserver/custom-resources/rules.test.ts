/** Rules in CEL: of definitions when they are made, and of objects when they are written. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { type Answer, type Loose, startTestServer, type TestServer } from '../test-server.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const URL = '/apis/rules.example.com/v1/things';
const MERGE = { 'content-type': 'application/merge-patch+json' };

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterEach(() => api.close());

const definition = (spec: Loose): Loose => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.rules.example.com' },
  spec: {
    group: 'rules.example.com',
    scope: 'Cluster',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
      },
    ],
  },
});
const integer = { type: 'integer' };
const withRules = (...rules: Loose[]): Loose => ({
  type: 'object',
  properties: {
    min: integer,
    max: integer,
    name: { type: 'string', maxLength: 20 },
    items: {
      type: 'array',
      maxItems: 10,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['key'],
      items: {
        type: 'object',
        required: ['key'],
        properties: {
          key: { type: 'string', maxLength: 9 },
          value: { ...integer, 'x-kubernetes-validations': [{ rule: 'self >= oldSelf' }] },
        },
      },
    },
  },
  'x-kubernetes-validations': rules,
});
async function serve(...rules: Loose[]): Promise<void> {
  const { status, body } = await api.call('POST', DEFINITIONS, definition(withRules(...rules)));
  expect([status, body.message]).toEqual([201, undefined]);
  await expect.poll(async () => (await api.call('GET', URL)).status).toBe(200);
}
const create = (spec: Loose): Promise<Answer> =>
  api.call('POST', URL, { apiVersion: 'rules.example.com/v1', kind: 'Thing', metadata: { name: 'a' }, spec });

describe('an object', () => {
  it('keeps the rules of its definition', async () => {
    await serve({ rule: 'self.min <= self.max', message: 'min must not be above max' });
    const { status, body } = await create({ min: 2, max: 1 });
    expect([status, body.message]).toEqual([
      422,
      'Thing.rules.example.com "a" is invalid: spec: Invalid value: "object": min must not be above max',
    ]);
    expect((await create({ min: 1, max: 2 })).status).toBe(201);
    expect((await api.call('PATCH', `${URL}/a`, { spec: { min: 3 } }, MERGE)).status).toBe(422);
  });

  it.each<[string, Loose, string]>([
    [
      'its message',
      { rule: 'self.min > 0', messageExpression: "'name is ' + self.name" },
      'spec: Invalid value: "object": name is x',
    ],
    ['its own text', { rule: 'self.min > 0' }, 'spec: Invalid value: "object": failed rule: self.min > 0'],
    [
      'its field and reason',
      { rule: 'self.min > 0', fieldPath: '.min', reason: 'FieldValueForbidden', message: 'no' },
      'spec.min: Forbidden: no',
    ],
    [
      'what went wrong',
      { rule: 'self.max > 0' },
      'rule evaluation error: no such key: max evaluating rule: self.max > 0',
    ],
  ])('that breaks a rule is told %s', async (_, rule, text) => {
    await serve(rule);
    expect((await create({ min: 0, name: 'x' })).body.message).toContain(text);
  });

  it('is held against what it was, member by member', async () => {
    await serve({ rule: '!has(oldSelf.name) || self.name == oldSelf.name', message: 'name is fixed' });
    await create({
      name: 'x',
      items: [
        { key: 'a', value: 1 },
        { key: 'b', value: 5 },
      ],
    });
    const patch = (spec: Loose): Promise<Answer> => api.call('PATCH', `${URL}/a`, { spec }, MERGE);
    expect((await patch({ name: 'y' })).body.message).toContain('spec: Invalid value: "object": name is fixed');
    expect(
      (
        await patch({
          items: [
            { key: 'b', value: 5 },
            { key: 'a', value: 2 },
          ],
        })
      ).status,
    ).toBe(200);
    expect((await patch({ items: [{ key: 'b', value: 4 }] })).body.message).toContain(
      'spec.items[0].value: Invalid value: "integer": failed rule: self >= oldSelf',
    );
  });

  it('may go on breaking a rule that came later', async () => {
    await serve();
    await create({ min: 9, max: 1, name: 'x' });
    const url = `${DEFINITIONS}/things.rules.example.com`;
    const { body } = await api.call('GET', url);
    body.spec.versions[0].schema.openAPIV3Schema.properties.spec['x-kubernetes-validations'] = [
      { rule: 'self.min <= self.max' },
    ];
    expect((await api.call('PUT', url, body)).status).toBe(200);
    await expect.poll(async () => (await api.call('GET', `${URL}/a`)).status).toBe(200);
    const labelled = await api.call('PATCH', `${URL}/a`, { metadata: { labels: { x: 'y' } } }, MERGE);
    expect(labelled.status).toBe(200);
    expect((await api.call('PATCH', `${URL}/a`, { spec: { name: 'z' } }, MERGE)).status).toBe(422);
  });
});

describe('a definition', () => {
  it.each<[string, Loose, string]>([
    [
      'that is none',
      { rule: 'self.min <' },
      'x-kubernetes-validations[0].rule: Invalid value: "self.min <": compilation failed: ERROR: <input>:1:',
    ],
    ['about a field that is not there', { rule: 'self.nope > 0' }, 'undefined field'],
    ['of another type', { rule: 'self.min' }, 'cel expression must evaluate to a bool'],
    ['without text', { rule: ' ' }, 'x-kubernetes-validations[0].rule: Required value: rule is not specified'],
    [
      'with a reason of its own',
      { rule: 'true', reason: 'Because' },
      'x-kubernetes-validations[0].reason: Unsupported value: "Because"',
    ],
    [
      'that blames no field',
      { rule: 'true', fieldPath: '.nope' },
      'x-kubernetes-validations[0].fieldPath: Invalid value: ".nope"',
    ],
    [
      'that may cost too much',
      {
        rule: 'self.items.all(x, self.items.all(y, self.items.all(z, x.key.matches("a*") && y.key.matches("a*") && z.key.matches("a*"))))',
      },
      '',
    ],
  ])('with a rule %s is refused', async (_, rule, text) => {
    const wide = withRules(rule);
    if (text === '') delete wide.properties.items.maxItems;
    const { status, body } = await api.call('POST', DEFINITIONS, definition(wide));
    expect([status, body.message]).toEqual([
      422,
      expect.stringContaining(text || 'estimated rule cost exceeds budget'),
    ]);
  });

  it('whose rules need what has no former form is refused', async () => {
    const spec = withRules();
    delete spec.properties.items['x-kubernetes-list-type'];
    delete spec.properties.items['x-kubernetes-list-map-keys'];
    const { body } = await api.call('POST', DEFINITIONS, definition(spec));
    expect(body.message).toContain('oldSelf cannot be used on the uncorrelatable portion of the schema within');
  });
});
