/** The configuration of mendlet's own containerd. Pure. */
import { assert } from '../../lib/index.ts';
import { type TomlTable, toToml } from './toml.ts';

/** The folders of one private containerd. */
export interface ContainerdPaths {
  /** Images, snapshots, metadata: survives a reboot. */
  readonly root: string;
  readonly configFile: string;
  readonly logFile: string;
  /** `HOST/hosts.toml` per registry, in containerd's format. */
  readonly registriesDir: string;
  readonly cniConfDir: string;
  /** State that a reboot must clear: tasks, network namespaces, fifos. */
  readonly state: string;
  readonly socket: string;
  readonly pidFile: string;
  /** host-local's leases. */
  readonly leasesDir: string;
  /** runc's state of its containers: in the machine's own folder it would stay for ever after a shim was killed. */
  readonly runcDir: string;
}

/** Linux' sun_path holds 108 bytes with the end mark. */
const MAX_SOCKET_PATH_BYTES = 107;
/** containerd puts its ttrpc socket beside the socket that it is given. */
const LONGEST_SUFFIX = '.ttrpc';

/** `dataDir` is mendlet's data folder, `runDir` its `/run/mendlet/ID`. Asserts that socket paths fit. */
export function containerdPaths(dataDir: string, runDir: string): ContainerdPaths {
  const home = `${dataDir}/containerd`;
  const socket = `${runDir}/containerd.sock`;
  const length = new TextEncoder().encode(socket + LONGEST_SUFFIX).length;
  assert(
    length <= MAX_SOCKET_PATH_BYTES,
    `${socket} is too long for a socket: ${length} > ${MAX_SOCKET_PATH_BYTES} bytes`,
  );
  return {
    root: `${home}/root`,
    configFile: `${home}/config.toml`,
    logFile: `${home}/containerd.log`,
    registriesDir: `${dataDir}/registries`,
    cniConfDir: `${home}/cni`,
    state: `${runDir}/containerd`,
    socket,
    pidFile: `${runDir}/containerd.pid`,
    leasesDir: `${runDir}/cni`,
    runcDir: `${runDir}/runc`,
  };
}

/** The facts that were found out about this machine. */
export interface ContainerdTraits {
  /** Major and minor, e.g. { major: 1, minor: 6 }. */
  readonly version: ContainerdVersion;
  /** Absolute path of runc or crun. */
  readonly ociRuntime: string;
  readonly cgroupDriver: 'cgroupfs' | 'systemd';
  /** Without CAP_SYS_RESOURCE no oom_score_adj may be lowered, and every sandbox would fail. */
  readonly restrictOomScoreAdj: boolean;
  readonly cniBinDirs: readonly string[];
  readonly snapshotter: 'overlayfs' | 'native';
}

export interface ContainerdVersion {
  readonly major: number;
  readonly minor: number;
}

/** Reads what `containerd --version` prints; `undefined` when that is not containerd's answer. */
export function parseContainerdVersion(output: string): ContainerdVersion | undefined {
  const found = /containerd\S*\s+v?(\d+)\.(\d+)\./.exec(output);
  return found ? { major: Number(found[1]), minor: Number(found[2]) } : undefined;
}

/** Kernel features or folders that a private containerd must not touch or load. */
const DISABLED_EVERYWHERE = [
  'io.containerd.snapshotter.v1.aufs',
  'io.containerd.snapshotter.v1.btrfs',
  'io.containerd.snapshotter.v1.devmapper',
  'io.containerd.snapshotter.v1.zfs',
  'io.containerd.snapshotter.v1.blockfile',
  'io.containerd.snapshotter.v1.erofs',
  'io.containerd.internal.v1.opt',
  'io.containerd.internal.v1.restart',
  'io.containerd.monitor.container.v1.restart',
];

/** kubelet's default for streaming connections. */
const STREAM_IDLE_TIMEOUT = '4h0m0s';
/** CRI's default; longer lines are split with tag P. */
const MAX_LOG_LINE_BYTES = 16_384;

/**
 * How long a shim may take to tell a task's state. A shim answers nobody while it creates a container, and several containers of a pod
 * start at once. After the default of 2 s containerd takes the sandbox's process for number 0, and the next container of the pod fails to
 * start ("lstat /proc/0/ns/ipc"), which under restartPolicy Never is the pod's end.
 */
