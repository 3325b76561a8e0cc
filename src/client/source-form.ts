/** The forms in which a source requests and keeps its objects. Pure. */
import type { KubeObject } from '../api/index.ts';

/** A form; sources of one resource and scope whose forms have the same name are one source. */
export interface SourceForm {
  readonly name: string;
  /** Whether `PartialObjectMetadata` is requested, so that nothing else is sent. */
  readonly metadataOnly: boolean;
  /**
   * The part of an object that is kept. The object belongs to this function and may be changed. Identity and version must stay in
   * its metadata, because caches identify objects by them.
   */
  keep<T extends KubeObject>(object: T): T;
}

/** Whole objects without `managedFields`, which no reader here uses and which may be half of an object. */
export const WHOLE: SourceForm = { name: 'whole', metadataOnly: false, keep: withoutManagedFields };

/** Kind, identity, version, owners, finalizers and time of deletion, for readers that only follow existence and ownership. */
export const METADATA: SourceForm = {
  name: 'metadata',
  metadataOnly: true,
  keep: <T extends KubeObject>(object: T) => ownershipOf(object) as T,
};

export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (object.metadata?.managedFields !== undefined) delete object.metadata.managedFields;
  return object;
}

function ownershipOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { namespace, name, uid, resourceVersion, deletionTimestamp, finalizers, ownerReferences } = metadata ?? {};
  const kept = { namespace, name, uid, resourceVersion, deletionTimestamp, finalizers, ownerReferences };
  const present = Object.entries(kept).filter(([, value]) => value !== undefined);
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata: Object.fromEntries(present),
  };
}
