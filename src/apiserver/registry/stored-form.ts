/** From what lies in the store to the form that a kind has today. */
import { schemaOf } from '../../api/index.ts';
import type { ReadStored } from '../cache/cached-object.ts';
import type { ApiObject } from './object.ts';
import type { Registration } from './registration.ts';

/** By the registration whose form is the stored one. */
export function readStoredOf({ row }: Registration): ReadStored {
  const schema = schemaOf(row);
  return (stored) => schema.readStored(stored) as unknown as ApiObject;
}
