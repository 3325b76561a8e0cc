/**
 * Sends hostile paths, names and bodies to every endpoint as four kinds of users: each gets an answer, never a 500, and never
 * data of
 * another user.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserInfo } from '../../src/lib/index.ts';
import { ALL_ROWS, collectionOf, fullName, manifestOf } from './access/manifests.ts';
import { type AccessWorld, createAccessWorld, MARK, nameOf, OWN, type Sent } from './access/world.ts';
import { inShort } from './extent.ts';

function corpus(name: string): readonly string[] {
  return JSON.parse(readFileSync(new URL(`corpus/${name}.json`, import.meta.url), 'utf8')) as string[];
}

const PATHS = corpus('paths');
const NAMES = corpus('names');
const BODIES = corpus('bodies');
const PATCHES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];
const TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf', 'text/plain'];

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'CONNECT'];

const TESS: UserInfo = { name: 'tess', groups: ['system:authenticated'] };
const NODE: UserInfo = { name: 'system:node:n9', groups: ['system:nodes', 'system:authenticated'] };
const STRANGER: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
const ROOT: UserInfo = { name: 'root', groups: ['system:masters', 'system:authenticated'] };

/** Kinds that a node reads in all namespaces, because it routes (system:node-proxier). */
const ROUTED = /\b(nodes|services|endpointslices)\b/;

let world: AccessWorld;
let sent = 0;
beforeAll(async () => {
  world = await createAccessWorld();
});
afterAll(() => world.close());

async function throwAt(user: UserInfo, request: Sent): Promise<number> {
  const { status, text } = await world.send(user, request);
  sent += 1;
  const what = `${user.name} ${JSON.stringify(request).slice(0, 600)}: ${status} ${text.slice(0, 300)}`;
  // 503 means that a proxy has no backend, 504 that a revision is in the future.
  expect([503, 504].includes(status) || (status >= 100 && status < 500), what).toBe(true);
  if (user !== ROOT && !(user === NODE && ROUTED.test(request.url))) expect(text.includes(MARK), what).toBe(false);
  return status;
}

describe('hostile input', () => {
  it('as a path', async () => {
    for (const url of PATHS) {
      for (const user of [TESS, NODE, STRANGER]) {
        for (const method of inShort(user === TESS ? ['GET', 'POST', 'DELETE'] : ['GET'], METHODS)) {
          await throwAt(user, { method, url, body: '{}' });
        }
        await throwAt(user, { method: 'GET', url, isUpgrade: true });
      }
      await throwAt(ROOT, { method: 'GET', url });
    }
    await remade();
  });

  it.each(ALL_ROWS.map((row) => [fullName(row), row] as const))('as a name of %s', async (_, row) => {
    const collection = collectionOf(row, row.namespaced ? OWN : undefined);
    for (const name of inShort(
      NAMES.filter((_name, at) => at % 4 === ALL_ROWS.indexOf(row) % 4),
      NAMES,
    )) {
      const url = `${collection}/${encodable(name)}`;
      await throwAt(TESS, { method: 'GET', url });
      await throwAt(TESS, { method: 'PUT', url, body: JSON.stringify(manifestOf(row, name, OWN)) });
      const made = await throwAt(ROOT, {
        method: 'POST',
        url: collection,
        body: JSON.stringify(manifestOf(row, name, row.namespaced ? OWN : undefined)),
      });
      const isStored = row.verbs.includes('list');
      if (isStored && /[\0/]/.test(name)) expect(made, JSON.stringify(name)).not.toBe(201);
      const generated = { ...manifestOf(row, '', OWN), metadata: { generateName: name, namespace: OWN } };
      await throwAt(TESS, { method: 'POST', url: collection, body: JSON.stringify(generated) });
    }
  });

  it.each(ALL_ROWS.map((row) => [fullName(row), row] as const))('as a body of %s', async (_, row) => {
    const collection = collectionOf(row, row.namespaced ? OWN : undefined);
    const object = `${collection}/${row.namespaced ? nameOf.own(row) : 'nobody'}`;
    const bodies = inShort(
      BODIES.filter((_body, at) => at % 6 === ALL_ROWS.indexOf(row) % 6),
      BODIES,
    );
    for (const body of bodies) {
      const users = row.namespaced ? [TESS] : [ROOT];
      for (const user of users) {
        for (const type of inShort(TYPES.slice(0, 2), TYPES)) {
          await throwAt(user, { method: 'POST', url: collection, body, headers: { 'content-type': type } });
          await throwAt(user, { method: 'PUT', url: object, body, headers: { 'content-type': type } });
        }
        for (const type of PATCHES)
          await throwAt(user, { method: 'PATCH', url: object, body, headers: { 'content-type': type } });
        for (const { name } of row.subresources) {
          await throwAt(user, { method: 'POST', url: `${object}/${name}`, body });
          await throwAt(user, { method: 'PUT', url: `${object}/${name}`, body });
          await throwAt(user, {
            method: 'PATCH',
            url: `${object}/${name}`,
            body,
            headers: { 'content-type': PATCHES[1] ?? '' },
          });
        }
        await throwAt(user, { method: 'DELETE', url: `${collection}/nobody`, body });
      }
    }
  });

  it('was thrown, and the server goes on', async () => {
    expect(sent).toBeGreaterThan(3000);
    expect((await world.send(STRANGER, { method: 'GET', url: '/readyz' })).status).toBe(200);
  });
});

/** The name, percent-encoded; a lone surrogate stays unchanged. */
function encodable(name: string): string {
  try {
    return encodeURIComponent(name);
  } catch {
    return '%ED%A0%80';
  }
}

async function remade(): Promise<void> {
  await world.close();
  world = await createAccessWorld();
}
