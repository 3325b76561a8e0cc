/**
 * Values by a structural schema, in upstream's words (kube-openapi's validation as apiextensions-apiserver reports it). On an
 * update an unchanged part is not held against a rule that it already broke (ratcheting, KEP-4008). Pure.
 */
import {
  type FieldError,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
  typeInvalid,
} from '../field-error.ts';
import { equalJson } from '../validation/messages.ts';
import { hasFormat } from './formats.ts';
import {
  additionalOf,
  type Fields,
  fieldPath,
  isEmbedded,
  isFields,
  isIntOrString,
  itemsOf,
  type JsonSchema,
  propertyOf,
} from './json-schema.ts';
import { keyOfItem } from './list-types.ts';
import { isTooLongFor, matchesPattern } from './patterns.ts';

/** More errors than this are not looked for. */
const MAX_ERRORS = 100;

/** The errors of a new object, or (`old`) of a changed one. `path`: of the value itself, '' for an object. */
export function checkValue(schema: JsonSchema, value: unknown, old?: unknown, path = ''): readonly FieldError[] {
  const errors: FieldError[] = [];
  check(schema, value, { path, errors });
  if (errors.length === 0 || old === undefined) return errors;
  // Most changes are right at the first look: the old object is needed only to excuse.
  errors.length = 0;
  check(schema, value, { path, errors, old });
  return errors;
}

interface Place {
  readonly path: string;
  readonly errors: FieldError[];
  /** The value of this place before the change; absent: it is new, or nothing is excused. */
  readonly old?: unknown;
}

function check(schema: JsonSchema, value: unknown, place: Place): void {
  if (place.errors.length >= MAX_ERRORS) return;
  if (place.old !== undefined && equalJson(value, place.old)) return;
  if (value === null && schema.nullable === true) return;
  const problem = typeProblem(schema, value, place.path);
  if (problem !== undefined) {
    place.errors.push(problem);
    return;
  }
  checkJunctors(schema, value, place);
  checkBounds(schema, value, place);
  if (Array.isArray(value)) checkItems(schema, value, place);
  else if (isFields(value)) checkFields(schema, value, place);
}

function typeProblem(schema: JsonSchema, value: unknown, path: string): FieldError | undefined {
  const wanted = isIntOrString(schema) ? 'integer,string' : (schema.type ?? '');
  if (wanted === '') return undefined;
  const found = typeOf(value);
  const fits = wanted.split(',').some((type) => type === found || (type === 'number' && found === 'integer'));
  if (fits) return undefined;
  const detail = `${path} in body must be of type ${wanted}: ${JSON.stringify(found)}`;
  return typeInvalid(path, found, detail);
}

/** The name of a value's type as messages have it. */
export function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

/** What a value itself must be, without a look at its members. */
function checkBounds(schema: JsonSchema, value: unknown, { path, errors }: Place): void {
  if (typeof value === 'string') errors.push(...textErrors(schema, value, path));
  else if (typeof value === 'number') errors.push(...numberErrors(schema, value, path));
  if (schema.enum !== undefined && !schema.enum.some((allowed) => equalJson(allowed, value))) {
    const texts = schema.enum.map((allowed) => (typeof allowed === 'string' ? allowed : JSON.stringify(allowed)));
    errors.push(notSupported(path, value, texts));
  }
}

function textErrors(schema: JsonSchema, text: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { minLength = 0, maxLength, pattern, format } = schema;
  const length = maxLength !== undefined || minLength > 0 ? charactersOf(text) : 0;
  if (maxLength !== undefined && length > maxLength) errors.push(tooLong(path, maxLength));
  if (length < minLength)
    errors.push(invalidValue(path, text, `${path} in body should be at least ${minLength} chars long`));
  if (pattern !== undefined && pattern !== '') errors.push(...checkPattern(pattern, text, path));
  if (format !== undefined && format !== '' && !hasFormat(format, text))
    errors.push(invalidValue(path, text, `${path} in body must be of type ${format}: ${JSON.stringify(text)}`));
  return errors;
}

function checkPattern(pattern: string, text: string, path: string): readonly FieldError[] {
  if (isTooLongFor(pattern, text)) return [invalidValue(path, text, `${path} in body is too long for its pattern`)];
  return matchesPattern(pattern, text) ? [] : [invalidValue(path, text, `${path} in body should match '${pattern}'`)];
}

/** Unicode code points, as Go counts runes. */
function charactersOf(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function numberErrors(schema: JsonSchema, value: number, path: string): FieldError[] {
  const { maximum, minimum, exclusiveMaximum = false, exclusiveMinimum = false, multipleOf } = schema;
  const errors: FieldError[] = [];
  const refuse = (text: string): unknown => errors.push(invalidValue(path, value, `${path} in body should be ${text}`));
  if (multipleOf !== undefined && multipleOf > 0 && !isMultiple(value, multipleOf))
    refuse(`a multiple of ${multipleOf}`);
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum))
    refuse(exclusiveMaximum ? `less than ${maximum}` : `less than or equal to ${maximum}`);
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum))
    refuse(exclusiveMinimum ? `greater than ${minimum}` : `greater than or equal to ${minimum}`);
  return errors;
}

