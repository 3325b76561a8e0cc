/** The annotation by which a pod's agent is asked for one restart: its reader and its writer. */
import { type FieldError, printFieldErrors } from '../field-error.ts';
import { byteLength } from '../validation/messages.ts';
import { cutText } from './cut-text.ts';
import { MAX_REQUESTER_LENGTH, MAX_RESTART_ID_LENGTH, MAX_RESTART_REQUEST_BYTES } from './limits.ts';
import { readFields } from './read-fields.ts';
import type { RestartRequest } from './types.ts';
import { checkRestartId, validateRestartFields } from './validate-restart.ts';

export type RestartRequestReading =
  | { readonly ok: true; readonly request: RestartRequest }
  /** For people: the problem of the annotation's value. */
  | { readonly ok: false; readonly problem: string };

/** The value of `mendlet.dev/restart-request`. Without a scope the whole pod is meant. */
export function readRestartRequest(text: string): RestartRequestReading {
  if (byteLength(text) > MAX_RESTART_REQUEST_BYTES)
    return { ok: false, problem: `is longer than ${MAX_RESTART_REQUEST_BYTES} bytes` };
  const value = parse(text);
  if (value === undefined) return { ok: false, problem: 'is no JSON' };
  const read = readFields('mendlet.v1alpha1.RestartRequest', value, '');
  if (read.errors.length > 0) return refuse(read.errors);
  const request = { scope: 'pod', ...read.value } as RestartRequest;
  const errors = [...checkRestartId(request.id, 'id', MAX_RESTART_ID_LENGTH), ...validateFields(request)];
  return errors.length > 0 ? refuse(errors) : { ok: true, request };
}

function validateFields({ emptyDirs, ...fields }: RestartRequest): FieldError[] {
  return validateRestartFields({ ...fields, ...(emptyDirs === undefined ? {} : { emptyDirs: [...emptyDirs] }) }, '');
}

function refuse(errors: readonly FieldError[]): RestartRequestReading {
  return { ok: false, problem: printFieldErrors(errors) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** JSON that `readRestartRequest` reads: texts that only people read are cut to fit. */
export function formatRestartRequest(request: RestartRequest): string {
  const { reason, by, ...rest } = request;
  const named = by === undefined ? rest : { ...rest, by: cutText(by, MAX_REQUESTER_LENGTH) };
  if (reason === undefined) return JSON.stringify(named);
  const room = MAX_RESTART_REQUEST_BYTES - byteLength(JSON.stringify({ ...named, reason: '' }));
  return JSON.stringify({ ...named, reason: cutText(reason, Math.max(0, room)) });
}
