/** Validation of pods: at creation, and what updates of each kind may change (upstream `ValidatePodCreate`, `ValidatePodUpdate`). */
import { child, duplicate, type FieldError, forbiddenField, index, invalidValue, required } from '../field-error.ts';
import { isIpAddress, isIpv4Address, isIpv6Address } from '../ip-address.ts';
import { checkDns1123Subdomain } from '../names.ts';
import { semanticallyEqual } from '../schema/semantic-equality.ts';
import type {
  Affinity,
  Container,
  NodeAffinity,
  NodeSelector,
  Pod,
  PodSpec,
  PodStatus,
  Toleration,
} from '../types.gen.ts';
import { validateAffinity } from './affinity.ts';
import { validateImage } from './containers.ts';
import { checkValue, equalJson, immutable } from './messages.ts';
import { nulErrors } from './no-nul.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';
import { validatePodAnnotations, validatePodAnnotationUpdates } from './pod-annotations.ts';
import { MAX_ACTIVE_DEADLINE_SECONDS, validatePodSpec } from './pod-spec.ts';
import { validateStateTransitions } from './pod-transitions.ts';
import { validateTolerations } from './tolerations.ts';

const EMPTY_SPEC: PodSpec = { containers: [] };

export function validatePod(pod: Pod): FieldError[] {
  const errors = [
    ...validateObjectMeta(pod.metadata, true, checkDns1123Subdomain),
    ...validatePodAnnotations(pod.metadata?.annotations, pod.spec, 'metadata.annotations'),
  ];
  if ((pod.spec?.ephemeralContainers?.length ?? 0) > 0) {
    errors.push(forbiddenField('spec.ephemeralContainers', 'cannot be set on create'));
  }
  if ((pod.spec?.schedulingGates?.length ?? 0) > 0 && (pod.spec?.nodeName ?? '') !== '') {
    errors.push(forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return [...errors, ...validatePodSpec(pod.spec ?? EMPTY_SPEC, 'spec')];
}

const MAY_CHANGE = [
  '`spec.containers[*].image`',
  '`spec.initContainers[*].image`',
  '`spec.activeDeadlineSeconds`',
  '`spec.tolerations` (only additions to existing tolerations)',
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
].join(',');

export function validatePodUpdate(pod: Pod, old: Pod): FieldError[] {
  const spec = pod.spec ?? EMPTY_SPEC;
  const oldSpec = old.spec ?? EMPTY_SPEC;
  const errors = [...validateObjectMetaUpdate(pod.metadata, old.metadata), ...validatePodAnnotationUpdates(pod, old)];
  for (const list of ['containers', 'initContainers'] as const) {
    if ((spec[list]?.length ?? 0) !== (oldSpec[list]?.length ?? 0)) {
      return [...errors, forbiddenField(`spec.${list}`, 'pod updates may not add or remove containers')];
    }
    (spec[list] ?? []).forEach((container, position) => {
      errors.push(...validateImage(container.image, child(index(`spec.${list}`, position), 'image')));
    });
  }
  errors.push(
    ...validateDeadlineUpdate(spec, oldSpec),
    ...validateAddedTolerations(spec.tolerations, oldSpec.tolerations),
  );
  if ((oldSpec.schedulingGates?.length ?? 0) > 0) errors.push(...validateAffinity(spec.affinity, 'spec.affinity'));
  errors.push(...nulErrors(spec, 'spec'), ...validateRemovedGates(spec, oldSpec));
  const allowed = withAllowedChanges(spec, oldSpec);
  const changed = semanticallyEqual('core.v1.PodSpec', spec, allowed) ? [] : changedFields(spec, allowed, 'spec');
  if (changed.length > 0) {
    const text = `pod updates may not change fields other than ${MAY_CHANGE}\nchanged: ${changed.join(', ')}`;
    errors.push(forbiddenField('spec', text));
  }
  return errors;
}

/** The old spec with what the new one may change taken over: any difference left is forbidden. */
function withAllowedChanges(spec: PodSpec, old: PodSpec): PodSpec {
  const oldGrace = old.terminationGracePeriodSeconds ?? 0;
  const graceFreed = oldGrace < 0 && spec.terminationGracePeriodSeconds === 1;
  const gated = (old.schedulingGates?.length ?? 0) > 0;
  return {
    ...old,
    containers: withImages(old.containers, spec.containers ?? []) ?? [],
    initContainers: withImages(old.initContainers, spec.initContainers),
    activeDeadlineSeconds: spec.activeDeadlineSeconds,
    tolerations: spec.tolerations,
    schedulingGates: spec.schedulingGates,
    terminationGracePeriodSeconds: graceFreed ? 1 : old.terminationGracePeriodSeconds,
    // A pod that waits at a gate may still be narrowed down (KEP-3838).
    nodeSelector: gated && narrows(spec.nodeSelector, old.nodeSelector) ? spec.nodeSelector : old.nodeSelector,
    affinity: gated ? narrowedAffinity(spec.affinity, old.affinity) : old.affinity,
  };
}

/** Node affinity of a pod that waits at a gate; an affinity with nothing else in it may come whole (KEP-3838). */
function narrowedAffinity(next: Affinity | undefined, old: Affinity | undefined): Affinity | undefined {
  const [to, from] = [next?.nodeAffinity, old?.nodeAffinity];
  if (!narrowsNodes(to?.requiredDuringSchedulingIgnoredDuringExecution, from)) return old;
  const { nodeAffinity: _, ...others } = old ?? {};
  if (to !== undefined) return { ...others, nodeAffinity: to };
  if (from === undefined) return old;
  return next === undefined && Object.keys(others).length === 0 ? undefined : others;
}

/** Terms are alternatives: each may get further requirements, and none may come or go. Preferences are free. */
function narrowsNodes(to: NodeSelector | undefined, old: NodeAffinity | undefined): boolean {
  const from = old?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  if (from.length === 0) return true;
  const terms = to?.nodeSelectorTerms ?? [];
  return (
    terms.length === from.length &&
    from.every(
      (term, position) =>
        extendsList(terms[position]?.matchExpressions, term.matchExpressions) &&
        extendsList(terms[position]?.matchFields, term.matchFields),
    )
  );
}

function extendsList(next: readonly unknown[] = [], old: readonly unknown[] = []): boolean {
  return old.every((requirement, position) => equalJson(requirement, next[position]));
}

function withImages(
  list: readonly Container[] | undefined,
  next: readonly Container[] | undefined,
): Container[] | undefined {
  return list?.map((container, position) => ({ ...container, image: next?.[position]?.image }));
}

function narrows(
  next: Readonly<Record<string, string>> | undefined,
  old: Readonly<Record<string, string>> | undefined,
): boolean {
  return Object.entries(old ?? {}).every(([name, value]) => next?.[name] === value);
}

function validateDeadlineUpdate(spec: PodSpec, old: PodSpec): FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  const { activeDeadlineSeconds: next } = spec;
  if (next === undefined) {
    return old.activeDeadlineSeconds === undefined
      ? []
      : [invalidValue(field, null, 'must not update from a positive integer to nil value')];
  }
  if (next < 0 || next > MAX_ACTIVE_DEADLINE_SECONDS) {
    return [invalidValue(field, next, `must be between 0 and ${MAX_ACTIVE_DEADLINE_SECONDS}, inclusive`)];
  }
  const tooLate = old.activeDeadlineSeconds !== undefined && next > old.activeDeadlineSeconds;
  return tooLate ? [invalidValue(field, next, 'must be less than or equal to previous value')] : [];
}

function validateAddedTolerations(
  next: readonly Toleration[] | undefined,
  old: readonly Toleration[] | undefined,
): FieldError[] {
  const kept = (old ?? []).every((toleration) =>
    next?.some((other) => equalJson(withoutSeconds(toleration), withoutSeconds(other))),
  );
  if (!kept)
    return [forbiddenField('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
  return validateTolerations(next, 'spec.tolerations');
}

function withoutSeconds(toleration: Toleration): Toleration {
  return { ...toleration, tolerationSeconds: undefined };
}

function validateRemovedGates(spec: PodSpec, old: PodSpec): FieldError[] {
  const known = new Set((old.schedulingGates ?? []).map((gate) => gate.name));
  return (spec.schedulingGates ?? []).flatMap((gate, position) => {
    if (known.has(gate.name)) return [];
    const field = child(index('spec.schedulingGates', position), 'name');
    return [forbiddenField(field, `only deletion is allowed, but found new scheduling gate '${gate.name}'`)];
  });
}

/** Paths of the first differences, one per branch. */
function changedFields(a: unknown, b: unknown, path: string): string[] {
  if (equalJson(a, b)) return [];
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
    return a.flatMap((item, position) => changedFields(item, b[position], index(path, position)));
  }
  if (!isRecord(a) || !isRecord(b)) return [path];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].flatMap((name) => changedFields(a[name], b[name], child(path, name)));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A write to `status`: reported events cannot be taken back. */
export function validatePodStatusUpdate(pod: Pod, old: Pod): FieldError[] {
  const errors = [...validateObjectMetaUpdate(pod.metadata, old.metadata), ...validatePodAnnotationUpdates(pod, old)];
  const { status = {} } = pod;
  if (status.nominatedNodeName)
    errors.push(...checkValue('status.nominatedNodeName', status.nominatedNodeName, checkDns1123Subdomain));
  if (old.status?.qosClass !== undefined)
    errors.push(...immutable('status.qosClass', status.qosClass, old.status.qosClass));
  return [...errors, ...validateAddresses(status), ...validateStateTransitions(pod, old)];
}

/** Addresses that others connect to (upstream: validatePodIPs, validateHostIPs): at most one of each family. */
function validateAddresses({ hostIP, hostIPs = [], podIP, podIPs = [] }: PodStatus): FieldError[] {
  return [
    ...validateIp('status.hostIP', hostIP),
    ...validateIps('status.hostIPs', hostIPs),
    ...validateIp('status.podIP', podIP),
    ...validateIps('status.podIPs', podIPs),
  ];
}

function validateIp(field: string, ip: string | undefined): FieldError[] {
  if (!ip || isIpAddress(ip)) return [];
  return [invalidValue(field, ip, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)')];
}

function validateIps(field: string, entries: readonly { readonly ip?: string }[]): FieldError[] {
  const ips = entries.map(({ ip = '' }) => ip);
  const errors = ips.flatMap((ip, position) => {
    const at = child(index(field, position), 'ip');
    if (ip === '') return [required(at)];
    return ips.indexOf(ip) < position ? [duplicate(index(field, position), ip)] : validateIp(at, ip);
  });
  const [ipv4, ipv6] = [ips.filter(isIpv4Address), ips.filter(isIpv6Address)];
  if (errors.length > 0 || (ipv4.length < 2 && ipv6.length < 2)) return errors;
  return [invalidValue(field, ips, 'may specify no more than one IP for each IP family')];
}
