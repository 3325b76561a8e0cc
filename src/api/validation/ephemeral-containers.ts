/** Validation of `pods/ephemeralcontainers`: they are added, never changed or removed (KEP-277). */
import { type FieldError, forbiddenField } from '../field-error.ts';
import type { Pod } from '../types.gen.ts';
import { validateAllContainers } from './containers.ts';
import { equalJson } from './messages.ts';
import { nulErrors } from './no-nul.ts';
import { validateObjectMetaUpdate } from './object-meta.ts';

export function validateEphemeralContainersUpdate(pod: Pod, old: Pod): FieldError[] {
  const path = 'spec.ephemeralContainers';
  const errors = validateObjectMetaUpdate(pod.metadata, old.metadata);
  if (pod.metadata?.annotations?.['kubernetes.io/config.mirror'] !== undefined)
    return [...errors, forbiddenField('metadata', 'static pods do not support ephemeral containers')];
  errors.push(...nulErrors(pod.spec?.ephemeralContainers, path));
  const next = new Map((pod.spec?.ephemeralContainers ?? []).map((container) => [container.name, container]));
  for (const container of old.spec?.ephemeralContainers ?? []) {
    const kept = next.get(container.name);
    if (kept === undefined)
      errors.push(
        forbiddenField(path, `existing ephemeral containers ${JSON.stringify(container.name)} may not be removed\n`),
      );
    else if (!equalJson(kept, container)) {
      errors.push(
        forbiddenField(path, `existing ephemeral containers ${JSON.stringify(container.name)} may not be changed\n`),
      );
    }
  }
  if (pod.spec === undefined) return errors;
  return [...errors, ...validateAllContainers(pod.spec, 'spec').filter((error) => error.field.startsWith(path))];
}
