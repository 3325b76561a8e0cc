import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemFileSystem } from '../lib/file-system.node.ts';
import { systemProcess } from '../lib/process.node.ts';
import { openPathProbe, parseNameServers } from './path-probe.node.ts';

const probe = openPathProbe({ process: systemProcess, fs: systemFileSystem });
const mayUnshare = spawnSync('unshare', ['-n', 'true']).status === 0;

describe('name servers', () => {
  it.each([
    ['nameserver 10.0.0.1\nsearch a b\nnameserver ::1\n', ['10.0.0.1', '::1']],
    ['# nameserver 10.0.0.1\noptions ndots:5', []],
    ['nameserver evil.example\nnameserver 10.0.0.2 # x', ['10.0.0.2']],
    ['nameserver 1.1.1.1\n'.repeat(9), ['1.1.1.1', '1.1.1.1', '1.1.1.1']],
  ])('%j', (text, wanted) => {
    expect(parseNameServers(text)).toEqual(wanted);
  });
});

describe('from the node itself', () => {
  it('connects, and says what failed', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const open = { ip: '127.0.0.1', port };
    // Nobody listens at this address.
    const closed = { ip: '127.7.7.7', port };
    try {
      const outcomes = await probe.tryAll(undefined, [
        { kind: 'connect', to: open, instead: closed },
        { kind: 'connect', to: closed, instead: open },
        { kind: 'connect', to: closed },
        { kind: 'lookup', server: '127.7.7.7', name: 'web.shop.svc.cluster.local' },
      ]);
      expect(outcomes).toEqual([
        {},
        { failure: 'ECONNREFUSED', instead: {} },
        { failure: 'ECONNREFUSED' },
        { failure: 'ECONNREFUSED' },
      ]);
    } finally {
      server.close();
    }
  });

  it('starts nothing for nothing', async () => {
    expect(await probe.tryAll(2 ** 30, [])).toEqual([]);
  });

  it('has no network of its own', () => {
    expect(probe.inOwnNetwork([process.pid, 2 ** 30])).toBe(undefined);
  });
});

describe.skipIf(!mayUnshare)('in a network of its own (skipped where nobody may make one: needs root)', () => {
  let child: ChildProcess;
  beforeAll(async () => {
    const script = 'ip link set lo up; exec "$0" -e "$1"';
    // A name server that says nothing, and one TCP port.
    const serve = `require('node:dgram').createSocket('udp4').bind(53, '127.0.0.1', () =>
      require('node:net').createServer().listen(8080, '127.0.0.1', () => console.log('up')));`;
    child = spawn('unshare', ['-n', 'sh', '-c', script, process.execPath, serve]);
    await once(child.stdout!, 'data');
  });
  afterAll(() => void child.kill('SIGKILL'));

  it('tries from inside', async () => {
    const pid = probe.inOwnNetwork([process.pid, child.pid ?? 0]);
    expect(pid).toBe(child.pid);
    const tries = [
      { kind: 'connect', to: { ip: '127.0.0.1', port: 8080 } },
      { kind: 'connect', to: { ip: '192.0.2.1', port: 80 } },
      { kind: 'lookup', server: '127.0.0.1', name: 'web.shop.svc.cluster.local' },
    ] as const;
    expect(await probe.tryAll(pid, tries)).toEqual([{}, { failure: 'ENETUNREACH' }, { failure: 'ETIMEOUT' }]);
  });

  it('reads the name servers that the process has, and follows no link', async () => {
    // Its root is ours.
    const own = await systemFileSystem.stat('/etc/resolv.conf');
    const servers = await probe.nameServers(child.pid ?? 0);
    if (own?.type === 'file') expect(servers).toBeDefined();
    else expect(servers).toBe(undefined);
    expect(await probe.nameServers(2 ** 30)).toBe(undefined);
  });

  it('says that the process has ended', async () => {
    const tries = [{ kind: 'connect', to: { ip: '127.0.0.1', port: 8080 } }] as const;
    expect(await probe.tryAll(2 ** 30, tries)).toEqual({ problem: 'the pod has ended meanwhile' });
  });

  it('says that the network cannot be entered', async () => {
    const without = openPathProbe({
      process: {
        run: (file, args, options) => systemProcess.run(file === 'nsenter' ? '/nowhere/nsenter' : file, args, options),
      },
      fs: systemFileSystem,
    });
    const tries = [{ kind: 'connect', to: { ip: '127.0.0.1', port: 8080 } }] as const;
    expect(await without.tryAll(child.pid, tries)).toEqual({ problem: 'nsenter is not installed' });
  });
});
