import { describe, expect, it, vi } from 'vitest';
import type { KubeObject, SubjectAccessReview, TokenReview } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { type Connection, decodeText, encodeText, readAll, silentLogger, type UserInfo } from '../../lib/index.ts';
import { sha256Hex } from '../../lib/sha256.node.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { createAccessControl } from './access-control.ts';
import { guardConnection } from './guarded-connection.ts';

// oxlint-disable-next-line typescript/unbound-method -- called with the map that it is of
const realSet = Map.prototype.set;

const ANNA: UserInfo = { name: 'anna', groups: ['system:authenticated'], uid: '7', extra: { scopes: ['a'] } };
const STRANGER: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

function world(rights: readonly string[]) {
  const clock = createManualClock();
  const asked: unknown[] = [];
  const state = { broken: false, knowsAudiences: true, rights };
  const answer = (object: KubeObject): unknown => {
    if (state.broken) throw new Error('no API server');
    if (object.kind === 'TokenReview') {
      const { token, audiences } = (object as TokenReview).spec ?? {};
      asked.push(token);
      const user = { username: 'anna', groups: ['system:authenticated'], uid: '7' };
      if (audiences !== undefined) {
        const authenticated = state.knowsAudiences ? { audiences } : {};
        return { status: { authenticated: true, user, ...authenticated } };
      }
      return { status: token === 'good' ? { authenticated: true, user } : { authenticated: false } };
    }
    const { resourceAttributes: at, ...who } = (object as SubjectAccessReview).spec ?? {};
    asked.push(`${at?.verb} ${at?.resource}/${at?.subresource} ${at?.name} ${JSON.stringify(who)}`);
    return { status: { allowed: state.rights.includes(`${at?.verb} ${at?.subresource}`) } };
  };
  const client = { create: async (_: unknown, object: KubeObject) => answer(object) } as unknown as KubeClient;
  const access = createAccessControl({ client, clock, logger: silentLogger, nodeName: 'n1', digest: sha256Hex });
  const inner: Connection = {
    request: async () => ({ status: 200, headers: {}, body: encodeText('yes') }),
    upgrade: async () => ({ upgraded: false, response: { status: 200, headers: {}, body: encodeText('up') } }),
  };
  const guarded = guardConnection(inner, access);
  const text = async (body: Uint8Array | AsyncIterable<Uint8Array>) => decodeText(await readAll(body, 1e5));
  const get = async (url: string, user: UserInfo | undefined = ANNA, method = 'GET') => {
    const { status, body } = await guarded.request({ method, url, headers: {}, ...(user && { user }) });
    return `${status} ${await text(body)}`;
  };
  return { clock, asked, access, get, guarded, state };
}

