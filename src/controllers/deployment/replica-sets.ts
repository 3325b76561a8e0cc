/** Which of a deployment's replica sets is the one of its template, and what a new one looks like. Pure. */
import {
  controllerReference,
  type Deployment,
  DEPLOYMENTS,
  equalJson,
  nameOf,
  namespaceOf,
  type PodTemplateSpec,
  type ReplicaSet,
  type ReplicaSetSpec,
  semanticallyEqual,
} from '../../api/index.ts';
import { safeHash } from '../pods/safe-hash.ts';
import { newestSetAnnotations, sizeAnnotations } from './annotations.ts';
import { compareAge } from './rollout-math.ts';

/** Label of replica sets and their pods: the hash of the template, so that sets never fight for pods. */
export const POD_TEMPLATE_HASH = 'pod-template-hash';

export interface SplitSets {
  /** The one of the deployment's template; the oldest when there are several. */
  readonly newest: ReplicaSet | undefined;
  /** All others, the oldest first. */
  readonly old: readonly ReplicaSet[];
}

/** Upstream: FindNewReplicaSet, FindOldReplicaSets. */
export function splitSets({ spec }: Deployment, sets: readonly ReplicaSet[]): SplitSets {
  const byAge = sets.toSorted(compareAge);
  const newest = byAge.find((set) => isSameTemplate(set.spec?.template, spec?.template));
  return { newest, old: byAge.filter((set) => set !== newest) };
}

/** Whether both make the same pods, whatever their hashes are. */
export function isSameTemplate(a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean {
  const [one, other] = [withoutHash(a), withoutHash(b)];
  return equalJson(one, other) || semanticallyEqual('core.v1.PodTemplateSpec', one, other);
}

function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec {
  const { metadata = {}, ...rest } = template ?? {};
  const labels = Object.fromEntries(
    Object.entries(metadata.labels ?? {}).filter(([name]) => name !== POD_TEMPLATE_HASH),
  );
  return { ...rest, metadata: { ...metadata, labels } };
}

/** The replica set of the deployment's template. */
export function newReplicaSet(deployment: Deployment, replicas: number, revision: bigint): ReplicaSet {
  const { metadata, spec, status } = deployment;
  const template = spec?.template ?? {};
  const hash = safeHash(template, status?.collisionCount);
  const labels = { ...template.metadata?.labels, [POD_TEMPLATE_HASH]: hash };
  const { minReadySeconds } = spec ?? {};
  const setSpec: ReplicaSetSpec = {
    replicas,
    ...(minReadySeconds === undefined ? {} : { minReadySeconds }),
    selector: { ...spec?.selector, matchLabels: { ...spec?.selector.matchLabels, [POD_TEMPLATE_HASH]: hash } },
    template: { ...template, metadata: { ...template.metadata, labels } },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      namespace: namespaceOf(deployment),
      name: `${nameOf(deployment)}-${hash}`,
      labels,
      annotations: {
        ...newestSetAnnotations(deployment, undefined, revision),
        ...sizeAnnotations(deployment),
      },
      ownerReferences: [controllerReference(DEPLOYMENTS, { ...deployment, metadata: { ...metadata } })],
    },
    spec: setSpec,
  };
}
