/**
 * The API server: HTTP requests in, store operations out. No sockets and no clock of its own, so the same server runs
 * behind TLS, in memory, and in the simulator.
 *
 *   request → authorize → route → verb → store / watch cache → answer
 */
import { type AdmissionSettings, DEFAULT_ADMISSION } from './admission/settings.ts';
import type { Authorizer } from './authorization/authorizer.ts';
import { ClusterAuthorizer } from './authorization/cluster-authorizer.ts';
import { ensurePolicy, type Stored as StoredPolicy } from './authorization/ensure-policy.ts';
import { createHandler, type Handler } from './handler.ts';
import { bootstrap } from './bootstrap.ts';
import type { ReadStored } from './cache/cached-object.ts';
import { createSharedBudgets, type SharedBudgets, WatchCache } from './cache/watch-cache.ts';
import { celRuleEngine } from './custom-resources/rule-engine.ts';
import { createConversionMetrics } from './custom-resources/conversion-metrics.ts';
import { DefinitionKeeper, type DefinitionKeeperOptions } from './custom-resources/definition-keeper.ts';
import { WebhookConverter } from './custom-resources/webhook-converter.ts';
import { FlowSchemaStatus } from './flow-control/flow-schema-status.ts';
import { ensureOwnDefinitions, untilOwnKindsAreServed } from './custom-resources/own-definitions.ts';
import { DiscoveryDocuments } from './discovery/aggregated.ts';
import type { ServerVersion } from './discovery/version.ts';
import type { HealthCheck } from './http/health.ts';
import { storeHealth } from './http/store-health.ts';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  FLOW_SCHEMAS,
  PRIORITY_LEVELS,
  type Ipv4Range,
  NAMESPACES,
  type ObjectReference,
  parseIpv4Range,
} from '../api/index.ts';
import {
  type Breather,
  createMetrics,
  type GuardedConnection,
  KeyedLines,
  type MetricsRegistry,
  tireless,
} from '../lib/index.ts';
import type { Store } from '../store/index.ts';
import { EVENT_TTL_MS } from './limits.ts';
import { NodeFiguresCache } from './metrics-api/node-figures-cache.ts';
import { createServerMetrics } from './metrics.ts';
import type { Clock, Connection, Logger, NodeConnections, OriginConnections, Random, UserInfo } from './ports.ts';
import { OpenApiDocuments } from './openapi/respond.ts';
import { QuotaStatus } from './quota/quotas.ts';
import { isMainForm, keyOf } from './registry/registration.ts';
import { builtInKinds } from './kinds/built-in.ts';
import { objectOfKey } from './registry/object-of-key.ts';
import { OWN_KINDS } from './kinds/healing.ts';
import { LiveRegistry } from './kinds/registry.ts';
import { ResourceStorage } from './registry/storage.ts';
import { readStoredOf } from './registry/stored-form.ts';
import { NodePortRecords } from './services/node-port-records.ts';
import { authenticateToken } from './tokens/authenticate-token.ts';
import type { TokenSigner } from './tokens/token-signer.ts';
import { DEFAULT_SERVICE_CIDR } from './services/limits.ts';
import { repairServices } from './services/repair-services.ts';
import type { Advertised } from './services/system-objects.ts';
import { SystemUpkeep } from './system-upkeep.ts';
import type { Registry, ServerContext, StoredKind } from './call.ts';
import { createWebhookCaller } from './webhooks/cluster-webhooks.ts';
import type { DashboardLinks } from './dashboard-links.ts';
import { pathDelegates } from './path-delegates.ts';

/** What it stands on, and the ways out of it. */
export interface ApiServerPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics?: MetricsRegistry;
  /** Lets others have their turn while long work is under way; absent: it is done in one go, as in simulated time. */
  readonly breather?: Breather;
  /** The way to each node's kubelet, for logs, exec and proxies. */
  readonly nodeConnection?: NodeConnections;
  /** The way to pods, for pods/proxy and services/proxy, and to webhooks. */
  readonly originConnection?: OriginConnections;
}

