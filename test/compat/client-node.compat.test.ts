/**
 * Tests the server with Kubernetes' client library for Node.js, as programs outside of the cluster use it: typed and untyped calls,
 * every form of patch, server-side apply, watches, and informers that outlive a restart of the server.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ApiException,
  ApiextensionsV1Api,
  AppsV1Api,
  AuthorizationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  type V1CustomResourceDefinition,
  VersionApi,
  Watch,
} from '@kubernetes/client-node';
import { CompatServer } from './server.ts';

/** More revisions than the server keeps in its store. */
const HISTORY_REVISIONS = 22_400;
const HISTORY_LANES = 8;

const server = new CompatServer();
let config: KubeConfig;
let core: CoreV1Api;
let objects: KubernetesObjectApi;
let custom: CustomObjectsApi;

beforeAll(async () => {
  await server.start();
  config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  core = config.makeApiClient(CoreV1Api);
  objects = KubernetesObjectApi.makeApiClient(config);
  custom = config.makeApiClient(CustomObjectsApi);
  const definitions = config.makeApiClient(ApiextensionsV1Api);
  await definitions.createCustomResourceDefinition({ body: THINGS });
  await vi.waitFor(async () => {
    const { status } = await definitions.readCustomResourceDefinition({ name: 'things.example.com' });
    if (status?.conditions?.find(({ type }) => type === 'Established')?.status !== 'True')
      throw new Error('not established');
  });
});
afterAll(() => server.remove());

const THINGS: V1CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Thing', plural: 'things', singular: 'thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', _default: 1 },
                  tags: { type: 'array', items: { type: 'string' }, x_kubernetes_list_type: 'set' },
                },
              },
              status: { type: 'object', x_kubernetes_preserve_unknown_fields: true },
            },
          },
        },
      },
    ],
  },
};

interface Thing extends KubernetesObject {
  readonly spec: { readonly size?: number; readonly tags?: readonly string[] };
  readonly status?: object;
}

let namespace = '';
beforeEach(async () => {
  const { metadata } = await core.createNamespace({ body: { metadata: { generateName: 'node-' } } });
  namespace = metadata?.name ?? '';
});

const failure = async (
  call: Promise<unknown>,
): Promise<{ code: number; body: { reason?: string; details?: unknown; message?: string } }> => {
  const error = await call.then(
    () => new Error('it was accepted'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiException)) throw error;
  const text = error.body as unknown;
  return { code: error.code, body: (typeof text === 'string' ? JSON.parse(text) : text) as { reason?: string } };
};

describe('calls', () => {
  it('creates, reads, lists, replaces and deletes with typed clients', async () => {
    const created = await core.createNamespacedConfigMap({
      namespace,
      body: { metadata: { generateName: 'a-' }, data: { a: '1' } },
    });
    const name = created.metadata?.name ?? '';
    expect(name).toMatch(/^a-[a-z0-9]{5}$/);
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);
    await core.replaceNamespacedConfigMap({ namespace, name, body: Object.assign(created, { data: { a: '2' } }) });
    const stale = await failure(core.replaceNamespacedConfigMap({ namespace, name, body: created }));
    expect([stale.code, stale.body.reason]).toEqual([409, 'Conflict']);
    const { items } = await core.listNamespacedConfigMap({ namespace, fieldSelector: `metadata.name=${name}` });
    expect(items.map(({ data }) => data)).toEqual([{ a: '2' }]);
    await core.deleteNamespacedConfigMap({ namespace, name });
    const gone = await failure(core.readNamespacedConfigMap({ namespace, name }));
    expect([gone.code, gone.body.reason]).toEqual([404, 'NotFound']);
  });

  it('lists in pages', async () => {
    for (let at = 0; at < 5; at += 1)
      await core.createNamespacedSecret({
        namespace,
        body: { metadata: { name: `s-${at}` }, stringData: { at: String(at) } },
      });
    const names: (string | undefined)[] = [];
    let next: string | undefined;
    do {
      const page = await core.listNamespacedSecret({
        namespace,
        limit: 2,
        ...(next !== undefined && { _continue: next }),
      });
      names.push(...page.items.map(({ metadata }) => metadata?.name));
      next = page.metadata?._continue;
    } while (next !== undefined && next !== '');
    expect(names).toEqual(['s-0', 's-1', 's-2', 's-3', 's-4']);
  });

  it('asks who may do what, and which server this is', async () => {
    const body = { spec: { resourceAttributes: { namespace, verb: 'get', resource: 'pods' } } };
    const review = await config.makeApiClient(AuthorizationV1Api).createSelfSubjectAccessReview({ body });
    expect(review.status?.allowed).toBe(true);
    expect((await config.makeApiClient(VersionApi).getCode()).minor).toBe('36');
  });

  it('patches in each form, and the forms differ in what becomes of a list', async () => {
    const apps = config.makeApiClient(AppsV1Api);
    const labels = { app: 'web' };
    const container = { name: 'a', image: 'none.invalid/a', env: [{ name: 'X', value: '1' }] };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    await apps.createNamespacedDeployment({
      namespace,
      body: { metadata: { name: 'web' }, spec: { selector: { matchLabels: labels }, template } },
    });
    const patch = (
      body: unknown,
      form: PatchStrategy,
    ): Promise<{ spec?: { template: { spec?: { containers: { name: string }[] } } } }> =>
      apps.patchNamespacedDeployment({ name: 'web', namespace, body }, setHeaderOptions('Content-Type', form));
    const second = { spec: { template: { spec: { containers: [{ name: 'b', image: 'none.invalid/b' }] } } } };
    const names = (answer: Awaited<ReturnType<typeof patch>>): unknown =>
      answer.spec?.template.spec?.containers.map(({ name }) => name);
    expect(names(await patch(second, PatchStrategy.StrategicMergePatch))).toEqual(['b', 'a']);
    expect(names(await patch(second, PatchStrategy.MergePatch))).toEqual(['b']);
    const path = '/spec/template/spec/containers/0/name';
    expect(names(await patch([{ op: 'replace', path, value: 'c' }], PatchStrategy.JsonPatch))).toEqual(['c']);
    const refused = await failure(patch([{ op: 'test', path, value: 'z' }], PatchStrategy.JsonPatch));
    expect([refused.code, refused.body.reason]).toEqual([422, 'Invalid']);
  });

  it('has custom objects with defaults, status and strict schemas', async () => {
    const where = { group: 'example.com', version: 'v1', namespace, plural: 'things' };
    const head = { apiVersion: 'example.com/v1', kind: 'Thing' };
    const made = (await custom.createNamespacedCustomObject({
      ...where,
      body: { ...head, metadata: { name: 'a' }, spec: {} },
    })) as Thing;
    expect(made.spec).toEqual({ size: 1 });
    const name = 'a';
    await custom.replaceNamespacedCustomObjectStatus({ ...where, name, body: { ...made, status: { seen: true } } });
    const body = [{ op: 'replace', path: '/spec/size', value: 'big' }];
    const refused = await failure(custom.patchNamespacedCustomObject({ ...where, name, body }));
    expect(refused.code).toBe(422);
    expect(refused.body.message).toContain(
      'spec.size: Invalid value: "string": spec.size in body must be of type integer',
    );
    const read = (await custom.getNamespacedCustomObject({ ...where, name })) as Thing;
    expect([read.status, read.metadata?.generation]).toEqual([{ seen: true }, 1]);
  });
});

