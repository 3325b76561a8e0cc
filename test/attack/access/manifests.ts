/** The kinds whose objects the attacks make, so that each kind can be stored in every namespace. */
import { RESOURCES, type ResourceRow } from '../../../src/api/index.ts';
import { fullName } from '../../support/sample-objects.ts';

export { collectionOf, fullName, manifestOf } from '../../support/sample-objects.ts';

/** Kinds that are left out: a certificate needs a real request, and the two kinds of events share their objects. */
const UNMADE: readonly string[] = [
  'certificatesigningrequests.certificates.k8s.io',
  'events.events.k8s.io',
  'bindings',
  'componentstatuses',
];

/** Kinds whose objects any user with the right can create. */
export const MAKEABLE: readonly ResourceRow[] = RESOURCES.filter(
  (row) => row.verbs.includes('list') && !UNMADE.includes(fullName(row)),
);
