/** Defaults by the rules of a kind, which a server fills in before it validates and stores. A kind without such a rule has none. */
import type { Resource } from '../resource.ts';

type Defaulted = Pick<Resource<unknown>, 'rules'>;

/** A copy of the object with its defaults. The input must have passed `validateStructure`. */
export function applyDefaults<T extends object>(row: Defaulted, object: T): T {
  const draft = structuredClone(object);
  fillDefaults(row, draft);
  return draft;
}

/** The same in place, for an object that is not shared. */
export function fillDefaults(row: Defaulted, draft: object): void {
  row.rules?.setDefaults?.(draft);
}
