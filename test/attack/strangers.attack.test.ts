/** Tests every path of the API server without credentials: only health endpoints answer. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResourceRow } from '../../src/api/index.ts';
import { METRICS_ROWS } from '../../src/apiserver/metrics-api/rows.ts';
import type { UserInfo } from '../../src/lib/index.ts';
import { ALL_ROWS } from './access/manifests.ts';
import { SPELLINGS } from './access/spellings.ts';
import { type AccessWorld, createAccessWorld, type Sent } from './access/world.ts';
import { inShort } from './extent.ts';

const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'BREW'];
const HEALTH = /^\/+(healthz|livez|readyz)(\/|\?|$)/;

let world: AccessWorld;
beforeAll(async () => {
  world = await createAccessWorld();
});
afterAll(() => world.close());

/** All paths that the server lists for an authorized user, and all paths of its resource tables. */
async function allPaths(): Promise<readonly string[]> {
  const root = (await world.api.call('GET', '/')).body.paths as string[];
  const openapi = Object.values<{ serverRelativeURL: string }>((await world.api.call('GET', '/openapi/v3')).body.paths);
  const groups = (await world.api.call('GET', '/apis')).body.groups as { name: string }[];
  const kinds: readonly ResourceRow[] = [...ALL_ROWS, ...METRICS_ROWS];
  const served = kinds.flatMap(({ group, version, resource, subresources }) => {
    const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const collections = [`${base}/${resource}`, `${base}/namespaces/t2/${resource}`, `${base}/watch/${resource}`];
    const parts = ['', ...subresources.map(({ name }) => `/${name}`)];
    return [base, ...collections, ...collections.flatMap((path) => parts.map((part) => `${path}/x${part}`))];
  });
  const listed = openapi.map(({ serverRelativeURL }) => serverRelativeURL);
  const corpus = JSON.parse(readFileSync(new URL('corpus/paths.json', import.meta.url), 'utf8')) as string[];
  return [...new Set([...root, ...listed, ...groups.map(({ name }) => `/apis/${name}`), ...served, ...corpus])];
}

describe('without credentials', () => {
  it('only health answers, whatever the path, method, user or spelling', async () => {
    const paths = await allPaths();
    expect(paths.length).toBeGreaterThan(400);
    const answered = new Set<string>();
    const ask = async (request: Sent, user: UserInfo | undefined): Promise<void> => {
      const { status, text } = await world.send(user, request);
      if (status !== 401) answered.add(request.url);
      else expect(text).toContain('"message":"Unauthorized"');
    };
    for (const path of paths) {
      for (const method of inShort(['GET', 'POST'], METHODS)) await ask({ method, url: path }, ANONYMOUS);
      await ask({ method: 'GET', url: path }, undefined);
      await ask({ method: 'GET', url: path, isUpgrade: true }, ANONYMOUS);
      for (const [at, spelling] of inShort([], [...SPELLINGS.entries()])) {
        await ask({ method: 'GET', url: spelling(path, at) }, ANONYMOUS);
      }
    }
    expect([...answered].filter((url) => !HEALTH.test(url))).toEqual([]);
    expect(answered).toContain('/livez');
    expect(world.seen.written).toEqual([]);
    expect(world.seen.kubelets).toEqual([]);
  });

  it('no header makes one known', async () => {
    const headers = {
      'x-remote-user': 'admin',
      'x-remote-group': 'system:masters',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-client-cert': 'By=x;Subject="O=system:masters"',
      'impersonate-user': 'admin',
      'impersonate-group': 'system:masters',
      cookie: 'authorization=Bearer x',
      'x-original-url': '/livez',
      'x-http-method-override': 'GET',
    };
    for (const [name, value] of Object.entries(headers)) {
      const { status } = await world.send(ANONYMOUS, {
        method: 'GET',
        url: '/api/v1/secrets',
        headers: { [name]: value },
      });
      expect(status, name).toBe(401);
    }
  });

  it('a path that cannot be, and one that can, are told apart by nobody', async () => {
    for (const url of ['/api/v1/namespaces/t1/nodes', '/api/v1/pods/x', '/api/v1/nothing', '/apis/x/v1/y', '/%zz'])
      expect((await world.send(ANONYMOUS, { method: 'GET', url })).status, url).toBe(401);
  });
});
