/**
 * What a request to the kubelet's API asks for, in the API's own terms: a verb on a subresource of this node (upstream:
 * pkg/kubelet/server/auth.go, KEP-2862). Pure.
 */

export interface NodeAttributes {
  /** get, create, update, patch, delete. */
  readonly verb: string;
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

/** First part of the path → subresources; what is not here needs `proxy`, with which all can be done. */
const SUBRESOURCES: Readonly<Record<string, readonly string[]>> = {
  stats: ['stats'],
  metrics: ['metrics'],
  logs: ['log'],
  checkpoint: ['checkpoint'],
  healthz: ['healthz', 'proxy'],
  configz: ['configz', 'proxy'],
  pods: ['pods', 'proxy'],
  runningpods: ['pods', 'proxy'],
  // Ours: what the node remembers of its pods' deaths.
  mendlet: ['history', 'proxy'],
};

/** `root`: the first part of the path, decoded. */
export function nodeAttributes(method: string, root: string): NodeAttributes {
  return {
    verb: VERBS[method] ?? '',
    subresources: (Object.hasOwn(SUBRESOURCES, root) ? SUBRESOURCES[root] : undefined) ?? ['proxy'],
  };
}
