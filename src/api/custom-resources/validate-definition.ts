/**
 * Validation of CustomResourceDefinitions (upstream: apiextensions-apiserver/pkg/apis/apiextensions/validation), with upstream's
 * messages. Pure.
 */
import { duplicate, type FieldError, invalidValue, required, tooMany } from '../field-error.ts';
import { checkDns1035Label, checkDns1123Subdomain } from '../names.ts';
import { checkValue, equalJson, IMMUTABLE, requireOneOf, requireValue } from '../validation/messages.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../validation/object-meta.ts';
import { isConditionTrue } from '../conditions.ts';
import { hasBadAuthorities } from './ca-bundle.ts';
import { conversionErrors, type ConversionRules } from './conversion-errors.ts';
import {
  type CustomResourceDefinition,
  type DefinitionNames,
  type DefinitionSpec,
  type DefinitionStatus,
  type DefinitionVersion,
  definedVersions,
} from './definition.ts';
import { versionErrors } from './version-errors.ts';

/** Versions of one definition, far more than any has. */
const MAX_VERSIONS = 100;

/** The errors of a new definition. */
export function validateDefinition(definition: CustomResourceDefinition): FieldError[] {
  const { metadata, spec } = definition;
  const errors = validateObjectMeta(metadata, false, checkDns1123Subdomain);
  errors.push(...nameErrors(definition), ...specErrors(spec, NEW), ...approvalErrors(definition));
  return [...errors, ...storedVersionErrors(spec, definition.status)];
}

const NEW: ConversionRules = { mayHaveBadAuthorities: true };

/** The errors of a definition that replaces `old`. What is there stays valid, although a new one would not be. */
export function validateDefinitionUpdate(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): FieldError[] {
  const errors = validateObjectMetaUpdate(definition.metadata, old.metadata);
  const before = new Set(specErrors(old.spec, NEW).map(errorKey));
  // What is served must go on being served.
  const isEstablished = isConditionTrue(old.status?.conditions, 'Established');
  const rules = { mayHaveBadAuthorities: !isEstablished || hasBadAuthorities(old) };
  errors.push(...specErrors(definition.spec, rules).filter((error) => !before.has(errorKey(error))));
  errors.push(...fixedErrors(definition.spec, old), ...approvalUpdateErrors(definition, old));
  errors.push(...storedVersionErrors(definition.spec, definition.status));
  return errors;
}

/** The errors of a new status. */
export function validateDefinitionStatus(
  definition: CustomResourceDefinition,
  old: CustomResourceDefinition,
): FieldError[] {
  const errors = validateObjectMetaUpdate(definition.metadata, old.metadata);
  return [...errors, ...storedVersionErrors(old.spec, definition.status)];
}

const errorKey = ({ field, body }: FieldError): string => `${field}: ${body}`;

