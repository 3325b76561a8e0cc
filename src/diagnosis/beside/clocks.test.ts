import { expect, it } from 'vitest';
import { withClock } from './clocks.ts';
import { pod } from '../evidence.fixtures.ts';
import type { Diagnosis } from '../finding.ts';

const given = (says: string): Diagnosis => ({
  apiVersion: 'mendlet.dev/v1alpha1',
  kind: 'Diagnosis',
  subject: { kind: 'pod', name: 'api-1' },
  state: 'Running',
  asWanted: true,
  findings: [{ id: 'fails-again', severity: 'warning', says, evidence: [], try: [] }],
  notLookedAt: [],
});
const zone = (name: string, value: string): ReturnType<typeof pod> =>
  pod({ name, container: { env: [{ name: 'TZ', value }] } });
const EARLY = 'it rejects: ImmatureSignatureError: The token is not yet valid (iat)';

it('names the pod with a zone of its own', () => {
  expect(
    withClock(given(EARLY), [pod(), zone('auth-1', 'Europe/Berlin'), zone('web-1', 'UTC')]).findings[0]?.says,
  ).toBe(`${EARLY}; pod auth-1 has the time zone Europe/Berlin (TZ), and times of tokens are in UTC`);
});

it.each<[string, Diagnosis, readonly ReturnType<typeof pod>[]]>([
  ['of what is no zone', given(EARLY), [zone('auth-1', '\u001b]0;x\u0007'), zone('web-1', 'x'.repeat(5000))]],
  ['in UTC', given(EARLY), [zone('auth-1', 'Etc/UTC')]],
  ['of two zones', given(EARLY), [zone('auth-1', 'Europe/Berlin'), zone('web-1', 'Asia/Tokyo')]],
  ['of another finding', given('it rejects: the token has expired'), [zone('auth-1', 'Europe/Berlin')]],
])('names nobody %s', (_what, diagnosis, pods) => {
  expect(withClock(diagnosis, pods)).toEqual(diagnosis);
});
