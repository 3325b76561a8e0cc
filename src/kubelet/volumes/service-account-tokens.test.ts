import { describe, expect, it } from 'vitest';
import type { Pod, TokenRequest } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { ConnectionError, formatTime, seededRandom, silentLogger } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { TOKEN_JITTER_MS, TOKEN_RETRY_MS } from './limits.ts';
import { renewalTime, ServiceAccountTokens } from './service-account-tokens.ts';

const POD: Pod = {
  metadata: { name: 'p', namespace: 'ns', uid: 'u' },
  spec: { serviceAccountName: 'sa', containers: [] },
};

function world(lifeSeconds?: number) {
  const clock = createManualClock();
  const requests: unknown[] = [];
  const state = { failing: false };
  const client = {
    createSubresource: async (_: unknown, namespace: string, name: string, subresource: string, body: TokenRequest) => {
      if (state.failing) throw new ConnectionError('away');
      requests.push([namespace, name, subresource, body.spec]);
      const seconds = lifeSeconds ?? body.spec?.expirationSeconds ?? 0;
      const expirationTimestamp = formatTime(clock.now().wall + seconds * 1000);
      return { ...body, status: { token: `token-${requests.length}`, expirationTimestamp } };
    },
  } as unknown as KubeClient;
  const tokens = new ServiceAccountTokens({ clock, random: seededRandom(1), logger: silentLogger, client });
  const get = (audience?: string): Promise<string> => tokens.token(POD, audience, 1000);
  return { clock, requests, state, tokens, get };
}

describe('service account tokens', () => {
  it('are asked for with their pod, once', async () => {
    const w = world();
    expect(await Promise.all([w.get('api'), w.get('api')])).toEqual(['token-1', 'token-1']);
    const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };
    expect(w.requests).toEqual([
      ['ns', 'sa', 'token', { audiences: ['api'], expirationSeconds: 1000, boundObjectRef }],
    ]);
    expect(await w.get()).toBe('token-2');
  });

  it('are renewed after 80 % of their life', async () => {
    const w = world();
    await w.get();
    await w.clock.advance(800_000 - TOKEN_JITTER_MS - 1);
    expect(await w.get()).toBe('token-1');
    await w.clock.advance(TOKEN_JITTER_MS + 1);
    expect(await w.get()).toBe('token-2');
  });

  it('are kept while they cannot be renewed, to their end', async () => {
    const w = world();
    await w.get();
    w.state.failing = true;
    await w.clock.advance(900_000);
    expect(await w.get()).toBe('token-1');
    w.state.failing = false;
    expect(await w.get()).toBe('token-1');
    await w.clock.advance(TOKEN_RETRY_MS);
    expect(await w.get()).toBe('token-2');
    w.state.failing = true;
    await w.clock.advance(1_000_000);
    await expect(w.get()).rejects.toThrow('away');
  });

  it('are forgotten with their pod', async () => {
    const w = world();
    await w.get();
    w.tokens.forget('other');
    expect(await w.get()).toBe('token-1');
    w.tokens.forget('u');
    expect(await w.get()).toBe('token-2');
  });

  it.each([
    ['an hour', 3_600_000, 2_880_000],
    ['a day and more', 30 * 3_600_000, 24 * 3_600_000],
    ['a year', 365 * 24 * 3_600_000, 24 * 3_600_000],
  ])('that live %s are renewed in time', (_, lifeMs, wanted) => {
    const at = renewalTime(5, lifeMs, seededRandom(3)) - 5;
    expect(at).toBeLessThanOrEqual(wanted);
    expect(at).toBeGreaterThanOrEqual(wanted - TOKEN_JITTER_MS);
  });
});
