/**
 * How much one object may hold: a bound for every list and map of every kind, and the fields that have one of their own.
 * Upstream's numbers where it has some; the others are far above anything real (docs/decisions/0046). Names of fields are the
 * schema's: the type's name and the field's.
 */

/** Items of a list that is not named below. */
export const MAX_ITEMS = 1000;
/** Entries of a map that is not named below. */
export const MAX_ENTRIES = 1000;

/** Containers of a pod, of each sort. Whole platforms put some thirty into one. */
export const MAX_CONTAINERS = 256;
/** Variables of a container, listed one by one: this many of a hundred bytes are a quarter of what the kernel accepts. */
export const MAX_ENV_VARIABLES = 5000;
/** Ports of a service and of a container: more than the node ports of a cluster (2768) can never be reached from outside. */
export const MAX_PORTS = 3000;
/** Words of a command or its arguments, and their bytes together: a quarter of what the kernel takes by default (2 MiB). */
export const MAX_COMMAND_WORDS = 10_000;
export const MAX_COMMAND_BYTES = 512 * 1024;
/** Keys of a ConfigMap or Secret, and of a volume that picks some of them: as many as a body may hold; their bytes have upstream's bound (1 MiB). */
export const MAX_DATA_KEYS = 20_000;
/** Terms of affinity and spread: the scheduler holds each against every node. */
export const MAX_PLACEMENT_TERMS = 250;
/** Values that a selector lists: nodes or namespaces by name. */
export const MAX_SELECTOR_VALUES = 5000;
/** Subjects of a binding, rules of a role (an aggregated one has those of many) and names in a rule. */
export const MAX_RBAC_ITEMS = 10_000;
/** Endpoints of one slice, addresses of one endpoint, hints (upstream: maxEndpoints, maxAddresses, maxZoneHints). */
export const MAX_SLICE_ENDPOINTS = 1000;
export const MAX_ENDPOINT_ADDRESSES = 100;
export const MAX_HINTS = 8;
/** Ports of a slice (upstream: maxPorts). */
export const MAX_SLICE_PORTS = 20_000;
/** Addresses of Endpoints, which know no slices; upstream's controller ends at 1000, people need not. */
export const MAX_SUBSET_ADDRESSES = 10_000;
/** For fields that programs write and nobody chose: reaching a bound would stop a controller or a node. */
export const MAX_OBSERVED_ITEMS = 20_000;

const CONTAINER_LISTS = {
  command: MAX_COMMAND_WORDS,
  args: MAX_COMMAND_WORDS,
  env: MAX_ENV_VARIABLES,
  ports: MAX_PORTS,
};

