import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
beforeEach(async () => {
  api = await startTestServer({ clock: createManualClock() });
});
afterEach(() => api.close());

const url = '/api/v1/namespaces/default/configmaps';
const many = (count: number, prefix = 'k') =>
  Object.fromEntries(Array.from({ length: count }, (_, each) => [`${prefix}${each}`, 'v']));

describe('a body with very many entries', () => {
  it('is refused before anybody walks it', async () => {
    const one = await api.call('POST', url, { metadata: { name: 'a' }, data: many(20_001) });
    expect([one.status, one.body.message]).toEqual([
      413,
      'Request entity too large: one map or list has more than 20000 entries',
    ]);
    expect((await api.call('POST', url, { metadata: { name: 'a' }, data: many(20_000) })).status).toBe(201);
    const spread = Object.fromEntries(Array.from({ length: 6 }, (_, each) => [`x${each}`, many(19_000)]));
    expect((await api.call('POST', url, { metadata: { name: 'b' }, ...spread })).status).toBe(413);
  });

  it('is refused when a patch makes it so', async () => {
    await api.call('POST', url, { metadata: { name: 'a' }, data: many(15_000) });
    const merge = { 'content-type': 'application/merge-patch+json' };
    const { status } = await api.call('PATCH', `${url}/a`, { data: many(15_000, 'other') }, merge);
    expect(status).toBe(413);
  });

  it('hears the first of its errors, and their number', async () => {
    const { status, body } = await api.call('POST', url, { metadata: { name: 'a' }, data: many(1000, '!') });
    expect([status, body.details.causes.length]).toEqual([422, 100]);
    expect(body.message).toMatch(/ and 900 more errors$/);
  });

  it('hears once that it has several controllers', async () => {
    const ownerReferences = Array.from({ length: 5_000 }, (_, each) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      name: `p${each}`,
      uid: `u${each}`,
      controller: true,
    }));
    const { status, body } = await api.call('POST', url, { metadata: { name: 'a', ownerReferences } });
    expect([status, body.details.causes.length]).toEqual([422, 1]);
  });
});
