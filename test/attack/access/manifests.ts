/** The kinds whose objects the attacks make, so that each kind can be stored in every namespace. */
import { OWN_ROWS, RESOURCES, type ResourceRow } from '../../../src/api/index.ts';
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

/** All kinds that a new server has. */
export const ALL_ROWS: readonly ResourceRow[] = [...RESOURCES, ...OWN_ROWS];

/** Kinds whose objects any user with the right can create. */
export const MAKEABLE: readonly ResourceRow[] = ALL_ROWS.filter(
  (row) => row.verbs.includes('list') && !UNMADE.includes(fullName(row)) && row === firstOf(row),
);

/** The row of the same kind in its preferred version: its objects are those of the others, too. */
function firstOf(row: ResourceRow): ResourceRow | undefined {
  return ALL_ROWS.find(({ group, resource }) => group === row.group && resource === row.resource);
}
