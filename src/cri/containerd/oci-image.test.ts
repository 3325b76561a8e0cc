import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { busyboxImage, ociArchitecture, pauseImage } from './built-images.ts';
import { ociArchive } from './oci-image.ts';
import { tar, type TarEntry } from './tar.ts';

const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest('hex');
const bytes = (text: string) => new TextEncoder().encode(text);
const run = (args: readonly string[], input: Uint8Array) => spawnSync('tar', args, { input, maxBuffer: 1 << 24 });

const entries: readonly TarEntry[] = [
  { type: 'directory', path: 'tmp', mode: 0o1777 },
  { type: 'file', path: 'tmp/a', data: bytes('x'.repeat(513)), mode: 0o640 },
  { type: 'symlink', path: 'b', target: 'tmp/a' },
  { type: 'file', path: 'empty', data: new Uint8Array(), mode: 0o755 },
];

describe('tar', () => {
  it('is what tar(1) reads', () => {
    const { stdout, stderr } = run(['-tvf', '-', '--numeric-owner'], tar(entries));
    expect(stderr.toString()).toBe('');
    expect(
      stdout
        .toString()
        .split('\n')
        .map((line) => line.replace(/\s+/g, ' ')),
    ).toEqual([
      'drwxrwxrwt 0/0 0 1970-01-01 00:00 tmp/',
      '-rw-r----- 0/0 513 1970-01-01 00:00 tmp/a',
      'lrwxrwxrwx 0/0 0 1970-01-01 00:00 b -> tmp/a',
      '-rwxr-xr-x 0/0 0 1970-01-01 00:00 empty',
      '',
    ]);
  });

  it('keeps the content', () => {
    expect(run(['-xOf', '-', 'tmp/a'], tar(entries)).stdout.toString()).toBe('x'.repeat(513));
  });

  it('refuses a path that does not fit', () => {
    expect(() => tar([{ type: 'directory', path: 'x'.repeat(100), mode: 0o755 }])).toThrow('too long');
  });
});

describe('ociArchive', () => {
  const archive = ociArchive(pauseImage('amd64', { kind: 'catatonit', data: bytes('elf') }), sha256);
  const read = (path: string) => run(['-xOf', '-', path], archive).stdout;
  const json = (path: string) => JSON.parse(read(path).toString()) as Record<string, unknown>;
  const blob = (digest: string) => `blobs/${digest.replace(':', '/')}`;

  it('is the same for the same image', () => {
    expect(ociArchive(pauseImage('amd64', { kind: 'catatonit', data: bytes('elf') }), sha256)).toEqual(archive);
  });

  it('leads from its index to its layer by digests that are right', () => {
    const [first] = json('index.json')['manifests'] as { digest: string; annotations: Record<string, string> }[];
    expect(first?.annotations['io.containerd.image.name']).toBe('mendlet.dev/pause:1');
    const manifest = json(blob(first?.digest ?? '')) as {
      config: { digest: string };
      layers: { digest: string; size: number }[];
    };
    const layer = read(blob(manifest.layers[0]?.digest ?? ''));
    expect(`sha256:${sha256(layer)}`).toBe(manifest.layers[0]?.digest);
    expect(layer.length).toBe(manifest.layers[0]?.size);
    expect(json(blob(manifest.config.digest))).toMatchObject({
      architecture: 'amd64',
      os: 'linux',
      config: { Entrypoint: ['/pause', '-P'], User: '65535:65535' },
      rootfs: { diff_ids: [manifest.layers[0]?.digest] },
    });
  });
});

describe('built images', () => {
  it('busybox has its applets', () => {
    const image = busyboxImage('docker.io/library/busybox:latest', 'arm64', bytes('elf'), ['sh', 'busybox', 'sleep']);
    expect(image.files.filter(({ type }) => type === 'symlink').map(({ path }) => path)).toEqual([
      'bin/sh',
      'bin/sleep',
    ]);
    expect(image.command).toEqual(['sh']);
  });

  it.each([
    ['x64', 'amd64'],
    ['arm64', 'arm64'],
    ['riscv64', 'riscv64'],
  ])('%s is %s', (node, oci) => {
    expect(ociArchitecture(node)).toBe(oci);
  });
});
