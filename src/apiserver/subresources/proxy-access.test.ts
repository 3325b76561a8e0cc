/** Where proxies do not lead, whatever a status or endpoints say. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeText } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { podManifest, startTestServer, type TestServer } from '../test-server.ts';

let api: TestServer;
let reached: string[];
beforeEach(async () => {
  reached = [];
  api = await startTestServer({
    clock: createManualClock(),
    originConnection: (origin) => ({
      request: async () => {
        reached.push(origin);
        return { status: 200, headers: {}, body: encodeText('') };
      },
      upgrade: async () => ({ upgraded: false, response: { status: 400, headers: {}, body: encodeText('') } }),
      close: () => {},
    }),
  });
});
afterEach(() => api.close());

const base = '/api/v1/namespaces/default';
const MERGE = { 'content-type': 'application/merge-patch+json' };

async function podAt(name: string, ip: string): Promise<number> {
  await api.call('POST', `${base}/pods`, podManifest(name, { spec: { nodeName: 'n1' } }));
  const status = { phase: 'Running', podIP: ip, podIPs: [{ ip }] };
  return (await api.call('PATCH', `${base}/pods/${name}/status`, { status }, MERGE)).status;
}

const LOCAL = [
  '127.0.0.1',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '169.254.169.254',
  'fe80::1',
  '0.0.0.0',
  '::',
  '224.0.0.1',
  'ff02::1',
];

describe('pods/proxy', () => {
  it.each(LOCAL)('does not lead to %s', async (ip) => {
    expect(await podAt('p', ip)).toBe(200);
    const { status, body } = await api.call('GET', `${base}/pods/p/proxy/`);
    expect([status, reached]).toEqual([400, []]);
    expect(body.message).toContain('address not allowed');
  });

  it.each(['localhost', '127.1', '0x7f000001', '10.0.0.1:80', '10.0.0.1@127.0.0.1', 'evil.example', ' 10.0.0.1'])(
    'has no status with %j for an address',
    async (ip) => {
      expect(await podAt('p', ip)).toBe(422);
    },
  );
});

describe('services/proxy', () => {
  const write = (ip: string, targetRef?: object) =>
    api.call('POST', `${base}/endpoints`, {
      metadata: { name: 's' },
      subsets: [{ addresses: [{ ip, ...(targetRef && { targetRef }) }], ports: [{ port: 80 }] }],
    });
  const ask = async (): Promise<unknown> => {
    await api.call('POST', `${base}/services`, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
    return [(await api.call('GET', `${base}/services/s/proxy/`)).status, reached];
  };

  it.each(['127.0.0.1', '::1', '::ffff:7f00:1', '169.254.169.254', '0.0.0.0', '::ffff:0:0'])(
    'has no endpoint at %s',
    async (ip) => {
      expect((await write(ip)).status).toBe(422);
    },
  );

  it('leads to no address that is not a pod’s own, here', async () => {
    await podAt('p', '10.1.1.1');
    const p = { kind: 'Pod', namespace: 'default', name: 'p' };
    const tries: [string, object?][] = [
      ['10.1.1.1'],
      ['10.1.1.2', p],
      ['10.1.1.1', { ...p, namespace: 'other' }],
      ['10.1.1.1', { ...p, name: 'q' }],
    ];
    for (const [ip, reference] of tries) {
      expect((await write(ip, reference)).status).toBe(201);
      expect(await ask()).toEqual([503, []]);
      await api.call('DELETE', `${base}/endpoints/s`);
    }
    await write('10.1.1.1', p);
    expect(await ask()).toEqual([200, ['http://10.1.1.1:80']]);
  });
});
