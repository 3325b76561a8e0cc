/** The kinds whose objects the attacks make, so that each kind can be stored in every namespace. */
import { RESOURCES, type ResourceRow } from '../../../src/api/index.ts';
import { fullName } from '../../support/sample-objects.ts';

export { collectionOf, fullName, manifestOf } from '../../support/sample-objects.ts';

/** Kinds that are left out: a certificate needs a real request, a definition says a name, and kinds that share objects are made once. */
const UNMADE: readonly string[] = [
  'certificatesigningrequests.certificates.k8s.io',
  'events.events.k8s.io',
  'bindings',
  'componentstatuses',
  'customresourcedefinitions.apiextensions.k8s.io',
];

/** Kinds whose objects any user with the right can create. */
export const MAKEABLE: readonly ResourceRow[] = RESOURCES.filter(
  (row) => row.verbs.includes('list') && !UNMADE.includes(fullName(row)) && row === firstOf(row),
);

/** The row of the same kind in its preferred version: its objects are those of the others, too. */
function firstOf(row: ResourceRow): ResourceRow | undefined {
  return RESOURCES.find(({ group, resource }) => group === row.group && resource === row.resource);
}
