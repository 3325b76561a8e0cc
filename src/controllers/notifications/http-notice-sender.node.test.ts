/** What targets, name servers and people who write addresses may try. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpNoticeSender } from './http-notice-sender.node.ts';
import { firstFound, hostAddresses, searchedNames } from './name-lookup.node.ts';
import type { OutgoingMessage, SendResult } from './notice-sender.ts';

const LOCAL = ['127.0.0.0/8'];
const servers = new Set<Server | TcpServer>();
afterEach(() => {
  for (const server of servers) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
  servers.clear();
});

async function listen(server: Server | TcpServer): Promise<number> {
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const serve = (handle: RequestListener): Promise<number> => listen(createServer(handle));

interface Options {
  readonly allowed?: readonly string[];
  readonly timeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly lookup?: (name: string) => Promise<readonly string[]>;
}

function send(url: string, options: Options = {}, message: Partial<OutgoingMessage> = {}): Promise<SendResult> {
  const { allowed = LOCAL, ...more } = options;
  const sender = createHttpNoticeSender({ allowed, userAgent: 'mendlet/test', ...more });
  return sender(
    { url, headers: { 'x-a': 'b' }, body: '{"a":"ä"}', secrets: [], ...message },
    new AbortController().signal,
  );
}

describe('a message', () => {
  it('arrives whole, and its answer is told', async () => {
    const got: unknown[] = [];
    const port = await serve((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        const { host, 'x-a': a, 'user-agent': agent } = request.headers;
        got.push([request.method, request.url, host, a, agent, body]);
        response.end('ok\n');
      });
    });
    const result = await send(`http://127.0.0.1:${port}/hook?key=1`);
    expect(result).toEqual({ delivered: true, answer: '200 OK: ok' });
    expect(got).toEqual([['POST', '/hook?key=1', `127.0.0.1:${port}`, 'b', 'mendlet/test', '{"a":"ä"}']]);
  });

  it('goes to the address that was checked: the name is asked once', async () => {
    const port = await serve((request, response) => response.end(request.headers.host));
    const answers = [['127.0.0.2'], ['169.254.169.254']];
    const result = await send(`http://rebound.example:${port}/`, {
      allowed: ['127.0.0.1/32'],
      lookup: () => Promise.resolve(answers.shift() ?? []),
    });
    expect(result).toMatchObject({ delivered: false, reason: 'Refused' });
    expect(answers).toHaveLength(1);
    const good = await send(`http://rebound.example:${port}/`, { lookup: () => Promise.resolve(['127.0.0.1']) });
    expect(good).toEqual({ delivered: true, answer: `200 OK: rebound.example:${port}` });
  });

  it('goes to none of a name’s addresses that is out of reach', async () => {
    const port = await serve((_, response) => response.end());
    const lookup = () => Promise.resolve(['169.254.169.254', '127.0.0.1']);
    expect(await send(`http://mixed.example:${port}/`, { lookup })).toMatchObject({ delivered: true });
    expect(await send(`http://mixed.example:${port}/`, { lookup, allowed: [] })).toMatchObject({ reason: 'Refused' });
  });

  it.each([
    'http://127.0.0.1:1/',
    'http://localhost:1/',
    'http://127.1:1/',
    'http://2130706433:1/',
    'http://0x7f000001:1/',
    'http://0177.0.0.1:1/',
    'http://[::1]:1/',
    'http://[::ffff:127.0.0.1]:1/',
    'http://[::ffff:7f00:1]:1/',
    'http://[64:ff9b::7f00:1]:1/',
    'http://[fe80::1]:1/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://169.254.169.254/latest/meta-data/',
    'http://0.0.0.0:1/',
    'http://0/',
    'http://[::]:1/',
    'http://224.0.0.1/',
  ])('to %s is refused', async (url) => {
    const result = await send(url, { allowed: [] });
    expect(result).toMatchObject({ delivered: false, reason: 'Refused' });
    expect(result).toHaveProperty('problem', expect.stringContaining('--notification-allow'));
  });

  it('follows no redirect', async () => {
    let asked = 0;
    const port = await serve((request, response) => {
      asked += 1;
      response.writeHead(request.url === '/' ? 307 : 200, { location: '/secret' }).end();
    });
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual({
      delivered: false,
      reason: 'Answered',
      problem: 'the target answered 307 Temporary Redirect, and redirects are not followed',
    });
    expect(asked).toBe(1);
  });

  it('that is refused tells why, how long to wait, and no secret', async () => {
    const port = await serve((request, response) => {
      response.writeHead(429, { 'retry-after': '7' }).end(`no: ${request.headers['authorization']} ${request.url}`);
    });
    const message = {
      headers: { authorization: 'Bearer s3cr3t-value' },
      secrets: ['s3cr3t-value', '/services/T0/B0/xyz'],
    };
    const result = await send(`http://127.0.0.1:${port}/services/T0/B0/xyz`, {}, message);
    expect(result).toMatchObject({ delivered: false, reason: 'Answered', retryAfterMs: 7000 });
    expect(JSON.stringify(result)).not.toMatch(/s3cr3t|xyz/);
  });

  it('whose secret is said again and again, and cut off in the middle, tells nothing of it', async () => {
    const secret = `s3cr3t${'0123456789'.repeat(9)}`;
    for (const text of [secret.repeat(100), secret.slice(0, 80)]) {
      const port = await serve((_, response) => {
        response.writeHead(500);
        response.write(text);
        if (text.length > 1000) response.end();
      });
      const result = await send(`http://127.0.0.1:${port}/`, {}, { secrets: [secret] });
      expect(JSON.stringify(result)).not.toContain('s3cr3t');
    }
  });
});

/** Now, by the clock of a target that is a day ahead. */
const aheadBy = (seconds: number): string => new Date(Date.UTC(2026, 10, 25) + seconds * 1000).toUTCString();

