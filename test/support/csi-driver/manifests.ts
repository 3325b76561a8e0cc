/** The manifests of the driver for tests: a pod with the driver and a registrar, each in a container, as drivers ship them. */
import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../../..');

export interface DriverSettings {
  readonly name: string;
  /** The node's folder for drivers. */
  readonly kubeletDir: string;
  /** On the host: where its volumes, its orders and the log of its calls are. */
  readonly dataDir: string;
  /** On the host: the folder of `driver.js`. */
  readonly programDir: string;
  readonly capabilities?: string;
}

/** Bundles the program into `folder`. */
export async function buildDriver(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  await build({
    entryPoints: [join(root, 'test/support/csi-driver/driver.ts')],
    outfile: join(folder, 'driver.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
}

/** Programs and libraries of the machine itself: the image has nothing but a shell. */
const FROM_HOST = ['/usr', '/lib', '/lib64', '/bin', '/sbin', '/etc'];

export function driverPod({ name, kubeletDir, dataDir, programDir, capabilities }: DriverSettings): object {
  const pluginDir = join(kubeletDir, 'plugins', name);
  const host = (volume: string, path: string, type = ''): object => ({ name: volume, hostPath: { path, type } });
  const node = dirname(process.execPath);
  const container = (role: 'driver' | 'registrar', socket: string): object => ({
    name: role,
    image: 'docker.io/library/busybox:latest',
    imagePullPolicy: 'Never',
    command: [process.execPath, join(programDir, 'driver.mjs'), role],
    securityContext: { privileged: true },
    env: Object.entries({
      DRIVER_NAME: name,
      DATA_DIR: dataDir,
      NODE_ID: 'node-of-driver',
      SOCKET: socket,
      ENDPOINT: join(pluginDir, 'csi.sock'),
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      ...(capabilities !== undefined && { CAPABILITIES: capabilities }),
    }).map(([key, value]) => ({ name: key, value })),
    volumeMounts: [
      ...FROM_HOST.map((path, index) => ({ name: `host-${index}`, mountPath: path, readOnly: true })),
      ...(node.startsWith('/usr/') ? [] : [{ name: 'node', mountPath: node, readOnly: true }]),
      { name: 'program', mountPath: programDir, readOnly: true },
      { name: 'data', mountPath: dataDir },
      { name: 'plugin', mountPath: '/csi' },
      { name: 'registry', mountPath: '/registration' },
      ...['pods', 'plugins'].map((folder) => ({
        name: folder,
        mountPath: join(kubeletDir, folder),
        mountPropagation: 'Bidirectional',
      })),
      { name: 'dev', mountPath: '/dev' },
    ],
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `driver-${name.split('.')[0]}`, labels: { app: name } },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [container('driver', '/csi/csi.sock'), container('registrar', `/registration/${name}-reg.sock`)],
      volumes: [
        ...FROM_HOST.map((path, index) => host(`host-${index}`, path)),
        ...(node.startsWith('/usr/') ? [] : [host('node', node)]),
        host('program', programDir),
        host('data', dataDir, 'DirectoryOrCreate'),
        host('plugin', pluginDir, 'DirectoryOrCreate'),
        host('registry', join(kubeletDir, 'plugins_registry'), 'Directory'),
        host('pods', join(kubeletDir, 'pods'), 'Directory'),
        host('plugins', join(kubeletDir, 'plugins'), 'Directory'),
        host('dev', '/dev'),
      ],
    },
  };
}

export function driverObject(name: string, spec: object = {}): object {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSIDriver',
    metadata: { name },
    spec: { attachRequired: false, podInfoOnMount: true, volumeLifecycleModes: ['Persistent', 'Ephemeral'], ...spec },
  };
}
