/** The shape of `src/api/schema/schema.json`, shared by the tool that derives it and the generator of the types. */
export interface SchemaField {
  /** `string boolean int32 int64 double bytes quantity intOrString time microTime duration any`, a type's name, `[]X` or `{}X`. */
  readonly type: string;
  readonly required?: true;
  /** A Go pointer: its zero value is kept, absence is nil. */
  readonly pointer?: true;
  /** Go's encoder leaves a zero value out, but never a struct. */
  readonly omitempty?: true;
  /** Go's encoder leaves a zero value out, structs included. */
  readonly omitzero?: true;
  readonly nullable?: true;
  readonly patchMergeKey?: string;
  readonly patchStrategy?: string;
  readonly listType?: string;
  readonly listMapKeys?: readonly string[];
  readonly mapType?: string;
}

export interface SchemaType {
  readonly structType?: string;
  readonly fields: Readonly<Record<string, SchemaField>>;
}

export interface Schema {
  readonly comment: string;
  readonly sources: readonly { readonly package: string; readonly version: string; readonly sha256: string }[];
  /** "v1/Pod" or "apps/v1/Deployment" → the name in `types`. */
  readonly kinds: Readonly<Record<string, string>>;
  /** "core.v1.Pod" → its fields. */
  readonly types: Readonly<Record<string, SchemaType>>;
}