describe('a wait that a target asks for', () => {
  it.each<[what: string, retryAfter: string, wanted: number | undefined]>([
    ['seconds', '7', 7000],
    ['no time', '0', 0],
    ['a date by its own clock', aheadBy(30), 30_000],
    ['a date in the past', aheadBy(-3600), 0],
    ['more than is granted', '99999999999999999999', 600_000],
    ['a day', '86400', 600_000],
    ['a date far away', aheadBy(1e9), 600_000],
    ['nonsense', 'soon', undefined],
    ['a number that is none', '-5', undefined],
    ['another number', '1e9', undefined],
  ])('%s: %s', async (_, retryAfter, wanted) => {
    const port = await serve((_request, response) => {
      response.writeHead(503, { 'retry-after': retryAfter, date: aheadBy(0) }).end();
    });
    const result = await send(`http://127.0.0.1:${port}/`);
    expect(result).toMatchObject({ delivered: false });
    expect('retryAfterMs' in result ? result.retryAfterMs : undefined).toBe(wanted);
  });
});

/** A server whose machine drops what it has no room for: its loop stands still, and its queue is full. */
async function listenDeaf(): Promise<{ readonly port: number; readonly end: () => Promise<unknown> }> {
  const code = `const { parentPort } = require('node:worker_threads');
    const server = require('node:net').createServer().listen({ host: '127.0.0.2', port: 0, backlog: 1 }, () => {
      parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const worker = new Worker(code, { eval: true });
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  const fill = Array.from({ length: 8 }, () => connect(port, '127.0.0.2').on('error', () => {}));
  const end = (): Promise<unknown> => {
    for (const each of fill) each.destroy();
    return worker.terminate();
  };
  await expect.poll(() => fill.filter(({ connecting }) => !connecting).length).toBeGreaterThan(0);
  return { port, end };
}

describe('a target', () => {
  it('of several addresses gets the message though packets to the first one vanish', async () => {
    const deaf = await listenDeaf();
    const server = createServer((_, response) => response.end('here'));
    servers.add(server);
    await new Promise<void>((resolve) => server.listen(deaf.port, '127.0.0.1', resolve));
    const lookup = () => Promise.resolve(['127.0.0.2', '127.0.0.1']);
    const result = await send(`http://two.example:${deaf.port}/`, { lookup, timeoutMs: 5000, connectTimeoutMs: 100 });
    await deaf.end();
    expect(result).toEqual({ delivered: true, answer: '200 OK: here' });
  });

  it('that does not answer is given up', async () => {
    const silent = await serve(() => {});
    expect(await send(`http://127.0.0.1:${silent}/`, { timeoutMs: 200 })).toEqual({
      delivered: false,
      reason: 'TimedOut',
      problem: '127.0.0.1 did not answer in time',
    });
    const mute = await listen(createTcpServer(() => {}));
    expect(await send(`https://127.0.0.1:${mute}/`, { timeoutMs: 200 })).toMatchObject({ reason: 'TimedOut' });
  });

  it('that drips its headers is given up', async () => {
    const port = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => {});
        socket.write('HTTP/1.1 200 OK\r\n');
        const drip = setInterval(() => socket.write('x-a: b\r\n'), 20);
        socket.on('close', () => clearInterval(drip));
      }),
    );
    expect(await send(`http://127.0.0.1:${port}/`, { timeoutMs: 300 })).toMatchObject({ delivered: false });
  });

  it('that answers with a hundred megabytes costs some kilobytes', async () => {
    let written = 0;
    const port = await serve((_, response) => {
      const chunk = Buffer.alloc(1024 * 1024, 'a');
      const more = (): void => {
        while (written < 100 && !response.destroyed) {
          written += 1;
          if (!response.write(chunk)) {
            response.once('drain', more);
            return;
          }
        }
        response.end();
      };
      more();
    });
    const result = await send(`http://127.0.0.1:${port}/`);
    expect(result).toMatchObject({ delivered: true });
    expect(JSON.stringify(result).length).toBeLessThan(300);
    expect(written).toBeLessThan(50);
  });

  it('whose answer does not end has answered', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200);
      response.write('ok');
    });
    expect(await send(`http://127.0.0.1:${port}/`)).toEqual({ delivered: true, answer: '200 OK: ok' });
  });

  it('that drives a terminal does not drive ours', async () => {
    const port = await serve((_, response) => response.writeHead(500).end('\u001b[2J<b>'));
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({
      problem: 'the target answered 500 Internal Server Error: \\u001b[2J<b>',
    });
  });

  it('that speaks another protocol, or does not listen, is told of', async () => {
    const port = await listen(createTcpServer((socket) => void socket.end('SSH-2.0-x\r\n').on('error', () => {})));
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ reason: 'Unreachable' });
    const closed = await serve(() => {});
    for (const server of servers) server.close();
    const result = await send(`http://127.0.0.1:${closed}/`);
    expect(result).toMatchObject({ reason: 'Unreachable', problem: '127.0.0.1: connection refused' });
  });

  it('with a certificate that nobody vouches for gets nothing', async () => {
    const port = await listen(createTlsServer((_, response) => response.end()));
    expect(await send(`https://127.0.0.1:${port}/`)).toMatchObject({ delivered: false, reason: 'Unreachable' });
  });

  it('whose name has no address, or cannot be resolved, is told of', async () => {
    expect(await send('http://nobody.example/', { lookup: () => Promise.resolve([]) })).toMatchObject({
      reason: 'Unresolved',
      problem: 'the name nobody.example has no address here',
    });
    const lookup = () => Promise.reject(new Error('queryA ESERVFAIL nobody.example'));
    expect(await send('http://nobody.example/', { lookup })).toMatchObject({ reason: 'Unresolved' });
    const hangs = () => new Promise<never>(() => {});
    const result = send('http://nobody.example/', { lookup: hangs, timeoutMs: 100 });
    expect(await result).toMatchObject({ reason: 'TimedOut' });
  });
});

