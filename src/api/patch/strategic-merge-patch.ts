/**
 * Strategic merge patch: a merge patch that knows which lists are sets of named elements (by the schema's merge keys) and
 * reads directives. Semantics of apimachinery's `util/strategicpatch`; a field that the schema doesn't know is merged as
 * plain JSON and left for the structure check to report. The input is never changed.
 */
import { type FieldSchema, type FieldShape, type StructSchema, structOfKind, structSchema } from '../schema/schema.ts';
import { setOwn } from '../schema/set-own.ts';
import {
  DELETE_FROM_PRIMITIVE_LIST,
  isDirective,
  listOf,
  PATCH,
  RETAIN_KEYS,
  SET_ELEMENT_ORDER,
  withoutDirectives,
} from './directives.ts';
import { type Identify, orderMerged } from './list-order.ts';
import { checkDepth, isRecord, PatchError } from './patch-error.ts';
import { allSteps, STEP_SIZE, type Steps } from './steps.ts';

type Json = Record<string, unknown>;

/** The schema of an object's members: a struct's fields, or the one type of all values of a map. */
type Members = (name: string) => FieldSchema | undefined;

/** The patched object. Throws `PatchError`; "inapplicable" for a kind without a schema, which supports no such patch. */
export function applyStrategicMergePatch(apiVersion: string, kind: string, object: unknown, patch: unknown): unknown {
  return allSteps(strategicMergePatchSteps(apiVersion, kind, object, patch));
}

/** As `applyStrategicMergePatch`, in steps. */
export function strategicMergePatchSteps(
  apiVersion: string,
  kind: string,
  object: unknown,
  patch: unknown,
): Steps<unknown> {
  const struct = structOfKind(apiVersion, kind);
  if (struct === undefined)
    throw new PatchError('inapplicable', `there is no strategic merge patch for ${apiVersion} ${kind}`);
  return mergeByStruct(struct, object, patch);
}

/** The same for a struct that is known. */
export function* mergeByStruct(struct: StructSchema, object: unknown, patch: unknown): Steps<unknown> {
  if (!isRecord(object) || !isRecord(patch))
    throw new PatchError('malformed', 'a strategic merge patch must be an object');
  checkDepth(patch);
  return yield* mergeObject(object, patch, membersOf(struct));
}

/** A member of a map: nothing is said of how it merges. */
const PLAIN_FIELD = {
  required: false,
  nullable: false,
  absence: 'kept',
  patchStrategies: [],
  listMapKeys: [],
} as const;

function membersOf(struct: StructSchema): Members {
  return (name) => struct.fields.get(name);
}

function membersOfShape(shape: FieldShape | undefined): Members {
  if (shape?.kind === 'struct') return membersOf(structSchema(shape.type));
  if (shape?.kind !== 'map') return () => undefined;
  const field: FieldSchema = { ...PLAIN_FIELD, shape: shape.value };
  return () => field;
}

function* mergeObject(original: Json, patch: Json, members: Members): Steps<Json> {
  const directive = patch[PATCH];
  if (directive !== undefined) return replaceObject(patch, directive);
  const result: Json = retainKeys(original, patch);
  const done = yield* mergeOrderedLists(result, patch, members);
  for (const [name, value] of Object.entries(patch)) {
    if (name.startsWith(DELETE_FROM_PRIMITIVE_LIST))
      deleteFromList(result, name.slice(DELETE_FROM_PRIMITIVE_LIST.length), listOf(value, name));
    else if (!isDirective(name) && !done.has(name)) yield* mergeMember(result, name, value, members(name));
  }
  return result;
}

function replaceObject(patch: Json, directive: unknown): Json {
  if (directive === 'delete') return {};
  if (directive !== 'replace')
    throw new PatchError('inapplicable', `unknown patch type ${JSON.stringify(directive)} in an object`);
  const { [PATCH]: _, ...rest } = patch;
  return rest;
}

/** `$retainKeys`: the object keeps these keys only; the patch may set no other. */
function retainKeys(original: Json, patch: Json): Json {
  const directive = patch[RETAIN_KEYS];
  if (directive === undefined) return { ...original };
  const kept = new Set(listOf(directive, RETAIN_KEYS));
  const stray = Object.entries(patch).find(([name, value]) => !isDirective(name) && value !== null && !kept.has(name));
  if (stray !== undefined)
    throw new PatchError('malformed', `${stray[0]} is not in the ${RETAIN_KEYS} list of its object`);
  return Object.fromEntries(Object.entries(original).filter(([name]) => kept.has(name)));
}

function deleteFromList(result: Json, name: string, values: readonly unknown[]): void {
  const list = result[name];
  if (!Array.isArray(list)) return;
  const gone = new Set(values);
  result[name] = list.filter((value) => !gone.has(value));
}

function* mergeMember(result: Json, name: string, value: unknown, field: FieldSchema | undefined): Steps<void> {
  if (value === null) {
    delete result[name];
    return;
  }
  const original = Object.hasOwn(result, name) ? result[name] : undefined;
  if (isRecord(original) && isRecord(value)) {
    const replace = field?.patchStrategies.includes('replace') ?? false;
    setOwn(result, name, replace ? value : yield* mergeObject(original, value, membersOfShape(field?.shape)));
  } else if (Array.isArray(original) && Array.isArray(value)) {
    setOwn(result, name, isMergedList(field) ? yield* mergeList(original, value, field) : value);
  } else {
    setOwn(result, name, withoutDirectives(value));
  }
}

