/** Which manager owns which fields of an object, and what an apply on the server makes of it. Pure. */
export { type Application, type Applied, applyConfigSteps } from './apply.ts';
export { printProblems, problemsOfConfig } from './check-config.ts';
export { compareObjects } from './compare.ts';
export { type ConflictReport, reportConflicts } from './conflicts.ts';
export { difference, emptySet, type FieldSet, hasPath, isEmptySet, setOf } from './field-set.ts';
export { fieldsOf } from './fields-of.ts';
export { readFieldsV1, writeFieldsV1 } from './fields-v1.ts';
export { fieldsStillAsApplied, KUBECTL, LAST_APPLIED, withLastApplied } from './last-applied.ts';
export { type Manager, managerId, type Managers, type Owned, readManagers, writeManagers } from './managers.ts';
export { type Conflict, entriesOfNew, type Ground, managersAfterUpdate, type OtherVersion } from './owners.ts';
export { fieldElement, type PathElement } from './path-element.ts';
export { DEDUCED, type ListPlace, type MapPlace, type Place, placeOfKind } from './place.ts';
