import { expect, it } from 'vitest';
import type { TokenRequest } from '../api/index.ts';
import { createManualClock } from '../lib/manual-clock.node.ts';
import type { KubeClient } from './kube-client.ts';
import { NodeTokens } from './node-tokens.ts';

it('each node has a token of its own, which is renewed before it ends', async () => {
  const clock = createManualClock();
  const asked: string[] = [];
  let status: TokenRequest['status'] | undefined;
  const client = {
    createSubresource: async (_: unknown, namespace: string, name: string, what: string, body: TokenRequest) => {
      asked.push(`${namespace}/${name}/${what} ${body.spec?.audiences?.join()} ${body.spec?.expirationSeconds}`);
      return { status: status ?? { token: `t${asked.length}`, expirationTimestamp: '' } };
    },
  } as unknown as KubeClient;
  const tokens = new NodeTokens({ client, clock, account: { namespace: 'kube-system', name: 'h' } });
  expect([await tokens.tokenFor('a'), await tokens.tokenFor('b'), await tokens.tokenFor('a')]).toEqual([
    't1',
    't2',
    't1',
  ]);
  expect(asked).toEqual(['kube-system/h/token mendlet.dev/node/a 600', 'kube-system/h/token mendlet.dev/node/b 600']);
  await clock.advance(479_000);
  expect(await tokens.tokenFor('a')).toBe('t1');
  await clock.advance(1000);
  expect(await tokens.tokenFor('a')).toBe('t3');
  tokens.forget('a');
  expect(await tokens.tokenFor('a')).toBe('t4');
  status = { token: '', expirationTimestamp: '' };
  await expect(tokens.tokenFor('c')).rejects.toThrow('without a token');
});
