/** Service account tokens as ES256 JSON web tokens, signed with a key of their own in `DIR/pki/sa.key`. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, compactVerify, CompactSign, errors, exportJWK } from 'jose';
import { decodeText, encodeText, FileError, type FileSystem } from '../../lib/index.ts';
import { isCanonicalToken } from '../tokens/canonical-token.ts';
import type { TokenSigner } from '../tokens/token-signer.ts';
import { PkiError } from './pki.node.ts';

const ALGORITHM = 'ES256';
const CURVE = 'prime256v1';
const MAX_PEM_BYTES = 64 * 1024;

/**
 * Reads the key, or makes one (mode 0600). Without the file all tokens made before are void.
 *
 * @param dir `DIR/pki`, which exists
 * @throws PkiError for a key that cannot be used
 */
export async function openTokenSigner({
  dir,
  fs,
}: {
  readonly dir: string;
  readonly fs: FileSystem;
}): Promise<TokenSigner> {
  const path = `${dir}/sa.key`;
  const privateKey = (await readKey(fs, path)) ?? (await makeKey(fs, path));
  const publicKey = createPublicKey(privateKey);
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  return {
    sign: (claims) =>
      new CompactSign(encodeText(JSON.stringify(claims))).setProtectedHeader({ alg: ALGORITHM, kid }).sign(privateKey),
    verify: (token) => verify(token, publicKey),
    keySet: { keys: [{ use: 'sig', kid, alg: ALGORITHM, ...jwk }] },
    algorithms: [ALGORITHM],
  };
}

async function readKey(fs: FileSystem, path: string): Promise<KeyObject | undefined> {
  let pem: string;
  try {
    pem = decodeText(await fs.readFile(path, { maxBytes: MAX_PEM_BYTES }));
  } catch (error) {
    if (error instanceof FileError && error.code === 'ENOENT') return undefined;
    throw new PkiError(path, 'cannot be read', { cause: error });
  }
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch (error) {
    throw new PkiError(path, 'not a private key (remove it to have a new one made)', { cause: error });
  }
  if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === CURVE) return key;
  throw new PkiError(path, 'not a P-256 key (remove it to have a new one made)');
}

async function makeKey(fs: FileSystem, path: string): Promise<KeyObject> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
  await fs.writeFile(path, pem.toString(), { mode: 0o600, atomic: true, sync: true });
  return privateKey;
}

async function verify(token: string, key: KeyObject): Promise<unknown> {
  // Decoders are lenient: a text that they accept as one of our tokens is not necessarily one.
  if (!isCanonicalToken(token)) return undefined;
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [ALGORITHM] });
    return JSON.parse(decodeText(payload));
  } catch (error) {
    // Not ours, or damaged: the same answer for all.
    if (error instanceof errors.JOSEError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
