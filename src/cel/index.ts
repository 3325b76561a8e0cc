/**
 * cel: the Common Expression Language as Kubernetes offers it: parser, type checker, cost estimates and an evaluator that counts costs and can be
 * suspended. `compile` a source, compare `program.estimate` with the limits, then `run` it (or `evaluate` it at once).
 */
export * from './limits.ts';
export * from './program.ts';
export { overload, type Overload } from './library/overload.ts';
export { makeOpaque } from './library/opaque.ts';
export { compilePattern } from './library/regex.ts';
export type { Activation } from './run/machine.ts';
export type { Problem } from './syntax/problem.ts';
export {
  ANY_VALUE,
  type DeclaredType,
  type ListType,
  type MapType,
  type ObjectType,
  type ScalarType,
} from './types/declared-type.ts';
export { escapeFieldName } from './types/escape.ts';
export { cardinalityOf, cardinalityWithout, declaredTypeOf, type SchemaOfValues } from './types/schema-type.ts';
export {
  BOOL,
  type CelType,
  DYN,
  equalTypes,
  formatType,
  INT,
  listOf,
  mapOf,
  opaque,
  optionalOf,
  STRING,
} from './types/type.ts';
export { valueOfAnyJson, valueOfJson } from './values/json.ts';
export { CelError, isList, isMap, isOpaque, type OpaqueValue, Optional, type Value } from './values/value.ts';
