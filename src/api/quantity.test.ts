import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  QuantityError,
  quantityMilliValue,
  quantityValue,
  subtractQuantities,
} from './quantity.ts';

describe('canonicalQuantity', () => {
  it.each([
    ['0', '0'],
    ['0.0', '0'],
    ['100m', '100m'],
    ['0.1', '100m'],
    ['.5', '500m'],
    // Upstream keeps the spelling of what looks canonical to its parser.
    ['5.', '5.'],
    ['01', '01'],
    ['1.000', '1'],
    ['1.500', '1.500'],
    [' 1 ', '1'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['1000', '1k'],
    ['1024', '1024'],
    ['1024Mi', '1Gi'],
    ['1536Mi', '1536Mi'],
    ['1.5Gi', '1536Mi'],
    ['512Ki', '512Ki'],
    ['1023', '1023'],
    ['0.5Ki', '512'],
    ['0.5Mi', '512Ki'],
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['12e4', '120e3'],
    ['1e-3', '1e-3'],
    ['1E', '1E'],
    ['-1.5', '-1500m'],
    ['+5', '+5'],
    ['1n', '1n'],
    ['0.1n', '1n'],
    ['1.1Ki', '1126400m'],
    // Only values with a binary suffix are capped.
    ['99999999999999999999', '99999999999999999999'],
    ['8Ei', '9223372036854775807'],
    ['1e19', '10e18'],
    [2, '2'],
    [0.5, '500m'],
    [1e21, '1e+21'],
  ])('%s is %s', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
  });

  it.each(['', ' ', '1 Gi', 'x', '1.2.3', '.', '1Xi', '1mi', '--1', '1e', 'Ki', '1'.repeat(300)])(
    'refuses %j',
    (text) => {
      expect(() => parseQuantity(text)).toThrow(QuantityError);
    },
  );

  it('survives its own text', () => {
    const format = fc.constantFrom('DecimalSI' as const, 'BinarySI' as const, 'DecimalExponent' as const);
    const nano = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n });
    fc.assert(
      fc.property(nano, format, (value, kind) => {
        const text = formatQuantity({ nano: value, format: kind });
        expect(parseQuantity(text).nano).toBe(value);
        expect(canonicalQuantity(text)).toBe(text);
      }),
    );
  });
});

describe('arithmetic', () => {
  it.each([
    ['1500m', 2, 1500],
    ['1', 1, 1000],
    ['1Gi', 1073741824, 1073741824000],
    ['-1500m', -2, -1500],
    ['1n', 1, 1],
  ])('%s is %d, %d milli', (text, value, milli) => {
    expect(quantityValue(text)).toBe(value);
    expect(quantityMilliValue(text)).toBe(milli);
  });

  it('keeps the format of the first that is not zero', () => {
    expect(addQuantities('1Gi', '1Gi')).toBe('2Gi');
    expect(addQuantities('0', '1Gi')).toBe('1Gi');
    expect(addQuantities('100m', '0.9')).toBe('1');
    expect(subtractQuantities('1Gi', '512Mi')).toBe('512Mi');
    expect(subtractQuantities('1', '1')).toBe('0');
  });

  it('compares by value', () => {
    expect(compareQuantities('1', '1000m')).toBe(0);
    expect(compareQuantities('1Ki', '1k')).toBe(1);
    expect(compareQuantities('-1', '0')).toBe(-1);
  });
});
