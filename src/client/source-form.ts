/** In which form a source fetches and keeps its objects. Pure. */
import type { KubeObject } from '../api/index.ts';

/** Sources of one resource and scope whose forms have the same name are one source. */
export interface SourceForm {
  readonly name: string;
  /** The server is asked for `PartialObjectMetadata`, so that nothing else is sent. */
  readonly metadataOnly: boolean;
  /**
   * What is kept of an object, which is the caller's own by then and may be changed. Identity and version in its metadata must
   * stay, as an object cache tells objects by them.
   */
  keep<T extends KubeObject>(object: T): T;
}

/** Whole objects without `managedFields`, which nobody here reads and which may be half of an object. */
export const WHOLE: SourceForm = { name: 'whole', metadataOnly: false, keep: withoutManagedFields };

/** Kind, identity, version, owners, finalizers and the time of deletion: who is there, whose it is, and whether it is going. */
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
