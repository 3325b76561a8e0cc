/** A throwaway container with which an OCI runtime shows that it fits containerd and this machine. Pure. */
import type { ContainerdVersion } from './containerd-config.ts';

/**
 * The version that containerd writes into the bundles of its containers: crun 1.8 refuses 2.x's with "unknown version
 * specified".
 */
export function ociVersionOf(containerd: ContainerdVersion): string {
  return containerd.major >= 2 ? '1.2.1' : '1.0.2-dev';
}

/** `config.json` of a container that runs `args` in its root and ends. `cgroupsPath`: as the driver writes it. */
export function probeBundle(ociVersion: string, args: readonly string[], cgroupsPath: string): string {
  return JSON.stringify({
    ociVersion,
    process: { user: { uid: 0, gid: 0 }, args, cwd: '/', env: ['PATH=/'], noNewPrivileges: true },
    root: { path: 'rootfs', readonly: true },
    hostname: 'probe',
    mounts: [{ destination: '/proc', type: 'proc', source: 'proc' }],
    linux: {
      cgroupsPath,
      namespaces: ['pid', 'mount', 'ipc', 'uts', 'network'].map((type) => ({ type })),
      resources: { memory: { limit: 64 << 20 }, cpu: { shares: 2 } },
    },
  });
}
