/** The columns of volumes, claims and classes (upstream: printPersistentVolume and its siblings). */
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { ageColumn, column, nameColumn, since, type TableKind } from './table.ts';

/** How access modes are abbreviated; also their order. */
const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
/** The class before there was a field for it. */
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const DEFAULT_CLASS_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

const accessModes = column('Access Modes', { description: 'How many may use it at once, and to do what.' });
const storageClass = column('StorageClass', { description: 'The class that it belongs to.' });
const attributesClass = column('VolumeAttributesClass', { description: 'The class of its attributes.' });
const volumeMode = column('VolumeMode', { wide: true, description: 'Files or a raw device.' });

export const persistentVolumeTable: TableKind = {
  columns: [
    nameColumn,
    column('Capacity', { description: 'How much it holds.' }),
    accessModes,
    column('Reclaim Policy', { description: 'What becomes of it when its claim is gone.' }),
    column('Status', { description: 'Whether it is bound.' }),
    column('Claim', { description: 'The claim that has it.' }),
    storageClass,
    attributesClass,
    column('Reason', { description: 'Why it is in its status.' }),
    ageColumn,
    volumeMode,
  ],
  cells: (object, now) => {
    const { spec, status } = object as PersistentVolume;
    const claim = spec?.claimRef;
    return [
      object.metadata.name ?? '',
      spec?.capacity?.['storage'] ?? '',
      modesText(spec?.accessModes),
      spec?.persistentVolumeReclaimPolicy ?? '',
      phaseText(object, status?.phase),
      claim === undefined ? '' : `${claim.namespace ?? ''}/${claim.name ?? ''}`,
      object.metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? '',
      spec?.volumeAttributesClassName ?? '<unset>',
      status?.reason ?? '',
      since(object.metadata.creationTimestamp, now),
      spec?.volumeMode ?? '<unset>',
    ];
  },
};

export const persistentVolumeClaimTable: TableKind = {
  columns: [
    nameColumn,
    column('Status', { description: 'Whether it is bound.' }),
    column('Volume', { description: 'The volume that it has.' }),
    column('Capacity', { description: 'How much that holds.' }),
    accessModes,
    storageClass,
    attributesClass,
    ageColumn,
    volumeMode,
  ],
  cells: (object, now) => {
    const { spec, status } = object as PersistentVolumeClaim;
    const bound = (spec?.volumeName ?? '') !== '';
    return [
      object.metadata.name ?? '',
      phaseText(object, status?.phase),
      spec?.volumeName ?? '',
      bound ? (status?.capacity?.['storage'] ?? '0') : '',
      bound ? modesText(status?.accessModes) : '',
      object.metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? '',
      spec?.volumeAttributesClassName ?? '<unset>',
      since(object.metadata.creationTimestamp, now),
      spec?.volumeMode ?? '<unset>',
    ];
  },
};

export const storageClassTable: TableKind = {
  columns: [
    nameColumn,
    column('Provisioner', { description: 'Who makes its volumes.' }),
    column('ReclaimPolicy', { description: 'What becomes of them when their claims are gone.' }),
    column('VolumeBindingMode', { description: 'When claims are bound.' }),
    column('AllowVolumeExpansion', { type: 'boolean', description: 'Whether they may grow.' }),
    ageColumn,
  ],
  cells: (object, now) => {
    const given = object as unknown as StorageClass;
    const isDefault = DEFAULT_CLASS_ANNOTATIONS.some((name) => object.metadata.annotations?.[name] === 'true');
    return [
      `${object.metadata.name ?? ''}${isDefault ? ' (default)' : ''}`,
      given.provisioner,
      given.reclaimPolicy ?? 'Delete',
      given.volumeBindingMode ?? '<unset>',
      given.allowVolumeExpansion ?? false,
      since(object.metadata.creationTimestamp, now),
    ];
  },
};

function modesText(modes: readonly string[] | undefined): string {
  return Object.entries(MODES)
    .flatMap(([mode, short]) => (modes?.includes(mode) === true ? [short] : []))
    .join(',');
}

function phaseText(object: ApiObject, phase = ''): string {
  return object.metadata.deletionTimestamp === undefined ? phase : 'Terminating';
}
