/**
 * What a webhook that converts objects is sent, and what of its answer is believed (upstream: apiextensions-apiserver/pkg/apiserver/
 * conversion/webhook_converter.go). Pure.
 */
import type { FieldError } from '../field-error.ts';
import { isFields } from '../structural/json-schema.ts';
import { validateAnnotations, validateLabels } from '../validation/object-meta.ts';
import type { Conversion } from './definition.ts';

const GROUP = 'apiextensions.k8s.io';
export type ReviewVersion = 'v1' | 'v1beta1';

/** What went wrong, by upstream's words for it in metrics. */
export type ConversionFault =
  | 'conversion_webhook_call_failure'
  | 'conversion_webhook_malformed_response_failure'
  | 'conversion_webhook_partial_response_failure'
  | 'conversion_webhook_invalid_converted_object_failure';

/** The message is what comes behind "conversion webhook for KIND ". */
export class ConversionError extends Error {
  override readonly name = 'ConversionError';
  readonly fault: ConversionFault;

  constructor(fault: ConversionFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}

/** The first version of the review that both sides speak; validation refuses a definition without one. */
export function reviewVersionOf({ webhook }: Conversion): ReviewVersion | undefined {
  return webhook?.conversionReviewVersions.find((version) => version === 'v1' || version === 'v1beta1');
}

/** @param objects the JSON of each */
export function conversionReview(
  version: ReviewVersion,
  request: { readonly uid: string; readonly desired: string; readonly objects: readonly string[] },
): string {
  const head = JSON.stringify({ kind: 'ConversionReview', apiVersion: `${GROUP}/${version}` });
  const { uid, desired, objects } = request;
  const asked = JSON.stringify({ uid, desiredAPIVersion: desired });
  return `${head.slice(0, -1)},"request":${asked.slice(0, -1)},"objects":[${objects.join(',')}]}}`;
}

/**
 * The objects of an answer, as they are. `answer`: its JSON, decoded.
 * @throws ConversionError
 */
export function readReview(version: ReviewVersion, uid: string, answer: unknown): readonly unknown[] {
  const fail = (text: string): never => {
    throw new ConversionError('conversion_webhook_malformed_response_failure', `failed: ${text}`);
  };
  const review = isFields(answer) ? answer : {};
  const wanted = `${GROUP}/${version}, Kind=ConversionReview`;
  const given = `${textOf(review['apiVersion'])}, Kind=${textOf(review['kind'])}`;
  if (version === 'v1' && given !== wanted) fail(`expected webhook response of ${wanted}, got ${given}`);
  const { response } = review;
  if (!isFields(response)) return fail('no response provided');
  const answered = textOf(response['uid']);
  if (version === 'v1' && answered !== uid)
    fail(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered)}`);
  const result = isFields(response['result']) ? response['result'] : {};
  const status = textOf(result['status']);
  if (status !== 'Success') fail(textOf(result['message']) || `response.result.status was '${status}', not 'Success'`);
  const { convertedObjects } = response;
  return Array.isArray(convertedObjects) ? convertedObjects : [];
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The converted object, if it is the same one in the wanted version: all of its metadata but labels and annotations are those of the
 * original, whatever the webhook says.
 * @param position in the list that was sent; undefined: it was sent alone
 * @throws ConversionError
 */
export function checkConverted(original: Fields, given: unknown, wanted: string, position?: number): Fields {
  const isAlone = position === undefined;
  const fail = (text: string): never => {
    throw new ConversionError('conversion_webhook_invalid_converted_object_failure', text);
  };
  const what = isAlone ? 'returned invalid object' : `returned invalid converted object at index ${position}`;
  const at = isAlone ? `${what} at index 0` : what;
  if (!isFields(given)) return fail(`${at}: it is no object`);
  const apiVersion = textOf(given['apiVersion']);
  if (apiVersion !== wanted) fail(`${at}: invalid groupVersion (expected ${wanted}, received ${apiVersion})`);
  const [kind, received] = [textOf(original['kind']), textOf(given['kind'])];
  if (kind !== received) fail(`${at}: invalid kind (expected ${kind}, received ${received})`);
  const [before, after] = [original['metadata'], given['metadata']].map((value) => (isFields(value) ? value : {}));
  for (const [field, name] of SAME) {
    const [expected, actual] = [textOf(before?.[field]), textOf(after?.[field])];
    if (expected !== actual) fail(`${what}: must have the same ${name}: ${expected} != ${actual}`);
  }
  const problem = metadataProblem(before ?? {}, given['metadata']);
  if (problem !== undefined)
    fail(`returned invalid metadata${isAlone ? '' : ` in object at index ${position}`}: ${problem}`);
  return { ...given, metadata: restored(before ?? {}, after ?? {}) };
}

const SAME = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;
const FREE = ['labels', 'annotations'] as const;

/** What is wrong with the labels and annotations of a converted object. */
function metadataProblem(before: Fields, given: unknown): string | undefined {
  if (given === undefined) return 'missing metadata in converted object';
  if (!isFields(given)) return `invalid metadata of type ${goType(given)} in converted object`;
  for (const field of FREE) {
    const value = given[field];
    if (value === undefined || value === null) continue;
    if (!isFields(value)) return `invalid metadata.${field} of type ${goType(value)} in converted object`;
    const wrong = Object.entries(value).find(([, text]) => typeof text !== 'string');
    if (wrong !== undefined)
      return `metadata.${field}[${wrong[0]}] must be a string, but is ${goType(wrong[1])} in converted object`;
    const errors = sameTexts(before[field], value) ? [] : fieldErrors(field, value as Record<string, string>);
    if (errors.length > 0) return aggregate(errors);
  }
  return undefined;
}

function fieldErrors(field: (typeof FREE)[number], value: Readonly<Record<string, string>>): readonly FieldError[] {
  return field === 'labels'
    ? validateLabels(value, 'metadata.labels')
    : validateAnnotations(value, 'metadata.annotation');
}

function aggregate(errors: readonly FieldError[]): string {
  const texts = errors.map(({ field, body }) => `${field}: ${body}`);
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}

function sameTexts(before: unknown, after: Fields): boolean {
  const old = isFields(before) ? before : {};
  const names = Object.keys(after);
  return names.length === Object.keys(old).length && names.every((name) => old[name] === after[name]);
}

function restored(before: Fields, after: Fields): Fields {
  const { labels: _, annotations: __, ...kept } = before;
  const free = FREE.flatMap((field) => (isFields(after[field]) ? [[field, after[field]] as const] : []));
  return { ...kept, ...Object.fromEntries(free) };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The name of a decoded value's type in upstream's words. */
function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
