/**
 * An operator as its users write them, with Kubernetes' client library for Node.js: it makes a web server of each Site. It follows
 * Sites and what it made by informers, applies on the server, writes status, has a finalizer, owns its children, and of several
 * copies only the one that holds a lease works. It runs in a pod.
 */
import { createServer } from 'node:http';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ApiException,
  AppsV1Api,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  type Informer,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  V1MicroTime,
  type V1Deployment,
} from '@kubernetes/client-node';

const GROUP = 'sites.example.com';
const VERSION = 'v1';
const PLURAL = 'sites';
const FINALIZER = `${GROUP}/farewell`;
const MANAGER = 'site-operator';
const LEASE = 'site-operator';
const LEASE_SECONDS = 4;
const NAMESPACE = process.env['POD_NAMESPACE'] ?? 'default';
const IDENTITY = hostname();

interface Site extends KubernetesObject {
  readonly spec: { readonly text: string; readonly replicas?: number };
  readonly status?: { readonly readyReplicas?: number; readonly observedGeneration?: number };
}

const config = new KubeConfig();
config.loadFromCluster();
const objects = KubernetesObjectApi.makeApiClient(config);
const custom = config.makeApiClient(CustomObjectsApi);
const core = config.makeApiClient(CoreV1Api);
const apps = config.makeApiClient(AppsV1Api);
const leases = config.makeApiClient(CoordinationV1Api);
const say = (text: string): void => console.log(`${new Date().toISOString()} ${IDENTITY} ${text}`);
const codeOf = (error: unknown): number | undefined => (error instanceof ApiException ? error.code : undefined);

let isLeader = false;

/** Takes the lease when it is free or has run out, and keeps it. @returns whether this copy has it now */
async function holdLease(): Promise<boolean> {
  const renewTime = new V1MicroTime();
  const mine = { holderIdentity: IDENTITY, leaseDurationSeconds: LEASE_SECONDS, renewTime };
  try {
    const lease = await leases.readNamespacedLease({ name: LEASE, namespace: NAMESPACE });
    const { holderIdentity, leaseTransitions = 0, acquireTime } = lease.spec ?? {};
    const isMine = holderIdentity === IDENTITY;
    // The library leaves such times as they were sent.
    const age = Date.now() - new Date(String(lease.spec?.renewTime)).getTime();
    if (!isMine && holderIdentity !== '' && age < LEASE_SECONDS * 1000) return false;
    lease.spec = isMine
      ? { ...mine, leaseTransitions, ...(acquireTime && { acquireTime }) }
      : { ...mine, leaseTransitions: leaseTransitions + 1, acquireTime: renewTime };
    await leases.replaceNamespacedLease({ name: LEASE, namespace: NAMESPACE, body: lease });
    return true;
  } catch (error) {
    if (codeOf(error) === 409) return false;
    if (codeOf(error) !== 404) throw error;
    const body = { metadata: { name: LEASE }, spec: { ...mine, acquireTime: renewTime, leaseTransitions: 0 } };
    await leases.createNamespacedLease({ namespace: NAMESPACE, body });
    return true;
  }
}

/** Applies `object` as ours, by whomever its fields are. */
async function apply<T extends KubernetesObject>(object: T): Promise<T> {
  return await objects.patch(object, undefined, undefined, MANAGER, true, PatchStrategy.ServerSideApply);
}

function childrenOf({ metadata = {}, spec }: Site): readonly KubernetesObject[] {
  const { name = '', namespace = '', uid = '' } = metadata;
  const labels = { 'sites.example.com/site': name };
  const owner = {
    apiVersion: `${GROUP}/${VERSION}`,
    kind: 'Site',
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  const meta = { name, namespace, labels, ownerReferences: [owner] };
  const page = { name: 'page', mountPath: '/www' };
  const container = {
    name: 'web',
    image: 'docker.io/library/busybox:latest',
    imagePullPolicy: 'IfNotPresent',
    command: ['httpd', '-f', '-p', '8080', '-h', '/www'],
    ports: [{ name: 'http', containerPort: 8080 }],
    readinessProbe: { httpGet: { path: '/index.html', port: 'http' }, periodSeconds: 1 },
    volumeMounts: [page],
  };
  const children: readonly (KubernetesObject & { readonly spec?: object; readonly data?: object })[] = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: meta, data: { 'index.html': spec.text } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: meta,
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: meta,
      spec: {
        replicas: spec.replicas ?? 1,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            terminationGracePeriodSeconds: 0,
            containers: [container],
            volumes: [{ name: 'page', configMap: { name } }],
          },
        },
      },
    },
  ];
  return children;
}

/** Leaves a note, which is what this operator cleans up with, and lets the Site go. */
async function sayFarewell({ metadata = {} }: Site): Promise<void> {
  const { name = '', namespace = '', finalizers = [] } = metadata;
  const data = { uid: metadata.uid ?? '', by: IDENTITY };
  await apply({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `farewell-${name}`, namespace },
    data,
  } as KubernetesObject);
  const at = finalizers.indexOf(FINALIZER);
  const body = [
    { op: 'test', path: `/metadata/finalizers/${at}`, value: FINALIZER },
    { op: 'remove', path: `/metadata/finalizers/${at}` },
  ];
  await custom.patchNamespacedCustomObject({ group: GROUP, version: VERSION, plural: PLURAL, namespace, name, body });
  say(`farewell ${namespace}/${name}`);
}

