/** What is said of our own kinds' fields: their meaning, and their bounds as far as a schema can express them. Types alone. */

export interface FieldDoc {
  readonly text: string;
  /** For a string, or for the members of a list of strings. */
  readonly oneOf?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minItems?: number;
  /** For an object; an annotation may lack it. */
  readonly needed?: true;
  /** The value that the server fills in. */
  readonly fill?: string | number;
  /** For a string, or for the members of a list of strings. */
  readonly pattern?: string;
  /** The members are no more than a set. */
  readonly isSet?: boolean;
}

export interface TypeDoc {
  readonly text: string;
  readonly fields: Readonly<Record<string, FieldDoc>>;
}
