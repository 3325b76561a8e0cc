/** Which free volume is nearest to what a claim asks for, and what it lacks. Pure. */
import { compareQuantities, labelSelectorOf, matchesLabels, SelectorError } from '../../../api/index.ts';
import { noClassText } from './storage-classes.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../evidence/kinds.ts';
import type { ClaimEvidence } from '../../evidence/pod-evidence.ts';
import type { Quote } from '../../finding.ts';
import { type Requirement, requirementText } from './node-wishes.ts';
import { requirementsOf, selectorTexts } from '../words/selector-text.ts';
import { listed, shellWord } from '../words/text.ts';

export function requestedSize(claim: PersistentVolumeClaim | undefined): string | undefined {
  return claim?.spec?.resources?.requests?.['storage'];
}

/** "5Gi, ReadWriteOnce, class fast, selector tier=archive" */
export function wishText(claim: PersistentVolumeClaim | undefined): string {
  const { accessModes = [], storageClassName = '', selector, volumeMode } = claim?.spec ?? {};
  const labels = selectorTexts(selector);
  return [
    requestedSize(claim) ?? 'no size',
    ...accessModes,
    ...(volumeMode === 'Block' ? ['a block device'] : []),
    ...(storageClassName === '' ? [] : [`class ${storageClassName}`]),
    ...(labels.length === 0 ? [] : [`selector ${labels.join(',')}`]),
  ].join(', ');
}

export interface NearVolume {
  readonly name: string;
  /** "has tier=archives instead of tier=archive" */
  readonly lacks: string;
  readonly quote: Quote;
  /** The command that gives it what it lacks, where one does. */
  readonly fix: readonly string[];
}

/** The free volume that lacks one thing only; of several that whose lack is mended most easily. */
export function nearVolume(
  claim: PersistentVolumeClaim | undefined,
  volumes: readonly PersistentVolume[] = [],
): NearVolume | undefined {
  if (claim === undefined) return undefined;
  const near = volumes.flatMap((volume) => {
    const [first, second] = isTaken(claim, volume) ? [] : misfits(claim, volume);
    if (first === undefined || second !== undefined) return [];
    return [{ ...first, name: volume.metadata?.name ?? '' }];
  });
  const [best] = near.toSorted((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1));
  if (best === undefined) return undefined;
  const { name, says: lacks, path, value, fix } = best;
  const quote: Quote = { source: 'field', of: `persistentvolume/${name}`, path, value };
  return { name, lacks, quote, fix: fix === undefined ? [] : [fix(name)] };
}

/** "no volume fits (5Gi, ReadWriteOnce), and no StorageClass makes one; volume pv-1 would fit, but has 2Gi only" */
export function noVolumeText(claim: PersistentVolumeClaim | undefined, near: NearVolume | undefined): string {
  const but = near === undefined ? '' : `; volume ${near.name} would fit, but ${near.lacks}`;
  return `no volume fits (${wishText(claim)}), and no StorageClass makes one${but}`;
}

/** "has 1Gi only, and …", of the volume that the claim names; undefined: it fits, as far as this can be seen. */
function lacksText(claim: PersistentVolumeClaim, volume: PersistentVolume): string | undefined {
  const found = isTaken(claim, volume)
    ? [`belongs to claim ${ownerText(volume)}`]
    : misfits(claim, volume).map(({ says }) => says);
  return found.length === 0 ? undefined : listed(found);
}

export interface NamedVolumeTrouble {
  /** "volume pv-1, which it names, has 1Gi only, and the claim asks for 5Gi" */
  readonly why: string;
  readonly quotes: readonly Quote[];
  /** The command that mends it, where one does. */
  readonly next: readonly string[];
}

/**
 * Why the volume that a claim names is not given to it; undefined: it names none, or that one fits as far as this can be seen. Such
 * a claim needs no StorageClass, even if it has the name of one.
 */
export function namedVolumeTrouble({ claim, volume, volumeMissing }: ClaimEvidence): NamedVolumeTrouble | undefined {
  const name = claim?.spec?.volumeName ?? '';
  if (claim === undefined || name === '' || claim.status?.phase !== 'Pending') return undefined;
  if (volumeMissing === true) {
    const quote: Quote = { source: 'object', object: `persistentvolume/${name}`, says: 'not found' };
    return { why: `there is no volume ${name}, which it names`, quotes: [quote], next: [] };
  }
  const lacks = volume === undefined ? undefined : lacksText(claim, volume);
  if (volume === undefined || lacks === undefined) return undefined;
  const asked = lacks.endsWith(' only') ? `, and the claim asks for ${requestedSize(claim) ?? ''}` : '';
  const found = isTaken(claim, volume) ? [] : misfits(claim, volume);
  const quotes = found.map(
    ({ path, value }): Quote => ({ source: 'field', of: `persistentvolume/${name}`, path, value }),
  );
  const [only, second] = found;
  const fix = second === undefined ? only?.fix : undefined;
  return {
    why: `volume ${name}, which it names, ${lacks}${asked}`,
    quotes: isTaken(claim, volume)
      ? [{ source: 'field', of: `persistentvolume/${name}`, path: 'spec.claimRef', value: ownerText(volume) }]
      : quotes,
    next: fix === undefined ? [] : [fix(name)],
  };
}

/** Whether volumes of the class exist that nobody has to make. */
export function hasVolumesOfClass(className: string, volumes: readonly PersistentVolume[] = []): boolean {
  return className !== '' && volumes.some(({ spec }) => spec?.storageClassName === className);
}

