/**
 * Translates a request to the kubelet's API into a verb on a subresource of this node (upstream: pkg/kubelet/server/auth.go,
 * KEP-2862). Pure.
 */

export interface NodeAttributes {
  /** get, create, update, patch, delete; all of them are needed. */
  readonly verbs: readonly string[];
  /** Any of them will do; the narrower right is asked for first. */
  readonly subresources: readonly string[];
}

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Path, or first part of it → subresources; any other path needs `proxy`, which allows everything. */
const SUBRESOURCES: Readonly<Record<string, readonly string[]>> = {
  stats: ['stats'],
  metrics: ['metrics'],
  logs: ['log'],
  checkpoint: ['checkpoint'],
  healthz: ['healthz', 'proxy'],
  configz: ['configz', 'proxy'],
  pods: ['pods', 'proxy'],
  runningpods: ['pods', 'proxy'],
  // Our own: what the node knows of its pods, their deaths before all.
  mendlet: ['history', 'proxy'],
  // Those make and remove data.
  'mendlet/v1/volumes': ['volumes', 'proxy'],
};

/** Parts of the longest path above. */
const MAX_PARTS = 3;

/** First parts of the paths that run something in a container. */
const STREAMS: ReadonlySet<string> = new Set(['exec', 'attach', 'portForward', 'run']);

/**
 * `parts`: those of the path, decoded. A stream that a browser's handshake (GET) opens does what a POST does, so that
 * reading alone is not enough, as on pods (upstream: AuthorizePodWebsocketUpgradeCreatePermission).
 */
export function nodeAttributes(method: string, parts: readonly string[], isUpgrade: boolean): NodeAttributes {
  const root = parts[0] ?? '';
  const verb = VERBS[method] ?? '';
  const runs = isUpgrade || STREAMS.has(root);
  return {
    verbs: runs && verb !== 'create' ? [verb, 'create'] : [verb],
    subresources: subresourcesOf(parts.slice(0, MAX_PARTS)),
  };
}

function subresourcesOf(parts: readonly string[]): readonly string[] {
  if (parts.length === 0) return ['proxy'];
  const path = parts.join('/');
  const own = Object.hasOwn(SUBRESOURCES, path) ? SUBRESOURCES[path] : undefined;
  return own ?? subresourcesOf(parts.slice(0, -1));
}
