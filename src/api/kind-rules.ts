/**
 * The rules of a kind, beside its structure: validation, defaults, fields that selectors may name, warnings. A row carries them, so
 * that whoever has the row of a kind needs no table of kinds. All are pure functions.
 */
import type { FieldError } from './field-error.ts';
import type { KubeObject } from './kube-object.ts';

/** A field that a field selector may name: its path, or its name with a reader for one that is no plain path. */
export type SelectableField =
  | string
  | {
      readonly name: string;
      /** Whether the field of `object` has this value; '' is the value of an absent one. */
      readonly matches: (object: unknown, value: string) => boolean;
    };

export interface KindRules<T = KubeObject> {
  /** The field errors of a new object, which has its name, namespace and defaults. Absent: its metadata alone is checked. */
  readonly create?: (object: T) => FieldError[];
  /** The field errors of an object that replaces `old`. */
  readonly update?: (object: T, old: T) => FieldError[];
  /** The same through a subresource, by its name; one that isn't here is validated as `update`. */
  readonly parts?: Readonly<Record<string, (object: T, old: T) => FieldError[]>>;
  /** Fills in defaults, in place. The structure of `draft` is checked. */
  readonly setDefaults?: (draft: T) => void;
  /** Every field that selectors may name. Absent: metadata.name and metadata.namespace. */
  readonly selectable?: readonly SelectableField[];
  /** Texts of `Warning` headers for an object that is valid. */
  readonly warnings?: (object: T) => readonly string[];
  /** The text of a `Warning` header for every request. */
  readonly deprecation?: string;
}

/** Rules whose functions agree on the type of the kind's objects. Rows forget it: the kind of their caller brings it back. */
export function kindRules<T extends KubeObject>(rules: KindRules<T>): KindRules {
  return rules as unknown as KindRules;
}
