/** Which fields a field selector may name, per kind: upstream's tables (pkg/apis/core/v1/conversion.go). */
interface KindName {
  readonly group: string;
  readonly kind: string;
}

const METADATA = ['metadata.name', 'metadata.namespace'];

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  '/Pod': [
    'metadata.name',
    'metadata.namespace',
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.podIPs',
    'status.nominatedNodeName',
  ],
  '/Node': ['metadata.name', 'spec.unschedulable'],
  '/Namespace': ['metadata.name', 'status.phase'],
  '/Secret': [...METADATA, 'type'],
  'batch/Job': [...METADATA, 'status.successful'],
  '/ReplicationController': [...METADATA, 'status.replicas'],
  'apps/ReplicaSet': [...METADATA, 'status.replicas'],
  'certificates.k8s.io/CertificateSigningRequest': ['metadata.name', 'spec.signerName'],
  'mendlet.dev/PodRestart': [...METADATA, 'spec.podName', 'status.phase'],
  '/Service': [...METADATA, 'spec.clusterIP', 'spec.type'],
  '/Event': [
    ...METADATA,
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  'events.k8s.io/Event': [
    ...METADATA,
    'regarding.kind',
    'regarding.namespace',
    'regarding.name',
    'regarding.uid',
    'regarding.apiVersion',
    'regarding.resourceVersion',
    'regarding.fieldPath',
    'reason',
    'reportingController',
    'type',
  ],
};

/** Fields of which an absent value reads as "false". */
const BOOLEANS = new Set(['spec.unschedulable', 'spec.hostNetwork']);

export function selectableFieldsOf(resource: KindName): readonly string[] {
  return FIELDS[`${resource.group}/${resource.kind}`] ?? METADATA;
}

/** Whether the object's field has this value; '' is the value of an absent one. */
export function matchesSelectableField(resource: KindName, object: unknown, field: string, value: string): boolean {
  const found = readField(resource, object, field);
  if (field === 'status.podIPs' && Array.isArray(found)) return found.some((entry) => read(entry, ['ip']) === value);
  if (found === undefined || found === null) return value === (BOOLEANS.has(field) ? 'false' : '');
  return (typeof found === 'string' ? found : JSON.stringify(found)) === value;
}

function readField(resource: KindName, object: unknown, field: string): unknown {
  // The API's name for it is an older one than the status's own.
  if (field === 'status.successful') return read(object, ['status', 'succeeded']) ?? 0;
  if (field === 'status.replicas') return read(object, ['status', 'replicas']) ?? 0;
  if (resource.kind !== 'Event' || field !== 'source') return read(object, field.split('.'));
  // The old and the new field for the reporter of an event.
  return read(object, ['source', 'component']) || read(object, ['reportingComponent']);
}

function read(object: unknown, path: readonly string[]): unknown {
  let value: unknown = object;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
