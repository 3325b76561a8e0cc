/** From what lies in the store to the form that a kind has today. */
import { apiVersionOf, canonicalObject, fillDefaults } from '../../api/index.ts';
import type { ReadStored } from '../cache/cached-object.ts';
import type { Registration } from './registration.ts';

/** By the registration whose form is the stored one. */
export function readStoredOf({ row }: Registration): ReadStored {
  return (stored) => {
    const object = canonicalObject(apiVersionOf(row), row.kind, stored);
    fillDefaults(row, object);
    return object;
  };
}
