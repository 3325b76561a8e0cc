import { describe, expect, it } from 'vitest';
import {
  bootstrapTokenEnd,
  bootstrapTokenSecret,
  checkBootstrapToken,
  NODE_BOOTSTRAP_GROUP,
  parseBootstrapToken,
} from './bootstrap-token.ts';
import type { Secret } from './types.gen.ts';

const now = Date.UTC(2026, 0, 1);
const token = { id: 'abcdef', secret: '0123456789abcdef' };
const good = bootstrapTokenSecret({ ...token, expiration: '2026-01-02T00:00:00Z' });
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const withData = (data: Record<string, string>): Secret => ({
  ...good,
  data: { ...good.data, ...Object.fromEntries(Object.entries(data).map(([name, text]) => [name, base64(text)])) },
});

it.each([
  ['abcdef.0123456789abcdef', token],
  ['Abcdef.0123456789abcdef', undefined],
  ['abcdef.0123456789abcde', undefined],
  ['abcdef.0123456789abcdef\n', undefined],
  ['abcdef0123456789abcdef', undefined],
])('%j is parsed', (text, parsed) => expect(parseBootstrapToken(text)).toEqual(parsed));

describe('a token', () => {
  it('lets in', () => {
    expect(checkBootstrapToken(token, good, now)).toEqual({
      ok: true,
      id: 'abcdef',
      groups: ['system:bootstrappers', NODE_BOOTSTRAP_GROUP],
    });
    const plain = withData({ 'auth-extra-groups': '' });
    expect(checkBootstrapToken(token, plain, now)).toMatchObject({ groups: ['system:bootstrappers'] });
  });

  it.each<[string, Secret | undefined]>([
    ['no secret', undefined],
    ['a secret that is going', { ...good, metadata: { ...good.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    ['a secret of another type', { ...good, type: 'Opaque' }],
    ['another secret', withData({ 'token-secret': '0123456789abcdee' })],
    ['a longer secret', withData({ 'token-secret': '0123456789abcdef0' })],
    ['no text at all', withData({ 'token-secret': '' })],
    ['another id', withData({ 'token-id': 'ghijkl' })],
    ['an end that has come', withData({ expiration: '2026-01-01T00:00:00Z' })],
    ['an end that is no time', withData({ expiration: 'tomorrow' })],
    ['no usage', withData({ 'usage-bootstrap-authentication': 'yes' })],
    ['a group of another kind', withData({ 'auth-extra-groups': 'system:masters' })],
    ['a group beside a good one', withData({ 'auth-extra-groups': 'system:bootstrappers:a,system:nodes' })],
  ])('is refused: %s', (_, secret) => expect(checkBootstrapToken(token, secret, now).ok).toBe(false));

  it('may have no end', () => {
    const endless = bootstrapTokenSecret(token);
    expect(bootstrapTokenEnd(endless)).toBeUndefined();
    expect(checkBootstrapToken(token, endless, now).ok).toBe(true);
    expect(bootstrapTokenEnd(withData({ expiration: '2026-01-02T01:00:00+01:00' }))).toBe(now + 86_400_000);
  });
});
