import { expect, it } from 'vitest';
import { because, innermost } from './innermost.ts';

it.each([
  [
    'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/app/serve": no such file: unknown',
    'exec: "/app/serve": no such file',
  ],
  ['rpc error: code = Unknown desc = failed to setup network for sandbox "8c1e": no plugin', 'no plugin'],
  ['container_linux.go:380: starting container process caused: process_linux.go:545: container init caused: ro', 'ro'],
  ['Pod was rejected: forbidden sysctl: "a.b" not allowlisted', 'forbidden sysctl: "a.b" not allowlisted'],
  ['rpc error: code = Unknown desc = ', 'rpc error: code = Unknown desc ='],
  ['something unheard of.', 'something unheard of'],
])('%s → %s', (message, told) => {
  expect(innermost(message)).toBe(told);
});

it('a mount tells what mount said, and its source', () => {
  const message =
    'MountVolume.SetUp failed for volume "a" : mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nfs nas:/e /var/lib/a\nOutput: mount.nfs: Connection timed out\n';
  expect(innermost(message)).toBe('mount.nfs: Connection timed out (nfs nas:/e)');
});

it('of a long message the middle is left out, and no half of a secret is left', () => {
  const told = innermost(`open ${'a'.repeat(400)} password=hunter2hunter2: ${'b'.repeat(300)} no such host`);
  expect(told.length).toBeLessThanOrEqual(240);
  expect(told).toMatch(/^open a.* … .*no such host$/);
  expect(told).not.toContain('hunter2');
});

it('nothing follows where there is no message', () => {
  expect([because(undefined), because(''), because('a')]).toEqual(['', '', ': a']);
});
