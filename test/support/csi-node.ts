/** A node with one CSI driver "d", for tests of what drivers are asked: real notes and folders, mounts in memory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PersistentVolumeClaim, Pod, TokenRequestStatus } from '../../src/api/index.ts';
import type {
  CsiDriver,
  ExpandRequest,
  NodeCapability,
  PublishRequest,
  StageRequest,
  VolumeStats,
} from '../../src/csi/index.ts';
import { CsiVolumes } from '../../src/kubelet/csi/csi-volumes.ts';
import { Drivers } from '../../src/kubelet/csi/drivers.ts';
import { VolumesInUse } from '../../src/kubelet/csi/volumes-in-use.ts';
import { NoteStore } from '../../src/kubelet/csi/note-store.ts';
import type { CsiSupport } from '../../src/kubelet/volumes/csi-volume.ts';
import { systemFileSystem } from '../../src/lib/file-system.node.ts';
import { silentLogger } from '../../src/lib/index.ts';
import { sha256Hex } from '../../src/lib/sha256.node.ts';
import { createInMemoryApi, type InMemoryApi } from './in-memory-api.ts';

/** One call of the driver, as it was asked. */
export type DriverCall =
  | { readonly method: 'stage'; readonly request: StageRequest }
  | { readonly method: 'publish'; readonly request: PublishRequest }
  | { readonly method: 'expand'; readonly request: ExpandRequest }
  | { readonly method: 'unpublish' | 'unstage'; readonly request: { readonly handle: string; readonly path: string } };

export class CsiNode {
  readonly api: InMemoryApi;
  readonly root: string;
  readonly name: string;
  /** Called before the driver does anything. */
  onCall: (call: DriverCall) => void = () => {};
  readonly mounts = new Set<string>();
  readonly calls: DriverCall[] = [];
  readonly events: string[] = [];
  /** Done instead of a call; rejects or answers. */
  readonly orders = new Map<DriverCall['method'], () => Promise<void>>();
  stats: (handle: string) => Promise<VolumeStats> = () => Promise.reject(new Error('not asked'));
  /** Tokens that were asked for: audience and seconds. */
  readonly tokens: string[] = [];

  private constructor(api: InMemoryApi, root: string, name: string) {
    this.api = api;
    this.root = root;
    this.name = name;
  }

  /** @param api default: one of its own */
  static async create(name = 'n', api?: InMemoryApi): Promise<CsiNode> {
    const root = await mkdtemp(join(tmpdir(), 'mendlet-csi-node-'));
    return new CsiNode(api ?? (await createInMemoryApi()), root, name);
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }

  methods(): readonly string[] {
    return this.calls.map(({ method }) => method);
  }

  /** An agent of the node; each is new, as after a kill. @param capabilities undefined: the driver is not registered */
  agent(capabilities?: readonly NodeCapability[]): CsiSupport {
    const drivers = new Drivers();
    if (capabilities !== undefined) {
      const info = { nodeId: 'n', maxVolumes: 0, topology: {} };
      drivers.register({
        name: 'd',
        endpoint: '/d',
        info,
        capabilities: new Set(capabilities),
        calls: this.#driver(),
      });
    }
    const mounts = {
      isMounted: async (path: string) => this.mounts.has(path),
      mountedUnder: async (path: string) =>
        [...this.mounts].filter((point) => point === path || point.startsWith(`${path}/`)),
      unmountAll: async (path: string) => void this.mounts.delete(path),
    };
    const ports = { fs: systemFileSystem, logger: silentLogger, mounts };
    const notes = new NoteStore(systemFileSystem, this.root, sha256Hex);
    return {
      client: this.api.client,
      clock: this.api.clock,
      events: {
        pod: (_: Pod, type: string, reason: string, message: string) =>
          void this.events.push(`pod ${type} ${reason} ${message}`),
        claim: (_: PersistentVolumeClaim, type: string, reason: string, message: string) =>
          void this.events.push(`claim ${type} ${reason} ${message}`),
      },
      kubeletDir: join(this.root, 'kubelet'),
      nodeName: this.name,
      drivers,
      volumes: new CsiVolumes(ports, drivers, notes),
      inUse: new VolumesInUse(silentLogger, notes, () => {}),
      hash: sha256Hex,
      secrets: {
        secret: async (namespace, name) =>
          name === 'none' ? undefined : { data: { of: btoa(`${namespace}/${name}`) } },
      },
      tokens: {
        status: async (_, audience, seconds): Promise<TokenRequestStatus> => {
          this.tokens.push(`${audience ?? ''} ${seconds}`);
          return { token: `for ${audience ?? 'the server'}`, expirationTimestamp: '2026-01-01T00:00:00Z' };
        },
      },
    };
  }

  #driver(): CsiDriver {
    const unasked = (): Promise<never> => Promise.reject(new Error('not asked'));
    const did = async (call: DriverCall, work: () => void): Promise<void> => {
      this.calls.push(call);
      this.onCall(call);
      const order = this.orders.get(call.method);
      if (order !== undefined) await order();
      else work();
    };
    const { mounts } = this;
    return {
      info: unasked,
      capabilities: unasked,
      stats: (handle) => this.stats(handle),
      stage: (request) => did({ method: 'stage', request }, () => mounts.add(request.stagingPath)),
      publish: (request) => did({ method: 'publish', request }, () => mounts.add(request.targetPath)),
      unpublish: (handle, path) => did({ method: 'unpublish', request: { handle, path } }, () => mounts.delete(path)),
      unstage: (handle, path) => did({ method: 'unstage', request: { handle, path } }, () => mounts.delete(path)),
      expand: async (request) => {
        await did({ method: 'expand', request }, () => {});
        return request.requiredBytes;
      },
      close: () => {},
    };
  }
}
