/** Computes what an object counts against a quota, and which quotas count it (upstream: the quota evaluators). Pure. */
import {
  needsNodePorts,
  parseQuantity,
  type PersistentVolumeClaim,
  type Pod,
  podLimits,
  podRequests,
  type PodSpec,
  qosClassOf,
  type Quantity,
  type ResourceQuota,
  type ResourceRow,
  type ScopedResourceSelectorRequirement,
  type Service,
} from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import type { ApiObject } from '../registry/object.ts';
import type { QuotaCount, Registration } from '../registry/registration.ts';

export type Usage = Readonly<Record<string, Quantity>>;

/** Those that are also counted without the word before the dot. */
const PLAIN = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** "count/pods", "count/leases.coordination.k8s.io" */
export function countName(row: ResourceRow): string {
  return `count/${row.resource}${row.group === '' ? '' : `.${row.group}`}`;
}

/** `wall` (ms): a pod past the end of its grace counts no more. */
export function usageOf({ row, quota }: Registration, object: ApiObject, wall: number): Usage {
  const counted = { [countName(row)]: '1' };
  return quota ? { ...counted, ...quota.usage(object, wall) } : counted;
}

/** For kinds of the core group that are counted under their bare name too. */
export function byName(resource: string): QuotaCount {
  return { counts: (name) => name === resource, usage: () => ({ [resource]: '1' }) };
}

const POD_NAMES = /^(?:pods|cpu|memory|ephemeral-storage|(?:requests|limits|hugepages)[.-].+)$/;
const SERVICE_NAMES = /^services(?:\.|$)/;
const CLAIM_NAMES = /^(?:persistentvolumeclaims$|requests\.storage$|.+\.storageclass\.storage\.k8s\.io\/)/;

export const podCount: QuotaCount = { counts: (name) => POD_NAMES.test(name), usage: podUsage };

export const serviceCount: QuotaCount = {
  counts: (name) => SERVICE_NAMES.test(name),
  usage: (object) => ({ services: '1', ...serviceUsage(object) }),
};

export const claimCount: QuotaCount = {
  counts: (name) => CLAIM_NAMES.test(name),
  usage: (object) => ({ persistentvolumeclaims: '1', ...claimUsage(object) }),
};

function podUsage(pod: Pod, wall: number): Usage {
  if (pod.spec === undefined || isOver(pod, wall)) return {};
  const usage: Record<string, Quantity> = { pods: '1' };
  for (const [name, quantity] of Object.entries(podRequests(pod.spec))) {
    usage[`requests.${name}`] = quantity;
    if (PLAIN.has(name) || name.startsWith('hugepages-')) usage[name] = quantity;
  }
  for (const [name, quantity] of Object.entries(limitsOf(pod.spec))) usage[`limits.${name}`] = quantity;
  return usage;
}

function limitsOf(spec: PodSpec): Usage {
  return Object.fromEntries(Object.entries(podLimits(spec)).filter(([name]) => PLAIN.has(name)));
}

/** Ended, or should have by now. */
function isOver({ status, metadata }: Pod, wall: number): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true;
  const deadline = parseTime(metadata?.deletionTimestamp);
  return deadline !== undefined && metadata?.deletionGracePeriodSeconds !== undefined && wall > deadline;
}

function serviceUsage({ spec = {} }: Service): Usage {
  const ports = needsNodePorts(spec) ? (spec.ports?.length ?? 0) : 0;
  return {
    'services.nodeports': String(ports),
    'services.loadbalancers': spec.type === 'LoadBalancer' ? '1' : '0',
  };
}

/** Counted once for all claims, and once more for those of its class (upstream: pvcEvaluator.Usage). */
function claimUsage({ spec = {} }: PersistentVolumeClaim): Usage {
  const storage = spec.resources?.requests?.['storage'];
  const usage: Record<string, Quantity> = storage === undefined ? {} : { 'requests.storage': storage };
  if (!spec.storageClassName) return usage;
  const ofClass = `${spec.storageClassName}.storageclass.storage.k8s.io/`;
  usage[`${ofClass}persistentvolumeclaims`] = '1';
  if (storage !== undefined) usage[`${ofClass}requests.storage`] = storage;
  return usage;
}

