/** For tests: the strategic merge patch that takes one pod to another, in the way of `kubectl apply`. */
import { type FieldSchema, type StructSchema, structOfKind, structSchema } from '../schema/schema.ts';
import { equalJson } from '../validation/messages.ts';
import { isRecord } from './patch-error.ts';

type Json = Record<string, unknown>;

export function diffPod(original: unknown, modified: unknown): Json {
  const struct = structOfKind('v1', 'Pod');
  if (struct === undefined || !isRecord(original) || !isRecord(modified)) throw new Error('two pods are needed');
  return diffObject(original, modified, struct, false);
}

function diffObject(original: Json, modified: Json, struct: StructSchema | undefined, retainKeys: boolean): Json {
  const patch: Json = {};
  for (const name of new Set([...Object.keys(original), ...Object.keys(modified)])) {
    const field = struct?.fields.get(name);
    const before = original[name];
    const after = modified[name];
    if (equalJson(before, after)) continue;
    if (after === undefined) patch[name] = null;
    else if (isRecord(before) && isRecord(after)) {
      const inner = field?.shape.kind === 'struct' ? structSchema(field.shape.type) : undefined;
      patch[name] = diffObject(before, after, inner, field?.patchStrategies.includes('retainKeys') ?? false);
    } else if (Array.isArray(before) && Array.isArray(after) && field?.patchStrategies.includes('merge') === true) {
      diffList(patch, name, before, after, field);
    } else patch[name] = after;
  }
  if (retainKeys && Object.keys(patch).length > 0) patch['$retainKeys'] = Object.keys(modified);
  return patch;
}

function diffList(
  patch: Json,
  name: string,
  before: readonly unknown[],
  after: readonly unknown[],
  field: FieldSchema,
): void {
  const mergeKey = field.patchMergeKey;
  if (mergeKey === undefined) {
    const removed = before.filter((value) => !after.includes(value));
    const added = after.filter((value) => !before.includes(value));
    if (removed.length > 0) patch[`$deleteFromPrimitiveList/${name}`] = removed;
    if (added.length > 0) patch[name] = added;
    patch[`$setElementOrder/${name}`] = after;
    return;
  }
  const old = new Map(before.filter(isRecord).map((element) => [element[mergeKey], element]));
  const inner =
    field.shape.kind === 'list' && field.shape.element.kind === 'struct'
      ? structSchema(field.shape.element.type)
      : undefined;
  const retainKeys = field.patchStrategies.includes('retainKeys');
  const elements: Json[] = [];
  for (const element of after.filter(isRecord)) {
    const previous = old.get(element[mergeKey]);
    const difference = previous === undefined ? element : diffObject(previous, element, inner, retainKeys);
    if (Object.keys(difference).length > 0) elements.push({ ...difference, [mergeKey]: element[mergeKey] });
    old.delete(element[mergeKey]);
  }
  for (const gone of old.keys()) elements.push({ [mergeKey]: gone, $patch: 'delete' });
  if (elements.length > 0) patch[name] = elements;
  patch[`$setElementOrder/${name}`] = after.filter(isRecord).map((element) => ({ [mergeKey]: element[mergeKey] }));
}