describe('the kubelet API from outside', () => {
  it.each<[string, string, string, string]>([
    ['GET', '/stats/summary', 'get stats', '200 yes'],
    ['GET', '/metrics/cadvisor', 'get metrics', '200 yes'],
    ['GET', '/metricsx', 'get metrics', '403 Forbidden (user=anna, verb=get, resource=nodes, subresource(s)=[proxy])'],
    ['GET', '/logs/', 'get log', '200 yes'],
    ['GET', '/pods', 'get pods', '200 yes'],
    ['GET', '/runningpods/', 'get pods', '200 yes'],
    ['GET', '/mendlet/v1/history', 'get history', '200 yes'],
    ['GET', '/mendlet/v1/history?namespace=a&pod=b', 'get proxy', '200 yes'],
    ['GET', '/mendlet/v1/volumes', 'get volumes', '200 yes'],
    ['PUT', '/mendlet/v1/volumes/pvc-1', 'update volumes', '200 yes'],
    ['DELETE', '/mendlet//v1/volumes/pvc-1?handle=x', 'delete volumes', '200 yes'],
    [
      'DELETE',
      '/mendlet/v1/volumes/pvc-1',
      'delete history',
      '403 Forbidden (user=anna, verb=delete, resource=nodes, subresource(s)=[volumes proxy])',
    ],
    ['GET', '/mendlet/v1/volumesx', 'get history', '200 yes'],
    ['GET', '/healthz/ping', 'get healthz', '200 yes'],
    ['GET', '/configz', 'get proxy', '200 yes'],
    ['POST', '/run/ns/p/c', 'create proxy', '200 yes'],
    [
      'POST',
      '/run/ns/p/c',
      'get proxy',
      '403 Forbidden (user=anna, verb=create, resource=nodes, subresource(s)=[proxy])',
    ],
    ['GET', '/pods', 'get metrics', '403 Forbidden (user=anna, verb=get, resource=nodes, subresource(s)=[pods proxy])'],
    ['GET', '/%zz', 'get proxy', '400 malformed URL'],
  ])('%s %s with the right to %s: %s', async (method, url, right, expected) => {
    expect(await world([right]).get(url, ANNA, method)).toBe(expected);
  });

  it('is closed to strangers, whatever the path', async () => {
    const w = world(['get healthz', 'get proxy']);
    expect(await w.get('/healthz', STRANGER)).toBe('401 Unauthorized');
    const bare = await w.guarded.request({ method: 'GET', url: '/healthz', headers: {} });
    expect(bare.status).toBe(401);
    expect(w.asked).toEqual([]);
  });

  it('checks upgrades as well', async () => {
    const w = world(['create proxy']);
    const request = { method: 'POST', url: '/exec/ns/p/c', headers: {} };
    expect(await w.guarded.upgrade({ ...request, user: ANNA })).toMatchObject({ response: { status: 200 } });
    expect(await w.guarded.upgrade({ ...request, user: STRANGER })).toMatchObject({ response: { status: 401 } });
  });

  it('asks with all that is known of the user, and believes an answer for a while', async () => {
    const w = world(['get metrics']);
    await Promise.all([w.get('/metrics'), w.get('/metrics')]);
    const who = '{"user":"anna","groups":["system:authenticated"],"uid":"7","extra":{"scopes":["a"]}}';
    expect(w.asked).toEqual([`get nodes/metrics n1 ${who}`]);
    w.state.rights = [];
    await w.clock.advance(299_000);
    expect(await w.get('/metrics')).toBe('200 yes');
    await w.clock.advance(1000);
    expect(await w.get('/metrics')).toContain('403');
    w.state.rights = ['get metrics'];
    await w.clock.advance(29_000);
    expect(await w.get('/metrics')).toContain('403');
    await w.clock.advance(1000);
    expect(await w.get('/metrics')).toBe('200 yes');
  });

  it('refuses while nobody can be asked, and remembers no such refusal', async () => {
    const w = world(['get metrics']);
    w.state.broken = true;
    expect(await w.get('/metrics')).toContain('500 Authorization error (user=anna');
    expect(await w.access.authenticate('good')).toBeUndefined();
    w.state.broken = false;
    expect(await w.get('/metrics')).toBe('200 yes');
    expect(await w.access.authenticate('good')).toEqual({ name: 'anna', groups: ['system:authenticated'], uid: '7' });
    expect(await w.access.authenticate('bad')).toBeUndefined();
    expect(await w.access.authenticate('x'.repeat(20_000))).toBeUndefined();
    expect(w.asked.slice(1)).toEqual(['good', 'bad']);
  });
});

describe('a token', () => {
  it('is asked about once for its time, and one of any other spelling by itself', async () => {
    const { access, asked } = world([]);
    expect(await access.authenticate('good')).toMatchObject({ name: 'anna' });
    expect(await access.authenticate('good')).toMatchObject({ name: 'anna' });
    expect(asked).toEqual(['good']);
    const others = ['gooD', 'good ', ' good', 'good=', 'go\u200bod', 'goo', '', sha256Hex('good')];
    for (const other of others) expect(await access.authenticate(other)).toBeUndefined();
    expect(asked).toEqual(['good', ...others]);
  });

  const jwt = (claims: unknown): string =>
    `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2lnbmF0dXJl`;

  it.each<[string, unknown, boolean]>([
    ['this node alone', { aud: ['mendlet.dev/node/n1'] }, true],
    ['this node, as a text', { aud: 'mendlet.dev/node/n1' }, true],
    ['another node', { aud: ['mendlet.dev/node/n2'] }, false],
    ['nobody', {}, false],
    ['nothing', null, false],
  ])('for %s', async (_, claims, isKnown) => {
    const { access } = world([]);
    const user = await access.authenticate(jwt(claims));
    if (isKnown) expect(user).toMatchObject({ name: 'anna' });
    else expect(user).toBeUndefined();
  });

  it('for this node is not taken from a server that knows no audiences', async () => {
    const { access, state } = world([]);
    state.knowsAudiences = false;
    expect(await access.authenticate(jwt({ aud: ['mendlet.dev/node/n1'] }))).toBeUndefined();
  });

  it('is kept nowhere: its answer is found by its hash', async () => {
    const { access } = world([]);
    const kept: unknown[] = [];
    const set = vi.spyOn(Map.prototype, 'set').mockImplementation(function (this: Map<unknown, unknown>, key, value) {
      kept.push(key);
      // What the spy stands before.
      return Reflect.apply(realSet, this, [key, value]) as Map<unknown, unknown>;
    });
    await access.authenticate('good');
    set.mockRestore();
    expect(kept).toContain(sha256Hex('good'));
    expect(kept).not.toContain('good');
  });
});
