/** Draws pods from the schema: a valid pod, to which a few random fields of any depth are added. */
import { type FieldShape, type Pod, structOfKind, structSchema } from '../../api/index.ts';
import type { Random } from '../../lib/index.ts';
import { commandOf } from '../runtime/behaviour.ts';
import { aKey, anInteger, aQuantity, aString, pick } from './vocabulary.ts';

type Json = unknown;
type JsonObject = Record<string, Json>;

const MAX_DEPTH = 6;
const MAX_GRAFTS = 8;

export function randomPod(random: Random, name: string, nodeName: string | undefined): Pod {
  const pod: JsonObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', labels: { a: 'x' }, annotations: { b: 'y' } },
    spec: {
      terminationGracePeriodSeconds: 2,
      ...(nodeName === undefined ? {} : { nodeName }),
      volumes: [{ name: 'data', emptyDir: {} }],
      ...(random.next() < 0.5 ? { initContainers: [container(random, 'a')] } : {}),
      containers: [container(random, 'main'), ...(random.next() < 0.4 ? [container(random, 'b')] : [])],
    },
  };
  const grafts = 1 + Math.floor(random.next() * MAX_GRAFTS);
  for (let graft = 0; graft < grafts; graft++) {
    const [struct, target] =
      random.next() < 0.9 ? ['core.v1.PodSpec', pod['spec']] : ['meta.v1.ObjectMeta', pod['metadata']];
    graftInto(random, struct, target as JsonObject, 0);
  }
  return pod;
}

/** An object from the schema alone, which need not make sense. */
export function randomObject(random: Random, apiVersion: string, kind: string): object {
  const struct = structOfKind(apiVersion, kind);
  const body = struct === undefined ? {} : (aValue(random, { kind: 'struct', type: struct.name }, 'body', 0) as object);
  return { ...body, apiVersion, kind, metadata: { name: pick(random, ['a', 'b', 'Bad Name']), namespace: 'default' } };
}

function container(random: Random, name: string): JsonObject {
  const ends = random.next() < 0.3 ? { exitAfterMs: [10, 2000] as const, exitCode: Math.floor(random.next() * 3) } : {};
  return {
    name,
    image: 'registry.sim/app:1',
    command: commandOf(name === 'a' ? { exitAfterMs: [10, 500] } : ends),
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
  };
}

/** Sets one random field at any depth. */
function graftInto(random: Random, structName: string, target: JsonObject, depth: number): void {
  const fields = [...structSchema(structName).fields];
  const [name, { shape }] = pick(random, fields);
  const present = target[name];
  if (depth < MAX_DEPTH && random.next() < 0.75) {
    if (shape.kind === 'struct' && isObject(present)) return graftInto(random, shape.type, present, depth + 1);
    if (shape.kind === 'list' && shape.element.kind === 'struct' && Array.isArray(present) && present.length > 0) {
      const element: Json = pick(random, present);
      if (isObject(element)) return graftInto(random, shape.element.type, element, depth + 1);
    }
  }
  target[name] = aValue(random, shape, name, depth);
}

function aValue(random: Random, shape: FieldShape, name: string, depth: number): Json {
  switch (shape.kind) {
    case 'scalar':
      return aScalar(random, shape.scalar, name);
    case 'list':
      return Array.from({ length: depth >= MAX_DEPTH ? 0 : Math.floor(random.next() * 3) }, () =>
        aValue(random, shape.element, name, depth + 1),
      );
    case 'map':
      return Object.fromEntries(
        Array.from({ length: Math.floor(random.next() * 3) }, () => [
          aKey(random, name),
          aValue(random, shape.value, name, depth + 1),
        ]),
      );
    case 'struct':
      return aStruct(random, shape.type, depth);
  }
}

/** A struct with its required fields and a few others. */
function aStruct(random: Random, structName: string, depth: number): JsonObject {
  const fields = [...structSchema(structName).fields];
  const optional = depth >= MAX_DEPTH ? 0 : Math.min(0.5, 1.5 / fields.length);
  const chosen = fields.filter(([, { required }]) => required || random.next() < optional);
  return Object.fromEntries(chosen.map(([name, { shape }]) => [name, aValue(random, shape, name, depth + 1)]));
}

function aScalar(random: Random, scalar: string, name: string): Json {
  switch (scalar) {
    case 'boolean':
      return random.next() < 0.5;
    case 'int32':
    case 'int64':
      return anInteger(random);
    case 'double':
      return random.next() * 10;
    case 'quantity':
      return aQuantity(random);
    case 'intOrString':
      return random.next() < 0.6 ? anInteger(random) : pick(random, ['http', '50%', 'x']);
    case 'bytes':
      return pick(random, ['', 'eA==', 'not base64']);
    case 'time':
    case 'microTime':
      return pick(random, ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000000Z', 'yesterday']);
    case 'duration':
      return pick(random, ['1s', '1h', 'x']);
    default:
      return aString(random, name);
  }
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