/** Quotas with scopes look at pods, and with the scope of volume attributes at claims: at those that fit all their scopes. */
export function concerns(quota: ResourceQuota, row: ResourceRow, object: ApiObject): boolean {
  const { scopes = [], scopeSelector } = quota.spec ?? {};
  const terms = [
    ...scopes.map((scopeName) => ({ scopeName, operator: 'Exists' })),
    ...(scopeSelector?.matchExpressions ?? []),
  ];
  if (terms.length === 0) return true;
  if (row.group !== '') return false;
  if (row.resource === 'persistentvolumeclaims') return terms.every((term) => fitsAttributes(term, object));
  return row.resource === 'pods' && terms.every((term) => fits(term, object as Pod));
}

/** A claim counts for each class that it asks for, has or is getting (upstream: getReferencedVolumeAttributesClassNames). */
function fitsAttributes(term: ScopedResourceSelectorRequirement, { spec, status }: PersistentVolumeClaim): boolean {
  if (term.scopeName !== 'VolumeAttributesClass') return false;
  const { currentVolumeAttributesClassName: current, modifyVolumeStatus } = status ?? {};
  const target = modifyVolumeStatus?.targetVolumeAttributesClassName;
  const names = [spec?.volumeAttributesClassName, current, target].filter((name) => name !== undefined && name !== '');
  const asked = names.length === 0 ? [''] : names;
  return asked.some((name) => fitsClass(term.operator, term.values ?? [], name ?? ''));
}

function fits({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement, { spec }: Pod): boolean {
  if (spec === undefined) return false;
  switch (scopeName) {
    case 'Terminating':
      return spec.activeDeadlineSeconds !== undefined;
    case 'NotTerminating':
      return spec.activeDeadlineSeconds === undefined;
    case 'BestEffort':
      return qosClassOf(spec) === 'BestEffort';
    case 'NotBestEffort':
      return qosClassOf(spec) !== 'BestEffort';
    case 'CrossNamespacePodAffinity':
      return namesOtherNamespaces(spec);
    case 'PriorityClass':
      return fitsClass(operator, values, spec.priorityClassName ?? '');
    default:
      return false;
  }
}

function fitsClass(operator: string, values: readonly string[], name: string): boolean {
  switch (operator) {
    case 'In':
      return values.includes(name);
    case 'NotIn':
      return !values.includes(name);
    case 'Exists':
      return name !== '';
    case 'DoesNotExist':
      return name === '';
    default:
      return false;
  }
}

function namesOtherNamespaces({ affinity }: PodSpec): boolean {
  const terms = [affinity?.podAffinity, affinity?.podAntiAffinity].flatMap((part) => [
    ...(part?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(part?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some((term) => (term?.namespaces?.length ?? 0) > 0 || term?.namespaceSelector !== undefined);
}

/** Only what `names` lists, absent as zero. */
export function only(usage: Usage, names: readonly string[]): Record<string, Quantity> {
  return Object.fromEntries(names.flatMap((name) => (usage[name] === undefined ? [] : [[name, usage[name]]])));
}

/** Containers that lack what a quota counts: "limits.cpu for: main; requests.memory for: main". "" when none does. */
export function unspecified(spec: PodSpec, names: readonly string[]): string {
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  return names
    .filter((name) => /^(?:(?:requests|limits)\.)?(?:cpu|memory)$/.test(name))
    .toSorted()
    .flatMap((name) => {
      const [list, resource] = name.includes('.') ? name.split('.') : ['requests', name];
      if (resource === undefined || spec.resources?.[list as 'requests' | 'limits']?.[resource] !== undefined)
        return [];
      const lacking = containers.filter(({ resources }) => {
        const given = resources?.[list as 'requests' | 'limits']?.[resource];
        return given === undefined || parseQuantity(given).nano === 0n;
      });
      return lacking.length === 0 ? [] : [`${name} for: ${lacking.map((container) => container.name).join(',')}`];
    })
    .join('; ');
}
