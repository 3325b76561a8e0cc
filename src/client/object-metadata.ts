/** Requests and converts metadata-only answers (`PartialObjectMetadata` of `meta.k8s.io/v1`). Pure. */
import { apiVersionOf, type KubeObject, type Resource } from '../api/index.ts';

const JSON_TYPE = 'application/json';

/**
 * Whole objects without managed fields, which hardly any reader here uses and which are often half of an object. A server that does not know
 * the parameter sends them all the same.
 */
export const WHOLE_OBJECTS = `${JSON_TYPE};managed-fields=none,${JSON_TYPE}`;

/**
 * The Accept header of a read. Plain JSON comes last, as in client-go's metadata client: a server without support for the other
 * form answers with whole objects.
 *
 * @param asked a list, or one object (a watch sends one in each event)
 */
export function acceptOf(
  metadataOnly: boolean | undefined,
  asked: 'list' | 'object',
  /** With who wrote which fields, and when. */
  withManagers = false,
): string {
  if (metadataOnly !== true) return withManagers ? JSON_TYPE : WHOLE_OBJECTS;
  const kind = asked === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  return `${JSON_TYPE};as=${kind};g=meta.k8s.io;v=v1,${JSON_TYPE}`;
}

/** The object's metadata under its own kind, from a metadata-only answer or a whole object. */
export function metadataOf<T>(resource: Resource<T>, { metadata }: KubeObject): T {
  const object: KubeObject = {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    ...(metadata === undefined ? {} : { metadata }),
  };
  return object as T;
}
