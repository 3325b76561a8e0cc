import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import type { EnvVar } from '../../../api/index.ts';
import { ago, evidence, pod } from '../../evidence.fixtures.ts';
import { credentialsWanted } from '../../wanted.ts';

const KEY = { name: 'SIGNING_KEY', valueFrom: { secretKeyRef: { name: 'session-signing', key: 'k' } } };
const verifier = (line: string, env: EnvVar[], writtenSeconds?: number): ReturnType<typeof evidence> =>
  evidence({
    pod: pod({ container: { env }, status: { state: { running: { startedAt: ago(300) } } } }),
    logs: { web: { current: Array.from({ length: 6 }, () => line) } },
    ...(writtenSeconds !== undefined && {
      configs: [
        { kind: 'Secret', name: 'session-signing', state: 'found', keys: ['k'], writtenAt: ago(writtenSeconds) },
      ],
    }),
  });
const says = (given: ReturnType<typeof evidence>): string => diagnosePod(given).findings[0]?.says ?? '';

describe('a program that refuses signatures', () => {
  const REJECTED = "ERROR token rejected: BadTimeSignature: Signature b'F0uV3zO7Wt4k' does not match";
  it('is told with the variable of its key', () => {
    expect(says(verifier(REJECTED, [KEY]))).toMatch(
      /; it checks signatures with its variable SIGNING_KEY of Secret session-signing, key k$/,
    );
  });
  it('has its Secrets read', () => {
    expect(credentialsWanted(verifier(REJECTED, [KEY]))).toEqual(
      expect.arrayContaining([expect.objectContaining({ kind: 'Secret', name: 'session-signing' })]),
    );
  });
  it('is told that it has an old value', () => {
    expect(says(verifier(REJECTED, [KEY], 60))).toMatch(
      /key k, which was written 60s ago, after its start: it has the old value, and a restart takes the new one/,
    );
    expect(says(verifier(REJECTED, [KEY], 900))).toMatch(/key k$/);
  });
  it.each([
    'ERROR JsonWebTokenError: invalid signature',
    'ERROR webhook refused: HMAC mismatch',
    'ERROR jwt.exceptions.InvalidSignatureError: Signature verification failed',
  ])('by other words: %s', (line) => {
    expect(says(verifier(line, [{ name: 'JWT_SECRET', value: 'x' }]))).toMatch(/its variable JWT_SECRET/);
  });
  it('is told without a variable where several may be meant, and where it speaks of something else', () => {
    expect(says(verifier(REJECTED, [KEY, { name: 'COOKIE_SECRET', value: 'x' }]))).not.toMatch(/checks signatures/);
    expect(says(verifier('ERROR order refused: no such item', [KEY]))).not.toMatch(/checks signatures/);
  });
});
