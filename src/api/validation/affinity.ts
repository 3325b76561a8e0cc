/** Validation of where a pod may run: node affinity and pod affinity terms (upstream `validateAffinity`). */
import { child, type FieldError, forbiddenField, index, invalidValue, required } from '../field-error.ts';
import { checkDns1123Label, checkDns1123Subdomain, checkLabelKey, checkLabelValue, checkRange } from '../names.ts';
import type {
  Affinity,
  LabelSelector,
  LabelSelectorRequirement,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from '../types.gen.ts';
import { checkValue } from './messages.ts';
import { validateLabels } from './object-meta.ts';

export function validateAffinity(affinity: Affinity | undefined, path: string): FieldError[] {
  const node = affinity?.nodeAffinity;
  const errors: FieldError[] = [];
  const at = child(path, 'nodeAffinity');
  const requiredTerms = node?.requiredDuringSchedulingIgnoredDuringExecution;
  if (requiredTerms !== undefined) {
    const where = child(at, 'requiredDuringSchedulingIgnoredDuringExecution');
    errors.push(...validateNodeSelector(requiredTerms, where));
  }
  (node?.preferredDuringSchedulingIgnoredDuringExecution ?? []).forEach((term, position) => {
    const where = index(child(at, 'preferredDuringSchedulingIgnoredDuringExecution'), position);
    errors.push(
      ...validateWeight(term.weight, where),
      ...validateNodeTerm(term.preference ?? {}, child(where, 'preference')),
    );
  });
  errors.push(...validatePodAffinity(affinity?.podAffinity, child(path, 'podAffinity')));
  return [...errors, ...validatePodAffinity(affinity?.podAntiAffinity, child(path, 'podAntiAffinity'))];
}

export function validateNodeSelector(selector: Partial<NodeSelector>, path: string): FieldError[] {
  const where = child(path, 'nodeSelectorTerms');
  const terms = selector.nodeSelectorTerms ?? [];
  if (terms.length === 0) return [required(where, 'must have at least one node selector term')];
  return terms.flatMap((term, position) => validateNodeTerm(term, index(where, position)));
}

function validateWeight(weight: number, path: string): FieldError[] {
  return checkRange(weight, 1, 100).map(() =>
    invalidValue(child(path, 'weight'), weight, 'must be in the range 1-100'),
  );
}

function validateNodeTerm(term: NodeSelectorTerm, path: string): FieldError[] {
  const fromExpressions = (term.matchExpressions ?? []).flatMap((expression, position) =>
    validateNodeExpression(expression, index(child(path, 'matchExpressions'), position)),
  );
  const fromFields = (term.matchFields ?? []).flatMap((expression, position) => {
    return validateNodeField(expression, index(child(path, 'matchFields'), position));
  });
  return [...fromExpressions, ...fromFields];
}

/** Upstream: validateNodeFieldSelectorRequirement. */
function validateNodeField({ key, operator, values = [] }: NodeSelectorRequirement, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn')
    errors.push(invalidValue(child(path, 'operator'), operator ?? '', 'not a valid selector operator'));
  else if (values.length !== 1) {
    const text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(child(path, 'values'), text));
  }
  if (key !== 'metadata.name')
    return [...errors, invalidValue(child(path, 'key'), key, 'not a valid field selector key')];
  values.forEach((value, position) =>
    errors.push(...checkValue(index(child(path, 'values'), position), value, checkDns1123Subdomain)),
  );
  return errors;
}

function validateNodeExpression(expression: NodeSelectorRequirement, path: string): FieldError[] {
  const values = expression.values ?? [];
  const field = child(path, 'values');
  const errors = checkValue(child(path, 'key'), expression.key ?? '', checkLabelKey);
  switch (expression.operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) errors.push(required(field, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        errors.push(forbiddenField(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      break;
    case 'Gt':
    case 'Lt':
      if (values.length !== 1)
        errors.push(required(field, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      errors.push(invalidValue(child(path, 'operator'), expression.operator ?? '', 'not a valid selector operator'));
  }
  return errors;
}

function validatePodAffinity(affinity: PodAffinity | undefined, path: string): FieldError[] {
  const must = (affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).flatMap((term, position) =>
    validatePodTerm(term, index(child(path, 'requiredDuringSchedulingIgnoredDuringExecution'), position)),
  );
  const should = (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap((term, position) => {
    const at = index(child(path, 'preferredDuringSchedulingIgnoredDuringExecution'), position);
    return [...validateWeight(term.weight, at), ...validatePodTerm(term.podAffinityTerm, child(at, 'podAffinityTerm'))];
  });
  return [...must, ...should];
}

function validatePodTerm(term: PodAffinityTerm | undefined, path: string): FieldError[] {
  if (!term?.topologyKey) return [required(child(path, 'topologyKey'), 'can not be empty')];
  return [
    ...checkValue(child(path, 'topologyKey'), term.topologyKey, checkLabelKey),
    ...validateLabelSelector(term.labelSelector, child(path, 'labelSelector')),
    ...validateLabelSelector(term.namespaceSelector, child(path, 'namespaceSelector')),
    ...(term.namespaces ?? []).flatMap((name) => checkValue(child(path, 'namespace'), name, checkDns1123Label)),
    ...validateLabelKeys(term.matchLabelKeys, term.labelSelector, child(path, 'matchLabelKeys')),
    ...validateLabelKeys(term.mismatchLabelKeys, term.labelSelector, child(path, 'mismatchLabelKeys')),
  ];
}

/** Keys whose values a new pod adds to a selector: there must be a selector. */
export function validateLabelKeys(
  keys: readonly string[] = [],
  selector: LabelSelector | undefined,
  path: string,
): FieldError[] {
  if (keys.length === 0) return [];
  if (selector === undefined) return [forbiddenField(path, 'must not be specified when labelSelector is not set')];
  return keys.flatMap((name, position) => checkValue(index(path, position), name, checkLabelKey));
}

/** A `LabelSelector` object anywhere. */
export function validateLabelSelector(selector: LabelSelector | undefined, path: string): FieldError[] {
  if (selector === undefined) return [];
  const expressions = (selector.matchExpressions ?? []).flatMap((expression, position) =>
    validateLabelExpression(expression, index(child(path, 'matchExpressions'), position)),
  );
  return [...validateLabels(selector.matchLabels, child(path, 'matchLabels')), ...expressions];
}

function validateLabelExpression(expression: LabelSelectorRequirement, path: string): FieldError[] {
  const values = expression.values ?? [];
  const field = child(path, 'values');
  const errors: FieldError[] = [];
  if (expression.operator === 'In' || expression.operator === 'NotIn') {
    if (values.length === 0) errors.push(required(field, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (expression.operator === 'Exists' || expression.operator === 'DoesNotExist') {
    if (values.length > 0)
      errors.push(forbiddenField(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else {
    errors.push(invalidValue(child(path, 'operator'), expression.operator ?? '', 'not a valid selector operator'));
  }
  errors.push(...checkValue(child(path, 'key'), expression.key ?? '', checkLabelKey));
  values.forEach((value, position) => errors.push(...checkValue(index(field, position), value, checkLabelValue)));
  return errors;
}
