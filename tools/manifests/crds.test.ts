import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CEL_RULES } from './cel-rules.ts';
import { CRDS, crdsYaml } from './crds.ts';

it('deploy/crds.yaml is as "npm run manifests" makes it', () => {
  expect(readFileSync(new URL('../../deploy/crds.yaml', import.meta.url), 'utf8')).toBe(crdsYaml());
});

it('every rule in CEL is of a type or a field that is there', () => {
  const made = JSON.stringify(CRDS);
  for (const rules of Object.values(CEL_RULES)) {
    for (const { rule } of rules) expect(made).toContain(JSON.stringify(rule));
  }
});

/** A structural schema: every value has a type, every field of ours a description, and nothing refers elsewhere. */
it('the schemas are structural', () => {
  const walk = (schema: Record<string, unknown>, path: string): void => {
    expect(schema['type'], path).toBeTruthy();
    expect(schema).not.toHaveProperty('$ref');
    for (const [name, field] of Object.entries((schema['properties'] ?? {}) as Record<string, object>))
      walk(field as Record<string, unknown>, `${path}.${name}`);
    if (schema['type'] === 'array') walk(schema['items'] as Record<string, unknown>, `${path}[]`);
    if (schema['x-kubernetes-list-type'] === 'set')
      expect((schema['items'] as Record<string, unknown>)['type'], path).toBe('string');
  };
  for (const crd of CRDS as {
    spec: { names: { kind: string }; versions: { schema: { openAPIV3Schema: object } }[] };
  }[])
    walk(crd.spec.versions[0]!.schema.openAPIV3Schema as Record<string, unknown>, crd.spec.names.kind);
});

/** A server refuses a definition that says more of it, a description included. */
it('nothing is said of metadata', () => {
  const made = CRDS as { spec: { versions: { schema: { openAPIV3Schema: { properties: object } } }[] } }[];
  for (const crd of made)
    expect(crd.spec.versions[0]!.schema.openAPIV3Schema.properties).toMatchObject({ metadata: { type: 'object' } });
  expect(JSON.stringify(CRDS)).not.toContain('Standard metadata');
});
