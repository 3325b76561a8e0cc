/** The schema of a kind, by its row. */
import { DerivedSchema } from './derived-schema.ts';
import type { ObjectSchema } from './object-schema.ts';
import type { Resource } from './resource.ts';

type Described = Pick<Resource<unknown>, 'group' | 'version' | 'kind' | 'namespaced' | 'rules'> & {
  readonly schema?: ObjectSchema;
};

const derived = new WeakMap<Described, ObjectSchema>();

/** The schema that the row brings along, else the derived one. It is looked up once for each row. */
export function schemaOf(row: Described): ObjectSchema {
  if (row.schema !== undefined) return row.schema;
  let schema = derived.get(row);
  if (schema === undefined) {
    schema = new DerivedSchema(row);
    derived.set(row, schema);
  }
  return schema;
}
