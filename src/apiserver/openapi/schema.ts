/** A schema as OpenAPI's documents hold it. Types alone. */

export interface Schema {
  /** For our own kinds alone. */
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly allOf?: readonly Schema[];
  readonly [extension: `x-${string}`]: unknown;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Makes a `$ref` of a definition's name. */
export type RefStyle = (name: string) => Schema;
