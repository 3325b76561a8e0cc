/**
 * Validation by the rules of a kind: the field errors of an object that passed `validateStructure` and has its defaults. An empty
 * list is a valid object; a list goes into `invalid` (422). Kinds without rules of their own are checked for their metadata alone.
 */
import type { FieldError } from '../field-error.ts';
import { checkDns1123Subdomain } from '../names.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../resource.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';
import { validateObjectSize } from './object-size.ts';

/** The part of a row that validation asks. */
type Validated = Pick<Resource<unknown>, 'group' | 'version' | 'kind' | 'namespaced' | 'rules'>;

/** A new object, with name, namespace and defaults set. One that holds too much is not looked at any further. */
export function validateCreate(row: Validated, object: KubeObject): FieldError[] {
  const tooLarge = validateObjectSize(apiVersionOf(row), row.kind, object, undefined);
  return tooLarge.length > 0 ? tooLarge : checkCreate(row, object);
}

/** The same of an object that does not hold too much. */
export function checkCreate(row: Validated, object: KubeObject): FieldError[] {
  if (row.rules?.create !== undefined) return row.rules.create(object);
  return validateObjectMeta(object.metadata, row.namespaced, checkDns1123Subdomain);
}

/** An object that replaces `old`, through the main resource or one of its subresources ("status"). */
export function validateUpdate(row: Validated, object: KubeObject, old: KubeObject, subresource = ''): FieldError[] {
  const tooLarge = validateObjectSize(apiVersionOf(row), row.kind, object, old);
  return tooLarge.length > 0 ? tooLarge : checkUpdate(row, object, old, subresource);
}

/** The same of an object that does not hold too much. */
export function checkUpdate(row: Validated, object: KubeObject, old: KubeObject, subresource: string): FieldError[] {
  const { parts = {}, update } = row.rules ?? {};
  const check = (Object.hasOwn(parts, subresource) ? parts[subresource] : undefined) ?? update;
  return check === undefined ? validateObjectMetaUpdate(object.metadata, old.metadata) : check(object, old);
}
