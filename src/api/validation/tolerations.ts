/** Validation of taints and tolerations (upstream `ValidateTolerations`, `validateNodeTaints`). */
import { child, duplicate, type FieldError, index, invalidValue, notSupported, required } from '../field-error.ts';
import { checkLabelKey, checkLabelValue } from '../names.ts';
import type { Taint, Toleration } from '../types.gen.ts';
import { checkValue } from './messages.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function validateTolerations(tolerations: readonly Toleration[] | undefined, path: string): FieldError[] {
  return (tolerations ?? []).flatMap((toleration, position) => {
    const at = index(path, position);
    const errors: FieldError[] = [];
    if (toleration.key) errors.push(...checkValue(child(at, 'key'), toleration.key, checkLabelKey));
    if (!toleration.key && toleration.operator !== 'Exists') {
      const text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(invalidValue(child(at, 'operator'), toleration.operator ?? '', text));
    }
    if (toleration.tolerationSeconds !== undefined && toleration.effect !== 'NoExecute') {
      const text = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      errors.push(invalidValue(child(at, 'effect'), toleration.effect ?? '', text));
    }
    errors.push(...validateOperator(toleration, child(at, 'operator')));
    if (toleration.effect && !EFFECTS.includes(toleration.effect)) {
      errors.push(notSupported(child(at, 'effect'), toleration.effect, EFFECTS));
    }
    return errors;
  });
}

function validateOperator(toleration: Toleration, path: string): FieldError[] {
  switch (toleration.operator ?? '') {
    case '':
    case 'Equal': {
      const messages = checkLabelValue(toleration.value ?? '');
      return messages.length === 0 ? [] : [invalidValue(path, toleration.value, messages.join(';'))];
    }
    case 'Exists':
      return toleration.value
        ? [invalidValue(path, toleration, "value must be empty when `operator` is 'Exists'")]
        : [];
    default:
      return [notSupported(path, toleration.operator, ['Equal', 'Exists'])];
  }
}

export function validateTaints(taints: readonly Taint[] | undefined, path: string): FieldError[] {
  const taken = new Set<string>();
  return (taints ?? []).flatMap((taint, position) => {
    const at = index(path, position);
    const errors = checkValue(child(at, 'key'), taint.key ?? '', checkLabelKey);
    const messages = checkLabelValue(taint.value ?? '');
    if (messages.length > 0) errors.push(invalidValue(child(at, 'value'), taint.value, messages.join(';')));
    if (!taint.effect) errors.push(required(child(at, 'effect')));
    else if (!EFFECTS.includes(taint.effect)) errors.push(notSupported(child(at, 'effect'), taint.effect, EFFECTS));
    const name = `${taint.effect}/${taint.key}`;
    if (taken.has(name))
      errors.push({
        ...duplicate(at, taint),
        body: `${duplicate(at, taint).body}: taints must be unique by key and effect pair`,
      });
    taken.add(name);
    return errors;
  });
}
