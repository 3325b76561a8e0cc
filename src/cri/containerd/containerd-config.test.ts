import { describe, expect, it } from 'vitest';
import {
  containerdConfig,
  containerdPaths,
  type ContainerdTraits,
  parseContainerdVersion,
} from './containerd-config.ts';
import { ociVersionOf, probeBundle } from './oci-probe.ts';
import { toToml } from './toml.ts';

const traits: ContainerdTraits = {
  version: { major: 2, minor: 1 },
  ociRuntime: '/usr/sbin/runc',
  cgroupDriver: 'systemd',
  restrictOomScoreAdj: true,
  cniBinDirs: ['/usr/lib/cni'],
  snapshotter: 'overlayfs',
};
const paths = containerdPaths('/var/lib/mendlet', '/run/mendlet/a1');
const config = (change: Partial<ContainerdTraits>) =>
  containerdConfig(paths, { ...traits, ...change }, 'mendlet.dev/pause:1');
const section = (text: string, name: string) =>
  text.split('\n\n').find((part) => part.startsWith(`[plugins.${name}]`)) ?? '';

describe('toToml', () => {
  it('writes values before tables, quotes what needs it, leaves out what is undefined', () => {
    const text = toToml({ a: { 'x.y': { list: ['1', '2'], on: true } }, n: 3, s: 'say "hi"', none: undefined });
    expect(text).toBe('n = 3\ns = "say \\"hi\\""\n\n[a."x.y"]\nlist = ["1", "2"]\non = true\n');
  });
});

describe('parseContainerdVersion', () => {
  it.each([
    ['containerd github.com/containerd/containerd 1.6.20~ds1 1.6.20~ds1-1+deb12u3\n', { major: 1, minor: 6 }],
    ['containerd github.com/containerd/containerd/v2 2.1.9+unknown \n', { major: 2, minor: 1 }],
    ['containerd containerd.io v1.7.25 bcc810d\n', { major: 1, minor: 7 }],
    ['bash: containerd: not found', undefined],
  ])('%j', (output, version) => {
    expect(parseContainerdVersion(output)).toEqual(version);
  });
});

describe('containerdPaths', () => {
  it('refuses a run folder that is too long for its sockets', () => {
    expect(() => containerdPaths('/d', `/run/${'x'.repeat(100)}`)).toThrow('too long');
  });

  it('keeps under /run what a reboot must clear', () => {
    expect([paths.state, paths.socket, paths.pidFile, paths.leasesDir].every((path) => path.startsWith('/run/'))).toBe(
      true,
    );
    expect([paths.root, paths.configFile, paths.registriesDir].every((path) => path.startsWith('/var/lib/'))).toBe(
      true,
    );
  });
});

describe('containerdConfig', () => {
  it('is of format 2 for 1.x', () => {
    const text = config({ version: { major: 1, minor: 6 } });
    expect(text).toContain('\nversion = 2\n');
    const cri = section(text, '"io.containerd.grpc.v1.cri"');
    expect(cri).toContain('sandbox_image = "mendlet.dev/pause:1"');
    expect(cri).toContain('restrict_oom_score_adj = true');
    expect(text).not.toContain('nri');
    expect(text).toContain('SystemdCgroup = true');
  });

  it('keeps 1.7 off the machine’s NRI socket', () => {
    expect(section(config({ version: { major: 1, minor: 7 } }), '"io.containerd.nri.v1.nri"')).toContain(
      'disable = true',
    );
  });

  it('is of format 3 for 2.x', () => {
    const text = config({ cgroupDriver: 'cgroupfs', restrictOomScoreAdj: false });
    expect(text).toContain('\nversion = 3\n');
    expect(section(text, '"io.containerd.cri.v1.images".pinned_images')).toContain('sandbox = "mendlet.dev/pause:1"');
    expect(section(text, '"io.containerd.cri.v1.runtime"')).toContain('restrict_oom_score_adj = false');
    expect(text).toContain('bin_dirs = ["/usr/lib/cni"]');
    expect(text).toContain('SystemdCgroup = false');
  });

  it.each([1, 2])('gives shims of containerd %d time to answer while they create containers', (major) => {
    expect(config({ version: { major, minor: 6 } })).toContain('"io.containerd.timeout.task.state" = "30s"');
  });

  it('names the plugins’ folder as 2.0 wants it', () => {
    expect(config({ version: { major: 2, minor: 0 } })).toContain('bin_dir = "/usr/lib/cni"');
  });
});

describe('the trial of an OCI runtime', () => {
  it('asks in the version that containerd will write', () => {
    expect(
      [
        { major: 1, minor: 7 },
        { major: 2, minor: 1 },
      ].map(ociVersionOf),
    ).toEqual(['1.0.2-dev', '1.2.1']);
  });

  it('uses a cgroup of its own', () => {
    const bundle = JSON.parse(probeBundle('1.0.2', ['/init'], '/probe')) as {
      ociVersion: string;
      linux: { cgroupsPath: string };
    };
    expect([bundle.ociVersion, bundle.linux.cgroupsPath]).toEqual(['1.0.2', '/probe']);
  });
});
