/**
 * The data of a ControllerRevision: the pod template of its owner, as the patch that brings it back (kubectl's `rollout undo`
 * sends it as it is). Pure. Upstream: pkg/controller/history, getPatch of each controller.
 */
import {
  type ControllerRevision,
  controllerReference,
  currentPodTemplate,
  equalJson,
  type KubeObject,
  nameOf,
  namespaceOf,
  type PodTemplateSpec,
  type Resource,
  semanticallyEqual,
} from '../../api/index.ts';
import { canonicalJson, safeHash } from '../pods/safe-hash.ts';

/** Longest part of an owner's name in the name of a revision (upstream: ControllerRevisionName). */
const MAX_NAME_PREFIX = 223;

/**
 * A strategic merge patch that replaces any template by this one. Its names are sorted, as those of a Go client are: such a
 * client finds the revision of a template by comparing bytes.
 */
export function revisionData(template: PodTemplateSpec | undefined): unknown {
  return JSON.parse(canonicalJson({ spec: { template: { ...template, $patch: 'replace' } } }));
}

/** The template that the revision recorded. */
export function templateOf(revision: Pick<ControllerRevision, 'data'>): PodTemplateSpec {
  const data = revision.data as { spec?: { template?: PodTemplateSpec & { $patch?: string } } } | undefined;
  const { $patch: _, ...template } = data?.spec?.template ?? {};
  return template;
}

export interface NewRevision<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly owner: T;
  readonly template: PodTemplateSpec | undefined;
  /** Its place in the history. */
  readonly revision: number;
  /** How many names were already taken by something else. */
  readonly collisionCount: number;
  /** The label that carries the hash. */
  readonly hashLabel: string;
}

/** A revision for the owner's template, named after what it holds. */
export function newRevision<T extends KubeObject>(wanted: NewRevision<T>): ControllerRevision {
  const { resource, owner, template, revision, collisionCount, hashLabel } = wanted;
  const hash = safeHash(template, collisionCount);
  const annotations = owner.metadata?.annotations;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      namespace: namespaceOf(owner),
      name: `${nameOf(owner).slice(0, MAX_NAME_PREFIX)}-${hash}`,
      labels: { ...template?.metadata?.labels, [hashLabel]: hash },
      ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
      ownerReferences: [controllerReference(resource, owner)],
    },
    data: revisionData(template),
    revision,
  };
}

/**
 * Whether a revision records this data. Data is stored as it was sent, so an old one may not be canonical any more: both are
 * compared as they would be recorded today, or an upgrade would roll pods out again.
 */
export function recordsSame(revision: ControllerRevision, data: unknown): boolean {
  if (equalJson(revision.data, data)) return true;
  return semanticallyEqual(
    'core.v1.PodTemplateSpec',
    currentPodTemplate(templateOf(revision)),
    currentPodTemplate(templateOf({ data })),
  );
}
