/** What an object becomes when a configuration is applied to it, and who owns its fields then (upstream: FieldManager.Apply). */
import {
  allSteps,
  type Applied,
  applyConfigSteps,
  applyConflict,
  apiVersionOf,
  badRequest,
  type Conflict,
  difference,
  fieldsStillAsApplied,
  type Ground,
  isEmptySet,
  KUBECTL,
  type Managers,
  managersAfterUpdate,
  printProblems,
  problemsOfConfig,
  reportConflicts,
  type ResourceRow,
  StatusError,
  type Steps,
  withLastApplied,
  writeManagers,
} from '../../api/index.ts';
import { type ApiObject, isRecord, recordOf, textOf } from './object.ts';
import { bare, emptyObject, managersOf, withManagedFields, type Writer } from './owners.ts';
import type { Registration } from './registration.ts';

/** Owns what an object had before anybody applied to it. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** A configuration as it was sent. */
export type Config = Readonly<Record<string, unknown>>;

/** @throws StatusError 400 for a body that is no configuration of this kind */
export function readConfig(value: unknown, row: Pick<ResourceRow, 'group' | 'version' | 'kind'>): Config {
  if (!isRecord(value)) throw badRequest('error decoding YAML: the body must be an object');
  const apiVersion = apiVersionOf(row);
  const given = textOf(value['apiVersion']);
  if (given !== apiVersion) {
    throw badRequest(
      `Incorrect version specified in apply patch. Specified patch version: ${given}, expected: ${apiVersion}`,
    );
  }
  const kind = textOf(value['kind']);
  if (kind !== row.kind) {
    throw badRequest(`Incorrect kind specified in apply patch. Specified patch kind: ${kind}, expected: ${row.kind}`);
  }
  const managed = recordOf(value['metadata'])['managedFields'];
  if (managed !== undefined && managed !== null) throw badRequest('metadata.managedFields must be nil');
  return value;
}

export interface ConfigToApply {
  /** Undefined: there is none yet. */
  readonly old: ApiObject | undefined;
  readonly config: Config;
  readonly writer: Writer;
  readonly force: boolean;
  /** RFC 3339 */
  readonly now: string;
}

/**
 * The object with the configuration applied and its managers worked out; neither checked nor filled with defaults yet.
 * @throws StatusError 409 for fields of other managers, 500 for a configuration that does not fit its schema, as upstream's
 */
export function appliedObject(registration: Registration, given: ConfigToApply, ground: Ground): ApiObject {
  return allSteps(appliedObjectSteps(registration, given, ground));
}

/** The same in steps: a large configuration gives way to other requests between them. */
export function* appliedObjectSteps(
  registration: Registration,
  given: ConfigToApply,
  ground: Ground,
): Steps<ApiObject> {
  const { old, config, writer, force, now } = given;
  refuseMisfit(config, ground, registration.row);
  yield;
  const live = old === undefined ? emptyObject(registration) : bare(old);
  const managers = managersBefore(registration, given, ground);
  yield;
  const apply = (forced: boolean): Steps<Applied> =>
    applyConfigSteps(managers, { live, config, manager: writer, force: forced, now }, ground);
  let result = yield* apply(force);
  if (result.kind === 'conflict' && writer.name === KUBECTL) {
    // What kubectl applied on the client before is its own.
    const conflicts = withoutOwn(result.conflicts, live, ground);
    result = conflicts.length === 0 ? yield* apply(true) : { kind: 'conflict', conflicts };
  }
  if (result.kind === 'conflict') {
    const { message, causes } = reportConflicts(result.conflicts);
    throw applyConflict(causes, message);
  }
  yield;
  const object = result.object as ApiObject;
  const annotated = writer.name === KUBECTL ? withLastApplied(object, config) : object;
  yield;
  return withManagedFields({ ...annotated, metadata: annotated.metadata ?? {} }, writeManagers(result.managers));
}

/** The managers of the object; one that nobody is known to own anything of belongs to "before-first-apply" as a whole. */
function managersBefore(registration: Registration, { old, writer, now }: ConfigToApply, ground: Ground): Managers {
  const known = managersOf(old?.metadata.managedFields);
  if (known.size > 0 || old === undefined) return known;
  const manager = { name: BEFORE_FIRST_APPLY, subresource: writer.subresource };
  const update = { before: emptyObject(registration), after: bare(old), manager, now };
  return managersAfterUpdate(() => known, update, ground) ?? known;
}

function withoutOwn(conflicts: readonly Conflict[], live: ApiObject, ground: Ground): readonly Conflict[] {
  const own = fieldsStillAsApplied(live, ground.place);
  if (own === undefined) return conflicts;
  return conflicts
    .map(({ manager, set }) => ({ manager, set: difference(set, own) }))
    .filter(({ set }) => !isEmptySet(set));
}

function refuseMisfit(config: Config, { place, apiVersion }: Ground, { kind }: ResourceRow): void {
  const problems = problemsOfConfig(config, place);
  if (problems.length === 0) return;
  const { namespace, name } = recordOf(config['metadata']);
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  const what = `${textOf(namespace)}/${textOf(name)}; ${version}, Kind=${kind}`;
  throw new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    code: 500,
    message: `failed to create typed patch object (${what}): ${printProblems(problems)}`,
  });
}