function isMergedList(field: FieldSchema | undefined): field is FieldSchema {
  return field?.shape.kind === 'list' && field.patchStrategies.includes('merge');
}

/** Lists with `$setElementOrder`: merged, then put in that order. Returns their names: they are done. */
function* mergeOrderedLists(result: Json, patch: Json, members: Members): Steps<ReadonlySet<string>> {
  const done = new Set<string>();
  for (const [directive, value] of Object.entries(patch)) {
    if (!directive.startsWith(SET_ELEMENT_ORDER)) continue;
    const name = directive.slice(SET_ELEMENT_ORDER.length);
    const field = members(name);
    if (!isMergedList(field)) continue;
    const identify = identifyBy(field);
    const order = listOf(value, directive).map(identify);
    const original = result[name];
    const patchList = patch[name];
    if (patchList === null) continue;
    done.add(name);
    const removed = new Set(listOf(patch[DELETE_FROM_PRIMITIVE_LIST + name] ?? [], DELETE_FROM_PRIMITIVE_LIST));
    if (patchList !== undefined) checkOrder(listOf(patchList, name), order, identify, directive);
    if (!Array.isArray(original) && !Array.isArray(patchList)) continue;
    const server = Array.isArray(original) ? original : [];
    const merged = Array.isArray(patchList) ? yield* mergeList(server, patchList, field) : server;
    const left = merged.filter((item) => !removed.has(item));
    yield;
    result[name] = orderMerged(left, order, server.map(identify), identify);
  }
  return done;
}

/** Every element that the patch sets must stand in the order list, in the same order. */
function checkOrder(
  patchList: readonly unknown[],
  order: readonly unknown[],
  identify: Identify,
  directive: string,
): void {
  let position = 0;
  for (const element of patchList) {
    if (isRecord(element) && element[PATCH] !== undefined) continue;
    const identity = identify(element);
    while (position < order.length && order[position] !== identity) position++;
    if (position === order.length)
      throw new PatchError('malformed', `the order in the patch's list doesn't match its ${directive} list`);
  }
}

function identifyBy(field: FieldSchema): Identify {
  const mergeKey = field.patchMergeKey;
  if (mergeKey === undefined) return (element) => element;
  return (element) => {
    const identity = isRecord(element) && Object.hasOwn(element, mergeKey) ? element[mergeKey] : undefined;
    if (identity === undefined)
      throw new PatchError('inapplicable', `an element of the list does not contain its merge key: ${mergeKey}`);
    return identity;
  };
}

function* mergeList(
  original: readonly unknown[],
  patch: readonly unknown[],
  field: FieldSchema,
): Steps<readonly unknown[]> {
  if (field.patchMergeKey === undefined) {
    const merged = [...new Set([...original, ...patch])];
    return orderMerged(merged, patch, original, (element) => element);
  }
  const identify = identifyBy(field);
  const { elements, deleted, replace } = readElements(patch, identify);
  if (replace) return elements.map(withoutDirectives);
  const shape = field.shape.kind === 'list' ? field.shape.element : undefined;
  const members = membersOfShape(shape);
  // Elements of the server that share an identity (a port for TCP and UDP) all stay; a patch reaches the first.
  const merged = original.filter((element) => !deleted.has(identify(element)));
  // The position of the first element of each identity: a linear search for each would take the product of two long lists.
  const positions = new Map<unknown, number>();
  merged.forEach((element, position) => {
    const identity = identify(element);
    if (!positions.has(identity)) positions.set(identity, position);
  });
  yield;
  for (const [count, element] of elements.entries()) {
    if (count % STEP_SIZE === STEP_SIZE - 1) yield;
    const identity = identify(element);
    const position = positions.get(identity);
    const old = position === undefined ? undefined : merged[position];
    if (position !== undefined && isRecord(old)) merged[position] = yield* mergeObject(old, element, members);
    else {
      if (position === undefined) positions.set(identity, merged.length);
      merged.push(withoutDirectives(element));
    }
  }
  yield;
  return orderMerged(merged, elements.map(identify), original.map(identify), identify);
}

interface ListPatch {
  readonly elements: readonly Json[];
  /** Identities of the elements to delete. */
  readonly deleted: ReadonlySet<unknown>;
  /** The list becomes the elements. */
  readonly replace: boolean;
}

function readElements(patch: readonly unknown[], identify: Identify): ListPatch {
  const elements: Json[] = [];
  const deleted = new Set<unknown>();
  let replace = false;
  for (const element of patch) {
    if (!isRecord(element)) throw new PatchError('inapplicable', 'a list of objects can only be merged with objects');
    const directive = element[PATCH];
    if (directive === undefined) elements.push(element);
    else if (directive === 'delete') deleted.add(identify(element));
    else if (directive === 'replace') {
      replace = true;
      const { [PATCH]: _, ...rest } = element;
      if (Object.keys(rest).length > 0) elements.push(rest);
    } else throw new PatchError('inapplicable', `unknown patch type ${JSON.stringify(directive)} in a list`);
  }
  return { elements, deleted, replace };
}
