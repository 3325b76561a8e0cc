/** Validation of namespaces (upstream `ValidateNamespace` and its updates). */
import { type FieldError, invalidValue } from '../field-error.ts';
import { checkDns1123Label, checkLabelKey } from '../names.ts';
import type { Namespace } from '../types.gen.ts';
import { checkValue } from './messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

export function validateNamespace(namespace: Namespace): FieldError[] {
  return [...validateObjectMeta(namespace.metadata, false, checkDns1123Label), ...validateFinalizers(namespace)];
}

function validateFinalizers(namespace: Namespace): FieldError[] {
  return (namespace.spec?.finalizers ?? []).flatMap((name) => checkValue('spec.finalizers', name, checkLabelKey));
}

export function validateNamespaceUpdate(namespace: Namespace, old: Namespace): FieldError[] {
  return validateObjectMetaUpdate(namespace.metadata, old.metadata);
}

export function validateNamespaceFinalize(namespace: Namespace, old: Namespace): FieldError[] {
  return [...validateObjectMetaUpdate(namespace.metadata, old.metadata), ...validateFinalizers(namespace)];
}

export function validateNamespaceStatus(namespace: Namespace, old: Namespace): FieldError[] {
  const errors = validateObjectMetaUpdate(namespace.metadata, old.metadata);
  const phase = namespace.status?.phase ?? '';
  const deleting = namespace.metadata?.deletionTimestamp !== undefined;
  if (deleting && phase !== 'Terminating')
    errors.push(invalidValue('status.phase', phase, "may only be 'Terminating' if `deletionTimestamp` is not empty"));
  if (!deleting && phase !== 'Active')
    errors.push(invalidValue('status.phase', phase, "may only be 'Active' if `deletionTimestamp` is empty"));
  return errors;
}