export interface ApiServerOptions {
  readonly version: ServerVersion;
  /** Default: RBAC and the node authorizer, as the cluster's own objects say. */
  readonly authorizer?: Authorizer;
  /** Makes and checks service account tokens; absent: there are none. */
  readonly tokens?: TokenSigner;
  /** The range of services' addresses; default 10.96.0.0/16. */
  readonly serviceCidr?: string;
  /** Absent: upstream's defaults. */
  readonly admission?: Partial<AdmissionSettings>;
  /** Life of events; default one hour. */
  readonly eventTtlMs?: number;
  /** Makes one-time links to the live page; absent: none is served. */
  readonly dashboardLinks?: DashboardLinks;
  /** How many objects of the store cannot be read, for health; default none. */
  readonly damagedObjects?: () => number;
}

export interface ApiServer {
  /** Answers requests whose `user` the edge has set, and reads their bodies once they are authorized. */
  readonly connection: GuardedConnection;
  readonly metrics: MetricsRegistry;
  /** Resolves when the caches are filled and the system namespaces exist. */
  readonly ready: Promise<void>;
  /** The same server as `user`, for clients in this process. */
  as(user: UserInfo): Connection;
  /**
   * Sets the address at which pods and other nodes reach the server: the endpoint of the `kubernetes` service. Before the
   * call the service has none.
   */
  publish(address: Advertised): Promise<void>;
  /** Which object lies under a key of the store; undefined: none that is served. */
  objectOfKey(key: string): ObjectReference | undefined;
  /** The user of a bearer token, for the edge; undefined: the token is invalid. */
  authenticateToken(token: string): Promise<UserInfo | undefined>;
  /** Ends all watches; later requests are answered with 503. Leaves the store open. */
  close(): Promise<void>;
}

/** The user behind what the server does by itself. */
const SELF: UserInfo = { name: 'system:apiserver', groups: ['system:masters'] };

export function createApiServer(ports: ApiServerPorts, options: ApiServerOptions): ApiServer {
  const { store, clock, logger } = ports;
  const registry = new LiveRegistry(builtInKinds());
  const metrics = createServerMetrics(ports.metrics ?? createMetrics(), registry);
  const shared = createSharedBudgets(ports.clock);
  const storages = createStorages(ports, options, { registry, shared });
  const context = createContext(ports, options, { registry, storages });
  const state = { ready: false, closed: false };
  const handler = createHandler({
    context,
    metrics,
    paths: pathDelegates({
      context,
      metrics,
      version: options.version,
      discovery: new DiscoveryDocuments(registry),
      openApi: new OpenApiDocuments(registry, options.version.gitVersion, context.ports.breather),
      checks: healthChecks(storeHealth(store, clock, logger), state, options.damagedObjects ?? (() => 0)),
      dashboardLinks: options.dashboardLinks ?? (() => 'none'),
    }),
    isClosed: () => state.closed,
    onWrite: (namespace) => quotas.changed(namespace),
  });
  metrics.registry.onCollect(() => countWatchers(metrics.watchers, registry, storages));
  const self = asUser(handler, SELF);
  const quotas = new QuotaStatus(context, self);
  const converters = createConverters(context, metrics.registry);
  const { keeper, flowSchemas } = createFollowers(ports, shared, { registry, storages, self, ...converters });
  const upkeep = new SystemUpkeep(context, self, quotas);
  const ready = start({ registry, storages }, self).then(async () => {
    await serveDefinitions(context, self);
    await upkeep.ensureObjects();
    await repairServices(context, self);
    await ensureBootstrapPolicy({ registry, storages }, self);
    state.ready = true;
    upkeep.begin();
  });
  const served = onceStarted(handler, ready, context.ports.breather);
  return {
    connection: served,
    metrics: metrics.registry,
    ready,
    as: (user) => asUser(served, user),
    publish: async (address) => {
      upkeep.advertise(address);
      await ready;
      await upkeep.ensureObjects();
    },
    objectOfKey: (key) => objectOfKey(registry.all(), key),
    authenticateToken: (token) => userOfToken(context, token),
    close: async () => {
      state.closed = true;
      upkeep.close();
      await flowSchemas.close();
      await keeper.close();
      converters.close();
      await Promise.all([...storages.values()].map((storage) => storage.cache.close()));
    },
  };
}

async function userOfToken(context: ServerContext, token: string): Promise<UserInfo | undefined> {
  const verdict = await authenticateToken(context, token);
  if (verdict.ok) return verdict.user;
  context.ports.logger.debug('bearer token refused', { reason: verdict.reason });
  return undefined;
}

