/** The imports that are allowed between the rooms, and between the inner rooms of the big ones. */

/** Room → rooms that it may import, through their doors. `main` and `sim` may import all but each other. */
export const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  api: [],
  lib: [],
  'log-analysis': [],
  cel: ['api', 'lib'],
  store: ['lib'],
  client: ['api', 'lib'],
  apiserver: ['api', 'lib', 'store', 'cel'],
  network: ['api', 'lib', 'client'],
  controllers: ['api', 'lib', 'client', 'network'],
  scheduler: ['api', 'lib', 'client'],
  diagnosis: ['api', 'lib', 'log-analysis'],
  overview: ['api', 'lib'],
  cli: ['api', 'lib', 'client', 'log-analysis', 'diagnosis', 'overview'],
  page: [],
  dashboard: ['api', 'lib', 'client', 'log-analysis', 'diagnosis', 'overview', 'page', 'cli'],
  cri: ['lib'],
  csi: ['lib'],
  kubelet: ['api', 'lib', 'client', 'log-analysis', 'cri', 'csi'],
  ...allBut(['sim', 'main']),
};

function allBut(tops: readonly string[]): Record<string, readonly string[]> {
  const below = [
    'api',
    'lib',
    'store',
    'client',
    'apiserver',
    'cel',
    'network',
    'controllers',
    'scheduler',
    'log-analysis',
    'diagnosis',
    'overview',
    'cli',
    'page',
    'dashboard',
  ];
  return Object.fromEntries(tops.map((top) => [top, [...below, 'cri', 'csi', 'kubelet']]));
}

export interface InnerRooms {
  /**
   * Files beside the inner rooms that these may import; all other files there put the room together, and no inner room
   * imports them.
   */
  readonly base: readonly string[];
  /** Inner room → inner rooms that it may import. */
  readonly rooms: Readonly<Record<string, readonly string[]>>;
  /** Inner rooms that put others together, and may import all. */
  readonly tops: readonly string[];
  /** Crossings that are there and should not be, "FROM TO" by inner room: this list only gets shorter. */
  readonly against: readonly string[];
}

/** Lower rooms come first: code that both sides of a pair need is in a room below both. */
export const INNER_ROOMS: Readonly<Record<string, InnerRooms>> = {
  kubelet: {
    base: [
      'types.ts',
      'ports.ts',
      'figures.ts',
      'settings.ts',
      'mistakes.ts',
      'go-format.ts',
      'base64.ts',
      'cgroup-figures.ts',
      'runtime-classes.ts',
    ],
    rooms: {
      pods: [],
      plan: [],
      env: ['pods'],
      config: ['pods'],
      pleg: ['pods'],
      probes: ['pods'],
      status: ['pods'],
      gc: ['pods'],
      logs: ['pods'],
      stats: ['pods'],
      notes: ['pods', 'plan'],
      images: ['pods', 'env'],
      'local-volumes': ['pods'],
      csi: ['pods'],
      volumes: ['pods', 'env', 'local-volumes', 'csi'],
      eviction: ['pods', 'plan', 'stats'],
      admission: ['pods', 'plan'],
      node: ['pods', 'eviction', 'status'],
      'kubelet-configuration': ['eviction'],
      recovery: ['pods', 'plan', 'env', 'images', 'volumes'],
      deaths: ['pods', 'plan', 'env', 'probes', 'volumes'],
      execute: ['pods', 'plan', 'env', 'volumes'],
      routing: ['pods', 'plan'],
      'pod-workers': ['pods', 'plan', 'admission', 'config', 'deaths', 'execute', 'notes', 'recovery', 'routing'],
      server: ['pods', 'deaths', 'stats', 'kubelet-configuration', 'local-volumes'],
    },
    tops: ['compose'],
    against: [],
  },
  apiserver: {
    base: ['limits.ts', 'ports.ts', 'metrics.ts', 'call.ts', 'in-steps.ts'],
    rooms: {
      protobuf: [],
      tables: ['registry'],
      cache: ['registry'],
      http: ['protobuf', 'cache', 'registry'],
      registry: ['cache', 'http', 'tables'],
      discovery: ['http', 'registry'],
      openapi: ['http', 'discovery', 'registry'],
      tokens: ['http', 'registry', 'cache'],
      authorization: ['http', 'registry', 'cache', 'openapi'],
      edge: ['tokens', 'http'],
      admission: ['registry', 'cache', 'authorization', 'tokens', 'http'],
      quota: ['registry', 'cache'],
      services: ['registry', 'cache', 'openapi'],
      webhooks: ['registry'],
      'flow-control': ['registry', 'cache', 'openapi', 'services'],
      'metrics-api': ['http', 'registry', 'cache', 'tables', 'authorization'],
      verbs: ['http', 'registry', 'cache', 'authorization', 'admission', 'quota', 'services', 'tokens'],
      subresources: ['http', 'registry', 'cache', 'authorization', 'admission', 'tables', 'tokens', 'verbs'],
      reviews: ['http', 'registry', 'authorization', 'tokens'],
    },
    tops: ['kinds', 'custom-resources'],
    against: ['http authorization', 'http verbs', 'registry admission', 'verbs subresources'],
  },
  controllers: {
    base: [
      'controller.ts',
      'controller-setup.ts',
      'indexes.ts',
      'limits.ts',
      'operation.ts',
      'run-controller.ts',
      'run-set.ts',
      'slow-start.ts',
      'status-patch.ts',
    ],
    rooms: {
      pods: [],
      ownership: [],
      services: ['pods'],
      history: ['ownership', 'pods'],
      replicaset: ['ownership', 'pods'],
      'replication-controller': ['replicaset'],
      deployment: ['ownership', 'pods'],
      statefulset: ['history', 'ownership', 'pods'],
      daemonset: ['history', 'ownership', 'pods'],
      job: ['ownership', 'pods', 'replicaset'],
      cronjob: [],
      'ttl-after-finished': [],
      'garbage-collector': [],
      disruption: ['pods'],
      'horizontal-pod-autoscaler': [],
      endpointslice: ['pods', 'services'],
      endpoints: ['endpointslice', 'pods', 'services'],
      'endpointslice-mirroring': ['endpointslice', 'services'],
      'node-lifecycle': ['taint-eviction'],
      'taint-eviction': ['node-lifecycle'],
      'pod-gc': ['pods'],
      healing: ['endpointslice', 'pods'],
      'node-ipam': [],
      'service-cidrs': [],
      'load-balancer': [],
      'node-routes': [],
      'volume-binding': ['pods'],
      'ephemeral-volumes': ['pods'],
      'attach-detach': ['pods'],
      'volume-expansion': [],
      'local-volumes': ['healing', 'pods', 'volume-binding'],
      certificates: [],
      'bootstrap-tokens': [],
      'clusterrole-aggregation': [],
      'root-ca': [],
      'service-account': [],
      namespace: [],
    },
    tops: [],
    against: [],
  },
  scheduler: {
    base: ['limits.ts', 'choose-node.ts', 'fit-message.ts', 'sources.ts'],
    rooms: {
      cluster: [],
      filter: ['cluster'],
      score: ['cluster', 'filter'],
      queue: ['cluster', 'filter'],
      preempt: ['cluster', 'filter'],
      volumes: ['cluster', 'filter'],
    },
    tops: [],
    against: [],
  },
};
