/**
 * `StatusError`: the API's answer "no", as an exception; and one builder per reason with upstream's exact code, reason,
 * message and details (apimachinery `pkg/api/errors`), because kubectl and controllers read them.
 */
import { MAX_CAUSE_CHARACTERS, shorten, shortenStatus } from './echo.ts';
import { type FieldError, printFieldErrors } from './field-error.ts';
import type { Status, StatusCause, StatusDetails } from './types.gen.ts';

/** The subject of an error: `Resource` and `ResourceRow` fit. */
export interface QualifiedResource {
  readonly group: string;
  /** Plural. */
  readonly resource: string;
}

export interface QualifiedKind {
  readonly group: string;
  readonly kind: string;
}

/** Message of a conflict on resourceVersion. */
export const OPTIMISTIC_LOCK_MESSAGE =
  'the object has been modified; please apply your changes to the latest version and try again';

export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status;
  constructor(status: Status, options?: ErrorOptions) {
    const bounded = shortenStatus(status);
    super(bounded.message ?? bounded.reason ?? 'unknown', options);
    this.status = bounded;
  }
  /** HTTP status code. */
  get code(): number {
    return this.status.code ?? 500;
  }
  /** "NotFound", "Conflict" …; '' when the server gave none. */
  get reason(): string {
    return this.status.reason ?? '';
  }
}

/** True for a `StatusError` with this reason. */
export function hasReason(error: unknown, reason: string): error is StatusError {
  return error instanceof StatusError && error.reason === reason;
}

export const isNotFound = (error: unknown): error is StatusError => hasReason(error, 'NotFound');
export const isAlreadyExists = (error: unknown): error is StatusError => hasReason(error, 'AlreadyExists');
/**
 * A patch named the uid that its object had, and another object has the name by now: a field that may not change (422, as
 * upstream's patches have it).
 */
export function namesOtherUid(error: unknown): boolean {
  if (!hasReason(error, 'Invalid')) return false;
  return error.status.details?.causes?.some(({ field }) => field === 'metadata.uid') === true;
}

export const isConflict = (error: unknown): error is StatusError => hasReason(error, 'Conflict');
/** A watch or continued list can not go on: list again. */
export const isExpired = (error: unknown): error is StatusError =>
  hasReason(error, 'Expired') || hasReason(error, 'Gone');

export function notFound(resource: QualifiedResource, name: string): StatusError {
  return failure(404, 'NotFound', `${printResource(resource)} ${quote(name)} not found`, about(resource, name));
}

