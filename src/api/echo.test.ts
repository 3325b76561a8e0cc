import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_MESSAGE_CHARACTERS, shorten, shortenStatus } from './echo.ts';
import { duplicate, invalidValue, notFoundValue, notSupported, typeInvalid } from './field-error.ts';
import { invalid, notFound, statusErrorFromResponse } from './status-error.ts';

describe('shorten', () => {
  it('leaves alone what is short enough, and says of the rest how much is missing', () => {
    expect(shorten('x'.repeat(256))).toBe('x'.repeat(256));
    expect(shorten(`${'a'.repeat(500)}${'z'.repeat(500)}`, 100)).toBe(
      `${'a'.repeat(54)}…(928 characters left out)…${'z'.repeat(18)}`,
    );
  });

  it('is never longer than asked, parts no pair, and changes nothing a second time', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 2000 }),
      fc.string({ unit: 'grapheme', size: 'large' }),
    );
    fc.assert(
      fc.property(texts, fc.integer({ min: 64, max: 500 }), (text, max) => {
        const short = shorten(text, max);
        expect(short.length).toBeLessThanOrEqual(max);
        expect(shorten(short, max)).toBe(short);
        if (text.isWellFormed()) expect(short.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('a refusal', () => {
  const HUGE = 'x'.repeat(3_000_000);

  it('says what is wrong after a value that was too long to repeat', () => {
    for (const error of [
      invalidValue('a', HUGE, 'must be short'),
      invalidValue('a', { b: [HUGE] }, 'must be short'),
      typeInvalid('a', [HUGE], 'must be short'),
      notFoundValue('a', HUGE, 'must be short'),
    ]) {
      expect(error.body).toMatch(/x…\(\d+ characters left out\)…x+.*: must be short$/);
      expect(error.body.length).toBeLessThan(400);
    }
    expect(notSupported('a', HUGE, ['b']).body).toMatch(/: supported values: "b"$/);
    expect(duplicate('a', HUGE).body.length).toBeLessThan(400);
  });

  it('is small with a hundred thousand errors of huge fields, and the last words are those of its message', () => {
    const errors = Array.from({ length: 100_000 }, (_, i) => invalidValue(`${HUGE.slice(0, 3000)}${i}`, HUGE, HUGE));
    const { status } = invalid({ group: HUGE, kind: 'Thing' }, HUGE, errors);
    expect(JSON.stringify(status).length).toBeLessThan(128 * 1024);
    expect(status.message).toMatch(/ and 99900 more errors$/);
    expect(status.details?.causes?.length).toBeGreaterThan(5);
  });

  it('keeps whole what nobody sent too long', () => {
    const name = `${'a'.repeat(63)}.`.repeat(4).slice(0, 253);
    expect(notFound({ group: 'apps', resource: 'deployments' }, name).status).toMatchObject({
      message: `deployments.apps "${name}" not found`,
      details: { name, group: 'apps', kind: 'deployments' },
    });
  });

  it('of another server is bounded, too, and need not be well made', () => {
    const told = { kind: 'Status', status: 'Failure', message: HUGE, details: { causes: [{ message: HUGE }] } };
    const error = statusErrorFromResponse(500, told);
    expect(error.message.length).toBe(MAX_MESSAGE_CHARACTERS);
    expect(JSON.stringify(error.status).length).toBeLessThan(128 * 1024);
    for (const odd of [
      { message: 1 },
      { details: 'no' },
      { details: { causes: 5, name: {} } },
      { details: { causes: [null] } },
    ])
      expect(() => statusErrorFromResponse(500, { kind: 'Status', status: 'Failure', ...odd })).not.toThrow();
    expect(shortenStatus({})).toEqual({});
  });
});
