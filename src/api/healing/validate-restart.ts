/** Validates a requested restart; the object and the annotation share these fields. */
import { child, type FieldError, forbiddenField, invalidValue, required, tooLong } from '../field-error.ts';
import { checkDns1123Label } from '../names.ts';
import { checkValue, notNegative, oneOf } from '../validation/messages.ts';
import { MAX_RESTART_REASON_LENGTH } from './limits.ts';
import type { PodRestartSpec, RestartScope } from './types.ts';
import { validateEmptyDirs } from './validate-policy.ts';

const SCOPES: readonly RestartScope[] = ['container', 'containers', 'pod'];

type Fields = Pick<PodRestartSpec, 'scope' | 'container' | 'reason' | 'gracePeriodSeconds' | 'emptyDirs'>;

/** @param fields with the scope that holds, default or not */
export function validateRestartFields(fields: Fields, path: string): FieldError[] {
  const { scope, reason = '' } = fields;
  return [
    ...oneOf(child(path, 'scope'), scope, SCOPES),
    ...validateContainer(fields, child(path, 'container')),
    ...(reason.length > MAX_RESTART_REASON_LENGTH ? [tooLong(child(path, 'reason'), MAX_RESTART_REASON_LENGTH)] : []),
    ...notNegative(child(path, 'gracePeriodSeconds'), fields.gracePeriodSeconds),
    ...validateEmptyDirs(fields.emptyDirs, scope, child(path, 'emptyDirs')),
  ];
}

function validateContainer({ scope, container }: Fields, path: string): FieldError[] {
  if (scope === 'container') {
    if (!container) return [required(path, 'scope "container" needs the name of one')];
    return checkValue(path, container, checkDns1123Label);
  }
  return container === undefined ? [] : [forbiddenField(path, 'only with scope "container"')];
}

/** For texts that identify a request. */
export function checkRestartId(id: string, path: string, maxLength: number): FieldError[] {
  if (id.length > maxLength) return [tooLong(path, maxLength)];
  return /^[\w.:/@+-]+$/.test(id)
    ? []
    : [invalidValue(path, id, 'must be of letters, digits and the signs - _ . : / @ + alone')];
}
