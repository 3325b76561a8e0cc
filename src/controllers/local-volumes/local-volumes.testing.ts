/** Kubelets that keep folders for volumes in memory, for tests of the controllers that ask them. */
import type { MakeVolumeRequest, NodeVolume } from '../../api/index.ts';
import { type Connection, ConnectionError, decodeText, encodeText, type HttpResponse } from '../../lib/index.ts';

export interface FakeNode {
  readonly folders: Map<string, NodeVolume>;
  /** Names that pods have. */
  readonly published: Set<string>;
  /** Bytes for all its volumes. */
  capacityBytes: number;
  /** It does not answer. */
  isAway: boolean;
  /** It does what it is asked, and its answer is lost. */
  losesAnswers: boolean;
  /** Comes between the arrival of the next request to remove a folder and the removal. */
  beforeRemoval?: (() => Promise<void>) | undefined;
  /** Requests that arrived: "PUT pvc-1". */
  readonly asked: string[];
}

export class FakeNodes {
  readonly #nodes = new Map<string, FakeNode>();

  node(name: string): FakeNode {
    const known = this.#nodes.get(name);
    if (known !== undefined) return known;
    const node: FakeNode = {
      folders: new Map(),
      published: new Set(),
      capacityBytes: 100 * 2 ** 30,
      isAway: false,
      losesAnswers: false,
      asked: [],
    };
    this.#nodes.set(name, node);
    return node;
  }

  readonly connectionOf = (name: string): Connection => {
    const node = this.node(name);
    return {
      request: async ({ method, url, body }) => {
        if (node.isAway) throw new ConnectionError('connect ECONNREFUSED');
        const { pathname, searchParams } = new URL(url, 'https://node');
        const volume = pathname.split('/')[4] ?? '';
        node.asked.push(`${method} ${volume}`.trim());
        const { beforeRemoval } = node;
        if (method === 'DELETE' && beforeRemoval !== undefined) {
          node.beforeRemoval = undefined;
          await beforeRemoval();
        }
        const answer = answerOf(node, method, volume, searchParams, body);
        if (node.losesAnswers) throw new ConnectionError('socket hang up');
        return answer;
      },
      upgrade: async () => Promise.reject(new ConnectionError('no streams')),
    };
  };
}

function answerOf(
  node: FakeNode,
  method: string,
  name: string,
  query: URLSearchParams,
  body?: Uint8Array,
): HttpResponse {
  const found = node.folders.get(name);
  if (method === 'GET') return json(200, { items: [...node.folders.values()], capacityBytes: node.capacityBytes });
  if (method === 'PUT') {
    const request = JSON.parse(decodeText(body ?? new Uint8Array())) as MakeVolumeRequest;
    if (found?.state === 'lost') return failure(410, 'VolumeLost');
    if (found !== undefined && found.handle !== request.handle) return failure(409, 'Conflict');
    if (found !== undefined) {
      node.folders.set(name, { ...found, version: nextVersion() });
      return json(200, { path: found.path });
    }
    const taken = [...node.folders.values()].reduce((sum, { capacityBytes }) => sum + capacityBytes, 0);
    if (taken + request.capacityBytes > node.capacityBytes) return failure(507, 'NotEnoughSpace');
    const path = `/volumes/${name}/data`;
    node.folders.set(name, { name, path, state: 'ready', wasUsed: false, version: nextVersion(), ...request });
    return json(200, { path });
  }
  if (node.published.has(name)) return failure(409, 'VolumeInUse');
  if (found !== undefined && found.handle !== query.get('handle')) return failure(409, 'Conflict');
  const version = query.get('version') ?? undefined;
  if (found !== undefined && version !== undefined && found.version !== version) return failure(409, 'Conflict');
  node.folders.delete(name);
  return json(200, {});
}

let versions = 0;

function nextVersion(): string {
  versions += 1;
  return String(versions);
}

function failure(code: number, reason: string): HttpResponse {
  return json(code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `fake ${reason}` });
}

function json(status: number, value: object): HttpResponse {
  return { status, headers: {}, body: encodeText(JSON.stringify(value)) };
}
