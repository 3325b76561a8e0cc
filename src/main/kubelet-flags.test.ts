import { expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../kubelet/index.ts';
import { withFlags } from './kubelet-flags.ts';

it.each([
  [{ runtimeEvents: true }, { mode: 'auto', eventedRelistPeriodMs: 10_000 }],
  [{ runtimeEvents: false }, { mode: 'generic', eventedRelistPeriodMs: 10_000 }],
  [
    { runtimeEvents: true, pleg: 'evented', plegRelistPeriod: 300_000 },
    { mode: 'evented', eventedRelistPeriodMs: 300_000 },
  ],
] as const)('%j', (flags, pleg) => {
  expect(withFlags(DEFAULT_SETTINGS, flags).pleg).toMatchObject(pleg);
});
