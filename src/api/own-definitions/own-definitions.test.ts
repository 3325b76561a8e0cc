import { expect, it } from 'vitest';
import type { JsonSchema } from '../structural/json-schema.ts';
import { CEL_RULES } from './cel-rules.ts';
import { OWN_ROWS, ownDefinitions, ownRowOf } from './own-definitions.ts';

const rootOf = (kind: string): JsonSchema =>
  ownDefinitions().find(({ spec }) => spec.names.kind === kind)?.spec.versions[0]?.schema?.openAPIV3Schema ?? {};

it('every rule in CEL is of a type or a field that is there', () => {
  const made = JSON.stringify(ownDefinitions());
  for (const rules of Object.values(CEL_RULES)) {
    for (const { rule } of rules) expect(made).toContain(JSON.stringify(rule));
  }
});

/** A structural schema: every value has a type, every field of ours a description, and nothing refers elsewhere. */
it('the schemas are structural', () => {
  const walk = (schema: JsonSchema, path: string): void => {
    expect(schema.type, path).toBeTruthy();
    expect(schema).not.toHaveProperty('$ref');
    for (const [name, field] of Object.entries(schema.properties ?? {})) walk(field, `${path}.${name}`);
    const items = schema.items as JsonSchema | undefined;
    if (items !== undefined) walk(items, `${path}[]`);
    if (schema['x-kubernetes-list-type'] === 'set') expect(items?.type, path).toBe('string');
  };
  for (const { kind } of OWN_ROWS) walk(rootOf(kind), kind);
});

/** A server refuses a definition that says more of it, a description included. */
it('nothing is said of metadata', () => {
  for (const { kind } of OWN_ROWS) expect(rootOf(kind).properties).toMatchObject({ metadata: { type: 'object' } });
  expect(JSON.stringify(ownDefinitions())).not.toContain('Standard metadata');
});

it('a row of ours brings its schema along', () => {
  for (const row of OWN_ROWS) {
    const found = ownRowOf(row.group, row.version, row.kind);
    expect(found).toMatchObject({ resource: row.resource });
    expect(found?.schema?.describe<unknown>({ types: () => undefined, json: (root) => root })).toBe(rootOf(row.kind));
  }
  expect(ownRowOf('mendlet.dev', 'v1', 'PodRestart')).toBeUndefined();
});
