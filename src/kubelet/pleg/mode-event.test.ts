import { expect, it } from 'vitest';
import { modeEvent } from './mode-event.ts';

it.each([
  ['the start', { mode: 'evented', reason: '', failed: false }, undefined],
  ['a runtime without events', { mode: 'generic', reason: 'none', failed: false }, undefined],
  ['failed streams', { mode: 'generic', before: 'evented', reason: 'down', failed: true }, 'EventedPLEGFailed'],
  ['streams that failed from the start', { mode: 'generic', reason: 'down', failed: true }, 'EventedPLEGFailed'],
  ['the return', { mode: 'evented', before: 'generic', reason: 'down', failed: false }, 'EventedPLEGRestored'],
] as const)('of %s', (_what, change, reason) => {
  expect(modeEvent(change)?.reason).toBe(reason);
});
