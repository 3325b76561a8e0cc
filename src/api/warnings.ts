/** What is accepted and yet likely a mistake, or on its way out: texts of `Warning` headers (upstream: GetWarningsForPod and its siblings). Pure. */
import { child, index, key } from './field-error.ts';
import { checkDns1123Label } from './names.ts';
import { parseQuantity } from './quantity.ts';
import { isHeadless } from './service-kind.ts';
import type {
  Container,
  CronJob,
  DaemonSet,
  Job,
  Pod,
  PodSpec,
  PodTemplate,
  PodTemplateSpec,
  Service,
  StatefulSet,
} from './types.gen.ts';
import { jobNameWarnings, jobSpecWarnings } from './validation/job.ts';
import type { KubeObject, Resource } from './resource.ts';

const NANO = 1_000_000_000n;

/** Labels of nodes that have better names now. */
const OLD_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  'beta.kubernetes.io/os': 'deprecated since v1.14; use "kubernetes.io/os" instead',
  'failure-domain.beta.kubernetes.io/region': 'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  'failure-domain.beta.kubernetes.io/zone': 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  'beta.kubernetes.io/instance-type': 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};

const OLD_VOLUMES: Readonly<Record<string, string>> = {
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};

const APPARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
const SECCOMP_ANNOTATION =
  /^(?:seccomp\.security\.alpha\.kubernetes\.io\/pod$|container\.seccomp\.security\.alpha\.kubernetes\.io\/)/;

/** What every request for a resource hears; undefined for those that stay. */
export function deprecationOf({ group, resource }: Pick<Resource<unknown>, 'group' | 'resource'>): string | undefined {
  if (group !== '' || resource !== 'endpoints') return undefined;
  return 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';
}

/** Of an object that is valid. */
export function warningsOf({ group, kind }: Pick<Resource<unknown>, 'group' | 'kind'>, object: KubeObject): string[] {
  if (REPLICATED.has(`${group}/${kind}`)) return replicatedWarnings(object);
  if (group === 'batch') return batchWarnings(kind, object);
  if (group === 'apps' && kind === 'StatefulSet') return statefulSetWarnings(object);
  if (group === 'apps' && kind === 'DaemonSet')
    return templateWarnings((object as DaemonSet).spec?.template, 'spec.template');
  if (group !== '') return [];
  switch (kind) {
    case 'Pod':
      return podWarnings(object);
    case 'PodTemplate': {
      const { template } = object as PodTemplate;
      return templateWarnings(template, 'template');
    }
    case 'Service':
      return serviceWarnings(object);
    default:
      return [];
  }
}

function batchWarnings(kind: string, object: KubeObject): string[] {
  const { spec = { template: {} } } =
    kind === 'CronJob' ? ((object as CronJob).spec?.jobTemplate ?? {}) : (object as Job);
  const path = kind === 'CronJob' ? 'spec.jobTemplate.spec.template' : 'spec.template';
  return [
    ...jobNameWarnings(object.metadata?.name ?? ''),
    ...jobSpecWarnings(spec),
    ...templateWarnings(spec.template, path),
  ];
}

/** Kinds whose pods are named after them. */
const REPLICATED = new Set(['apps/Deployment', 'apps/ReplicaSet', '/ReplicationController']);

function replicatedWarnings(object: KubeObject): string[] {
  const label = checkDns1123Label(object.metadata?.name ?? '');
  const text =
    'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended';
  const { spec } = object as { readonly spec?: { readonly template?: PodTemplateSpec } };
  return [
    ...(label.length === 0 ? [] : [`${text}: [${label.join(' ')}]`]),
    ...templateWarnings(spec?.template, 'spec.template'),
  ];
}

function statefulSetWarnings({ spec }: StatefulSet): string[] {
  const text =
    'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';
  return [
    ...((spec?.revisionHistoryLimit ?? 0) < 0 ? [text] : []),
    ...templateWarnings(spec?.template, 'spec.template'),
  ];
}

/** Of a pod template anywhere. */
function templateWarnings(template: PodTemplateSpec | undefined, path: string): string[] {
  return [
    ...annotationWarnings(template?.metadata?.annotations, child(path, 'metadata', 'annotations')),
    ...specWarnings(template?.spec, child(path, 'spec')),
  ];
}