const TASK_STATE_TIMEOUT = '30s';

/** config.toml: format 3 for containerd 2, format 2 for 1.x. */
export function containerdConfig(paths: ContainerdPaths, traits: ContainerdTraits, sandboxImage: string): string {
  const common = {
    root: paths.root,
    state: paths.state,
    disabled_plugins: DISABLED_EVERYWHERE,
    grpc: { address: paths.socket },
    debug: { level: 'warn' },
    timeouts: { 'io.containerd.timeout.task.state': TASK_STATE_TIMEOUT },
  };
  const plugins =
    traits.version.major >= 2 ? pluginsOf2(paths, traits, sandboxImage) : pluginsOf1(paths, traits, sandboxImage);
  const version = traits.version.major >= 2 ? 3 : 2;
  return `# Written by mendlet at every start: changes are lost.\n${toToml({ version, ...common, plugins })}`;
}

function pluginsOf1(paths: ContainerdPaths, traits: ContainerdTraits, sandboxImage: string): TomlTable {
  return {
    'io.containerd.grpc.v1.cri': {
      sandbox_image: sandboxImage,
      stream_server_address: '127.0.0.1',
      stream_server_port: '0',
      stream_idle_timeout: STREAM_IDLE_TIMEOUT,
      max_container_log_line_size: MAX_LOG_LINE_BYTES,
      restrict_oom_score_adj: traits.restrictOomScoreAdj,
      netns_mounts_under_state_dir: true,
      // 2.x's defaults: a pod may use ports below 1024 and ping without being root.
      enable_unprivileged_ports: true,
      enable_unprivileged_icmp: true,
      cni: { bin_dir: traits.cniBinDirs[0] ?? '', conf_dir: paths.cniConfDir, max_conf_num: 1 },
      containerd: {
        snapshotter: traits.snapshotter,
        default_runtime_name: 'runc',
        runtimes: { runc: ociRuntime(paths, traits) },
      },
      registry: { config_path: paths.registriesDir },
    },
    // 1.7 has it too; its socket is the machine's, not ours.
    ...(traits.version.minor >= 7 && { 'io.containerd.nri.v1.nri': { disable: true } }),
  };
}

function pluginsOf2(paths: ContainerdPaths, traits: ContainerdTraits, sandboxImage: string): TomlTable {
  return {
    'io.containerd.cri.v1.images': {
      snapshotter: traits.snapshotter,
      pinned_images: { sandbox: sandboxImage },
      registry: { config_path: paths.registriesDir },
    },
    'io.containerd.cri.v1.runtime': {
      max_container_log_line_size: MAX_LOG_LINE_BYTES,
      restrict_oom_score_adj: traits.restrictOomScoreAdj,
      netns_mounts_under_state_dir: true,
      cni: cniOf2(paths, traits),
      containerd: { default_runtime_name: 'runc', runtimes: { runc: ociRuntime(paths, traits) } },
    },
    'io.containerd.grpc.v1.cri': {
      stream_server_address: '127.0.0.1',
      stream_server_port: '0',
      stream_idle_timeout: STREAM_IDLE_TIMEOUT,
    },
    'io.containerd.nri.v1.nri': { disable: true },
  };
}

/** 2.1 brought `bin_dirs` (and refuses both) and a loopback without a plugin's process. */
function cniOf2(paths: ContainerdPaths, { version, cniBinDirs }: ContainerdTraits): TomlTable {
  const since21 = version.major > 2 || version.minor >= 1;
  return {
    ...(since21 ? { bin_dirs: cniBinDirs, use_internal_loopback: true } : { bin_dir: cniBinDirs[0] ?? '' }),
    conf_dir: paths.cniConfDir,
    max_conf_num: 1,
  };
}

function ociRuntime(paths: ContainerdPaths, traits: ContainerdTraits): TomlTable {
  return {
    runtime_type: 'io.containerd.runc.v2',
    options: {
      BinaryName: traits.ociRuntime,
      Root: paths.runcDir,
      SystemdCgroup: traits.cgroupDriver === 'systemd',
    },
  };
}
