/** The scale subresource of a custom resource, whose definition says where its figures are (upstream: ScaleREST of apiextensions). */
import { type Scale, type ScalePaths, setOwn } from '../../api/index.ts';
import type { Part } from '../call.ts';
import { type ApiObject, isRecord } from '../registry/object.ts';
import { scaleHandlers } from '../subresources/scale.ts';

/** `served`: a stored object in the form of the version whose paths these are. */
export function scalePart(paths: ScalePaths, served: (object: ApiObject) => ApiObject): Part {
  const spec = namesOf(paths.specReplicasPath);
  const status = namesOf(paths.statusReplicasPath);
  const selector = paths.labelSelectorPath ? namesOf(paths.labelSelectorPath) : undefined;
  return scaleHandlers({
    scaleOf: (object) => customScale(served(object), { spec, status, selector }),
    withReplicas: (object, replicas) => withValue(object, spec, replicas) as ApiObject,
    configOf: (replicas) => (replicas === undefined ? {} : (withValue({}, spec, replicas) as ApiObject)),
  });
}

function namesOf(path: string): readonly string[] {
  return path.split('.').slice(1);
}

interface Places {
  readonly spec: readonly string[];
  readonly status: readonly string[];
  readonly selector: readonly string[] | undefined;
}

function customScale(object: ApiObject, { spec, status, selector }: Places): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const metadata = Object.fromEntries(
    Object.entries({ name, namespace, uid, resourceVersion, creationTimestamp }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  const text = selector === undefined ? undefined : valueAt(object, selector);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata,
    spec: { replicas: countOf(valueAt(object, spec)) },
    status: {
      replicas: countOf(valueAt(object, status)),
      ...(typeof text === 'string' && text !== '' ? { selector: text } : {}),
    },
  };
}

function countOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function valueAt(object: unknown, names: readonly string[]): unknown {
  let value = object;
  for (const name of names) {
    if (!isRecord(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

function withValue(object: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const copy: Record<string, unknown> = isRecord(object) ? { ...object } : {};
  setOwn(copy, name, withValue(copy[name], rest, value));
  return copy;
}
