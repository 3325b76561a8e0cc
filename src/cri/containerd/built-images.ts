/** The images that mendlet builds from the distribution's static programs, so that no registry is ever needed. Pure. */
import type { OciImage } from './oci-image.ts';
import type { TarEntry } from './tar.ts';

/** The sandbox image. The tag counts this builder's changes. */
export const PAUSE_IMAGE = 'mendlet.dev/pause:1';

/** A static program that can hold a sandbox's namespaces. */
export interface StaticInit {
  readonly kind: 'catatonit' | 'busybox';
  readonly data: Uint8Array;
}

/** With a trap ash leaves on SIGTERM although it is pid 1; its wait reaps the processes that the pod leaves to it. */
const BUSYBOX_PAUSE = 'trap "exit 0" TERM INT; while :; do sleep 2147483647 & wait; done';

/** A sandbox's only process: waits, reaps the pod's orphans, ends on SIGTERM. */
export function pauseImage(architecture: string, init: StaticInit): OciImage {
  const entrypoint = init.kind === 'catatonit' ? ['/pause', '-P'] : ['/busybox', 'sh', '-c', BUSYBOX_PAUSE];
  const path = init.kind === 'catatonit' ? 'pause' : 'busybox';
  const program: TarEntry = { type: 'file', path, data: init.data, mode: 0o755 };
  // ash finds `sleep` within itself only under its own name.
  const files: readonly TarEntry[] =
    init.kind === 'catatonit'
      ? [program]
      : [
          program,
          { type: 'directory', path: 'bin', mode: 0o755 },
          { type: 'symlink', path: 'bin/sleep', target: '/busybox' },
        ];
  return { name: PAUSE_IMAGE, architecture, files, entrypoint, user: '65535:65535' };
}

const DIRECTORIES = [
  'bin',
  'dev',
  'etc',
  'home',
  'proc',
  'root',
  'sbin',
  'sys',
  'tmp',
  'usr',
  'usr/bin',
  'usr/sbin',
  'var',
  'var/tmp',
];
const text = (content: string) => new TextEncoder().encode(content);

/** A small system of busybox alone: for the demo and for tests. `applets`: the output of `busybox --list`. */
export function busyboxImage(
  name: string,
  architecture: string,
  busybox: Uint8Array,
  applets: readonly string[],
): OciImage {
  const mode = (path: string) => (path.endsWith('tmp') ? 0o1777 : 0o755);
  const files: readonly TarEntry[] = [
    ...DIRECTORIES.map((path): TarEntry => ({ type: 'directory', path, mode: mode(path) })),
    { type: 'file', path: 'bin/busybox', data: busybox, mode: 0o755 },
    {
      type: 'file',
      path: 'etc/passwd',
      data: text('root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/home:/bin/false\n'),
      mode: 0o644,
    },
    { type: 'file', path: 'etc/group', data: text('root:x:0:\nnobody:x:65534:\n'), mode: 0o644 },
    ...applets
      .filter((applet) => applet !== 'busybox')
      .map((applet): TarEntry => ({ type: 'symlink', path: `bin/${applet}`, target: 'busybox' })),
  ];
  return { name, architecture, files, command: ['sh'] };
}

/** Node's names of processors in the words of OCI (Go's GOARCH). */
export function ociArchitecture(nodeArchitecture: string): string {
  const known: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386', ppc64: 'ppc64le' };
  return known[nodeArchitecture] ?? nodeArchitecture;
}
