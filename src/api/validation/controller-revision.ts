/** Validation of ControllerRevisions (upstream ValidateControllerRevision): recorded data never changes. */
import { type FieldError, required } from '../field-error.ts';
import { checkDns1123Subdomain } from '../names.ts';
import type { ControllerRevision } from '../types.gen.ts';
import { immutable, notNegative } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

export function validateControllerRevision(revision: ControllerRevision): FieldError[] {
  return [...validateObjectMeta(revision.metadata, true, checkDns1123Subdomain), ...validateContent(revision)];
}

export function validateControllerRevisionUpdate(revision: ControllerRevision, old: ControllerRevision): FieldError[] {
  return [
    ...validateObjectMetaUpdate(revision.metadata, old.metadata),
    ...validateContent(revision),
    ...immutable('data', revision.data, old.data),
  ];
}

function validateContent({ data, revision }: ControllerRevision): FieldError[] {
  const missing = data === undefined || data === null ? [required('data', 'data is mandatory')] : [];
  return [...missing, ...notNegative('revision', revision)];
}
