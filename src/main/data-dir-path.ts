/** The place of a data folder, and the paths in it. Pure. */
import { join } from 'node:path';

/** Who runs this program, and where. */
export interface Surroundings {
  readonly uid: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** `/var/lib/mendlet` for root, else by the XDG base directory specification (a relative XDG path does not count). */
export function defaultDataDir({ uid, env, home }: Surroundings): string {
  if (uid === 0) return '/var/lib/mendlet';
  const data = env['XDG_DATA_HOME'];
  return join(data?.startsWith('/') ? data : join(home, '.local/share'), 'mendlet');
}

/** The folder of sockets, states and pid files of one instance: short, and empty after a reboot. */
export function runDir({ uid, env }: Surroundings, instanceId: string): string {
  if (uid === 0) return join('/run/mendlet', instanceId);
  const run = env['XDG_RUNTIME_DIR'];
  return join(run?.startsWith('/') ? run : `/tmp/mendlet-${uid}`, 'mendlet', instanceId);
}

/** Upstream's place where it may be written, so that log shippers find the containers' logs. */
export function podLogsDir({ uid }: Pick<Surroundings, 'uid'>, dataDir: string): string {
  return uid === 0 ? '/var/log/pods' : join(dataDir, 'logs/pods');
}

/** The parts of a data folder. Each is made by its owner. */
export interface DataPaths {
  readonly dir: string;
  /** The number of the format of this folder's contents. */
  readonly format: string;
  readonly instance: string;
  readonly lock: string;
  readonly holder: string;
  /** How the last `up` was started: the record for `down` and the next `up`. */
  readonly record: string;
  readonly kubeconfig: string;
  /** Name and port of the live page. */
  readonly dashboard: string;
  readonly pki: string;
  readonly store: string;
  readonly agent: string;
  readonly containerd: string;
  /** Volumes that the node made, unless the user chose another folder. */
  readonly volumes: string;
  readonly images: string;
  /** Static pods, unless the settings name another folder. */
  readonly manifests: string;
}

export function dataPaths(dir: string): DataPaths {
  return {
    dir,
    format: join(dir, 'format'),
    instance: join(dir, 'instance'),
    lock: join(dir, 'lock'),
    holder: join(dir, 'lock-holder'),
    record: join(dir, 'up.json'),
    kubeconfig: join(dir, 'kubeconfig'),
    dashboard: join(dir, 'dashboard.json'),
    pki: join(dir, 'pki'),
    store: join(dir, 'store'),
    agent: join(dir, 'agent'),
    containerd: join(dir, 'containerd'),
    volumes: join(dir, 'volumes'),
    images: join(dir, 'images'),
    manifests: join(dir, 'manifests'),
  };
}
