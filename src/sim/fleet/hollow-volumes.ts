/** The folders of volumes on a hollow node, and the part of its kubelet's API that makes and removes them. They outlive everything. */
import type { MakeVolumeRequest, NodeVolume } from '../../api/index.ts';
import { type Connection, decodeText, encodeText, type HttpRequest, type HttpResponse } from '../../lib/index.ts';

const CAPACITY_BYTES = 12 * 2 ** 30;

export class HollowVolumes {
  /** By the volume's name. */
  readonly folders = new Map<string, NodeVolume>();
  /** Pod's UID → names of its volumes. */
  readonly #published = new Map<string, readonly string[]>();
  readonly #onGone: (name: string) => void;
  #versions = 0;

  constructor(onGone: (name: string) => void) {
    this.#onGone = onGone;
  }

  /** The value of the node's annotation. */
  get space(): string {
    return JSON.stringify({ capacityBytes: CAPACITY_BYTES });
  }

  /** @returns false when a folder is missing: nothing is published then */
  publish(uid: string, names: readonly string[]): boolean {
    if (!names.every((name) => this.folders.has(name))) return false;
    this.#published.set(uid, names);
    for (const name of names) {
      const folder = this.folders.get(name);
      if (folder !== undefined) this.folders.set(name, { ...folder, wasUsed: true, version: this.#nextVersion() });
    }
    return true;
  }

  unpublish(uid: string): void {
    this.#published.delete(uid);
  }

  readonly connection: Connection = {
    request: async (request) => this.#answer(request),
    upgrade: async (request) => ({ upgraded: false, response: this.#answer(request) }),
  };

  #answer({ method, url, body }: HttpRequest): HttpResponse {
    const { pathname, searchParams } = new URL(url, 'https://node');
    const name = pathname.split('/')[4] ?? '';
    const found = this.folders.get(name);
    if (method === 'GET') return json(200, { items: [...this.folders.values()], capacityBytes: CAPACITY_BYTES });
    if (method === 'PUT')
      return this.#make(name, found, JSON.parse(decodeText(body as Uint8Array)) as MakeVolumeRequest);
    const isUsed = [...this.#published.values()].some((names) => names.includes(name));
    if (isUsed || (found !== undefined && found.handle !== searchParams.get('handle'))) return json(409, {});
    const version = searchParams.get('version');
    if (found !== undefined && version !== null && version !== found.version) return json(409, {});
    if (this.folders.delete(name)) this.#onGone(name);
    return json(200, {});
  }

  #make(name: string, found: NodeVolume | undefined, request: MakeVolumeRequest): HttpResponse {
    if (found !== undefined && found.handle !== request.handle) return json(409, {});
    if (found !== undefined) {
      this.folders.set(name, { ...found, version: this.#nextVersion() });
      return json(200, { path: found.path });
    }
    const taken = [...this.folders.values()].reduce((sum, { capacityBytes }) => sum + capacityBytes, 0);
    if (taken + request.capacityBytes > CAPACITY_BYTES) return json(507, {});
    const path = `/volumes/${name}/data`;
    this.folders.set(name, { name, path, state: 'ready', wasUsed: false, version: this.#nextVersion(), ...request });
    return json(200, { path });
  }

  #nextVersion(): string {
    this.#versions += 1;
    return String(this.#versions);
  }
}

function json(status: number, value: object): HttpResponse {
  return { status, headers: {}, body: encodeText(JSON.stringify(value)) };
}
