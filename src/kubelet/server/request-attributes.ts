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

/** First part of the path → subresources; any other path needs `proxy`, which allows everything. */
const SUBRESOURCES: Readonly<Record<string, readonly string[]>> = {
  stats: ['stats'],
  metrics: ['metrics'],
  logs: ['log'],
  checkpoint: ['checkpoint'],
  healthz: ['healthz', 'proxy'],
  configz: ['configz', 'proxy'],
  pods: ['pods', 'proxy'],
  runningpods: ['pods', 'proxy'],
  // Our own: the node's records of its pods' deaths.
  mendlet: ['history', 'proxy'],
};

/** First parts of the paths that run something in a container. */
const STREAMS: ReadonlySet<string> = new Set(['exec', 'attach', 'portForward', 'run']);

/**
 * `root`: the first part of the path, decoded. A stream that a browser's handshake (GET) opens does what a POST does, so that
 * reading alone is not enough, as on pods (upstream: AuthorizePodWebsocketUpgradeCreatePermission).
 */
export function nodeAttributes(method: string, root: string, isUpgrade: boolean): NodeAttributes {
  const verb = VERBS[method] ?? '';
  const runs = isUpgrade || STREAMS.has(root);
  return {
    verbs: runs && verb !== 'create' ? [verb, 'create'] : [verb],
    subresources: (Object.hasOwn(SUBRESOURCES, root) ? SUBRESOURCES[root] : undefined) ?? ['proxy'],
  };
}
