/** The kinds of mendlet.dev are defined like custom resources: by definitions that come with the server, and that nobody takes away. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  expectCounted,
  expectExplained,
  expectTable,
  expectWatch,
  expectWrites,
  prepareContract,
} from '../../../test/support/kind-contract.ts';
import { fullName, manifestOf } from '../../../test/support/sample-objects.ts';
import { OWN_ROWS, ownDefinitions } from '../../api/index.ts';
import { encodeText } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { createMemoryStore, type Store } from '../../store/index.ts';
import { celRuleEngine } from '../custom-resources/rule-engine.ts';
import { type Loose, startTestServer, type TestServer } from '../test-server.ts';

const clock = createManualClock();
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const RESTARTS = `${DEFINITIONS}/podrestarts.mendlet.dev`;
const BASE = '/apis/mendlet.dev/v1alpha1/namespaces/default';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'] as const;

let api: TestServer;
beforeAll(async () => {
  api = await startTestServer({ clock });
  await prepareContract(api);
});
afterAll(() => api.close());

describe.each(OWN_ROWS.map((row) => [row.kind, row] as const))('%s', (_name, given) => {
  const row = { ...given, verbs: VERBS };
  const { metadata: _, ...sample } = manifestOf(row, '', 'contract') as { metadata: object };
  const kind = { row, sample, names: ['one', 'two'], isCounted: true, hasPureStatus: true } as const;

  it('keeps the contract of every kind', async () => {
    await expectWrites(api, kind);
    await expectWatch(api, kind);
    await expectTable(api, kind);
    await expectExplained(api, kind);
    await expectCounted(api, kind);
  });

  it('has a definition that is served before anybody asks', async () => {
    const { body } = await api.call('GET', `${DEFINITIONS}/${fullName(row)}`);
    const established = body.status.conditions.find(({ type }: Loose) => type === 'Established');
    expect([body.spec.names.kind, body.status.acceptedNames.kind, established.status]).toEqual([
      row.kind,
      row.kind,
      'True',
    ]);
  });

  it('has rules that every server accepts', () => {
    const definition = ownDefinitions().find(({ metadata }) => metadata?.name === fullName(row));
    const root = definition?.spec.versions[0]?.schema?.openAPIV3Schema ?? {};
    expect(celRuleEngine(clock).problems(root, 'schema')).toEqual([]);
  });
});

describe('the requester of a restart', () => {
  const restart = { metadata: { name: 'forged' }, spec: { podName: 'web', requestedBy: 'eve' } };
  const requester = async (): Promise<unknown> =>
    (await api.call('GET', `${BASE}/podrestarts/forged`)).body.spec.requestedBy;

  it('is who asks, whatever is sent', async () => {
    const made = await api.call('POST', `${BASE}/podrestarts`, restart);
    expect([made.status, made.body.spec.requestedBy]).toEqual([201, 'admin']);
  });

  it.each<[string, () => Promise<{ status: number; body: Loose }>]>([
    ['a merge patch', () => api.call('PATCH', `${BASE}/podrestarts/forged`, { spec: { requestedBy: 'eve' } }, MERGE)],
    ['its removal', () => api.call('PATCH', `${BASE}/podrestarts/forged`, { spec: { requestedBy: null } }, MERGE)],
    [
      'a replacement',
      () => api.call('PUT', `${BASE}/podrestarts/forged`, { ...restart, spec: { ...restart.spec, scope: 'pod' } }),
    ],
    [
      'a patch of its status',
      () => api.call('PATCH', `${BASE}/podrestarts/forged/status`, { spec: { requestedBy: 'eve' } }, MERGE),
    ],
    [
      'an apply',
      () =>
        api.call(
          'PATCH',
          `${BASE}/podrestarts/forged?fieldManager=eve&force=true`,
          { apiVersion: 'mendlet.dev/v1alpha1', kind: 'PodRestart', ...restart },
          APPLY,
        ),
    ],
  ])('stays after %s', async (_way, write) => {
    const { status, body } = await write();
    expect([status, body.message]).toEqual([200, undefined]);
    expect(await requester()).toBe('admin');
  });

  it('cannot be forged by an apply that creates, or through a pod', async () => {
    const config = {
      apiVersion: 'mendlet.dev/v1alpha1',
      kind: 'PodRestart',
      ...restart,
      metadata: { name: 'applied' },
    };
    const applied = await api.call('PATCH', `${BASE}/podrestarts/applied?fieldManager=eve`, config, APPLY);
    expect([applied.status, applied.body.spec.requestedBy]).toEqual([201, 'admin']);
  });
});

describe('a definition of ours', () => {
  const read = async (): Promise<Loose> => (await api.call('GET', RESTARTS)).body;
  const isServed = async (): Promise<boolean> => (await api.call('GET', `${BASE}/podrestarts`)).status === 200;

  it.each<[string, string, object?]>([
    ['alone', RESTARTS],
    ['by force', `${RESTARTS}?gracePeriodSeconds=0&ignoreStoreReadErrorWithClusterBreakingPotential=true`],
    ['for a trial', `${RESTARTS}?dryRun=All`],
    ['with all others', DEFINITIONS],
  ])('is not deleted %s', async (_way, url) => {
    const { status, body } = await api.call('DELETE', url);
    expect([status, body.message]).toEqual([403, expect.stringContaining('this definition belongs to the server')]);
    expect((await read()).metadata.deletionTimestamp).toBeUndefined();
    expect(await isServed()).toBe(true);
  });

  it('stays as this version has it', async () => {
    const { spec } = await read();
    const [version] = spec.versions;
    const { selectableFields: _, ...plain } = version;
    const open = { ...plain, schema: { openAPIV3Schema: { type: 'object' } } };
    const edits: readonly object[] = [
      { spec: { versions: [open] } },
      { spec: { versions: [{ ...version, served: false }] } },
      { spec: { names: { ...spec.names, shortNames: ['po'] } } },
      { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'b' }] } },
    ];
    for (const edit of edits) {
      const { status, body } = await api.call('PATCH', RESTARTS, edit, MERGE);
      expect([status, body.message]).toEqual([422, expect.stringContaining('this definition belongs to the server')]);
    }
    expect((await read()).spec).toEqual(spec);
  });

  it('stays served, whatever is said of its status', async () => {
    const { status } = await read();
    for (const wrong of [{ conditions: [] }, { conditions: null, acceptedNames: { plural: '', kind: '' } }]) {
      const answer = await api.call('PATCH', `${RESTARTS}/status`, { status: wrong }, MERGE);
      expect([answer.status, answer.body.message]).toEqual([422, expect.stringContaining('status: Forbidden')]);
    }
    expect((await read()).status).toEqual(status);
    expect(await isServed()).toBe(true);
  });

  it('may be labelled, and applied as it is', async () => {
    const labelled = await api.call('PATCH', RESTARTS, { metadata: { labels: { mine: 'yes' } } }, MERGE);
    expect([labelled.status, labelled.body.metadata.labels]).toEqual([200, { mine: 'yes' }]);
    for (const definition of ownDefinitions()) {
      const url = `${DEFINITIONS}/${definition.metadata?.name}?fieldManager=kubectl`;
      expect((await api.call('PATCH', url, definition, APPLY)).status).toBe(200);
    }
  });
});

describe('a store of an earlier version', () => {
  const encode = (value: object): Uint8Array => encodeText(JSON.stringify(value));
  const policy = {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'HealingPolicy',
    metadata: {
      name: 'calm',
      namespace: 'default',
      uid: 'u-1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      generation: 3,
    },
    spec: { selector: { matchLabels: { app: 'web' } }, rungs: [{ scope: 'pod', attempts: 2, window: '1h' }] },
    status: { observedGeneration: 3, pods: 4 },
  };

  /** A definition as somebody applied it to a server whose own kinds were built in. */
  async function putOldDefinition(store: Store): Promise<void> {
    const [given] = ownDefinitions();
    const conditions = [{ type: 'NamesAccepted', status: 'False', reason: 'PluralConflict', message: 'taken' }];
    const old = {
      ...given,
      metadata: {
        name: 'healingpolicies.mendlet.dev',
        uid: 'u-2',
        labels: { mine: 'yes' },
        creationTimestamp: '2026-01-01T00:00:00Z',
      },
      spec: {
        ...given?.spec,
        versions: [{ ...given?.spec.versions[0], schema: { openAPIV3Schema: { type: 'object' } } }],
      },
      status: { conditions, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1alpha1'] },
    };
    await store.put(
      '/registry/apiextensions.k8s.io/customresourcedefinitions/healingpolicies.mendlet.dev',
      encode(old),
      0,
    );
  }

  it.each([
    ['without definitions', false],
    ['with an old definition', true],
  ])('keeps its objects: %s', async (_name, hasDefinition) => {
    const store = createMemoryStore({ clock });
    await store.put('/registry/mendlet.dev/healingpolicies/default/calm', encode(policy), 0);
    if (hasDefinition) await putOldDefinition(store);
    const later = await startTestServer({ clock, store });
    const { status, body } = await later.call('GET', `${BASE}/healingpolicies/calm`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...policy, metadata: { ...policy.metadata, resourceVersion: '1' } });
    const url = `${DEFINITIONS}/healingpolicies.mendlet.dev`;
    const { metadata, spec } = (await later.call('GET', url)).body;
    expect(spec.versions[0].schema.openAPIV3Schema.properties.spec.description).toBe('The policy.');
    expect(metadata.labels).toEqual(hasDefinition ? { mine: 'yes' } : undefined);
    const changed = await later.call('PATCH', `${BASE}/healingpolicies/calm`, { spec: { maxPodRestarts: 2 } }, MERGE);
    expect([changed.status, changed.body.metadata.generation]).toEqual([200, 4]);
    await later.close();
  });

  it('is not written to when it has all', async () => {
    const memory = createMemoryStore({ clock });
    // It outlives the first server.
    const store = new Proxy<Store>(memory, {
      get: (target, name) => {
        if (name === 'close') return () => Promise.resolve();
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    const first = await startTestServer({ clock, store });
    const before = (await first.call('GET', RESTARTS)).body;
    await first.close();
    const second = await startTestServer({ clock, store });
    expect((await second.call('GET', RESTARTS)).body).toEqual(before);
    await second.close();
  });
});
