/**
 * The port to what compiles and runs rules in CEL (x-kubernetes-validations). Structural schemas know where rules stand and which
 * values they see; what they mean is decided behind this port.
 */
import type { FieldError } from '../field-error.ts';
import { additionalOf, itemsOf, type JsonSchema } from './json-schema.ts';

export interface RuleEngine {
  /** What is wrong with the rules of a schema as it is defined: syntax, types, estimated costs. `path`: where the schema stands. */
  problems(schema: JsonSchema, path: string): readonly FieldError[];
  /**
   * The rules that an object breaks. `old`: as it was, for transition rules and for what is excused because it did not change.
   * Both are complete: pruned, with defaults, and valid by the schema otherwise.
   */
  check(schema: JsonSchema, object: unknown, old: unknown): Promise<readonly FieldError[]>;
}

/** Whether any node of the schema has rules. */
export function hasRules(schema: JsonSchema): boolean {
  if ((schema['x-kubernetes-validations'] ?? []).length > 0) return true;
  const inner = [...Object.values(schema.properties ?? {}), itemsOf(schema), additionalOf(schema)];
  return inner.some((each) => each !== undefined && hasRules(each));
}
