/** Watches over WebSockets: they count as connections like others, and those of strangers cost nothing. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { connectionShares } from '../../src/apiserver/edge/connection-shares.ts';
import { startUnderAttack, type UnderAttack } from './edge/edge-under-attack.ts';
import { openTls, type Target, type Wire } from './edge/hostile-client.ts';
import { inShort } from './extent.ts';

// The smallest shares that there are: the limits are met soon.
const shares = connectionShares(undefined, 64);
const BEARER = 'base64url.bearer.authorization.k8s.io.';

let target: UnderAttack;
const wires: Wire[] = [];
beforeAll(async () => {
  target = await startUnderAttack({ shares });
});
afterAll(() => target.close());
afterEach(async () => {
  for (const wire of wires.splice(0)) wire.close();
  await target.holdsNothing();
});

/** Its answer's status, once it has come. */
async function open(to: Target, protocols?: string, path = '/api/v1/configmaps?watch=1'): Promise<string> {
  const wire = await openTls(to, ['http/1.1']);
  wires.push(wire);
  const lines = [
    `GET ${path} HTTP/1.1`,
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...(protocols === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocols}`]),
  ];
  await wire.send(`${lines.join('\r\n')}\r\n\r\n`);
  await wire.until(({ text }) => text.includes('\r\n'));
  return wire.text.split(' ')[1] ?? '';
}

it('of one user are bounded by the connections that he may have', async () => {
  const codes: string[] = [];
  for (let n = 0; n < shares.perKeptUser + 8; n += 1) codes.push(await open(target.admin));
  expect(codes.filter((code) => code === '101')).toHaveLength(shares.perKeptUser);
  expect(codes.slice(shares.perKeptUser)).not.toContain('101');
  expect(target.edge.usage.connections).toBeLessThanOrEqual(shares.perKeptUser);
  for (const wire of wires.splice(0)) wire.close();
  await target.holdsNothing();
  await target.stillServes();
});

it('of strangers are refused before anything is opened', async () => {
  const bad = Buffer.from('no.such.token').toString('base64url');
  const kinds = [undefined, `${BEARER}${bad}, a`, `${BEARER}${bad}`, `${BEARER}%%, a`, `${BEARER}, ${BEARER}, a`];
  for (let n = 0; n < inShort(10, 200); n += 1) {
    expect(await open(target.stranger, kinds[n % kinds.length])).toBe('401');
    expect(wires.at(-1)?.text).not.toContain(BEARER);
    wires.pop()?.close();
  }
  expect(target.edge.usage.strangerRequests).toBe(0);
  await target.stillServes();
});

it("know the token of a subprotocol's user, what he may not see, and never repeat it", async () => {
  const protocols = `${BEARER}${Buffer.from(target.token).toString('base64url')}, base64.binary.k8s.io`;
  expect(await open(target.stranger, protocols)).toBe('403');
  await wires[0]?.until(({ text }) => text.includes('jane'));
  expect(wires[0]?.text).toContain('jane');
  expect(wires[0]?.text).not.toContain(BEARER);
});
