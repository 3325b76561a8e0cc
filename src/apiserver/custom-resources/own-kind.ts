/** What the server adds to a kind whose definition is its own, beside what the definition says. Types alone. */
import type { FieldError } from '../../api/index.ts';
import type { UserInfo } from '../../lib/index.ts';
import type { ApiObject } from '../registry/object.ts';
import type { TableKind } from '../tables/table.ts';

export interface OwnKind {
  /** Columns that paths cannot express. */
  readonly table?: TableKind;
  /** A new object as `user` may make it. Pure, as all of these. */
  readonly admitNew?: (object: ApiObject, user: UserInfo) => ApiObject;
  /** A changed object, but for its status. */
  readonly admitChanged?: (object: ApiObject, old: ApiObject) => ApiObject;
  /** What is wrong with an object that fits its schema, beyond what schema and rules in CEL can say. */
  readonly check?: (object: ApiObject) => readonly FieldError[];
}
