/** Which object lies under a key of the store. Pure. */
import type { ObjectReference } from '../../api/index.ts';
import { isMainForm, type Registration } from './registration.ts';

/** Undefined: no object that is served lies there. */
export function objectOfKey(registrations: readonly Registration[], key: string): ObjectReference | undefined {
  const found = registrations.find((each) => isMainForm(each) && key.startsWith(each.keyPrefix));
  if (found === undefined) return undefined;
  const { row, keyPrefix } = found;
  const [first = '', ...rest] = key.slice(keyPrefix.length).split('/');
  const apiVersion = row.group === '' ? row.version : `${row.group}/${row.version}`;
  const { kind } = row;
  return row.namespaced
    ? { apiVersion, kind, namespace: first, name: rest.join('/') }
    : { apiVersion, kind, name: first };
}
