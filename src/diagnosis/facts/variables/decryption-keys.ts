/** Knows the variable with the key by which a program cannot decrypt what was encrypted with another one. Pure. */
import { keyVariables } from '../configs/config-references.ts';
import type { Setting } from '../configs/setting.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import type { RankedFinding } from '../../finding.ts';
import { hasWord } from '../words/text.ts';
import { ofText } from './environment.ts';

interface Cipher {
  readonly pattern: RegExp;
  /** The names of its variables. */
  readonly key: RegExp;
}

const CIPHERS: readonly Cipher[] = [
  // Rails
  {
    pattern: /\bMessageEncryptor::InvalidMessage\b|\bMessageVerifier::InvalidSignature\b/,
    key: /^(?:RAILS_MASTER_KEY|SECRET_KEY_BASE)$/,
  },
  // Laravel
  { pattern: /\bThe MAC is invalid\b|\bThe payload is invalid\b|incorrect key length/i, key: /^APP_KEY$/ },
  // Python's cryptography, and Airflow with it
  {
    pattern: /\bfernet\.InvalidToken\b|\bInvalid(?:Token|Signature)\b.*\bfernet\b/i,
    key: /FERNET_KEY|ENCRYPTION_KEY|SECRET_KEY/,
  },
  // NextAuth
  { pattern: /\bdecryption operation failed\b/, key: /^(?:NEXTAUTH_SECRET|AUTH_SECRET)$|ENCRYPT\w*KEY/ },
  {
    pattern:
      /\bbad decrypt\b|\bAEADBadTag|\bUnsupported state or unable to authenticate data\b|\bmessage authentication failed\b|\bbad MAC\b|\bcould not decrypt\b|\bdecryption (?:error|failed)\b/i,
    key: /(?:ENCRYPT|DECRYPT|CIPHER|MASTER|CRYPTO|DATA)\w*_?KEY|^SECRET_KEY/,
  },
];

/** The only variable that holds such a key, where the sentence does not name it. */
export function decryptionKey(container: ContainerFacts, { says }: RankedFinding): Setting | undefined {
  const line = container.reading.decisive?.line ?? '';
  const cipher = CIPHERS.find(({ pattern }) => pattern.test(line));
  if (cipher === undefined) return undefined;
  const given = keyVariables(container.spec).map(({ kind, name, variable, key }) => ({
    name: variable,
    of: ` of ${kind} ${name}, key ${key ?? ''}`,
  }));
  const plain = container.environment.map((each) => ({ name: each.name, of: ofText(each) }));
  const all = [...given, ...plain].filter(({ name }) => cipher.key.test(name));
  const [only] = all;
  if (only === undefined || new Set(all.map(({ name }) => name)).size > 1 || hasWord(says, only.name)) return undefined;
  return {
    says: `it decrypts with its variable ${only.name}${only.of}, and that is not the key with which it was encrypted`,
    quotes: [{ source: 'field', path: `${container.path}.env`, value: `sets ${only.name}${only.of}` }],
  };
}