it('names are looked up as resolv.conf says', () => {
  const conf = '# a\nsearch shop.svc.cluster.local svc.cluster.local.\nnameserver 10.0.0.1\noptions ndots:2\n';
  expect(searchedNames('am', conf)).toEqual(['am.shop.svc.cluster.local', 'am.svc.cluster.local', 'am']);
  expect(searchedNames('am.ops.svc', conf)[0]).toBe('am.ops.svc');
  expect(searchedNames('am.ops', '')).toEqual(['am.ops']);
  expect(searchedNames('am.ops.', conf)).toEqual(['am.ops']);
});

it('names of the hosts file are known', () => {
  const hosts = '127.0.0.1 localhost\n10.0.0.7\tntfy.home ntfy # mine\n#1.2.3.4 gone\n::1 localhost';
  expect(hostAddresses(hosts, 'NTFY')).toEqual(['10.0.0.7']);
  expect(hostAddresses(hosts, 'localhost')).toEqual(['127.0.0.1', '::1']);
  expect(hostAddresses(hosts, 'gone')).toEqual([]);
});

it('a name of the search list that no server knows about does not hide the name itself', async () => {
  const { signal } = new AbortController();
  const asked: string[] = [];
  const addresses = (name: string): Promise<readonly string[]> => {
    asked.push(name);
    return name === 'am.ops' ? Promise.resolve(['10.0.0.7']) : Promise.reject(new Error(`queryA ESERVFAIL ${name}`));
  };
  expect(await firstFound(['am.ops.dead.example', 'am.ops'], addresses, signal)).toEqual(['10.0.0.7']);
  expect(asked).toEqual(['am.ops.dead.example', 'am.ops']);
  await expect(firstFound(['a.dead', 'b.dead'], addresses, signal)).rejects.toThrow('ESERVFAIL a.dead');
});