describe('server-side apply', () => {
  const apply = <T extends KubernetesObject>(object: T, manager: string, force = false): Promise<T> =>
    objects.patch(object, undefined, undefined, manager, force, PatchStrategy.ServerSideApply);
  const map = (data: Record<string, string>): V1ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'm', namespace },
    data,
  });

  it('creates, shares, refuses with causes, and is forced', async () => {
    await apply(map({ a: '1', b: '1' }), 'one');
    const refused = await failure(apply(map({ a: '2' }), 'two'));
    expect(refused.code).toBe(409);
    expect(refused.body.details).toMatchObject({
      causes: [{ reason: 'FieldManagerConflict', field: '.data.a', message: 'conflict with "one"' }],
    });
    const forced = await apply(map({ a: '2' }), 'two', true);
    expect(forced.data).toEqual({ a: '2', b: '1' });
    const { resourceVersion } = (await apply(map({ a: '2' }), 'two')).metadata ?? {};
    expect(resourceVersion).toBe(forced.metadata?.resourceVersion);
    // What is not applied any more goes.
    expect((await apply(map({}), 'one')).data).toEqual({ a: '2' });
  });

  it('merges the sets of custom objects', async () => {
    const thing = (tags: readonly string[]): Thing => ({
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name: 't', namespace },
      spec: { tags },
    });
    await apply(thing(['a']), 'one');
    expect((await apply(thing(['b']), 'two')).spec.tags).toEqual(['a', 'b']);
    expect((await apply(thing([]), 'one')).spec.tags).toEqual(['b']);
  });
});

/** Writes so often that the server forgets what was before. Each lane has an object of its own, so that none waits for another. */
async function pushHistory(): Promise<void> {
  const lane = async (name: string): Promise<void> => {
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name } } });
    const path = `/api/v1/namespaces/${namespace}/configmaps/${name}`;
    for (let at = 0; at < HISTORY_REVISIONS / HISTORY_LANES; at += 1) {
      const body = { metadata: { name }, data: { at: String(at) } };
      const { code } = await server.api.send('PUT', path, body);
      if (code !== 200) throw new Error(`PUT: ${code}`);
    }
  };
  await Promise.all(Array.from({ length: HISTORY_LANES }, (_, at) => lane(`busy-${at}`)));
}