async function writeStatus(site: Site, deployment: V1Deployment | undefined): Promise<void> {
  const { name = '', namespace = '', generation = 0 } = site.metadata ?? {};
  const readyReplicas = deployment?.status?.readyReplicas ?? 0;
  const wanted = site.spec.replicas ?? 1;
  const isReady =
    deployment?.status?.observedGeneration === deployment?.metadata?.generation && readyReplicas === wanted;
  const ready = {
    type: 'Ready',
    status: isReady ? 'True' : 'False',
    reason: isReady ? 'Serving' : 'Waiting',
    message: `${readyReplicas} of ${wanted}`,
    lastTransitionTime: new Date().toISOString(),
  };
  const status = {
    readyReplicas,
    observedGeneration: generation,
    selector: `sites.example.com/site=${name}`,
    conditions: [ready],
  };
  const isSame =
    site.status?.readyReplicas === readyReplicas &&
    site.status.observedGeneration === generation &&
    JSON.stringify(site.status).includes(`"status":"${ready.status}"`);
  if (isSame) return;
  const current = (await custom.getNamespacedCustomObject({
    group: GROUP,
    version: VERSION,
    plural: PLURAL,
    namespace,
    name,
  })) as Site;
  const body = { ...current, status };
  await custom.replaceNamespacedCustomObjectStatus({
    group: GROUP,
    version: VERSION,
    plural: PLURAL,
    namespace,
    name,
    body,
  });
}

async function reconcile(site: Site, deployment: V1Deployment | undefined): Promise<void> {
  const { name = '', namespace = '', finalizers = [], deletionTimestamp } = site.metadata ?? {};
  if (deletionTimestamp !== undefined) {
    if (finalizers.includes(FINALIZER)) await sayFarewell(site);
    return;
  }
  const head = { apiVersion: `${GROUP}/${VERSION}`, kind: 'Site' };
  if (!finalizers.includes(FINALIZER)) await apply({ ...head, metadata: { name, namespace, finalizers: [FINALIZER] } });
  for (const child of childrenOf(site)) await apply(child);
  await writeStatus(site, deployment);
}

const listSites = async (): Promise<{ items: Site[] }> =>
  (await custom.listClusterCustomObject({ group: GROUP, version: VERSION, plural: PLURAL })) as { items: Site[] };
const sites = makeInformer<Site>(config, `/apis/${GROUP}/${VERSION}/${PLURAL}`, listSites);
const SELECTOR = 'sites.example.com/site';
const deployments = makeInformer(
  config,
  '/apis/apps/v1/deployments',
  async () => await apps.listDeploymentForAllNamespaces({ labelSelector: SELECTOR }),
  SELECTOR,
);
const pages = makeInformer(
  config,
  '/api/v1/configmaps',
  async () => await core.listConfigMapForAllNamespaces({ labelSelector: SELECTOR }),
  SELECTOR,
);

/** Keys of Sites that something has happened to. */
const due = new Set<string>();
const keyOf = (object: KubernetesObject): string =>
  `${object.metadata?.namespace}/${object.metadata?.labels?.[SELECTOR] ?? object.metadata?.name}`;

let synced = 0;
/** Follows what `informer` sees, and starts it again when its watch ends with an error. */
async function follow<T extends KubernetesObject>(informer: Informer<T>): Promise<void> {
  const note = (object: T): void => void due.add(keyOf(object));
  informer.on('add', note);
  informer.on('update', note);
  informer.on('delete', note);
  informer.on('connect', () => (synced += 1));
  informer.on('error', (error: unknown) => {
    say(`watch ended: ${String(error)}`);
    setTimeout(() => void informer.start(), 500);
  });
  await informer.start();
}
await follow(sites);
await follow(deployments);
await follow(pages);

async function work(): Promise<void> {
  const keys = [...due];
  due.clear();
  for (const key of keys) {
    const site = sites.list().find((each) => keyOf(each) === key);
    if (site === undefined) continue;
    try {
      await reconcile(
        site,
        deployments.list().find((each) => keyOf(each) === key),
      );
    } catch (error) {
      if (codeOf(error) !== 409) say(`${key}: ${error instanceof Error ? error.message : String(error)}`);
      due.add(key);
    }
  }
}

// The first process of a container gets no signal that it does not handle.
process.on('SIGTERM', () => process.exit(0));
createServer((_, response) => {
  response.writeHead(synced >= 3 ? 200 : 503).end(isLeader ? 'leader' : 'standby');
}).listen(8081);

for (let round = 0; ; round += 1) {
  if (round % 5 === 0) {
    const wasLeader = isLeader;
    isLeader = await holdLease().catch((error: unknown) => {
      say(`lease: ${String(error)}`);
      return false;
    });
    if (isLeader && !wasLeader) {
      say('leads');
      for (const site of sites.list()) due.add(keyOf(site));
    }
  }
  if (isLeader) await work();
  await sleep(200);
}
