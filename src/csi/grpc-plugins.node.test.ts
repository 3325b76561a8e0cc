/** Plugins at real sockets, of which some are hostile. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { createServer as createRawServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { Node, NodeServiceCapability_RPC_Type as Rpc } from './gen/csi_pb.js';
import { grpcPlugins } from './grpc-plugins.node.ts';
import { MAX_MESSAGE_BYTES } from './limits.ts';
import { type CsiDriver, CsiError } from './plugins.ts';

const folder = mkdtempSync(join(tmpdir(), 'mendlet-plugins-'));
const open: (Http2Server | Server)[] = [];
const drivers: CsiDriver[] = [];
let count = 0;
afterEach(() => {
  for (const driver of drivers.splice(0)) driver.close();
  for (const server of open.splice(0)) server.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

async function listen(server: Http2Server | Server): Promise<CsiDriver> {
  count += 1;
  const path = join(folder, `${count}.sock`);
  open.push(server);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const driver = grpcPlugins.driver(path);
  drivers.push(driver);
  return driver;
}

/** A driver with these calls. */
const serve = (calls: Partial<ServiceImpl<typeof Node>>): Promise<CsiDriver> =>
  listen(createServer(connectNodeAdapter({ routes: (router) => void router.service(Node, calls) })));

/** Anything but a driver: it gets the stream. */
const pretend = (answer: (stream: ServerHttp2Stream) => void): Promise<CsiDriver> => {
  const server = createServer();
  server.on('stream', (stream: ServerHttp2Stream) => {
    stream.on('error', () => {});
    stream.resume();
    answer(stream);
  });
  return listen(server);
};

async function failure(call: Promise<unknown>): Promise<CsiError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof CsiError) return error;
    throw error;
  }
  throw new Error('it succeeded');
}

describe('a driver', () => {
  it('is asked and answers', async () => {
    const driver = await serve({
      nodeGetInfo: () => ({ nodeId: 'n', maxVolumesPerNode: -3n, accessibleTopology: { segments: { zone: 'a' } } }),
      nodeGetCapabilities: () => ({
        capabilities: [Rpc.EXPAND_VOLUME, Number('4711')].map((type) => ({ type: { case: 'rpc', value: { type } } })),
      }),
      nodeExpandVolume: ({ capacityRange }) => ({ capacityBytes: capacityRange?.requiredBytes ?? 0n }),
    });
    expect(await driver.info()).toEqual({ nodeId: 'n', maxVolumes: 0, topology: { zone: 'a' } });
    expect([...(await driver.capabilities())]).toEqual(['expand']);
    const request = { handle: 'h', volumePath: '/v', stagingPath: '', requiredBytes: 2 ** 50 };
    expect(await driver.expand({ ...request, capability: { mode: 'single-node-writer' }, secrets: {} })).toBe(2 ** 50);
  });

  it('that fails is quoted as grpc-go says it, and not at length', async () => {
    const driver = await serve({
      nodeUnstageVolume: () => {
        throw new ConnectError(`\u001b[2J${'no '.repeat(2000)}`, Code.FailedPrecondition);
      },
    });
    const { code, message } = await failure(driver.unstage('h', '/s'));
    expect(code).toBe('FailedPrecondition');
    expect(message.startsWith('rpc error: code = FailedPrecondition desc = \\u001b[2Jno no')).toBe(true);
    expect(message.length).toBeLessThanOrEqual(1024);
  });

  it('that does not know a call says so', async () => {
    expect((await failure((await serve({})).unpublish('h', '/t'))).code).toBe('Unimplemented');
  });

  it('that is not there is away', async () => {
    const driver = grpcPlugins.driver(join(folder, 'none.sock'));
    drivers.push(driver);
    expect(await failure(driver.info())).toMatchObject({
      code: 'Unavailable',
      message: `the plugin at ${folder}/none.sock is away: ENOENT`,
    });
  });
});

describe('a plugin that', () => {
  it('answers 100 MB is not listened to', async () => {
    let sent = 0;
    const driver = await pretend((stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' });
      const head = Buffer.alloc(5);
      head.writeUInt32BE(100 << 20, 1);
      stream.write(head);
      const piece = Buffer.alloc(1 << 16);
      const more = (): void => {
        while (!stream.destroyed && sent < 100 << 20) {
          sent += piece.length;
          if (!stream.write(piece)) return void stream.once('drain', more);
        }
      };
      more();
    });
    const { code, message } = await failure(driver.capabilities());
    expect(code).toBe('ResourceExhausted');
    expect(message.length).toBeLessThan(1024);
    expect(sent).toBeLessThan(4 * MAX_MESSAGE_BYTES);
  });

  it('repeats one message without end is not listened to', async () => {
    const driver = await pretend((stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' });
      const empty = Buffer.alloc(5 << 12);
      const more = (): void => {
        while (!stream.destroyed) if (!stream.write(empty)) return void stream.once('drain', more);
      };
      more();
    });
    await failure(driver.capabilities());
  });

  it('says nothing that is gRPC is unknown', async () => {
    const driver = await pretend((stream) => {
      stream.respond({ ':status': 200, 'content-type': 'text/html' });
      stream.end('<html>');
    });
    await failure(driver.info());
  });

  it('breaks off in the middle is away, and the next call may succeed', async () => {
    let calls = 0;
    const driver = await serve({
      nodeGetInfo: () => {
        calls += 1;
        return { nodeId: 'n' };
      },
    });
    const cut = await listen(createRawServer((socket) => void socket.destroy()));
    expect(await failure(cut.info())).toMatchObject({
      code: 'Unavailable',
      message: expect.stringContaining('is away'),
    });
    await driver.info();
    await driver.info();
    expect(calls).toBe(2);
  });

  it('is closed fails the calls under way', async () => {
    const driver = await serve({ nodeGetInfo: () => new Promise(() => {}) });
    const asked = failure(driver.info());
    await new Promise((resolve) => setTimeout(resolve, 50));
    driver.close();
    expect((await asked).name).toBe('CsiError');
  });
});
