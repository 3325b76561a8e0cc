/**
 * The scale subresource: only the number of replicas, in one form for all kinds that have one (autoscaling/v1 Scale), so that
 * a client can scale without knowing the kind. Upstream: ScaleREST of each kind.
 */
import {
  fieldElement,
  formatLabelSelector,
  hasPath,
  invalid,
  invalidValue,
  labelSelectorOf,
  notFound,
  type LabelSelector,
  type ManagedFieldsEntry,
  type ResourceRow,
  type Scale,
  setOf,
  writeManagers,
} from '../../api/index.ts';
import { formatTime, type HttpResponse } from '../../lib/index.ts';
import { parseBody } from '../http/body.ts';
import { negotiateObject } from '../http/negotiate.ts';
import { renderObject } from '../http/render.ts';
import { jsonResponse } from '../http/respond.ts';
import { appliedObject, readConfig } from '../registry/apply-config.ts';
import { applyPatch, isApplyPatch, readPatch } from '../registry/apply-patch.ts';
import { type ApiObject, recordOf, textOf, withMeta } from '../registry/object.ts';
import { groundOf, managersOf, withFieldsAsObjects, withManagedFields } from '../registry/owners.ts';
import { placeObject, readObject } from '../registry/read-object.ts';
import { ageColumn, column, nameColumn, since, type TableKind } from '../tables/table.ts';
import { readApplyOptions, readWriteOptions, type WriteOptions } from '../http/write-options.ts';
import { type Call, keyOfCall, nameOfCall, type Part, renderingOf, writerOf } from '../call.ts';
import { parseConfig, reportProblems } from '../verbs/apply.ts';
import { prepareObjects } from '../verbs/answer.ts';
import { type Change, changeObject, withOtherVersions } from '../verbs/write.ts';

/** How bodies of this subresource are read; nothing is stored under it. */
const SCALE_ROW: ResourceRow<Scale> = {
  group: 'autoscaling',
  version: 'v1',
  resource: 'scales',
  kind: 'Scale',
  namespaced: true,
  singular: 'scale',
  listKind: 'ScaleList',
  shortNames: [],
  categories: [],
  verbs: [],
  subresources: [],
};

/** The scale of a stored object. Pure. */
export function scaleOf(object: ApiObject): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const managedFields = managersOfScale(object);
  const spec = recordOf(object['spec']);
  const status = recordOf(object['status']);
  const selector = selectorText(spec['selector']);
  const metadata = Object.fromEntries(
    Object.entries({ name, namespace, uid, resourceVersion, creationTimestamp, managedFields }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata,
    spec: { replicas: countOf(spec['replicas']) },
    status: { replicas: countOf(status['replicas']), ...(selector === '' ? {} : { selector }) },
  };
}

/** Those managers of the object that own its number of replicas, as owners of the same field of the scale. */
function managersOfScale({ metadata }: ApiObject): ManagedFieldsEntry[] | undefined {
  const owners = [...managersOf(metadata.managedFields)].filter(([, { set }]) => hasPath(set, REPLICAS));
  const renamed = owners.map(
    ([id, owned]) => [id, { ...owned, apiVersion: SCALE_VERSION, set: setOf(REPLICAS) }] as const,
  );
  return renamed.length === 0 ? undefined : withFieldsAsObjects(writeManagers(new Map(renamed)));
}

const SCALE_VERSION = 'autoscaling/v1';
const REPLICAS = [fieldElement('spec'), fieldElement('replicas')];

/** Replication controllers select by a plain map, all others by a LabelSelector. */
function selectorText(selector: unknown): string {
  const given = recordOf(selector);
  const plain = Object.values(given).every((value) => typeof value === 'string');
  const parsed: LabelSelector = plain ? { matchLabels: given as Record<string, string> } : given;
  return formatLabelSelector(labelSelectorOf(parsed) ?? []);
}

function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** How the scale of a kind is read and changed. */
export interface ScaleOfKind {
  /** Of a stored object. */
  scaleOf(object: ApiObject): Scale;
  /** The served object with another number of replicas. */
  withReplicas(object: ApiObject, replicas: number): ApiObject;
  /** An object that has this number of replicas, or (undefined) none, and nothing else. */
  configOf(replicas: unknown): Readonly<Record<string, unknown>>;
}

/** Kinds of every server have it at the same place. */
const USUAL: ScaleOfKind = {
  scaleOf,
  withReplicas: (object, replicas) => ({ ...object, spec: { ...recordOf(object['spec']), replicas } }),
  configOf: (replicas) => ({ spec: replicas === undefined ? {} : { replicas } }),
};

/** How kubectl prints it. The cells are of the object that is scaled. */
function scaleTable(kind: ScaleOfKind): TableKind {
  return {
    columns: [nameColumn, column('Desired', { type: 'integer' }), column('Available', { type: 'integer' }), ageColumn],
    cells: (object, now) => {
      const { metadata, spec, status } = kind.scaleOf(object);
      const age = since(metadata?.creationTimestamp, now);
      return [metadata?.name ?? '', spec?.replicas ?? 0, status?.replicas ?? 0, age];
    },
  };
}

