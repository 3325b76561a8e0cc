import { describe, expect, it } from 'vitest';
import { type Connection, encodeText, type FileSystem, type HttpRequest, silentLogger } from '../lib/index.ts';
import { createManualClock } from '../lib/manual-clock.node.ts';
import { withFreshToken } from './fresh-token.ts';
import { isInCluster, readInCluster } from './in-cluster.ts';

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

function files(content: Readonly<Record<string, string>>): FileSystem {
  const readFile = async (path: string): Promise<Uint8Array> => {
    const text = content[path];
    if (text === undefined) throw new Error('no such file');
    return encodeText(text);
  };
  return { readFile } as unknown as FileSystem;
}

describe('the access of a pod', () => {
  const all = { [`${FOLDER}/token`]: 'abc\n', [`${FOLDER}/ca.crt`]: 'PEM', [`${FOLDER}/namespace`]: 'kube-system' };
  it.each<[string, string]>([
    ['10.96.0.1', 'https://10.96.0.1:443'],
    ['fd00::1', 'https://[fd00::1]:443'],
  ])('is what its files say (%s)', async (host, server) => {
    const env = { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: '443' };
    expect(isInCluster({ env })).toBe(true);
    expect(await readInCluster({ env, fs: files(all) })).toEqual({
      server,
      authorityPem: 'PEM',
      token: 'abc',
      tokenPath: `${FOLDER}/token`,
      namespace: 'kube-system',
    });
  });

  it('is none outside, and says what is missing inside', async () => {
    expect(isInCluster({ env: {} })).toBe(false);
    const env = { KUBERNETES_SERVICE_HOST: 'a', KUBERNETES_SERVICE_PORT: '1' };
    await expect(readInCluster({ env, fs: files({}) })).rejects.toThrow(
      `${FOLDER}/ca.crt: cannot be read: no such file`,
    );
  });
});

it('a token is read anew each minute, and kept while it cannot be', async () => {
  const clock = createManualClock();
  const sent: (string | undefined)[] = [];
  const connection = {
    request: async ({ headers }: HttpRequest) => {
      sent.push(headers['authorization']);
      return { status: 200, headers: {}, body: new Uint8Array() };
    },
  } as unknown as Connection;
  let next: (() => string) | undefined = () => 'one';
  const read = async (): Promise<string> => {
    if (next === undefined) throw new Error('gone');
    return next();
  };
  const fresh = withFreshToken(connection, { read, clock, logger: silentLogger });
  const ask = async (): Promise<void> => void (await fresh.request({ method: 'GET', url: '/', headers: {} }));
  await ask();
  next = () => 'two';
  await ask();
  await clock.advance(60_000);
  await ask();
  next = undefined;
  await clock.advance(60_000);
  await ask();
  expect(sent).toEqual(['Bearer one', 'Bearer one', 'Bearer two', 'Bearer two']);
});
