/**
 * What holds for every kind whose objects are stored, built-in or not: each is made, read, changed, watched, printed, explained and
 * counted by the same rules. Whoever adds a kind adds a sample of it, and gets all of this.
 */
import { expect } from 'vitest';
import { equalJson, type ResourceRow } from '../../src/api/index.ts';
import type { Loose, TestServer } from '../../src/apiserver/test-server.ts';
import { collectionOf, fullName } from './sample-objects.ts';

export interface ContractKind {
  readonly row: ResourceRow;
  /** A minimal valid object, without its name. */
  readonly sample: Readonly<Record<string, unknown>>;
  /** Names that are valid for it, different ones. */
  readonly names: readonly [string, string];
  /** False: quotas do not count it. */
  readonly isCounted: boolean;
  /** A write of its status leaves its metadata alone, as upstream has it for custom resources. */
  readonly hasPureStatus?: true;
}

const NAMESPACE = 'contract';
const MERGE = { 'content-type': 'application/merge-patch+json' };
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

function placeOf({ row }: ContractKind): string | undefined {
  return row.namespaced ? NAMESPACE : undefined;
}

function named(kind: ContractKind, name: string): Record<string, unknown> {
  const metadata = kind.sample['metadata'] as object | undefined;
  const namespace = placeOf(kind);
  return { ...kind.sample, metadata: { ...metadata, name, ...(namespace === undefined ? {} : { namespace }) } };
}