/** What converts custom objects whose definition names a webhook. */
function createConverters(
  context: ServerContext,
  registry: MetricsRegistry,
): { readonly converterOf: DefinitionKeeperOptions['converterOf']; close(): void } {
  const metrics = createConversionMetrics(registry);
  const webhooks = createWebhookCaller(context, () => metrics.observeOtherName());
  const parts = { ports: context.ports, webhooks, metrics };
  return { converterOf: (definition) => new WebhookConverter(definition, parts), close: () => webhooks.close() };
}

/** The kinds, and the storage of each key prefix. */
interface Stored {
  readonly registry: Registry;
  readonly storages: ReadonlyMap<string, ResourceStorage>;
}

interface FollowerParts extends Stored, Pick<DefinitionKeeperOptions, 'converterOf'> {
  readonly registry: LiveRegistry;
  readonly self: Connection;
}

/** What follows the objects of some kinds, and does what they say. */
function createFollowers(
  ports: ApiServerPorts,
  shared: SharedBudgets,
  { registry, storages, self, converterOf }: FollowerParts,
) {
  const { clock, logger } = ports;
  const keeper = new DefinitionKeeper({
    clock,
    logger,
    registry,
    definitions: storageOf(storages, registry.get(CUSTOM_RESOURCE_DEFINITIONS)),
    createStorage: (prefix, read) => createStorage(ports, shared, { prefix, read }),
    own: OWN_KINDS,
    self,
    converterOf,
  });
  const flowSchemas = new FlowSchemaStatus({
    clock,
    logger,
    schemas: storageOf(storages, registry.get(FLOW_SCHEMAS)).cache,
    levels: storageOf(storages, registry.get(PRIORITY_LEVELS)).cache,
    self,
  });
  return { keeper, flowSchemas };
}

/** What all requests share. */
function createContext(
  { store, clock, random, logger, nodeConnection, originConnection, breather }: ApiServerPorts,
  { authorizer, tokens, admission, serviceCidr }: ApiServerOptions,
  held: Stored,
): ServerContext {
  const node = nodeConnection ?? (() => undefined);
  return {
    registry: held.registry,

    ports: { clock, random, logger, breather: breather ?? tireless },
    connections: {
      node,
      origin: originConnection,
      figures: new NodeFiguresCache({ clock, logger, nodeConnection: node }),
    },
    authorizer: authorizer ?? new ClusterAuthorizer((group, resource) => cacheOf(held, group, resource)),
    tokens,
    writes: {
      admission: { ...DEFAULT_ADMISSION, ...admission },
      exclusive: new KeyedLines(),
      rules: celRuleEngine(clock),
    },
    services: { range: serviceRangeOf(serviceCidr), nodePorts: new NodePortRecords(store) },
    storageOf: (registration) => storageOf(held.storages, registration),
  };
}

/**
 * The other caches begin after the first writes, so that a list of nothing has a revision to watch from: "0" would mean
 * "any", and the watch would begin with what is there by then instead of what came.
 */
async function start({ registry, storages }: Stored, self: Connection): Promise<void> {
  const namespaces = storageOf(storages, registry.get(NAMESPACES));
  namespaces.cache.start();
  try {
    await bootstrap(self);
  } finally {
    for (const storage of storages.values()) if (storage !== namespaces) storage.cache.start();
  }
}

/** No client meets a server that lacks a kind it had before, or one of ours. */
async function serveDefinitions(context: ServerContext, self: Connection): Promise<void> {
  const { registry, ports } = context;
  await context.storageOf(registry.get(CUSTOM_RESOURCE_DEFINITIONS)).fresh();
  await ensureOwnDefinitions(context, self);
  if (await untilOwnKindsAreServed(registry, ports.clock)) return;
  ports.logger.error('kinds of mendlet.dev are not served: the names of their definitions are taken');
}

function cacheOf({ registry, storages }: Stored, group: string, resource: string): WatchCache {
  return storageOf(storages, registry.get({ group, version: 'v1', resource })).cache;
}

/** Roles and bindings as upstream has them from the first start on; the caches are listed by now, or about to be. */
async function ensureBootstrapPolicy({ registry, storages }: Stored, self: Connection): Promise<void> {
  const rows = registry.all().filter(({ row }) => row.group === 'rbac.authorization.k8s.io');
  await Promise.all(rows.map((registration) => storageOf(storages, registration).fresh()));
  const stored: StoredPolicy = (row, namespace, name) => {
    const registration = rows.find((each) => each.row === row);
    if (registration === undefined) return undefined;
    return storageOf(storages, registration).cache.get(keyOf(registration, namespace, name))?.object;
  };
  await ensurePolicy(self, registry, stored);
}

