/**
 * The annotation in which kubectl keeps what it applied on the client. Who goes on to apply on the server with kubectl has no
 * conflicts with that (upstream: apimachinery, lastappliedmanager.go and lastappliedupdater.go).
 */
import { byteLength } from '../validation/messages.ts';
import { compareObjects } from './compare.ts';
import { difference, type FieldSet } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { problemsOfConfig } from './check-config.ts';
import { sortedJson } from './path-element.ts';
import type { Place } from './place.ts';
import { type Fields, isFields } from './value.ts';

export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
/** The manager whose applies count as kubectl's. */
export const KUBECTL = 'kubectl';
/** Bytes that all annotations of an object may have together. */
const MAX_ANNOTATIONS_BYTES = 256 * 1024;

/** The fields that were applied on the client and are still as they were applied; undefined: none were. Pure. */
export function fieldsStillAsApplied(live: Fields, place: Place): FieldSet | undefined {
  const text = annotationsOf(live)[LAST_APPLIED];
  if (typeof text !== 'string' || text === '') return undefined;
  let applied: unknown;
  try {
    applied = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isFields(applied) || problemsOfConfig(applied, place).length > 0) return undefined;
  const { added, modified, removed } = compareObjects(live, applied, place);
  return difference(difference(difference(fieldsOf(applied, place), modified), added), removed);
}

/**
 * `object` with the annotation brought up to date with what was applied; an object without the annotation stays without. One that
 * would make the annotations too large is dropped.
 */
export function withLastApplied<T extends object>(object: T, config: Fields): T {
  const annotations = annotationsOf(object as unknown as Fields);
  if (!annotations[LAST_APPLIED]) return object;
  const { [LAST_APPLIED]: _, ...others } = annotations;
  const text = `${sortedJson(withoutBookkeeping(config))}\n`;
  const next = { ...others, [LAST_APPLIED]: text };
  const bytes = Object.entries(next).reduce((sum, [name, value]) => sum + byteLength(`${name}${value}`), 0);
  const metadata = (object as unknown as Fields)['metadata'] as Fields;
  return { ...object, metadata: { ...metadata, annotations: bytes > MAX_ANNOTATIONS_BYTES ? others : next } };
}

function withoutBookkeeping(config: Fields): Fields {
  if (!isFields(config['metadata'])) return config;
  const { managedFields: _, annotations, ...metadata } = config['metadata'];
  if (!isFields(annotations)) return { ...config, metadata };
  const { [LAST_APPLIED]: __, ...others } = annotations;
  return { ...config, metadata: { ...metadata, ...(Object.keys(others).length === 0 ? {} : { annotations: others }) } };
}

function annotationsOf(object: Fields): Readonly<Record<string, unknown>> {
  const { metadata } = object;
  return isFields(metadata) && isFields(metadata['annotations']) ? metadata['annotations'] : {};
}
