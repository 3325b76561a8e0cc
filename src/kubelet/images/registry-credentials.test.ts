import { describe, expect, it } from 'vitest';
import type { Secret } from '../../api/index.ts';
import { base64Text } from '../base64.ts';
import { parseImageName, type ImageName } from './image-name.ts';
import { credentialsOf, matchingCredentials } from './registry-credentials.ts';

const encode = (text: string): string => base64Text(new TextEncoder().encode(text));

function secret(auths: Readonly<Record<string, unknown>>): Secret {
  return {
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': encode(JSON.stringify({ auths })) },
  };
}

function users(registry: string, image: string): readonly (string | undefined)[] {
  const credentials = credentialsOf(secret({ [registry]: { username: 'u', password: 'p' } }));
  return matchingCredentials(credentials, parseImageName(image) as ImageName).map(({ username }) => username);
}

describe('credentialsOf', () => {
  it('reads users, auth fields and tokens', () => {
    const found = credentialsOf(
      secret({
        a: { username: 'u', password: 'p' },
        b: { auth: encode('v:q:r') },
        c: { identitytoken: 't' },
        d: {},
        e: 3,
      }),
    );
    expect(found.map(({ auth }) => auth)).toEqual([
      { username: 'u', password: 'p' },
      { username: 'v', password: 'q:r' },
      { identityToken: 't' },
    ]);
  });

  it('reads the old form, and nothing from what is malformed or of another type', () => {
    const old = {
      type: 'kubernetes.io/dockercfg',
      data: { '.dockercfg': encode('{"a":{"username":"u","password":"p"}}') },
    };
    expect(credentialsOf(old).length).toBe(1);
    expect(credentialsOf({ type: 'Opaque', data: old.data })).toEqual([]);
    expect(credentialsOf({ ...old, data: { '.dockercfg': encode('{') } })).toEqual([]);
    expect(credentialsOf({ ...old, data: {} })).toEqual([]);
  });
});

describe('matchingCredentials', () => {
  it.each([
    ['https://index.docker.io/v1/', 'busybox', true],
    ['docker.io', 'me/app', true],
    ['quay.io', 'quay.io/a/b', true],
    ['quay.io', 'gcr.io/a/b', false],
    ['quay.io/a', 'quay.io/a/b', true],
    ['quay.io/c', 'quay.io/a/b', false],
    ['localhost:5000', 'localhost:5000/a', true],
    ['localhost:5000', 'localhost:6000/a', false],
    ['*.example.com', 'eu.example.com/a', true],
    ['*.example.com', 'example.com/a', false],
    ['*.example.com', 'a.b.example.com/a', false],
    ['reg*.example.com', 'reg7.example.com/a', true],
  ])('%s for %s: %s', (registry, image, fits) => {
    expect(users(registry, image)).toEqual(fits ? ['u'] : []);
  });

  it('tries the most specific first', () => {
    const credentials = credentialsOf(
      secret({ 'quay.io': { username: 'wide', password: 'p' }, 'quay.io/a/b': { username: 'narrow', password: 'p' } }),
    );
    const found = matchingCredentials(credentials, parseImageName('quay.io/a/b') as ImageName);
    expect(found.map(({ username }) => username)).toEqual(['narrow', 'wide']);
  });
});
