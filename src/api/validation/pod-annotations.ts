/**
 * Annotations of pods that have a meaning (upstream ValidatePodSpecificAnnotations and its …Updates). A user who could turn a
 * pod into a mirror would have its node remove it, and the node authorizer take it for one that names nothing.
 */
import { type FieldError, forbiddenField, invalidValue, key } from '../field-error.ts';
import type { Pod, PodSpec } from '../types.gen.ts';

type Annotations = Readonly<Record<string, string>>;

const MIRROR = 'kubernetes.io/config.mirror';
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const APP_ARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
const MAX_INT32 = 2 ** 31 - 1;
const MIN_INT32 = -(2 ** 31);

/**
 * For a new pod, or a template.
 * @param path of the annotations
 */
export function validatePodAnnotations(
  annotations: Annotations = {},
  spec: PodSpec | undefined,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const mirror = annotations[MIRROR];
  if (mirror !== undefined && !spec?.nodeName)
    errors.push(invalidValue(key(path, MIRROR), mirror, 'must set spec.nodeName if mirror pod annotation is set'));
  return [...errors, ...validateCost(annotations, path)];
}

/** For a change of a pod, also through a subresource. An invalid value that was there before may stay. */
export function validatePodAnnotationUpdates(pod: Pod, old: Pod): FieldError[] {
  const path = 'metadata.annotations';
  const now = pod.metadata?.annotations ?? {};
  const before = old.metadata?.annotations ?? {};
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (name) => now[name] !== before[name] && (name === MIRROR || name.startsWith(APP_ARMOR_PREFIX)),
  );
  const errors = names.map((name) => {
    const verb = before[name] === undefined ? 'add' : 'remove or update';
    const what = name === MIRROR ? 'mirror pod annotation' : 'AppArmor annotations';
    return forbiddenField(key(path, name), `may not ${verb} ${what}`);
  });
  return validateCost(before, path).length > 0 ? errors : [...errors, ...validateCost(now, path)];
}

function validateCost(annotations: Annotations, path: string): FieldError[] {
  const cost = annotations[DELETION_COST];
  if (cost === undefined || isInt32(cost)) return [];
  return [invalidValue(key(path, DELETION_COST), cost, 'must be a 32bit integer')];
}

/** Written the one way: no plus sign, no leading zeros. */
function isInt32(text: string): boolean {
  if (!/^(0|-?\d+)$/.test(text) || /^0./.test(text)) return false;
  return Number(text) <= MAX_INT32 && Number(text) >= MIN_INT32;
}