function serviceRangeOf(text = DEFAULT_SERVICE_CIDR): Ipv4Range {
  const range = parseIpv4Range(text);
  if (range === undefined) throw new RangeError(`not a range of IPv4 addresses: ${text}`);
  return range;
}

/** One storage per key prefix: forms of the same objects share it. */
function createStorages(
  ports: ApiServerPorts,
  { eventTtlMs = EVENT_TTL_MS }: ApiServerOptions,
  { registry, shared }: { readonly registry: Registry; readonly shared: SharedBudgets },
): Map<string, ResourceStorage> {
  const storages = new Map<string, ResourceStorage>();
  for (const registration of registry.all()) {
    const { keyPrefix, expires, form } = registration;
    if (form !== undefined) continue;
    const read = readStoredOf(registration);
    const ttl = expires === true ? { ttlMs: eventTtlMs } : {};
    storages.set(keyPrefix, createStorage(ports, shared, { prefix: keyPrefix, read, ...ttl }));
  }
  return storages;
}

/** One storage; its cache reads nothing until it is started or asked. */
function createStorage(
  { store, clock, logger, breather = tireless }: ApiServerPorts,
  shared: SharedBudgets,
  { prefix, read, ttlMs }: { readonly prefix: string; readonly read: ReadStored; readonly ttlMs?: number },
): ResourceStorage {
  const cache = new WatchCache({ store, prefix, clock, logger, breather, shared, read });
  return new ResourceStorage({ store, cache, ...(ttlMs === undefined ? {} : { ttlMs }) });
}

function storageOf(storages: ReadonlyMap<string, ResourceStorage>, registration: StoredKind): ResourceStorage {
  if (registration.storage !== undefined) return registration.storage;
  const storage = storages.get(registration.keyPrefix);
  if (storage === undefined) throw new Error(`no storage for ${registration.keyPrefix}`);
  return storage;
}

/**
 * All requests except health wait for the system namespaces, so that no client sees an empty store. If the start failed,
 * requests continue and meet its cause themselves. A crowd of requests is let in by turns; health requests do not wait.
 */
function onceStarted(handler: Handler, ready: Promise<void>, breather: Breather): GuardedConnection {
  const started = ready.catch(() => {});
  const turn = async (): Promise<void> => {
    await started;
    await breather.pause('request');
  };
  return {
    readsBodies: true,
    request: async (request) => {
      if (!isHealthPath(request.url)) await turn();
      return await handler.request(request);
    },
    upgrade: async (request) => {
      await turn();
      return await handler.upgrade(request);
    },
  };
}

function isHealthPath(url: string): boolean {
  return /^\/(healthz|livez|readyz)(?:[/?]|$)/.test(url);
}

function asUser(handler: Connection, user: UserInfo): Connection {
  return {
    request: (request) => handler.request({ ...request, user }),
    upgrade: (request) => handler.upgrade({ ...request, user }),
  };
}

function healthChecks(
  ofStore: HealthCheck,
  state: { readonly ready: boolean; readonly closed: boolean },
  damagedObjects: () => number,
): readonly HealthCheck[] {
  return [
    { name: 'ping', check: async () => undefined },
    ofStore,
    {
      name: 'store-objects',
      check: async () => undefined,
      hidden: () => damagedObjects() === 0,
      // Everything else is served: an answer of "not ready" would take all of it away.
      remark: () => {
        const count = damagedObjects();
        return `${count} damaged ${count === 1 ? 'object is' : 'objects are'} left out, "mendlet store check" names them`;
      },
    },
    { name: 'informer-sync', readyOnly: true, check: async () => (state.ready ? undefined : 'not ready yet') },
    { name: 'shutdown', readyOnly: true, check: async () => (state.closed ? 'shutting down' : undefined) },
  ];
}

function countWatchers(
  gauge: { set(value: number, labels: Record<string, string>): void },
  registry: Registry,
  storages: ReadonlyMap<string, ResourceStorage>,
): void {
  for (const kind of registry.all()) {
    if (!isMainForm(kind)) continue;
    const { group, version, resource } = kind.row;
    gauge.set(storageOf(storages, kind).cache.watcherCount, { verb: 'WATCH', group, version, resource });
  }
}