function isMultiple(value: number, factor: number): boolean {
  const ratio = value / factor;
  return Number.isInteger(ratio) || Math.abs(ratio - Math.round(ratio)) < 1e-9 * Math.max(1, Math.abs(ratio));
}

function checkItems(schema: JsonSchema, value: readonly unknown[], place: Place): void {
  const { path, errors } = place;
  const { maxItems, minItems = 0, uniqueItems } = schema;
  if (maxItems !== undefined && value.length > maxItems) errors.push(tooMany(path, value.length, maxItems));
  if (value.length < minItems)
    errors.push(invalidValue(path, value.length, `${path} in body should have at least ${minItems} items`));
  if (uniqueItems === true && hasDuplicates(value))
    errors.push(invalidValue(path, value, `${path} in body shouldn't contain duplicates`));
  const items = itemsOf(schema);
  if (items === undefined) return;
  const before = oldItems(schema, place.old);
  for (const [position, item] of value.entries()) {
    check(items, item, { path: `${path}[${position}]`, errors, old: before?.(item) });
    if (errors.length >= MAX_ERRORS) return;
  }
}

function hasDuplicates(value: readonly unknown[]): boolean {
  const seen = new Set(value.map((item) => JSON.stringify(item)));
  return seen.size < value.length;
}

/** Finds the former form of a member of a map-like list by its key; members of other lists have none. */
function oldItems(schema: JsonSchema, old: unknown): ((item: unknown) => unknown) | undefined {
  if (!Array.isArray(old) || schema['x-kubernetes-list-type'] !== 'map') return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const found = new Map(old.map((item) => [keyOfItem(item, keys), item]));
  return (item) => found.get(keyOfItem(item, keys));
}

function checkFields(schema: JsonSchema, value: Fields, place: Place): void {
  const { path, errors } = place;
  const { maxProperties, minProperties = 0 } = schema;
  const names = Object.keys(value);
  if (maxProperties !== undefined && names.length > maxProperties)
    errors.push(tooMany(path, names.length, maxProperties));
  if (names.length < minProperties)
    errors.push(invalidValue(path, names.length, `${path} in body should have at least ${minProperties} properties`));
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(value, name)) errors.push(required(fieldPath(path, name)));
  if (isEmbedded(schema)) errors.push(...identityErrors(value, path));
  const additional = additionalOf(schema);
  const old = isFields(place.old) ? place.old : undefined;
  for (const name of names) {
    const known = propertyOf(schema, name) ?? additional;
    if (known === undefined) continue;
    const before = old !== undefined && Object.hasOwn(old, name) ? old[name] : undefined;
    check(known, value[name], { path: fieldPath(path, name), errors, old: before });
    if (errors.length >= MAX_ERRORS) return;
  }
}

/** An embedded resource says what it is. */
function identityErrors(value: Fields, path: string): FieldError[] {
  return ['apiVersion', 'kind'].flatMap((name) => {
    const given = value[name];
    if (typeof given === 'string' && given !== '') return [];
    const place = fieldPath(path, name);
    return given === undefined || given === null || given === ''
      ? [required(place, 'must not be empty')]
      : [
          typeInvalid(
            place,
            typeOf(given),
            `${place} in body must be of type string: ${JSON.stringify(typeOf(given))}`,
          ),
        ];
  });
}

/** allOf, anyOf, oneOf and not. What was wrong with the closest alternative is told too. */
function checkJunctors(schema: JsonSchema, value: unknown, place: Place): void {
  const { path, errors } = place;
  const { allOf = [], anyOf = [], oneOf = [], not } = schema;
  const refuse = (text: string): unknown => errors.push(invalidValue(path, '', `${JSON.stringify(path)} ${text}`));
  if (anyOf.length > 0) {
    const tries = anyOf.map((each) => errorsOf(each, value, path));
    if (tries.every((found) => found.length > 0)) {
      refuse('must validate at least one schema (anyOf)');
      errors.push(...closest(tries));
    }
  }
  if (oneOf.length > 0) {
    const tries = oneOf.map((each) => errorsOf(each, value, path));
    const valid = tries.filter((found) => found.length === 0).length;
    if (valid === 0) {
      refuse('must validate one and only one schema (oneOf). Found none valid');
      errors.push(...closest(tries));
    } else if (valid > 1) refuse(`must validate one and only one schema (oneOf). Found ${valid} valid alternatives`);
  }
  if (allOf.length > 0) {
    const tries = allOf.map((each) => errorsOf(each, value, path));
    if (tries.some((found) => found.length > 0)) {
      refuse('must validate all the schemas (allOf)');
      errors.push(...tries.flat());
    }
  }
  if (not !== undefined && errorsOf(not, value, path).length === 0) refuse('must not validate the schema (not)');
}

function errorsOf(schema: JsonSchema, value: unknown, path: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  check(schema, value, { path, errors });
  return errors;
}

/** The errors of the alternative that has the fewest. */
function closest(tries: readonly (readonly FieldError[])[]): readonly FieldError[] {
  return tries.reduce((best, each) => (each.length < best.length ? each : best));
}