function podWarnings({ metadata, spec }: Pod): string[] {
  const label = checkDns1123Label(metadata?.name ?? '');
  const text =
    "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended";
  return [
    ...(label.length === 0 ? [] : [`${text}: [${label.join(' ')}]`]),
    ...annotationWarnings(metadata?.annotations, 'metadata.annotations'),
    ...specWarnings(spec, 'spec'),
  ];
}

function annotationWarnings(annotations: Readonly<Record<string, string>> | undefined, path: string): string[] {
  return Object.keys(annotations ?? {}).flatMap((name) => {
    if (name.startsWith(APPARMOR_PREFIX))
      return [`${key(path, name)}: deprecated since v1.30; use the "appArmorProfile" field instead`];
    if (SECCOMP_ANNOTATION.test(name))
      return [`${key(path, name)}: non-functional in v1.27+; use the "seccompProfile" field instead`];
    return [];
  });
}

function specWarnings(spec: PodSpec | undefined, path: string): string[] {
  if (spec === undefined) return [];
  const warnings: string[] = [];
  const at = (name: string): string => child(path, name);
  for (const name of Object.keys(spec.nodeSelector ?? {})) {
    if (Object.hasOwn(OLD_LABELS, name)) warnings.push(`${key(at('nodeSelector'), name)}: ${OLD_LABELS[name]}`);
  }
  (spec.volumes ?? []).forEach((volume, position) => {
    for (const name of Object.keys(volume)) {
      if (Object.hasOwn(OLD_VOLUMES, name))
        warnings.push(`${child(index(at('volumes'), position), name)}: ${OLD_VOLUMES[name]}`);
    }
  });
  (spec.imagePullSecrets ?? []).forEach(({ name = '' }, position) => {
    if (name.trim() === '')
      warnings.push(
        `${child(index(at('imagePullSecrets'), position), 'name')}: invalid empty name ${JSON.stringify(name)}`,
      );
  });
  const ips = new Set<string>();
  (spec.hostAliases ?? []).forEach(({ ip }, position) => {
    if (ips.has(ip))
      warnings.push(`${child(index(at('hostAliases'), position), 'ip')}: duplicate ip ${JSON.stringify(ip)}`);
    ips.add(ip);
  });
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0)
    warnings.push(
      `${at('terminationGracePeriodSeconds')}: must be >= 0; negative values are invalid and will be treated as 1`,
    );
  for (const list of ['initContainers', 'containers'] as const) {
    (spec[list] ?? []).forEach((container, position) =>
      warnings.push(...containerWarnings(container, index(at(list), position))),
    );
  }
  return warnings;
}

function containerWarnings({ env, ports, resources }: Container, path: string): string[] {
  const warnings: string[] = [];
  const names = new Set<string>();
  (env ?? []).forEach(({ name }, position) => {
    if (names.has(name))
      warnings.push(
        `${index(child(path, 'env'), position)}: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`,
      );
    names.add(name);
  });
  const taken = new Map<string, number>();
  (ports ?? []).forEach(({ containerPort, protocol, hostPort = 0, hostIP = '' }, position) => {
    const same = `${protocol}/${containerPort}/${hostPort}/${hostIP}`;
    const first = taken.get(same);
    const at = child(path, 'ports');
    if (first !== undefined)
      warnings.push(`${index(at, position)}: duplicate port definition with ${index(at, first)}`);
    else taken.set(same, position);
  });
  for (const list of ['limits', 'requests'] as const) {
    for (const name of ['memory', 'ephemeral-storage']) {
      const quantity = resources?.[list]?.[name];
      if (quantity !== undefined && parseQuantity(quantity).nano % NANO !== 0n) {
        const text = `fractional byte value ${JSON.stringify(quantity)} is invalid, must be an integer`;
        warnings.push(`${key(child(path, 'resources', list), name)}: ${text}`);
      }
    }
  }
  return warnings;
}

function serviceWarnings({ spec = {} }: Service): string[] {
  const warnings: string[] = [];
  if (spec.loadBalancerIP)
    warnings.push('spec.loadBalancerIP is deprecated in v1.24+, and should be set by annotation instead');
  if (isHeadless(spec) && spec.sessionAffinity === 'ClientIP')
    warnings.push('spec.SessionAffinity is ignored for headless services');
  return warnings;
}
