import { describe, expect, it } from 'vitest';
import { invalidValue, required } from './field-error.ts';
import { PODS } from './resources.ts';
import {
  alreadyExists,
  conflict,
  expired,
  forbidden,
  internalError,
  invalid,
  isConflict,
  isExpired,
  isNotFound,
  methodNotAllowed,
  notFound,
  statusErrorFromResponse,
  tooManyRequests,
  unauthorized,
} from './status-error.ts';

const DEPLOYMENTS = { group: 'apps', resource: 'deployments' };

describe('status errors', () => {
  it.each([
    [notFound(PODS, 'x'), 404, 'NotFound', 'pods "x" not found'],
    [notFound(DEPLOYMENTS, 'x'), 404, 'NotFound', 'deployments.apps "x" not found'],
    [alreadyExists(PODS, 'x'), 409, 'AlreadyExists', 'pods "x" already exists'],
    [
      conflict(PODS, 'x'),
      409,
      'Conflict',
      'Operation cannot be fulfilled on pods "x": the object has been modified; please apply your changes to the latest version and try again',
    ],
    [forbidden(PODS, 'x', 'no'), 403, 'Forbidden', 'pods "x" is forbidden: no'],
    [forbidden(PODS, '', 'no'), 403, 'Forbidden', 'pods is forbidden: no'],
    [forbidden(undefined, '', 'no'), 403, 'Forbidden', 'forbidden: no'],
    [unauthorized(), 401, 'Unauthorized', 'Unauthorized'],
    [methodNotAllowed(PODS, 'delete'), 405, 'MethodNotAllowed', 'delete is not supported on resources of kind "pods"'],
    [internalError('boom'), 500, 'InternalError', 'Internal error occurred: boom'],
    [
      invalid({ group: '', kind: 'Pod' }, 'x', [required('spec.a')]),
      422,
      'Invalid',
      'Pod "x" is invalid: spec.a: Required value',
    ],
    [
      invalid({ group: 'apps', kind: 'Deployment' }, 'x', [
        required('a', 'why'),
        required('a', 'why'),
        invalidValue('b', 1, 'bad'),
      ]),
      422,
      'Invalid',
      'Deployment.apps "x" is invalid: [a: Required value: why, b: Invalid value: 1: bad]',
    ],
  ])('%s', (error, code, reason, message) => {
    expect([error.code, error.reason, error.message]).toEqual([code, reason, message]);
  });

  it('carries details as upstream does', () => {
    expect(notFound(PODS, 'x').status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'pods "x" not found',
      reason: 'NotFound',
      details: { name: 'x', kind: 'pods' },
      code: 404,
    });
    expect(invalid({ group: '', kind: 'Pod' }, 'x', [invalidValue('spec.a', 'v', 'bad')]).status.details).toEqual({
      name: 'x',
      kind: 'Pod',
      causes: [{ reason: 'FieldValueInvalid', message: 'Invalid value: "v": bad', field: 'spec.a' }],
    });
    expect(tooManyRequests('slow down', 2).status.details).toEqual({ retryAfterSeconds: 2 });
  });

  it('tells reasons apart', () => {
    expect(isNotFound(notFound(PODS, 'x'))).toBe(true);
    expect(isConflict(alreadyExists(PODS, 'x'))).toBe(false);
    expect(isExpired(expired('old'))).toBe(true);
    expect(isNotFound(new Error('pods "x" not found'))).toBe(false);
  });

  it('makes an error of any answer', () => {
    expect(statusErrorFromResponse(404, notFound(PODS, 'x').status).message).toBe('pods "x" not found');
    expect(statusErrorFromResponse(503, 'not yet')).toMatchObject({
      code: 503,
      reason: 'ServiceUnavailable',
      message: 'not yet',
    });
    expect(statusErrorFromResponse(502, undefined)).toMatchObject({ code: 502, reason: 'InternalError' });
  });
});
