/** The status of quotas is kept true, and then left alone. */
import { expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { podManifest, startTestServer } from '../test-server.ts';

it('amounts below a thousandth are told once, not for ever', async () => {
  const clock = createManualClock();
  const api = await startTestServer({ clock });
  const quotas = '/api/v1/namespaces/default/resourcequotas';
  const hard = { 'requests.cpu': '100n', 'requests.memory': '100m', pods: '2' };
  await api.call('POST', quotas, { metadata: { name: 'q' }, spec: { hard } });
  await api.call('POST', '/api/v1/namespaces/default/pods', podManifest('p'));
  await clock.advance(1000);
  const before = (await api.call('GET', `${quotas}/q`)).body;
  await clock.advance(120_000);
  const after = (await api.call('GET', `${quotas}/q`)).body;
  expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  expect(after.status.hard).toEqual(after.spec.hard);
  await api.close();
});
