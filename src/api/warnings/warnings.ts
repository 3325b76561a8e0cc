/**
 * Texts of `Warning` headers about accepted fields that are likely mistakes, or deprecated (upstream: GetWarningsForPod and
 * its siblings, one file here for each). Pure.
 */
import { checkDns1123Label } from '../names.ts';
import type { KubeObject, Resource } from '../resource.ts';
import type {
  CronJob,
  Job,
  Pod,
  PodTemplate,
  PodTemplateSpec,
  RuntimeClass,
  StatefulSet,
  StorageClass,
} from '../types.gen.ts';
import { jobNameWarnings, jobSpecWarnings } from '../validation/job.ts';
import { claimWarnings, storageClassWarnings, volumeWarnings } from './claims.ts';
import { ingressWarnings, networkPolicyWarnings } from './networking.ts';
import { oldLabels } from './old-names.ts';
import { podPartsWarnings } from './pod.ts';
import { serviceWarnings } from './service.ts';

const NAME_TEXT = 'which can result in surprising behavior; a DNS label is recommended';

type Warn = (object: KubeObject) => string[];

/** By "group/Kind". */
const WARNINGS: ReadonlyMap<string, Warn> = new Map<string, Warn>([
  ['/Pod', podWarnings],
  ['/PodTemplate', (object) => templateWarnings((object as PodTemplate).template, 'template')],
  ['/ReplicationController', replicatedWarnings],
  ['/Service', serviceWarnings],
  ['/PersistentVolume', volumeWarnings],
  ['/PersistentVolumeClaim', claimWarnings],
  ['apps/Deployment', replicatedWarnings],
  ['apps/ReplicaSet', replicatedWarnings],
  ['apps/StatefulSet', statefulSetWarnings],
  ['apps/DaemonSet', (object) => templateWarnings(templateOf(object), 'spec.template')],
  ['batch/Job', (object) => jobWarnings(object, (object as Job).spec, 'spec.template')],
  [
    'batch/CronJob',
    (object) => jobWarnings(object, (object as CronJob).spec?.jobTemplate.spec, 'spec.jobTemplate.spec.template'),
  ],
  ['networking.k8s.io/NetworkPolicy', networkPolicyWarnings],
  ['networking.k8s.io/Ingress', ingressWarnings],
  ['storage.k8s.io/StorageClass', (object) => storageClassWarnings(object as StorageClass)],
  [
    'node.k8s.io/RuntimeClass',
    // Upstream's path ends before the label.
    (object) =>
      oldLabels(Object.keys((object as RuntimeClass).scheduling?.nodeSelector ?? {}), () => 'scheduling.nodeSelector'),
  ],
]);

/** The warning for every request for a deprecated resource; undefined for the others. */
export function deprecationOf({ group, resource }: Pick<Resource<unknown>, 'group' | 'resource'>): string | undefined {
  if (group !== '' || resource !== 'endpoints') return undefined;
  return 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';
}

/** For an object that is valid. */
export function warningsOf({ group, kind }: Pick<Resource<unknown>, 'group' | 'kind'>, object: KubeObject): string[] {
  return WARNINGS.get(`${group}/${kind}`)?.(object) ?? [];
}

function jobWarnings(object: KubeObject, spec: Job['spec'] = { template: {} }, path: string): string[] {
  return [
    ...jobNameWarnings(object.metadata?.name ?? ''),
    ...jobSpecWarnings(spec),
    ...templateWarnings(spec.template, path),
  ];
}

function templateOf(object: KubeObject): PodTemplateSpec | undefined {
  return (object as { readonly spec?: { readonly template?: PodTemplateSpec } }).spec?.template;
}

/** Kinds whose pods are named after them. */
function replicatedWarnings(object: KubeObject): string[] {
  return [
    ...nameWarnings(object, `this is used in Pod names and hostnames, ${NAME_TEXT}`),
    ...templateWarnings(templateOf(object), 'spec.template'),
  ];
}

function nameWarnings({ metadata }: KubeObject, text: string): string[] {
  const problems = checkDns1123Label(metadata?.name ?? '');
  return problems.length === 0 ? [] : [`metadata.name: ${text}: [${problems.join(' ')}]`];
}

function statefulSetWarnings({ spec }: StatefulSet): string[] {
  const text =
    'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';
  return [
    ...((spec?.revisionHistoryLimit ?? 0) < 0 ? [text] : []),
    ...templateWarnings(spec?.template, 'spec.template'),
  ];
}

/** For a pod template anywhere. */
function templateWarnings(template: PodTemplateSpec | undefined, path: string): string[] {
  if (template?.spec === undefined) return [];
  return podPartsWarnings({ path, annotations: template.metadata?.annotations ?? {}, spec: template.spec });
}

function podWarnings(object: KubeObject): string[] {
  const { metadata, spec } = object as Pod;
  const named = nameWarnings(object, `this is used in the Pod's hostname, ${NAME_TEXT}`);
  if (spec === undefined) return named;
  return [...named, ...podPartsWarnings({ path: '', annotations: metadata?.annotations ?? {}, spec })];
}
