/** Warnings about likely mistakes in a volume, a claim or a class of storage. Pure. */
import { child, index, key } from '../field-error.ts';
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec, StorageClass } from '../types.gen.ts';
import { oldLabels, oldLabelsOfTerm } from './old-names.ts';
import { fractionalBytes } from './whole-bytes.ts';

const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';
const BETA_CLASS_TEXT = 'deprecated since v1.8; use "storageClassName" attribute instead';
const RECYCLE_TEXT =
  'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';

function betaClass(annotations: Readonly<Record<string, string>> = {}): string[] {
  if (!Object.hasOwn(annotations, BETA_CLASS)) return [];
  return [`${key(child('metadata', 'annotations'), BETA_CLASS)}: ${BETA_CLASS_TEXT}`];
}

/** Upstream: GetWarningsForPersistentVolumeClaim. */
export function claimWarnings({ metadata, spec }: PersistentVolumeClaim): string[] {
  return [...betaClass(metadata?.annotations), ...claimSpecWarnings(spec, 'spec')];
}

/** Also of the claims that templates hold. */
export function claimSpecWarnings(spec: PersistentVolumeClaimSpec | undefined, path: string): string[] {
  return [
    ...fractionalBytes(spec?.resources?.requests, ['storage'], child(path, 'resources', 'requests')),
    ...fractionalBytes(spec?.resources?.limits, ['storage'], child(path, 'resources', 'limits')),
  ];
}

/** Upstream: GetWarningsForPersistentVolume. */
export function volumeWarnings({ metadata, spec }: PersistentVolume): string[] {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const path = child('spec', 'nodeAffinity', 'required', 'nodeSelectorTerms');
  return [
    ...betaClass(metadata?.annotations),
    ...(spec?.persistentVolumeReclaimPolicy === 'Recycle'
      ? [`spec.persistentVolumeReclaimPolicy: ${RECYCLE_TEXT}`]
      : []),
    ...terms.flatMap((term, position) => oldLabelsOfTerm(term, index(path, position))),
  ];
}

/** Upstream: GetWarningsForStorageClass. */
export function storageClassWarnings({ allowedTopologies = [] }: StorageClass): string[] {
  return allowedTopologies.flatMap(({ matchLabelExpressions = [] }, term) =>
    matchLabelExpressions.flatMap(({ key: label }, position) => {
      const path = index(child(index('allowedTopologies', term), 'matchLabelExpressions'), position);
      return oldLabels([label], () => child(path, 'key'));
    }),
  );
}