/** What answers the scale subresource. Its handlers throw 400, 404, 406, 409, 415 and 422. */
export function scaleHandlers(kind: ScaleOfKind = USUAL): Part {
  return {
    verbs: {
      get: (call) => getScale(call, kind),
      update: async (call) => {
        const given = readScale(call, parseBody(call.request));
        return change(call, kind, () => given);
      },
      patch: (call) => patchScale(call, kind),
    },
  };
}

async function getScale(call: Call, kind: ScaleOfKind): Promise<HttpResponse> {
  const form = negotiateObject(call.request.headers['accept']);
  const item = await call.storage.read(keyOfCall(call));
  if (item === undefined) throw notFound(call.registration.row, nameOfCall(call));
  await prepareObjects(call.registration, [item]);
  if (form.as !== 'table') return jsonResponse(200, kind.scaleOf(item.object));
  const registration = { ...call.registration, table: scaleTable(kind) };
  return renderObject({ ...renderingOf(call, form), registration }, 200, item);
}

async function patchScale(call: Call, kind: ScaleOfKind): Promise<HttpResponse> {
  if (isApplyPatch(call.request)) return applyScale(call, kind);
  const patch = readPatch(call.request);
  return change(call, kind, async (old) => {
    call.warnings.length = 0;
    const value = await applyPatch(patch, {
      row: SCALE_ROW,
      old: kind.scaleOf(old) as ApiObject,
      breather: call.server.ports.breather,
    });
    return readScale(call, { value, problems: patch.problems });
  });
}

/** Applies a Scale: who does so owns the number of replicas of the object. */
async function applyScale(call: Call, kind: ScaleOfKind): Promise<HttpResponse> {
  const { fieldManager, force, dryRun, fieldValidation } = readApplyOptions(call.info.query);
  const body = await parseConfig(call);
  const config = readConfig(body.value, SCALE_ROW);
  const owner = { name: fieldManager, subresource: 'scale' };
  const { registration, server } = call;
  return changeReplicas(call, kind, { dryRun, owner: 'given' }, async (old) => {
    call.warnings.length = 0;
    reportProblems(call, { fieldValidation, dryRun }, body);
    const given = readScale(call, { value: { ...kind.scaleOf(old), ...config }, problems: [] });
    const spec = recordOf(config['spec']);
    const { resourceVersion, uid } = recordOf(config['metadata']);
    const now = formatTime(server.ports.clock.now().wall);
    const part = kind.configOf(spec['replicas']);
    const applied = await withOtherVersions(registration, () =>
      appliedObject(registration, { old, config: part, writer: owner, force, now }, groundOf(registration, 'scale')),
    );
    const metadata = { ...given.metadata, resourceVersion: textOf(resourceVersion), uid: textOf(uid) };
    return { scale: { ...given, metadata }, managedFields: applied.metadata.managedFields };
  });
}

function readScale(call: Call, body: Parameters<typeof readObject>[0]): ApiObject {
  const { info, warnings } = call;
  const { fieldValidation } = optionsOf(call);
  const scale = readObject(body, { row: SCALE_ROW, fieldValidation, warnings });
  return placeObject(scale, SCALE_ROW, info.namespace, info.name);
}

function optionsOf({ info }: Call): WriteOptions {
  return readWriteOptions(info.query, info.verb === 'patch' ? 'PatchOptions' : 'UpdateOptions');
}

function change(
  call: Call,
  kind: ScaleOfKind,
  wanted: (old: ApiObject) => ApiObject | Promise<ApiObject>,
): Promise<HttpResponse> {
  const { dryRun } = optionsOf(call);
  return changeReplicas(call, kind, { dryRun, owner: writerOf(call) }, async (old) => ({
    scale: await wanted(old),
    managedFields: old.metadata.managedFields,
  }));
}

/** A scale that is wanted, and the managers of the object whose scale it is. */
interface WantedScale {
  readonly scale: ApiObject;
  readonly managedFields: ManagedFieldsEntry[] | undefined;
}

async function changeReplicas(
  call: Call,
  kind: ScaleOfKind,
  { dryRun, owner }: { readonly dryRun: boolean; readonly owner: NonNullable<Change['owner']> },
  wanted: (old: ApiObject) => Promise<WantedScale>,
): Promise<HttpResponse> {
  const { registration } = call;
  const changed = await changeObject(call, keyOfCall(call), {
    part: '',
    dryRun,
    owner,
    change: async (old) => {
      const { scale, managedFields } = await wanted(old);
      const replicas = countOf(recordOf(scale['spec'])['replicas']);
      refuseNegative(nameOfCall(call), replicas);
      const { resourceVersion, uid } = scale.metadata;
      const precondition = { ...(resourceVersion && { resourceVersion }), ...(uid && { uid }) };
      const object = kind.withReplicas(old, replicas);
      return withManagedFields(withMeta(object, precondition), managedFields);
    },
  });
  if (changed === undefined) throw notFound(registration.row, nameOfCall(call));
  await prepareObjects(registration, [changed.item]);
  return jsonResponse(200, kind.scaleOf(changed.item.object));
}

function refuseNegative(name: string, replicas: number): void {
  if (replicas >= 0) return;
  const error = invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0');
  throw invalid(SCALE_ROW, name, [error]);
}
