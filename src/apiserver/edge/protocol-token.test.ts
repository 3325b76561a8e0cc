import { describe, expect, it } from 'vitest';
import { ANONYMOUS, authenticate, protocolToken } from './authentication.ts';

const prefix = 'base64url.bearer.authorization.k8s.io.';
const encoded = (text: string): string => prefix + Buffer.from(text).toString('base64url');

describe('the token of a WebSocket handshake', () => {
  it.each([
    ['', undefined, undefined],
    ['v4.channel.k8s.io', undefined, 'v4.channel.k8s.io'],
    [`${encoded('abc.def')}, v4.channel.k8s.io`, 'abc.def', 'v4.channel.k8s.io'],
    [`a,${encoded('t')},b`, 't', 'a, b'],
    [encoded('t'), '', undefined],
    [`${encoded('t')}, ${encoded('t')}, a`, '', 'a'],
    [`${prefix}, a`, '', 'a'],
    [`${prefix}dGVzdA==, a`, '', 'a'],
    [`${prefix}+/+/, a`, '', 'a'],
    [`${encoded('two words')}, a`, '', 'a'],
    [`${encoded('ü')}, a`, '', 'a'],
  ])('of %j is %j beside %j', (header, token, rest) => {
    expect(protocolToken(header)).toEqual({ token, rest });
  });

  it('counts after the certificate and the header', async () => {
    const asked: string[] = [];
    const tokens = async (token: string) => {
      asked.push(token);
      return token === 'good' ? { name: 'u', groups: [] } : undefined;
    };
    const none = { kind: 'none' } as const;
    const trusted = { kind: 'trusted', commonName: 'cert', organizations: [] } as const;
    expect((await authenticate(none, undefined, tokens, 'good'))?.name).toBe('u');
    expect((await authenticate(trusted, undefined, tokens, 'good'))?.name).toBe('cert');
    expect(await authenticate(none, 'Bearer bad', tokens, 'good')).toBeUndefined();
    expect(await authenticate(none, undefined, tokens, '')).toBeUndefined();
    expect(await authenticate(none, undefined, tokens, undefined)).toBe(ANONYMOUS);
    expect(asked).toEqual(['good', 'bad']);
  });
});
