/** The query of a write, read and checked (upstream: CreateOptions, UpdateOptions, PatchOptions and their validation). */
import {
  type FieldError,
  type FieldValidation,
  forbiddenField,
  invalid,
  required,
  validateWriteOptions,
} from '../../api/index.ts';
import { isTrue } from './request-info.ts';

export type WriteOptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

export interface WriteOptions {
  /** Nothing may be stored (`dryRun=All`). */
  readonly dryRun: boolean;
  /** The treatment of unknown fields; the default is Warn (upstream since 1.27). */
  readonly fieldValidation: FieldValidation;
}

const NO_DRY_RUN: readonly string[] = [];
const DEFAULT_OPTIONS: WriteOptions = { dryRun: false, fieldValidation: 'Warn' };

/**
 * @param dryRunOfBody what a body says of dry runs, beside the query
 * @throws StatusError 422 that names every option which may not be so
 */
export function readWriteOptions(
  query: URLSearchParams,
  kind: WriteOptionsKind,
  dryRunOfBody: unknown = NO_DRY_RUN,
): WriteOptions {
  // Nearly all requests.
  if (query.size === 0 && dryRunOfBody === NO_DRY_RUN) return DEFAULT_OPTIONS;
  const dryRun = [...query.getAll('dryRun'), ...(Array.isArray(dryRunOfBody) ? dryRunOfBody.map(String) : [])];
  const fieldValidation = query.get('fieldValidation') ?? '';
  const errors = [
    ...validateWriteOptions({ fieldManager: query.get('fieldManager') ?? '', dryRun, fieldValidation }),
    ...(kind === 'PatchOptions' ? refuseForce(query) : []),
  ];
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors);
  return { dryRun: dryRun.length > 0, fieldValidation: (fieldValidation || 'Warn') as FieldValidation };
}

/** The options of an apply patch. */
export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Fields that other managers own are taken from them. */
  readonly force: boolean;
}

/** @throws StatusError 422 that names every option which may not be so, and a missing fieldManager */
export function readApplyOptions(query: URLSearchParams): ApplyOptions {
  const fieldManager = query.get('fieldManager') ?? '';
  const dryRun = query.getAll('dryRun');
  const fieldValidation = query.get('fieldValidation') ?? '';
  const errors = [
    ...(fieldManager === '' ? [required('fieldManager', 'is required for apply patch')] : []),
    ...validateWriteOptions({ fieldManager, dryRun, fieldValidation }),
  ];
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'PatchOptions' }, '', errors);
  return {
    dryRun: dryRun.length > 0,
    fieldValidation: (fieldValidation || 'Warn') as FieldValidation,
    fieldManager,
    force: isTrue(query.get('force')),
  };
}

/** Only an apply patch can have conflicts to overrule. */
function refuseForce(query: URLSearchParams): FieldError[] {
  return query.has('force') ? [forbiddenField('force', 'may not be specified for non-apply patch')] : [];
}
