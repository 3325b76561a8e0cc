/**
 * Rules in CEL at the two places where they matter: a definition that has some, and an object that must keep them. What a rule means
 * is decided behind the port `RuleEngine`.
 */
import {
  type CustomResourceDefinition,
  equalJson,
  type FieldError,
  hasRules,
  type JsonSchema,
  type RuleEngine,
  SHARED_SCHEMA,
} from '../../api/index.ts';
import type { StoredKind } from '../call.ts';
import type { ApiObject } from '../registry/object.ts';

/** What is wrong with the rules of a definition. Those that were there before and did not change stay. */
export function checkDefinitionRules(
  object: ApiObject,
  old: ApiObject | undefined,
  engine: RuleEngine,
): Promise<readonly FieldError[]> {
  const { spec } = object as unknown as CustomResourceDefinition;
  const before = (old as unknown as CustomResourceDefinition | undefined)?.spec.versions ?? [];
  const isShared = spec.versions.every(({ schema }) => equalJson(schema, spec.versions[0]?.schema));
  const errors = spec.versions.flatMap(({ name, schema }, position) => {
    const root = schema?.openAPIV3Schema;
    const former = before.find((version) => version.name === name)?.schema?.openAPIV3Schema;
    if (root === undefined || !hasRules(root) || (former !== undefined && equalJson(root, former))) return [];
    return engine.problems(root, isShared ? SHARED_SCHEMA : `spec.versions[${position}].schema.openAPIV3Schema`);
  });
  return Promise.resolve(errors);
}

/** What checks the objects of a schema by its rules; undefined: it has none. */
export function objectRulesOf(root: JsonSchema | undefined): StoredKind['checkMore'] {
  if (root === undefined || !hasRules(root)) return undefined;
  return (object, old, engine) => engine.check(root, object, old);
}
