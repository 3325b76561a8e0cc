import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatRecoverySignal, readRecoverySignal } from './recovery-signal.ts';

const signal = { id: 'service/shop/db@1', at: '2026-01-02T03:04:05.678Z', cause: 'service/db became ready' };

describe('a recovery signal', () => {
  it('is read as it was written', () => {
    expect(readRecoverySignal(formatRecoverySignal(signal))).toEqual({ ok: true, signal });
    expect(readRecoverySignal(JSON.stringify({ ...signal, by: 'me' }))).toEqual({ ok: true, signal });
    const long = formatRecoverySignal({ ...signal, cause: 'x'.repeat(5000) });
    expect(readRecoverySignal(long)).toMatchObject({ ok: true });
  });

  it.each<[string, string]>([
    ['now', 'is no JSON'],
    ['[]', 'must be an object'],
    ['null', 'must be an object'],
    ['{}', 'id: Required value'],
    [JSON.stringify({ ...signal, cause: 7 }), 'cause: Required value'],
    [JSON.stringify({ ...signal, at: 'soon' }), 'at: must be a time as of RFC 3339'],
    [JSON.stringify({ ...signal, id: 'x'.repeat(513) }), 'id: Too long: may not be more than 512 characters'],
  ])('%s is none', (text, problem) => expect(readRecoverySignal(text)).toEqual({ ok: false, problem }));

  it('never throws', () => {
    fc.assert(fc.property(fc.oneof(fc.json(), fc.string()), (text) => void readRecoverySignal(text)));
  });
});