/** "there is no StorageClass standard; there is local"; undefined: there is, or that is not known, or volumes have it by themselves. */
export function missingClassText({ claim, otherClasses, volumes: all }: ClaimEvidence): string | undefined {
  const name = claim?.spec?.storageClassName ?? '';
  return otherClasses === undefined || name === '' || hasVolumesOfClass(name, all)
    ? undefined
    : noClassText(name, otherClasses);
}

interface Misfit {
  /** The smaller, the more easily mended. */
  readonly order: number;
  readonly says: string;
  readonly path: string;
  readonly value: string;
  /** @param name of the volume */
  readonly fix?: (name: string) => string;
}

/** Upstream: FindMatchingVolume. */
function misfits(claim: PersistentVolumeClaim, volume: PersistentVolume): readonly Misfit[] {
  return [
    ...labels(claim, volume),
    ...released(volume),
    ...size(claim, volume),
    ...modes(claim, volume),
    ...storageClass(claim, volume),
  ];
}

/** Another claim has it, or is to have it. One whose claim was deleted is only kept. */
function isTaken({ metadata }: PersistentVolumeClaim, { metadata: own, spec, status }: PersistentVolume): boolean {
  if (own?.deletionTimestamp) return true;
  const { namespace, name, uid } = spec?.claimRef ?? {};
  if (spec?.claimRef === undefined || status?.phase === 'Released') return false;
  return namespace !== metadata?.namespace || name !== metadata?.name || (uid !== undefined && uid !== metadata?.uid);
}

function ownerText({ spec }: PersistentVolume): string {
  return `${spec?.claimRef?.namespace ?? ''}/${spec?.claimRef?.name ?? ''}`;
}

function released(volume: PersistentVolume): readonly Misfit[] {
  if (volume.status?.phase !== 'Released') return [];
  const says = `is still kept for claim ${ownerText(volume)}, which was deleted`;
  const fix = (name: string): string =>
    `kubectl patch pv ${shellWord(name)} -p '{"spec":{"claimRef":null}}'  # it goes to the next claim that it fits, with the data on it`;
  return [{ order: 1, says, path: 'status.phase', value: 'Released', fix }];
}

function labels({ spec }: PersistentVolumeClaim, { metadata }: PersistentVolume): readonly Misfit[] {
  const wrong = requirementsOf(spec?.selector).filter((each) => !isMet(each, metadata?.labels));
  if (wrong.length === 0) return [];
  const says = listed(wrong.map((each) => wrongLabelText(each, metadata?.labels?.[each.key])));
  const value = JSON.stringify(metadata?.labels ?? {});
  const isPlain = wrong.every(({ operator, values = [] }) => operator === 'In' && values.length === 1);
  const fix = (name: string): string =>
    ['kubectl label pv', name, ...wrong.map((each) => requirementText(each)), '--overwrite'].join(' ');
  return [{ order: 0, says, path: 'metadata.labels', value, ...(isPlain && { fix }) }];
}

function isMet(requirement: Requirement, own: Readonly<Record<string, string>> | undefined): boolean {
  const { key, operator, values = [] } = requirement;
  try {
    const parsed = labelSelectorOf({ matchExpressions: [{ key, operator, values: [...values] }] });
    return parsed === undefined || matchesLabels(parsed, own);
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

function wrongLabelText(requirement: Requirement, own: string | undefined): string {
  const { key, operator, values = [] } = requirement;
  if (own === undefined) return `has no label ${key} (wanted: ${requirementText(requirement)})`;
  return operator === 'In' && values.length === 1
    ? `has ${key}=${own} instead of ${key}=${values[0]}`
    : `has ${key}=${own} (wanted: ${requirementText(requirement)})`;
}

function size(claim: PersistentVolumeClaim, { spec }: PersistentVolume): readonly Misfit[] {
  const [wanted, has] = [requestedSize(claim), spec?.capacity?.['storage']];
  if (wanted === undefined || has === undefined || compareQuantities(has, wanted) >= 0) return [];
  return [{ order: 2, says: `has ${has} only`, path: 'spec.capacity.storage', value: has }];
}

function modes({ spec }: PersistentVolumeClaim, volume: PersistentVolume): readonly Misfit[] {
  const own = volume.spec?.accessModes ?? [];
  const missing = (spec?.accessModes ?? []).filter((mode) => !own.includes(mode));
  const kinds = [spec, volume.spec].map((each) => each?.volumeMode ?? 'Filesystem');
  const kind = kinds[0] === kinds[1] ? [] : [{ says: `is a ${kinds[1]}, and the claim asks for a ${kinds[0]}` }];
  const access = missing.length === 0 ? [] : [{ says: `has ${listed(own)}, and not ${listed(missing)}` }];
  return [
    ...access.map((each) => ({ ...each, order: 3, path: 'spec.accessModes', value: JSON.stringify(own) })),
    ...kind.map((each) => ({ ...each, order: 4, path: 'spec.volumeMode', value: kinds[1] ?? '' })),
  ];
}

function storageClass({ spec }: PersistentVolumeClaim, volume: PersistentVolume): readonly Misfit[] {
  const [wanted, own] = [spec?.storageClassName ?? '', volume.spec?.storageClassName ?? ''];
  if (wanted === own) return [];
  const says =
    own === ''
      ? `has no class, and the claim asks for ${wanted}`
      : `is of class ${own}, and the claim of ${wanted === '' ? 'none' : wanted}`;
  return [{ order: 5, says, path: 'spec.storageClassName', value: own === '' ? 'not set' : own }];
}
