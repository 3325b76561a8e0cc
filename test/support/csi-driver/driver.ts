/**
 * A CSI driver for tests, as a program of its own: `node driver.js driver|registrar`. Volumes are folders of `DATA_DIR`, or
 * images of disks in it (handles that begin with "disk-"). A file `DATA_DIR/orders.json` tells it to hang, fail, lie or die:
 * METHOD → order. Each call is a line of `DATA_DIR/calls.log`, at its beginning and at its end.
 */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http2';
import { join } from 'node:path';
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import {
  Controller,
  ControllerServiceCapability_RPC_Type as ControllerRpc,
  Identity,
  Node,
  NodeServiceCapability_RPC_Type as Rpc,
  PluginCapability_Service_Type as Service,
  VolumeUsage_Unit as Unit,
} from '../../../src/csi/gen/csi_pb.js';
import { Registration } from '../../../src/csi/gen/plugin-registration_pb.js';

/** What a call is told to do instead of its work. */
type Order =
  | 'hang'
  | 'fail'
  /** Says that it succeeded, and does nothing. */
  | 'lie'
  /** Does its work, and dies before it answers. */
  | 'die-after'
  | 'die-before';

const env = (name: string, otherwise: string): string => process.env[name] ?? otherwise;
const name = env('DRIVER_NAME', 'test.csi.mendlet.dev');
const dataDir = env('DATA_DIR', '/data');
const nodeId = env('NODE_ID', 'node');
const capabilities = env('CAPABILITIES', 'stage,stats,condition,expand').split(',');

function serve(socket: string, routes: (router: ConnectRouter) => void): void {
  rmSync(socket, { force: true });
  createServer(connectNodeAdapter({ routes, requestPathPrefix: '' })).listen(socket);
  console.log(`serving at ${socket}`);
}

function run(program: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new ConnectError(`${program} ${args.join(' ')}: ${stderr}`, Code.Internal);
  return stdout.trim();
}

const isMounted = (path: string): boolean =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .some((line) => line.split(' ')[4] === path);

function orders(): Readonly<Record<string, Order>> {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'orders.json'), 'utf8')) as Record<string, Order>;
  } catch {
    return {};
  }
}

/** Counts of bytes as texts. */
const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

/** Does the work of one call, unless it is told something else. */
async function call<T extends object>(
  method: string,
  request: object,
  work: () => T,
): Promise<T | Record<string, never>> {
  const { $typeName: _, ...shown } = request as Record<string, unknown>;
  const note = (what: string): void =>
    appendFileSync(join(dataDir, 'calls.log'), `${JSON.stringify({ method, what, request: shown }, plain)}\n`);
  note('begin');
  const order = orders()[method];
  if (order === 'hang') await new Promise(() => {});
  if (order === 'fail') throw new ConnectError('told to fail', Code.Internal);
  if (order === 'die-before') process.exit(137);
  if (order === 'lie') return {};
  const result = work();
  if (order === 'die-after') process.exit(137);
  note('end');
  return result;
}

const isDisk = (handle: string): boolean => handle.startsWith('disk-');
const place = (handle: string): string => join(dataDir, 'volumes', handle.replaceAll('/', '_'));

/** The loop device of a disk's image, which is attached if it is not. */
function device(handle: string): string {
  const image = place(handle);
  const found = run('losetup', '-j', image).split(':')[0] ?? '';
  return found === '' ? run('losetup', '--show', '-f', image) : found;
}

function make(handle: string, bytes: number): void {
  mkdirSync(join(dataDir, 'volumes'), { recursive: true });
  if (!isDisk(handle)) mkdirSync(place(handle), { recursive: true });
  else if (!existsSync(place(handle))) {
    writeFileSync(place(handle), '');
    truncateSync(place(handle), bytes);
  }
}

function unmount(path: string): void {
  while (isMounted(path)) run('umount', path);
  rmSync(path, { recursive: true, force: true });
}

interface Published {
  readonly volumeId: string;
  readonly stagingTargetPath: string;
  readonly targetPath: string;
  readonly readonly: boolean;
  readonly volumeContext: Readonly<Record<string, string>>;
  readonly volumeCapability?: { readonly accessType: { readonly case?: string | undefined } };
}

function publish({
  volumeId,
  stagingTargetPath,
  targetPath,
  readonly,
  volumeContext,
  volumeCapability,
}: Published): void {
  if (isMounted(targetPath)) return;
  const isBlock = volumeCapability?.accessType.case === 'block';
  if (volumeContext['csi.storage.k8s.io/ephemeral'] === 'true') make(volumeId, 0);
  const stages = capabilities.includes('stage') && volumeContext['csi.storage.k8s.io/ephemeral'] !== 'true';
  if (stages && !isBlock && !isMounted(stagingTargetPath))
    throw new ConnectError('the volume is not staged', Code.FailedPrecondition);
  if (isBlock) closeSync(openSync(targetPath, 'a'));
  else mkdirSync(targetPath, { recursive: true });
  const source = isBlock ? device(volumeId) : stages ? stagingTargetPath : place(volumeId);
  run('mount', '--bind', source, targetPath);
  if (readonly && !isBlock) run('mount', '-o', 'remount,bind,ro', targetPath);
}

