import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openListeners } from './listeners.node.ts';

const listeners = openListeners();
const mayUnshare = spawnSync('unshare', ['-n', 'true']).status === 0;

const SCRIPT = `
const { createServer } = require('node:net');
const servers = [[8080, '0.0.0.0'], [9090, '127.0.0.1'], [7070, '0.0.0.0']];
let left = servers.length;
for (const [port, host] of servers) createServer().listen(port, host, () => { left -= 1; if (left === 0) console.log('up'); });
`;

describe.skipIf(!mayUnshare)('in a network of its own (skipped where nobody may make one: needs root)', () => {
  let child: ChildProcess;
  beforeAll(async () => {
    // Its loopback interface is down, and nothing but a shell is needed to listen there all the same.
    const script = 'echo 1 >/proc/sys/net/ipv4/ip_nonlocal_bind; exec "$0" -e "$1"';
    child = spawn('unshare', ['-n', 'sh', '-c', script, process.execPath, SCRIPT]);
    await new Promise<void>((resolve, reject) => {
      child.stdout?.once('data', () => resolve());
      child.once('exit', (code) => reject(new Error(`the listener ended with ${code}`)));
    });
  });
  afterAll(() => void child.kill('SIGKILL'));

  it('sees who listens where', async () => {
    expect(await listeners.of([child.pid ?? 0])).toEqual([
      { port: 7070, own: true },
      { port: 8080, own: true },
      { port: 9090, loopback: '127.0.0.1', own: true },
    ]);
  });

  it('sees which container of a pod holds each socket', async () => {
    const idle = { name: 'idle', pids: [2 ** 30] };
    const held = { container: 'web', process: expect.stringMatching(/node|MainThread/) };
    expect(await listeners.ofPod([idle, { name: 'web', pids: [child.pid ?? 0] }], 'TCP')).toEqual([
      { port: 7070, ...held },
      { port: 8080, ...held },
      { port: 9090, loopback: '127.0.0.1', ...held },
    ]);
  });

  it('tells the ports of a pod also when nobody can be found who holds them', async () => {
    const other = spawn('nsenter', ['-n', '-t', String(child.pid), 'sleep', '600']);
    try {
      const ports = () => listeners.ofPod([{ name: 'other', pids: [other.pid ?? 0] }], 'TCP');
      await expect.poll(ports).toEqual([{ port: 7070 }, { port: 8080 }, { port: 9090, loopback: '127.0.0.1' }]);
    } finally {
      other.kill('SIGKILL');
    }
  });

  it('also when one of its processes has ended meanwhile', async () => {
    const ports = await listeners.of([child.pid ?? 0, 2 ** 30]);
    expect(ports?.map(({ own }) => own)).toEqual([true, true, true]);
  });
});

it.each([
  ['a process with our own network', [process.pid]],
  ['one that is gone', [2 ** 30]],
  ['none', []],
])('tells nothing of %s', async (_, pids) => {
  expect(await listeners.of(pids)).toBeUndefined();
  expect(await listeners.ofPod([{ name: 'web', pids }], 'TCP')).toBeUndefined();
});
