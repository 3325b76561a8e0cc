import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemFileSystem as fs } from '../../lib/file-system.node.ts';
import type { TokenClaims } from '../tokens/token-signer.ts';
import { openTokenSigner } from './token-signer.node.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'token-signer-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const claims: TokenClaims = {
  iss: 'i',
  sub: 's',
  aud: ['a'],
  iat: 1,
  nbf: 1,
  exp: 2,
  jti: 'j',
  'kubernetes.io': { namespace: 'n', serviceaccount: { name: 'x', uid: 'u' } },
};

it('keeps its key in a file of its own, and knows its tokens again', async () => {
  const token = await (await openTokenSigner({ dir, fs })).sign(claims);
  expect(statSync(join(dir, 'sa.key')).mode & 0o777).toBe(0o600);
  const again = await openTokenSigner({ dir, fs });
  expect(await again.verify(token)).toEqual(claims);
  const [key] = again.keySet.keys;
  expect(key).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' });
  expect(key).not.toHaveProperty('d');
});

it('knows nobody else’s', async () => {
  const signer = await openTokenSigner({ dir, fs });
  const token = await signer.sign(claims);
  rmSync(join(dir, 'sa.key'));
  const other = await openTokenSigner({ dir, fs });
  expect(await other.verify(token)).toBeUndefined();
  const [head, body, signature] = token.split('.');
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`;
  for (const text of ['', 'a.b.c', unsigned, `${head}.${body}.`, `${head}.e30.${signature}`]) {
    expect(await signer.verify(text)).toBeUndefined();
  }
});

it('knows a token in its one spelling', async () => {
  const signer = await openTokenSigner({ dir, fs });
  // Payloads of all lengths, so that every part ends in every way.
  for (const jti of ['j', 'jj', 'jjj']) {
    const token = await signer.sign({ ...claims, jti });
    expect(await signer.verify(token)).toMatchObject({ jti });
    const parts = token.split('.');
    const others = [
      `${token}=`,
      `${token}==`,
      `${token}.`,
      `.${token}`,
      ` ${token}`,
      `${token}\n`,
      token.toLowerCase(),
    ];
    for (const [at, part] of parts.entries()) {
      const put = (text: string): string => parts.map((each, place) => (place === at ? text : each)).join('.');
      others.push(put(`${part}=`), put(`${part}==`), put(`${part}%3D`), put(` ${part}`), put(`${part}A`), put(''));
      const bytes = Buffer.from(part, 'base64url');
      for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
        const text = `${part.slice(0, -1)}${last}`;
        if (text !== part && Buffer.from(text, 'base64url').equals(bytes)) others.push(put(text));
      }
    }
    for (const text of others) expect(await signer.verify(text), text).toBeUndefined();
  }
});

it('names a key that it cannot use', async () => {
  writeFileSync(join(dir, 'sa.key'), 'nonsense');
  await expect(openTokenSigner({ dir, fs })).rejects.toThrow(/sa\.key: not a private key/);
});

/** The order of P-256. */
const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

it('knows a token by what it says: the second signature that ECDSA grants each one makes nobody else of it', async () => {
  const signer = await openTokenSigner({ dir, fs });
  for (const jti of ['a', 'b', 'c', 'd']) {
    const token = await signer.sign({ ...claims, jti });
    const [head, body, signature = ''] = token.split('.');
    const bytes = Buffer.from(signature, 'base64url');
    const s = ORDER - BigInt(`0x${bytes.subarray(32).toString('hex')}`);
    const twin = Buffer.concat([bytes.subarray(0, 32), Buffer.from(s.toString(16).padStart(64, '0'), 'hex')]);
    const spelled = `${head}.${body}.${twin.toString('base64url')}`;
    expect(spelled).not.toBe(token);
    // As upstream's verification has it, whose tokens come with either.
    expect(await signer.verify(spelled)).toEqual(await signer.verify(token));
  }
});