function stage(volumeId: string, path: string, isBlock: boolean): void {
  if (!existsSync(place(volumeId))) throw new ConnectError(`volume ${volumeId} does not exist`, Code.NotFound);
  if (isBlock || isMounted(path)) return;
  mkdirSync(path, { recursive: true });
  if (!isDisk(volumeId)) return void run('mount', '--bind', place(volumeId), path);
  if (spawnSync('blkid', [device(volumeId)]).status !== 0) run('mkfs.ext2', '-q', device(volumeId));
  run('mount', device(volumeId), path);
}

/** The controller's part, too: a disk's image grows here. A folder has all the room that there is. */
function expand(volumeId: string, bytes: number, isBlock: boolean): void {
  if (!isDisk(volumeId)) return;
  if (statSync(place(volumeId)).size < bytes) truncateSync(place(volumeId), bytes);
  run('losetup', '-c', device(volumeId));
  // Not every machine lets a container grow a file system that is mounted.
  if (!isBlock) run('resize2fs', device(volumeId));
}

const RPCS: Readonly<Record<string, Rpc>> = {
  stage: Rpc.STAGE_UNSTAGE_VOLUME,
  stats: Rpc.GET_VOLUME_STATS,
  expand: Rpc.EXPAND_VOLUME,
  condition: Rpc.VOLUME_CONDITION,
  group: Rpc.VOLUME_MOUNT_GROUP,
};

function driverRoutes(router: ConnectRouter): void {
  router.service(Identity, {
    getPluginInfo: () => ({ name, vendorVersion: '1' }),
    getPluginCapabilities: () => ({
      capabilities: [{ type: { case: 'service', value: { type: Service.CONTROLLER_SERVICE } } }],
    }),
    probe: () => ({ ready: true }),
  });
  router.service(Controller, {
    controllerGetCapabilities: () => ({
      capabilities: [{ type: { case: 'rpc', value: { type: ControllerRpc.CREATE_DELETE_VOLUME } } }],
    }),
    createVolume: (request) =>
      call('CreateVolume', request, () => {
        const bytes = Number(request.capacityRange?.requiredBytes ?? 0n);
        const volumeId = `${request.parameters['kind'] === 'disk' ? 'disk-' : ''}${request.name}`;
        make(volumeId, bytes);
        return { volume: { volumeId, capacityBytes: BigInt(bytes), volumeContext: request.parameters } };
      }),
    deleteVolume: (request) =>
      call('DeleteVolume', request, () => {
        rmSync(place(request.volumeId), { recursive: true, force: true });
        return {};
      }),
  });
  router.service(Node, {
    nodeGetInfo: () => ({
      nodeId,
      maxVolumesPerNode: 17n,
      accessibleTopology: { segments: { [`topology.${name}/node`]: nodeId } },
    }),
    nodeGetCapabilities: () => ({
      capabilities: capabilities.flatMap((each) => {
        const type = RPCS[each];
        return type === undefined ? [] : [{ type: { case: 'rpc', value: { type } } }];
      }),
    }),
    nodeStageVolume: (request) =>
      call('NodeStageVolume', request, () => {
        stage(request.volumeId, request.stagingTargetPath, request.volumeCapability?.accessType.case === 'block');
        return {};
      }),
    nodeUnstageVolume: (request) =>
      call('NodeUnstageVolume', request, () => {
        unmount(request.stagingTargetPath);
        if (isDisk(request.volumeId) && existsSync(place(request.volumeId)))
          spawnSync('losetup', ['-d', device(request.volumeId)]);
        return {};
      }),
    nodePublishVolume: (request) =>
      call('NodePublishVolume', request, () => {
        publish(request);
        return {};
      }),
    nodeUnpublishVolume: (request) =>
      call('NodeUnpublishVolume', request, () => {
        unmount(request.targetPath);
        if (request.volumeId.startsWith('csi-')) rmSync(place(request.volumeId), { recursive: true, force: true });
        return {};
      }),
    nodeExpandVolume: (request) =>
      call('NodeExpandVolume', request, () => {
        const bytes = request.capacityRange?.requiredBytes ?? 0n;
        expand(request.volumeId, Number(bytes), request.volumeCapability?.accessType.case === 'block');
        return { capacityBytes: bytes };
      }),
    nodeGetVolumeStats: (request) =>
      call('NodeGetVolumeStats', request, () => {
        const { bsize, blocks, bfree, bavail } = statfsSync(request.volumePath);
        const condition = orders()['condition'] ?? '';
        return {
          usage: [
            {
              unit: Unit.BYTES,
              total: BigInt(blocks * bsize),
              used: BigInt((blocks - bfree) * bsize),
              available: BigInt(bavail * bsize),
            },
          ],
          volumeCondition: { abnormal: condition !== '', message: condition },
        };
      }),
  });
}

function registrarRoutes(router: ConnectRouter): void {
  router.service(Registration, {
    getInfo: () => ({ type: 'CSIPlugin', name, endpoint: env('ENDPOINT', ''), supportedVersions: ['1.0.0'] }),
    notifyRegistrationStatus: ({ pluginRegistered, error }) => {
      console.log(pluginRegistered ? 'registered' : `not registered: ${error}`);
      // As the registrar that drivers ship: the container starts again, and registers again.
      if (!pluginRegistered) setTimeout(() => process.exit(1), 100);
      return {};
    },
  });
}

mkdirSync(join(dataDir, 'volumes'), { recursive: true });
const socket = env('SOCKET', '');
serve(socket, process.argv[2] === 'registrar' ? registrarRoutes : driverRoutes);
process.on('SIGTERM', () => {
  rmSync(socket, { force: true });
  process.exit(0);
});
