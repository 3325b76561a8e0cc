/**
 * The schema of a kind as a server needs it, whether it comes from Kubernetes' own types (`DerivedSchema`) or from a definition
 * (`StructuralSchema`). Whoever has the row of a kind asks `schemaOf` for it, and need not know which of them it is. Pure.
 */
import type { FieldError } from './field-error.ts';
import type { KubeObject } from './kube-object.ts';
import type { Place } from './managed-fields/place.ts';
import type { Steps } from './patch/steps.ts';
import type { StructSchema } from './schema/schema.ts';
import type { JsonSchema } from './structural/json-schema.ts';

export type ObjectFields = Readonly<Record<string, unknown>>;

export interface PrunedObject {
  /** Without what the schema does not know; in canonical form. */
  readonly object: ObjectFields;
  /** One line per unknown field: `unknown field "spec.a[0].b"`. */
  readonly unknownFields: readonly string[];
}

export interface ObjectSchema {
  /** The known part of a body. Throws `StructureError` for a value of a wrong type where types decide how it is read. */
  prune(body: ObjectFields): PrunedObject;
  /** The pruned object with its defaults. The object itself may be filled: it must not be shared. */
  setDefaults(pruned: ObjectFields): ObjectFields;
  /** What lies in the store, in the form that the kind has today: with its defaults. */
  readStored(stored: ObjectFields): ObjectFields;

  /** What is too large about a body, found out before copies of it are made. */
  checkSize(body: ObjectFields): readonly FieldError[];
  /** What is wrong with a new object, which has its name and defaults. */
  checkNew(object: KubeObject): readonly FieldError[];
  /**
   * What is wrong with an object that replaces `old`.
   * @param part the subresource through which it does ("status"), or ''
   */
  checkChanged(object: KubeObject, old: KubeObject, part: string): readonly FieldError[];

  /**
   * The form in which objects of the kind are compared, checked and stored; the very same object if nothing changes.
   * @param known a canonical object: its very own parts need not be looked at
   */
  canonical<T extends object>(object: T, known?: object): T;
  /** Whether two canonical objects say the same, but for the fields of the object itself that are `ignored`. */
  equal(objects: readonly [object, object], ignored: ReadonlySet<string>): boolean;

  /** What may be at each place of an object, and by which keys the members of a list are told apart: for who owns what. */
  readonly place: Place;
  /** A strategic merge patch in steps; absent: the kind has no merge keys for one, and such patches are refused. */
  readonly patchSteps?: (object: unknown, patch: unknown) => Steps<unknown>;

  /** Tells of the schema in the terms that it is written in, for documents about it. */
  describe<T>(to: SchemaReader<T>): T;
}

/** Reads a schema in one of the two forms that there are. */
export interface SchemaReader<T> {
  /** Of Go types, which refer to each other by name. Undefined: the types of the kind are not known. */
  types(struct: StructSchema | undefined): T;
  /** Of a definition, in one piece. Undefined: the definition has none. */
  json(root: JsonSchema | undefined): T;
}
