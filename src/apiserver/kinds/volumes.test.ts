/** The time at which a volume last changed its phase. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createManualClock, type ManualClock } from '../../lib/manual-clock.node.ts';
import { startTestServer, type TestServer } from '../test-server.ts';

const VOLUMES = '/api/v1/persistentvolumes';
let clock: ManualClock;
let api: TestServer;
let count = 0;
beforeAll(async () => {
  clock = createManualClock();
  api = await startTestServer({ clock });
});
afterAll(() => api.close());

async function statusAfter(status: object): Promise<{ before: string; after: string }> {
  const name = `v-${(count += 1)}`;
  const spec = { capacity: { storage: '1Mi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/v' } };
  const made = await api.call('POST', VOLUMES, { metadata: { name }, spec });
  await clock.advance(60_000);
  const changed = await api.call(
    'PATCH',
    `${VOLUMES}/${name}/status`,
    { status },
    { 'content-type': 'application/merge-patch+json' },
  );
  expect([made.status, changed.status]).toEqual([201, 200]);
  return { before: made.body.status.lastPhaseTransitionTime, after: changed.body.status.lastPhaseTransitionTime };
}

describe('the time of a volume’s last change of phase', () => {
  it('is that of its creation at first, and then of each change', async () => {
    const { before, after } = await statusAfter({ phase: 'Available' });
    expect(Date.parse(after) - Date.parse(before)).toBe(60_000);
  });

  it('stays while the phase does', async () => {
    const { before, after } = await statusAfter({ message: 'still here' });
    expect(after).toBe(before);
  });

  it('is the writer’s own, if he gives one', async () => {
    const own = '2020-01-01T00:00:00Z';
    expect((await statusAfter({ phase: 'Bound', lastPhaseTransitionTime: own })).after).toBe(own);
  });
});