/** Items or entries, by type and field. */
const COUNTS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'core.v1.PodSpec': {
    containers: MAX_CONTAINERS,
    initContainers: MAX_CONTAINERS,
    ephemeralContainers: MAX_CONTAINERS,
    topologySpreadConstraints: MAX_PLACEMENT_TERMS,
  },
  'core.v1.Container': CONTAINER_LISTS,
  'core.v1.EphemeralContainer': CONTAINER_LISTS,
  'core.v1.ExecAction': { command: MAX_COMMAND_WORDS },
  'core.v1.ServiceSpec': { ports: MAX_PORTS },
  'core.v1.ConfigMap': { data: MAX_DATA_KEYS, binaryData: MAX_DATA_KEYS },
  'core.v1.Secret': { data: MAX_DATA_KEYS, stringData: MAX_DATA_KEYS },
  'core.v1.ConfigMapVolumeSource': { items: MAX_DATA_KEYS },
  'core.v1.ConfigMapProjection': { items: MAX_DATA_KEYS },
  'core.v1.SecretVolumeSource': { items: MAX_DATA_KEYS },
  'core.v1.SecretProjection': { items: MAX_DATA_KEYS },
  'core.v1.NodeSelector': { nodeSelectorTerms: MAX_PLACEMENT_TERMS },
  'core.v1.NodeAffinity': { preferredDuringSchedulingIgnoredDuringExecution: MAX_PLACEMENT_TERMS },
  'core.v1.PodAffinity': {
    requiredDuringSchedulingIgnoredDuringExecution: MAX_PLACEMENT_TERMS,
    preferredDuringSchedulingIgnoredDuringExecution: MAX_PLACEMENT_TERMS,
  },
  'core.v1.PodAntiAffinity': {
    requiredDuringSchedulingIgnoredDuringExecution: MAX_PLACEMENT_TERMS,
    preferredDuringSchedulingIgnoredDuringExecution: MAX_PLACEMENT_TERMS,
  },
  'core.v1.NodeSelectorRequirement': { values: MAX_SELECTOR_VALUES },
  'meta.v1.LabelSelectorRequirement': { values: MAX_SELECTOR_VALUES },
  'core.v1.PodAffinityTerm': { namespaces: MAX_SELECTOR_VALUES },
  'core.v1.TopologySelectorLabelRequirement': { values: MAX_SELECTOR_VALUES },
  'rbac.v1.ClusterRole': { rules: MAX_RBAC_ITEMS },
  'rbac.v1.Role': { rules: MAX_RBAC_ITEMS },
  'rbac.v1.PolicyRule': { resourceNames: MAX_RBAC_ITEMS },
  'rbac.v1.ClusterRoleBinding': { subjects: MAX_RBAC_ITEMS },
  'rbac.v1.RoleBinding': { subjects: MAX_RBAC_ITEMS },
  'discovery.v1.EndpointSlice': { endpoints: MAX_SLICE_ENDPOINTS, ports: MAX_SLICE_PORTS },
  'discovery.v1.Endpoint': { addresses: MAX_ENDPOINT_ADDRESSES },
  'discovery.v1.EndpointHints': { forZones: MAX_HINTS, forNodes: MAX_HINTS },
  'core.v1.EndpointSubset': {
    addresses: MAX_SUBSET_ADDRESSES,
    notReadyAddresses: MAX_SUBSET_ADDRESSES,
    ports: MAX_PORTS,
  },
  'core.v1.ServiceAccount': { secrets: MAX_OBSERVED_ITEMS },
  'core.v1.NodeStatus': {
    images: MAX_OBSERVED_ITEMS,
    volumesInUse: MAX_OBSERVED_ITEMS,
    volumesAttached: MAX_OBSERVED_ITEMS,
  },
  'batch.v1.CronJobStatus': { active: MAX_OBSERVED_ITEMS },
  'batch.v1.UncountedTerminatedPods': { succeeded: MAX_OBSERVED_ITEMS, failed: MAX_OBSERVED_ITEMS },
  'policy.v1.PodDisruptionBudgetStatus': { disruptedPods: MAX_OBSERVED_ITEMS },
};

const COMMAND_BYTES = { command: MAX_COMMAND_BYTES, args: MAX_COMMAND_BYTES };

/** Bytes of all texts of a list together, by type and field. */
const BYTES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'core.v1.Container': COMMAND_BYTES,
  'core.v1.EphemeralContainer': COMMAND_BYTES,
  'core.v1.ExecAction': { command: MAX_COMMAND_BYTES },
};

/** Bound on a list's items or a map's entries. */
export function maxCount(type: string, field: string, kind: 'list' | 'map'): number {
  return of(COUNTS, type, field) ?? (kind === 'list' ? MAX_ITEMS : MAX_ENTRIES);
}

/** Bytes of a list's texts together; `undefined`: the object's own size is their bound. */
export function maxBytes(type: string, field: string): number | undefined {
  return of(BYTES, type, field);
}

/** All fields with a bound of their own, for the test that each of them exists. */
export function boundedFields(): readonly { readonly type: string; readonly field: string }[] {
  return [COUNTS, BYTES].flatMap((table) =>
    Object.entries(table).flatMap(([type, fields]) => Object.keys(fields).map((field) => ({ type, field }))),
  );
}

function of(table: Readonly<Record<string, Readonly<Record<string, number>>>>, type: string, field: string) {
  const fields = Object.hasOwn(table, type) ? table[type] : undefined;
  return fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
}
