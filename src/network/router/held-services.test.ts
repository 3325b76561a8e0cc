/** Which services hold new connections while their endpoint restarts, and for how long. */
import { beforeEach, expect, it } from 'vitest';
import type { EndpointSlice, Service } from '../../api/index.ts';
import type { Verdict } from '../services/local-verdicts.ts';
import { HeldServices } from './held-services.ts';

const asked: Service = { metadata: { annotations: { 'mendlet.dev/hold-connections': 'true' } } };
const slice = (ready: boolean): EndpointSlice => ({
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready }, targetRef: { kind: 'Pod', uid: 'p' } }],
});

let held: HeldServices;
beforeEach(() => {
  held = new HeldServices();
});

function look(now: number, verdict?: Verdict, slices = [slice(true)], service = asked): number | undefined {
  return held.look('ns/s', { service, slices, verdictOf: () => verdict, now });
}

it('holds for a second after the only endpoint died, and again after the next death', () => {
  expect(look(0)).toBeUndefined();
  expect(look(5000, 'dead')).toBe(6000);
  expect(look(5400, 'unready')).toBe(6000);
  expect(look(5500)).toBeUndefined();
  expect(look(9000, 'dead')).toBe(10_000);
  expect(look(9900, 'dead', [slice(false)])).toBe(10_000);
  expect(look(10_000, 'dead', [slice(false)])).toBeUndefined();
  expect(look(30_000, 'dead', [slice(false)])).toBeUndefined();
});

it('holds nothing where nobody asked, where no endpoint was good before, and where none is left', () => {
  expect(look(0, undefined, [slice(true)], {})).toBeUndefined();
  expect(look(1, 'dead', [slice(true)], {})).toBeUndefined();
  expect(look(2, 'dead')).toBeUndefined();
  expect(look(3)).toBeUndefined();
  expect(look(4, undefined, [])).toBeUndefined();
});

it('forgets services that are gone', () => {
  look(0);
  held.forget('ns/s');
  expect(look(1, 'dead')).toBeUndefined();
});
