/** NamespaceLifecycle: nothing is created in a namespace that is missing or going. */
import {
  forbidden,
  type Namespace,
  NAMESPACES,
  notFound,
  type QualifiedResource,
  StatusError,
} from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';

/** Throws when nothing may be created in `name`; `namespace` is what is stored of it. */
export function admitToNamespace(
  name: string,
  namespace: ApiObject | undefined,
  resource: QualifiedResource,
  objectName: string,
): void {
  if (namespace === undefined) throw notFound(NAMESPACES, name);
  const { metadata, status } = namespace as Namespace;
  if (status?.phase !== 'Terminating' && metadata?.deletionTimestamp === undefined) return;
  const text = `unable to create new content in namespace ${name} because it is being terminated`;
  const error = forbidden(resource, objectName, text);
  const causes = [
    { reason: 'NamespaceTerminating', message: `namespace ${name} is being terminated`, field: 'metadata.namespace' },
  ];
  throw new StatusError({ ...error.status, details: { ...error.status.details, causes } });
}
