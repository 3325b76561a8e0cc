import { describe, expect, it } from 'vitest';
import { encodeText, FileError, type FileSystem, type Logger, seededRandom, silentLogger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { decodeQuery } from './codec/decode-query.ts';
import type { DnsSockets } from './dns-sockets.ts';
import { LoopGuard } from './loop-guard.ts';
import { SYSTEMD_RESOLV_CONF } from './resolv-conf.ts';
import { UpstreamServers } from './upstream-servers.ts';

const FILE = '/etc/resolv.conf';

function world(files: Record<string, string>, own: readonly string[] = [], looping: readonly string[] = []) {
  const clock = createManualClock();
  const warnings: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (message) => warnings.push(message) };
  let reads = 0;
  const fs = {
    stat: async (path: string) => {
      const text = files[path];
      return text === undefined ? undefined : { mtimeMs: text.length, size: text.length };
    },
    readFile: async (path: string) => {
      reads += 1;
      const text = files[path];
      if (text === undefined) throw new FileError('ENOENT', path, `no ${path}`);
      return encodeText(text);
    },
  } as unknown as FileSystem;
  const checks = {
    isOwn: (address: string) => own.includes(address),
    leadsHere: async ({ address }: { readonly address: string }) => looping.includes(address),
  };
  const servers = new UpstreamServers({ fs, clock, logger }, FILE, checks);
  const current = async (): Promise<string> => (await servers.current()).map(({ address }) => address).join(' ');
  return { clock, current, warnings, reads: () => reads };
}

describe('the servers of the node', () => {
  it('are read once, and again when their file changes', async () => {
    const files = { [FILE]: 'nameserver 192.0.2.1\n' };
    const { clock, current, reads } = world(files);
    expect(await current()).toBe('192.0.2.1');
    files[FILE] = 'nameserver 192.0.2.99\n';
    expect(await current()).toBe('192.0.2.1');
    await clock.advance(5000);
    await current();
    await settle();
    expect(await current()).toBe('192.0.2.99');
    await clock.advance(5000);
    await current();
    await settle();
    expect(reads()).toBe(2);
  });

  it('are systemd’s own where resolv.conf leads to systemd', async () => {
    const stub = 'nameserver 127.0.0.53\n';
    expect(await world({ [FILE]: stub, [SYSTEMD_RESOLV_CONF]: 'nameserver 192.0.2.2\n' }).current()).toBe('192.0.2.2');
    expect(await world({ [FILE]: stub }).current()).toBe('127.0.0.53');
  });

  it('stay as they were while the file cannot be read, which is said once', async () => {
    const files: Record<string, string> = { [FILE]: 'nameserver 192.0.2.1\n' };
    const { clock, current, warnings } = world(files);
    await current();
    delete files[FILE];
    for (let round = 0; round < 3; round++) {
      await clock.advance(5000);
      expect(await current()).toBe('192.0.2.1');
      await settle();
    }
    expect(warnings).toEqual(['the name servers of the node cannot be read']);
  });

  it('are none of those that lead back here', async () => {
    const files = { [FILE]: 'nameserver 10.244.0.1\nnameserver 127.0.0.1\nnameserver 192.0.2.1\n' };
    const { current, warnings } = world(files, ['10.244.0.1'], ['127.0.0.1']);
    await current();
    await settle();
    expect(await current()).toBe('192.0.2.1');
    expect(warnings).toHaveLength(1);
  });
});

describe('the guard against loops', () => {
  it('knows its own question when it comes round', async () => {
    const clock = createManualClock();
    const guard: LoopGuard = new LoopGuard({
      clock,
      random: seededRandom(3),
      sockets: {
        exchange: async ({ server, packet }) => {
          const decoded = decodeQuery(packet);
          if (decoded.kind !== 'query') throw new Error('no query');
          expect(guard.cameRound(['123', '456'])).toBe(false);
          if (server.address === '127.0.0.1') expect(guard.cameRound(decoded.query.name)).toBe(true);
          return undefined;
        },
      } as Partial<DnsSockets> as DnsSockets,
    });
    expect(await guard.leadsHere({ address: '127.0.0.1', port: 53 })).toBe(true);
    expect(await guard.leadsHere({ address: '192.0.2.1', port: 53 })).toBe(false);
    expect(clock.pendingTimers).toBe(0);
  });
});