/** No such path: upstream's answer for a resource that it doesn't serve. */
export function notFoundPath(): StatusError {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function alreadyExists(resource: QualifiedResource, name: string): StatusError {
  return failure(
    409,
    'AlreadyExists',
    `${printResource(resource)} ${quote(name)} already exists`,
    about(resource, name),
  );
}

export function conflict(resource: QualifiedResource, name: string, message = OPTIMISTIC_LOCK_MESSAGE): StatusError {
  const text = `Operation cannot be fulfilled on ${printResource(resource)} ${quote(name)}: ${message}`;
  return failure(409, 'Conflict', text, about(resource, name));
}

export function applyConflict(causes: readonly StatusCause[], message: string): StatusError {
  return failure(409, 'Conflict', message, { causes: [...causes] });
}

/** Errors that one answer names: the first of a hundred thousand say enough. */
const MAX_FIELD_ERRORS = 100;

export function invalid(kind: QualifiedKind, name: string, all: readonly FieldError[]): StatusError {
  const errors = all.slice(0, MAX_FIELD_ERRORS).map(shortenError);
  const qualified = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const more = all.length > errors.length ? ` and ${all.length - errors.length} more errors` : '';
  const text = errors.length === 0 ? '' : `: ${printFieldErrors(errors)}${more}`;
  return failure(422, 'Invalid', `${qualified} ${quote(name)} is invalid${text}`, {
    name,
    group: kind.group,
    kind: kind.kind,
    causes: errors.map((error) => ({ reason: error.type, message: error.body, field: error.field })),
  });
}

/** What a check says may hold what it was given, as well as the value that `field-error.ts` prints. */
function shortenError({ type, field, body }: FieldError): FieldError {
  return { type, field: shorten(field, MAX_CAUSE_CHARACTERS), body: shorten(body, MAX_CAUSE_CHARACTERS) };
}

export function badRequest(message: string): StatusError {
  return failure(400, 'BadRequest', message);
}

export function expired(message: string): StatusError {
  return failure(410, 'Expired', message);
}

export function gone(message: string): StatusError {
  return failure(410, 'Gone', message);
}

export function forbidden(resource: QualifiedResource | undefined, name: string, message: string): StatusError {
  if (resource === undefined) return failure(403, 'Forbidden', `forbidden: ${message}`, {});
  const subject = name === '' ? printResource(resource) : `${printResource(resource)} ${quote(name)}`;
  return failure(403, 'Forbidden', `${subject} is forbidden: ${message}`, about(resource, name));
}

export function unauthorized(message = 'Unauthorized'): StatusError {
  return failure(401, 'Unauthorized', message);
}

export function methodNotAllowed(resource: QualifiedResource | undefined, action: string): StatusError {
  if (resource === undefined) {
    return failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
  }
  const text = `${action} is not supported on resources of kind ${quote(printResource(resource))}`;
  return failure(405, 'MethodNotAllowed', text, { group: resource.group, kind: resource.resource });
}

export function notAcceptable(accepted: readonly string[]): StatusError {
  return failure(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);
}

/** 406 for a form that the answer cannot have, whatever its media type. */
export function formNotAcceptable(message: string): StatusError {
  return failure(406, 'NotAcceptable', message);
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const text = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return failure(415, 'UnsupportedMediaType', text);
}

export function tooManyRequests(message: string, retryAfterSeconds: number): StatusError {
  return failure(429, 'TooManyRequests', message, { retryAfterSeconds });
}

export function timeout(message: string, retryAfterSeconds = 0): StatusError {
  return failure(504, 'Timeout', `Timeout: ${message}`, { retryAfterSeconds });
}

/** The server could not finish in time; the client may try again. */
export function serverTimeout(resource: QualifiedResource, operation: string, retryAfterSeconds: number): StatusError {
  const text = `The ${operation} operation against ${printResource(resource)} could not be completed at this time, please try again.`;
  return failure(500, 'ServerTimeout', text, { ...about(resource, operation), retryAfterSeconds });
}

export function internalError(message: string, options?: ErrorOptions): StatusError {
  const details = { causes: [{ message }] };
  return failure(500, 'InternalError', `Internal error occurred: ${message}`, details, options);
}

export function serviceUnavailable(message: string): StatusError {
  return failure(503, 'ServiceUnavailable', message);
}

/** The server is too busy; the client may try again. */
export function serviceUnavailableFor(message: string, retryAfterSeconds: number): StatusError {
  return failure(503, 'ServiceUnavailable', message, { retryAfterSeconds });
}

/** The client took too long to send its request (upstream's servers end the connection without a word). */
export function requestTimeout(message: string): StatusError {
  return failure(408, 'Timeout', message);
}

/** Upstream's servers answer so, too, without a Status. */
export function requestHeadersTooLarge(message: string): StatusError {
  return failure(431, 'RequestHeaderFieldsTooLarge', message);
}

export function requestEntityTooLarge(message: string): StatusError {
  return failure(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
}

/** The error of an answer's body: a `Status` as it is, anything else by its HTTP code (never undefined). */
export function statusErrorFromResponse(code: number, body: unknown): StatusError {
  if (isFailureStatus(body)) return new StatusError({ code, ...body });
  const text = typeof body === 'string' ? body : '';
  const message =
    text === '' ? `the server responded with the status code ${code} but did not return more information` : text;
  return failure(code, REASONS[code] ?? (code >= 500 ? 'InternalError' : 'Unknown'), message, {});
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function isFailureStatus(body: unknown): body is Status {
  return (
    typeof body === 'object' &&
    body !== null &&
    'kind' in body &&
    body.kind === 'Status' &&
    'status' in body &&
    body.status === 'Failure'
  );
}

function failure(
  code: number,
  reason: string,
  message: string,
  details?: StatusDetails,
  options?: ErrorOptions,
): StatusError {
  const status: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason };
  if (details !== undefined) status.details = dropEmpty(details);
  status.code = code;
  return new StatusError(status, options);
}

/** As `omitempty` does. */
function dropEmpty(details: StatusDetails): StatusDetails {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== '' && value !== 0));
}

function about(resource: QualifiedResource, name: string): StatusDetails {
  return { name, group: resource.group, kind: resource.resource };
}

/** "pods", "deployments.apps" */
function printResource(resource: QualifiedResource): string {
  const { resource: plural, group } = resource;
  return group === '' ? shorten(plural) : `${shorten(plural)}.${shorten(group)}`;
}

function quote(text: string): string {
  return JSON.stringify(shorten(text));
}