/** The namespace that all of the contract happens in. */
export async function prepareContract(api: TestServer): Promise<void> {
  const made = await api.call('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  expect(made.status).toBe(201);
}

/** It is made with its defaults; sent again as it is, it does not change; changes and their preconditions are heeded. */
export async function expectWrites(api: TestServer, kind: ContractKind): Promise<void> {
  const { row, names } = kind;
  const url = collectionOf(row, placeOf(kind));
  const made = await api.call('POST', url, named(kind, names[0]));
  expect([made.status, made.body.message]).toEqual([201, undefined]);
  expect([made.body.apiVersion, made.body.kind]).toEqual([
    row.group === '' ? row.version : `${row.group}/${row.version}`,
    row.kind,
  ]);
  const object = `${url}/${names[0]}`;
  await expectKept(api, object, made.body);
  const read = await api.call('GET', object);
  const changed = await api.call('PATCH', object, { metadata: { labels: { changed: 'yes' } } }, MERGE);
  expect([changed.status, changed.body.message, changed.body.metadata?.labels?.changed]).toEqual([
    200,
    undefined,
    'yes',
  ]);
  expect(Number(changed.body.metadata.resourceVersion)).toBeGreaterThan(Number(made.body.metadata.resourceVersion));
  expect((await api.call('PUT', object, read.body)).status).toBe(409);
  const unknown = await api.call('POST', `${url}?fieldValidation=Strict`, { ...named(kind, names[1]), noField: 1 });
  expect([unknown.status, unknown.body.message]).toEqual([400, expect.stringContaining('unknown field "noField"')]);
  if (row.subresources.some(({ name }) => name === 'status')) await expectStatus(api, kind, object);
}

/** It is read as it was made, and writing that again changes nothing; the server itself may have written its status meanwhile. */
async function expectKept(api: TestServer, object: string, made: Loose): Promise<void> {
  const plain = ({ metadata, ...rest }: Loose) => {
    const { resourceVersion: _version, managedFields: _owners, ...kept } = metadata;
    return { ...rest, status: undefined, metadata: kept };
  };
  await expect
    .poll(async () => {
      const read = await api.call('GET', object);
      expect(plain(read.body)).toEqual(plain(made));
      const again = await api.call('PUT', object, read.body);
      return again.status === 409 ? 'changed meanwhile' : [again.status, equalJson(again.body, read.body)];
    })
    .toEqual([200, true]);
}

/** The status is written through its own path, and the object through its own. */
async function expectStatus(api: TestServer, { hasPureStatus }: ContractKind, object: string): Promise<void> {
  const patch = { metadata: { annotations: { status: 'written' } } };
  const written = await api.call('PATCH', `${object}/status`, patch, MERGE);
  expect([written.status, written.body.message]).toEqual([200, undefined]);
  expect(written.body.metadata.annotations?.status).toBe(hasPureStatus === true ? undefined : 'written');
  const before = written.body.status;
  const main = await api.call('PUT', object, { ...written.body, status: undefined });
  expect([main.status, main.body.status]).toEqual([200, before]);
}

/** A watch begins with what is there, and says what a list at its revision has. */
export async function expectWatch(api: TestServer, kind: ContractKind): Promise<void> {
  const url = collectionOf(kind.row, placeOf(kind));
  const list = await api.call('GET', url);
  const names: string[] = list.body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
  expect(names).toContain(kind.names[0]);
  const { resourceVersion } = list.body.metadata;
  const stop = new AbortController();
  const stream = await api.raw('GET', `${url}?watch=1&resourceVersion=${resourceVersion}`, undefined, {}, stop.signal);
  expect(stream.status).toBe(200);
  const change = { metadata: { labels: { watched: 'yes' } } };
  expect((await api.call('PATCH', `${url}/${kind.names[0]}`, change, MERGE)).status).toBe(200);
  if (stream.body instanceof Uint8Array) throw new Error('a watch answered with bytes');
  for await (const piece of stream.body) {
    const { type, object } = JSON.parse(new TextDecoder().decode(piece).split('\n')[0] ?? '');
    expect([type, object.metadata.name, object.kind]).toEqual(['MODIFIED', kind.names[0], kind.row.kind]);
    break;
  }
  stop.abort(new Error('enough'));
}

/** Every row of its table has a cell for each column, and the first is the name. */
export async function expectTable(api: TestServer, kind: ContractKind): Promise<void> {
  const { status, body } = await api.call('GET', collectionOf(kind.row, placeOf(kind)), undefined, TABLE);
  expect([status, body.kind]).toEqual([200, 'Table']);
  expect(body.rows.length).toBeGreaterThan(0);
  for (const { cells, object } of body.rows) {
    expect(cells).toHaveLength(body.columnDefinitions.length);
    expect(object.kind).toBe('PartialObjectMetadata');
  }
}

/** `kubectl explain` finds its schema, and discovery names it with its words. */
export async function expectExplained(api: TestServer, { row }: ContractKind): Promise<void> {
  const root = row.group === '' ? `api/${row.version}` : `apis/${row.group}/${row.version}`;
  const { body } = await api.call('GET', `/openapi/v3/${root}`);
  const schemas = Object.values<Record<string, unknown>>(body.components.schemas);
  const isOwn = (schema: Record<string, unknown>): boolean =>
    ((schema['x-kubernetes-group-version-kind'] ?? []) as { group: string; version: string; kind: string }[]).some(
      (gvk) => gvk.group === row.group && gvk.version === row.version && gvk.kind === row.kind,
    );
  const own = schemas.find(isOwn);
  expect(own, `${fullName(row)} has no schema`).toBeDefined();
  expect(Object.keys(own?.['properties'] as object)).toContain('metadata');
  const listed = (await api.call('GET', `/${root}`)).body.resources;
  expect(listed.find(({ name }: { name: string }) => name === row.resource)).toMatchObject({
    kind: row.kind,
    namespaced: row.namespaced,
    singularName: row.singular,
    verbs: [...row.verbs],
  });
}

/** A quota of none lets none be made. */
export async function expectCounted(api: TestServer, kind: ContractKind): Promise<void> {
  if (!kind.row.namespaced || !kind.isCounted) return;
  const name = `count/${fullName(kind.row)}`;
  const quotas = `/api/v1/namespaces/${NAMESPACE}/resourcequotas`;
  const url = collectionOf(kind.row, NAMESPACE);
  const present = (await api.call('GET', url)).body.items.length;
  const itself = kind.row.resource === 'resourcequotas' ? 1 : 0;
  const quota = { metadata: { name: 'none' }, spec: { hard: { [name]: String(present + itself) } } };
  const made = await api.call('POST', quotas, quota);
  expect([made.status, made.body.message]).toEqual([201, undefined]);
  const refused = await api.call('POST', url, named(kind, kind.names[1]));
  expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('exceeded quota: none')]);
  await api.call('DELETE', `${quotas}/none`);
}
