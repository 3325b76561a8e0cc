/**
 * The schema of a kind as a server needs it, whether it comes from Kubernetes' own types or from the structural schema of a
 * definition. Pure.
 */
import type { FieldError } from './field-error.ts';
import type { KubeObject } from './kube-object.ts';

export interface PrunedObject {
  /** Without what the schema does not know. */
  readonly object: Readonly<Record<string, unknown>>;
  /** One line per unknown field: `unknown field "spec.a[0].b"`. */
  readonly unknownFields: readonly string[];
}

/** What the members of a list are told apart by. */
export interface ListKind {
  readonly type: 'atomic' | 'set' | 'map';
  /** Of a map: the fields whose values tell its members apart. */
  readonly keys: readonly string[];
}

export interface ObjectSchema {
  /** The known part of an object. Throws `StructureError` for a value of a wrong type where types decide how it is read. */
  prune(object: Readonly<Record<string, unknown>>): PrunedObject;
  /** The pruned object with its defaults. */
  setDefaults(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /** What is wrong with a new object, which has its name and defaults. */
  checkNew(object: KubeObject): readonly FieldError[];
  /** What is wrong with an object that replaces `old`. */
  checkChanged(object: KubeObject, old: KubeObject): readonly FieldError[];
  /** Of the list at a path of field names; undefined: there is none. */
  listKind(path: readonly string[]): ListKind | undefined;
}