describe('watches', () => {
  /** What an informer tells, and its cache. */
  function followed(selector?: string) {
    const told: string[] = [];
    const path = `/apis/example.com/v1/namespaces/${namespace}/things`;
    const where = { group: 'example.com', version: 'v1', namespace, plural: 'things' };
    const list = async (): Promise<{ items: Thing[] }> =>
      (await custom.listNamespacedCustomObject({
        ...where,
        ...(selector !== undefined && { labelSelector: selector }),
      })) as { items: Thing[] };
    const informer = makeInformer<Thing>(config, path, list, selector);
    informer.on('add', ({ metadata }) => told.push(`add ${metadata?.name}`));
    informer.on('update', ({ metadata, spec }) => told.push(`update ${metadata?.name} ${spec.size}`));
    informer.on('delete', ({ metadata }) => told.push(`delete ${metadata?.name}`));
    informer.on('error', () => setTimeout(() => void informer.start(), 100));
    return {
      told,
      informer,
      cached: () =>
        informer
          .list()
          .map(({ metadata }) => metadata?.name)

          .toSorted((a = '', b = '') => (a < b ? -1 : 1)),
    };
  }
  const thing = (name: string, size: number, labels = {}): Thing => ({
    apiVersion: 'example.com/v1',
    kind: 'Thing',
    metadata: { name, namespace, labels },
    spec: { size },
  });
  const resize = (name: string, size: number): Promise<unknown> =>
    objects.patch(thing(name, size), undefined, undefined, undefined, undefined, PatchStrategy.MergePatch);

  it('an informer sees each change of custom objects once, also over a restart of the server', async () => {
    await objects.create(thing('old', 1));
    const { told, informer, cached } = followed();
    await informer.start();
    await objects.create(thing('new', 1));
    await resize('new', 2);
    await objects.delete(thing('old', 1));
    await expect.poll(() => told).toEqual(['add old', 'add new', 'update new 2', 'delete old']);
    await server.restart();
    await resize('new', 3);
    await objects.create(thing('later', 1));
    await expect.poll(cached).toEqual(['later', 'new']);
    await expect.poll(() => told.slice(4).toSorted()).toEqual(['add later', 'update new 3']);
    await informer.stop();
  });

  it('an informer that was away for longer than the history lists anew', async () => {
    await objects.create(thing('goes', 1));
    await objects.create(thing('stays', 1));
    const { told, informer, cached } = followed();
    await informer.start();
    await expect.poll(cached).toEqual(['goes', 'stays']);
    await informer.stop();
    await objects.delete(thing('goes', 1));
    await objects.create(thing('comes', 1));
    await pushHistory();
    await informer.start();
    await expect.poll(cached).toEqual(['comes', 'stays']);
    expect(
      told
        .slice(2)
        .filter((line) => !line.startsWith('update '))
        .toSorted(),
    ).toEqual(['add comes', 'delete goes']);
    await informer.stop();
  });

  it('an informer with a selector loses what no longer fits', async () => {
    const { told, informer } = followed('is=seen');
    await informer.start();
    await objects.create(thing('a', 1, { is: 'seen' }));
    await objects.create(thing('b', 1, { is: 'hidden' }));
    const body = { ...thing('a', 1), metadata: { name: 'a', namespace, labels: { is: 'hidden' } } };
    await objects.patch(body, undefined, undefined, undefined, undefined, PatchStrategy.MergePatch);
    await expect.poll(() => told).toEqual(['add a', 'delete a']);
    await informer.stop();
  });

  it('a watch goes on from a revision before a restart of the server, with nothing lost', async () => {
    await objects.create(thing('before', 1));
    const from = (await objects.list('example.com/v1', 'Thing', namespace)).metadata?.resourceVersion;
    await resize('before', 2);
    await resize('before', 3);
    await server.restart();
    const seen: string[] = [];
    const watch = new Watch(config);
    const path = `/apis/example.com/v1/namespaces/${namespace}/things`;
    const stop = await watch.watch(
      path,
      { resourceVersion: from, allowWatchBookmarks: true },
      (phase, object: Thing) => void (phase === 'BOOKMARK' || seen.push(`${phase} ${object.spec.size}`)),
      () => {},
    );
    await expect.poll(() => seen).toEqual(['MODIFIED 2', 'MODIFIED 3']);
    stop.abort();
  });

  it('a watch from a revision that is yet to come, or from nonsense, is refused', async () => {
    const ended = (resourceVersion: string): Promise<unknown> =>
      new Promise((done) => {
        const tell = (_: string, object: unknown): void => done(object);
        void new Watch(config).watch('/api/v1/configmaps', { resourceVersion, timeoutSeconds: 1 }, tell, done);
      });
    expect(await ended('nonsense')).toMatchObject({ statusCode: 400 });
  });

  it('tells the initial state as events, and then that it is complete', async () => {
    await objects.create(thing('one', 1));
    const seen: string[] = [];
    const stop = await new Watch(config).watch(
      `/apis/example.com/v1/namespaces/${namespace}/things`,
      { sendInitialEvents: true, allowWatchBookmarks: true, resourceVersionMatch: 'NotOlderThan', resourceVersion: '' },
      (phase, { metadata }: Thing) =>
        void seen.push(`${phase} ${metadata?.annotations?.['k8s.io/initial-events-end'] ?? metadata?.name}`),
      () => {},
    );
    await expect.poll(() => seen.slice(0, 2)).toEqual(['ADDED one', 'BOOKMARK true']);
    stop.abort();
  });
});
