/** Warnings about pods, and about all that makes pods from a template. Pure. */
import { checkDns1123Label } from '../names.ts';
import type { KubeObject } from '../resource.ts';
import type { Job, Pod, PodTemplateSpec, StatefulSet } from '../types.gen.ts';
import { jobNameWarnings, jobSpecWarnings } from '../validation/job.ts';
import { podPartsWarnings } from './pod.ts';

const NAME_TEXT = 'which can result in surprising behavior; a DNS label is recommended';

export function jobWarnings(object: KubeObject, spec: Job['spec'] = { template: {} }, path: string): string[] {
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
export function replicatedWarnings(object: KubeObject): string[] {
  return [
    ...nameWarnings(object, `this is used in Pod names and hostnames, ${NAME_TEXT}`),
    ...templateWarnings(templateOf(object), 'spec.template'),
  ];
}

function nameWarnings({ metadata }: KubeObject, text: string): string[] {
  const problems = checkDns1123Label(metadata?.name ?? '');
  return problems.length === 0 ? [] : [`metadata.name: ${text}: [${problems.join(' ')}]`];
}

export function statefulSetWarnings({ spec }: StatefulSet): string[] {
  const text =
    'spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended';
  return [
    ...((spec?.revisionHistoryLimit ?? 0) < 0 ? [text] : []),
    ...templateWarnings(spec?.template, 'spec.template'),
  ];
}

/** For a pod template anywhere. */
export function templateWarnings(template: PodTemplateSpec | undefined, path: string): string[] {
  if (template?.spec === undefined) return [];
  return podPartsWarnings({ path, annotations: template.metadata?.annotations ?? {}, spec: template.spec });
}

export function podWarnings(object: KubeObject): string[] {
  const { metadata, spec } = object as Pod;
  const named = nameWarnings(object, `this is used in the Pod's hostname, ${NAME_TEXT}`);
  if (spec === undefined) return named;
  return [...named, ...podPartsWarnings({ path: '', annotations: metadata?.annotations ?? {}, spec })];
}
