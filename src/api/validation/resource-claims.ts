/** Validation of a pod's claims of devices, and of their use by its containers (upstream `ValidatePodResourceClaims` and its kin). */
import { child, duplicate, type FieldError, index, invalidValue, notFoundValue, required } from '../field-error.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../names.ts';
import type { Container, PodResourceClaim, PodSpec } from '../types.gen.ts';
import { checkValue, requireValue } from './messages.ts';

export function validateResourceClaims(spec: PodSpec, path: string): FieldError[] {
  const taken = new Set<string>();
  const claims = (spec.resourceClaims ?? []).flatMap((claim, position) => {
    const at = index(child(path, 'resourceClaims'), position);
    const isFirst = !taken.has(claim.name);
    taken.add(claim.name);
    const again = isFirst ? [] : [duplicate(child(at, 'name'), claim.name)];
    return [...requireValue(child(at, 'name'), claim.name, checkDns1123Label), ...again, ...validateSource(claim, at)];
  });
  const names = new Set([...taken].filter((name) => name !== ''));
  const uses = (['containers', 'initContainers'] as const).flatMap((list) =>
    (spec[list] ?? []).flatMap((container, position) =>
      validateUses(container, names, index(child(path, list), position)),
    ),
  );
  return [...claims, ...uses];
}

function validateSource(claim: PodResourceClaim, path: string): FieldError[] {
  const { name, resourceClaimName, resourceClaimTemplateName } = claim;
  const errors: FieldError[] = [];
  const said = [resourceClaimName, resourceClaimTemplateName].filter((each) => each !== undefined);
  if (said.length !== 1) {
    const value = {
      Name: name ?? '',
      ResourceClaimName: resourceClaimName ?? null,
      ResourceClaimTemplateName: resourceClaimTemplateName ?? null,
    };
    const both = 'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified';
    const none = 'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`';
    errors.push(invalidValue(path, value, said.length === 0 ? none : both));
  }
  for (const field of ['resourceClaimName', 'resourceClaimTemplateName'] as const) {
    const value = claim[field];
    if (value !== undefined) errors.push(...checkValue(child(path, field), value, checkDns1123Subdomain));
  }
  return errors;
}

function validateUses({ resources }: Container, names: ReadonlySet<string>, path: string): FieldError[] {
  return (resources?.claims ?? []).flatMap(({ name }, position) => {
    const at = index(child(path, 'resources', 'claims'), position);
    if (!name) return [required(at)];
    if (names.has(name)) return [];
    const known = names.size === 0 ? 'which is empty' : `: ${[...names].join(', ')}`;
    return [notFoundValue(at, name, `must be one of the names in pod.spec.resourceClaims ${known}`)];
  });
}
