import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_RESTART_REQUEST_BYTES } from './limits.ts';
import { formatRestartRequest, readRestartRequest } from './restart-request.ts';

describe('a request for a restart', () => {
  it('is of the whole pod when it says no more than its name', () => {
    expect(readRestartRequest('{"id":"1"}')).toEqual({ ok: true, request: { id: '1', scope: 'pod' } });
  });

  it('is read to the last field', () => {
    const request = {
      id: '3f2a-1',
      scope: 'pod',
      notBefore: '2026-01-02T03:04:05.600000Z',
      reason: 'new certificate',
      by: 'system:serviceaccount:ops:mender',
      gracePeriodSeconds: 0,
      force: true,
      emptyDirs: ['cache'],
      requestedAt: '2026-01-02T03:04:05.000000Z',
    } as const;
    expect(readRestartRequest(formatRestartRequest(request))).toEqual({ ok: true, request });
  });

  it.each<[unknown, string]>([
    ['{', 'is no JSON'],
    ['', 'is no JSON'],
    ['null', '<nil>: Invalid value: null: must be an object'],
    ['{}', 'id: Required value'],
    [{ id: '' }, 'id: Invalid value: "": must be of letters, digits and the signs - _ . : / @ + alone'],
    [{ id: 'x'.repeat(129) }, 'id: Too long: may not be more than 128 bytes'],
    [{ id: 1 }, 'id: Invalid value: 1: must be a string'],
    [{ id: 'a', when: 'now' }, 'when: Forbidden: unknown field'],
    [
      { id: 'a', scope: 'node' },
      'scope: Unsupported value: "node": supported values: "container", "containers", "pod"',
    ],
    [{ id: 'a', scope: 'container' }, 'container: Required value: scope "container" needs the name of one'],
    [{ id: 'a', container: 'web' }, 'container: Forbidden: only with scope "container"'],
    [
      { id: 'a', notBefore: 'soon' },
      'notBefore: Invalid value: "soon": must be a time as of RFC 3339, such as "2026-01-02T15:04:05Z"',
    ],
    [{ id: 'a', gracePeriodSeconds: -1 }, 'gracePeriodSeconds: Invalid value: -1: must be greater than or equal to 0'],
    [{ id: 'a', reason: 'x'.repeat(1025) }, 'reason: Too long: may not be more than 1024 bytes'],
    [{ id: 'a', scope: 'containers', emptyDirs: ['*'] }, 'emptyDirs: Forbidden: only scope "pod" may empty volumes'],
    [{ id: 'a', reason: 'x'.repeat(5000) }, 'is longer than 4096 bytes'],
  ])('%j is none', (value, problem) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    expect(readRestartRequest(text)).toEqual({ ok: false, problem });
  });

  it('reads what it wrote, whatever was asked for', () => {
    const text = fc.string({ maxLength: 1024, unit: 'binary' });
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,63}$/), { maxLength: 32 });
    fc.assert(
      fc.property(text, text, names, (reason, by, emptyDirs) => {
        const written = formatRestartRequest({ id: 'x'.repeat(128), scope: 'pod', reason, by, emptyDirs });
        expect(Buffer.byteLength(written)).toBeLessThanOrEqual(MAX_RESTART_REQUEST_BYTES);
        expect(readRestartRequest(written)).toMatchObject({ ok: true, request: { emptyDirs } });
      }),
    );
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.oneof(fc.json(), fc.string()), (text) => void readRestartRequest(text)));
  });
});