function nameErrors({ metadata, spec }: CustomResourceDefinition): FieldError[] {
  const name = metadata?.name ?? '';
  const wanted = `${spec.names?.plural ?? ''}.${spec.group ?? ''}`;
  if (name === wanted) return [];
  return [invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

/** Where upstream has the schema of a definition whose versions all have the same one. */
export const SHARED_SCHEMA = 'spec.validation.openAPIV3Schema';

function specErrors(spec: DefinitionSpec, rules: ConversionRules): FieldError[] {
  const errors = groupErrors(spec.group ?? '');
  errors.push(...requireOneOf('spec.scope', spec.scope, ['Cluster', 'Namespaced']));
  if (spec.preserveUnknownFields === true)
    errors.push(
      invalidValue(
        'spec.preserveUnknownFields',
        true,
        'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
      ),
    );
  const versions = definedVersions(spec);
  if (versions.length > MAX_VERSIONS) return [tooMany('spec.versions', versions.length, MAX_VERSIONS)];
  errors.push(...versionListErrors(versions));
  const [first] = versions;
  const isShared = versions.every(({ schema }) => equalJson(schema, first?.schema));
  for (const [position, version] of versions.entries())
    errors.push(
      ...versionErrors(
        version,
        `spec.versions[${position}]`,
        isShared ? SHARED_SCHEMA : `spec.versions[${position}].schema.openAPIV3Schema`,
      ),
    );
  errors.push(...namesErrors(spec.names ?? { plural: '', kind: '' }, 'spec.names'));
  errors.push(...conversionErrors(spec.conversion, rules));
  return errors;
}

function groupErrors(group: string): FieldError[] {
  if (group === '') return [required('spec.group')];
  const errors = checkValue('spec.group', group, checkDns1123Subdomain);
  if (errors.length > 0 || group.includes('.')) return errors;
  return [invalidValue('spec.group', group, 'should be a domain with at least one dot')];
}

function versionListErrors(versions: readonly DefinitionVersion[]): FieldError[] {
  const errors: FieldError[] = [];
  const names = versions.map(({ name }) => name);
  if (new Set(names).size < names.length)
    errors.push(invalidValue('spec.versions', names, 'must contain unique version names'));
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(invalidValue('spec.versions', names, 'must have exactly one version marked as storage version'));
  return errors;
}

const KIND_TEXT = 'may have mixed case, but should otherwise match: ';

/** The names of a kind, wanted or accepted. */
export function namesErrors(names: DefinitionNames, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const label = checkDns1035Label;
  const kindCheck = (text: string): readonly string[] => label(text.toLowerCase()).map((each) => KIND_TEXT + each);
  errors.push(...requireValue(`${path}.plural`, names.plural, label));
  if (names.singular !== undefined && names.singular !== '')
    errors.push(...checkValue(`${path}.singular`, names.singular, label));
  errors.push(...requireValue(`${path}.kind`, names.kind, kindCheck));
  if (names.listKind !== undefined && names.listKind !== '')
    errors.push(...checkValue(`${path}.listKind`, names.listKind, kindCheck));
  for (const [position, name] of (names.shortNames ?? []).entries())
    errors.push(...checkValue(`${path}.shortNames[${position}]`, name, label));
  for (const [position, name] of (names.categories ?? []).entries())
    errors.push(...checkValue(`${path}.categories[${position}]`, name, label));
  if (names.kind !== '' && names.kind === names.listKind)
    errors.push(invalidValue(`${path}.listKind`, names.listKind, 'kind and listKind may not be the same'));
  return errors;
}

/** What may not change: scope and kind not once objects of it may be there. */
function fixedErrors(spec: DefinitionSpec, old: CustomResourceDefinition): FieldError[] {
  const errors: FieldError[] = [];
  const keep = (path: string, now: unknown, before: unknown): void => {
    if (now !== before) errors.push(invalidValue(path, now ?? null, IMMUTABLE));
  };
  if (isConditionTrue(old.status?.conditions, 'Established')) {
    keep('spec.scope', spec.scope, old.spec.scope);
    keep('spec.names.kind', spec.names.kind, old.spec.names.kind);
  }
  keep('spec.group', spec.group, old.spec.group);
  keep('spec.names.plural', spec.names.plural, old.spec.names.plural);
  return errors;
}

function storedVersionErrors(spec: DefinitionSpec, status: DefinitionStatus | undefined): FieldError[] {
  const path = 'status.storedVersions';
  const stored = status?.storedVersions ?? [];
  if (stored.length === 0) return [invalidValue(path, null, 'must have at least one stored version')];
  const errors: FieldError[] = [];
  const names = definedVersions(spec).map(({ name }) => name);
  const storage = definedVersions(spec).find((version) => version.storage)?.name;
  for (const [position, name] of stored.entries()) {
    const at = `${path}[${position}]`;
    if (stored.indexOf(name) < position) errors.push(duplicate(at, name));
    if (!names.includes(name))
      errors.push(
        invalidValue(
          at,
          name,
          `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
        ),
      );
  }
  if (storage !== undefined && !stored.includes(storage))
    errors.push(invalidValue(path, stored, `must have the storage version ${storage}`));
  return errors;
}

export const APPROVAL_ANNOTATION = 'api-approved.kubernetes.io';
const APPROVAL_TEXT =
  'protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111';

/** Whether a group belongs to the Kubernetes community. */
export function isProtectedGroup(group: string): boolean {
  return /(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group);
}

export type Approval = { readonly status: 'approved' | 'bypassed' | 'missing' | 'invalid'; readonly message: string };

/** What the annotation of approval says: a URL approves, "unapproved…" asks to be let through. */
export function approvalOf({ metadata }: CustomResourceDefinition): Approval {
  const text = metadata?.annotations?.[APPROVAL_ANNOTATION] ?? '';
  if (text === '') return { status: 'missing', message: APPROVAL_TEXT };
  if (text.startsWith('unapproved')) return { status: 'bypassed', message: `not approved: ${JSON.stringify(text)}` };
  if (URL.canParse(text) && new URL(text).host !== '') return { status: 'approved', message: `approved in ${text}` };
  return {
    status: 'invalid',
    message: `protected groups must have approval annotation "${APPROVAL_ANNOTATION}" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`,
  };
}

function approvalErrors(definition: CustomResourceDefinition): FieldError[] {
  if (!isProtectedGroup(definition.spec.group ?? '')) return [];
  const { status, message } = approvalOf(definition);
  const path = `metadata.annotations[${APPROVAL_ANNOTATION}]`;
  if (status === 'missing') return [required(path, message)];
  if (status !== 'invalid') return [];
  return [invalidValue(path, definition.metadata?.annotations?.[APPROVAL_ANNOTATION], message)];
}

/** One that had no approval may go on without; none may lose it. */
function approvalUpdateErrors(definition: CustomResourceDefinition, old: CustomResourceDefinition): FieldError[] {
  const before = approvalErrors(old).map(({ type }) => type);
  return approvalErrors(definition).filter(({ type }) => !before.includes(type));
}
