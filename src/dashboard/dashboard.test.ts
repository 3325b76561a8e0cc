import { describe, expect, it } from 'vitest';
import { createInMemoryApi } from '../../test/support/in-memory-api.ts';
import { createKubeClient } from '../client/index.ts';
import { decodeText, encodeText, type HttpResponse, silentLogger } from '../lib/index.ts';
import { Dashboard } from './dashboard.ts';
import { TOKEN_RECHECK_MS } from './limits.ts';
import type { Viewer } from './ports.ts';
import { systemSecrets } from './secrets.node.ts';

const PLACE = { name: 'mendlet-aaaa.localhost', port: 1, isTls: false, id: 'aaaa' };
const HOST = 'mendlet-aaaa.localhost:1';

async function setUp() {
  const api = await createInMemoryApi();
  const valid = new Set(['secret']);
  const connection = api.as({ name: 'alice', groups: ['system:masters'] });
  const viewer: Viewer = { name: 'alice', key: 'alice', connection, client: createKubeClient(connection) };
  const dashboard = new Dashboard(
    {
      clock: api.clock,
      logger: silentLogger,
      secrets: systemSecrets,
      files: { login: () => 'login', page: (state) => `page of ${state.you}`, asset: () => undefined },
    },
    { place: PLACE, cluster: 'c', viewerOfToken: async (token) => (valid.has(token) ? viewer : undefined) },
  );
  const get = (url: string, cookie: string): Promise<HttpResponse> =>
    dashboard.handle({ method: 'GET', url, headers: { host: HOST, cookie } });
  const login = async (body: object): Promise<HttpResponse> =>
    await dashboard.handle({
      method: 'POST',
      url: '/login',
      headers: { host: HOST, origin: `http://${HOST}`, 'content-type': 'application/json' },
      body: encodeText(JSON.stringify(body)),
    });
  return { api, valid, viewer, dashboard, get, login };
}

const cookieOf = ({ headers }: HttpResponse): string => headers['set-cookie']?.split(';')[0] ?? '';
const textOf = ({ body }: HttpResponse): string => decodeText(body as Uint8Array);

describe('a session that began with a token', () => {
  it('ends, with its streams, when the token is valid no more', async () => {
    const { api, valid, get, login, dashboard } = await setUp();
    const cookie = cookieOf(await login({ token: 'secret' }));
    const { body } = await get('/stream', cookie);
    const lines = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    expect(JSON.parse(decodeText((await lines.next()).value as Uint8Array))).toMatchObject({ type: 'full' });
    const rest = (async () => {
      while ((await lines.next()).done !== true);
    })();
    valid.clear();
    await api.clock.advance(TOKEN_RECHECK_MS + 20_000);
    await rest;
    expect(dashboard.usage.streams).toBe(0);
    expect((await get('/rights?namespace=default', cookie)).status).toBe(401);
    expect(textOf(await get('/', cookie))).toBe('login');
    dashboard.close();
  });

  it('is nobody’s for a token that is not known, and tokens are not told', async () => {
    const { login } = await setUp();
    const answer = await login({ token: 'other-secret' });
    expect([answer.status, textOf(answer)]).toEqual([403, expect.not.stringContaining('other-secret')]);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });
});

describe('the stream', () => {
  it('beats every ten seconds, and begins with what changed since', async () => {
    const { api, viewer, dashboard, get, login } = await setUp();
    const code = dashboard.link(viewer, { write: false })?.url.split('=')[1];
    const cookie = cookieOf(await login({ code }));
    const first = (await get('/stream', cookie)).body as AsyncIterable<Uint8Array>;
    const lines = first[Symbol.asyncIterator]();
    const { state } = JSON.parse(decodeText((await lines.next()).value as Uint8Array));
    const beat = lines.next();
    await api.clock.advance(10_000);
    expect(JSON.parse(decodeText((await beat).value as Uint8Array))).toEqual({ type: 'beat', at: expect.any(Number) });
    await lines.return?.();
    const again = (await get(`/stream?from=${state.revision}`, cookie)).body as AsyncIterable<Uint8Array>;
    for await (const line of again) {
      expect(JSON.parse(decodeText(line))).toMatchObject({ type: 'delta', revision: state.revision });
      break;
    }
    expect(dashboard.usage.streams).toBe(0);
    dashboard.close();
  });
});
