/** Admission and validation of one kind, as the verbs call them. */
import { type FieldError, invalid, schemaOf } from '../../api/index.ts';
import { admitPod } from '../admission/pods.ts';
import type { AdmissionSettings } from '../admission/settings.ts';
import { type ApiObject, isRecord, recordOf, textOf } from './object.ts';
import type { Registration } from './registration.ts';

/** The object as admission leaves it, at its creation or change. */
export function admit(
  registration: Registration,
  object: ApiObject,
  settings: AdmissionSettings,
  old?: ApiObject,
): ApiObject {
  const { group, resource } = registration.row;
  return group === '' && resource === 'pods' ? admitPod(object, settings, old) : object;
}

/**
 * Throws 422 when a new object holds too much, as it was sent: before copies of it are made, filled with defaults and admitted, which
 * takes a tenth of a second for fifteen thousand containers.
 */
export function refuseTooLargeNew({ row }: Registration, sent: unknown): void {
  if (!isRecord(sent)) return;
  const errors = schemaOf(row).checkSize(sent);
  if (errors.length > 0) throw invalid(row, textOf(recordOf(sent['metadata'])['name']), errors);
}

/** Throws 422 when a new object is not valid. */
export function refuseInvalidNew(registration: Registration, object: ApiObject): void {
  refuseInvalid(registration, object, schemaOf(registration.row).checkNew(object));
}

/** Throws 422 when the change is not valid. A binding checks itself: it changes fields that no other request may change. */
export function refuseInvalidChange(registration: Registration, object: ApiObject, old: ApiObject, part: string): void {
  if (part === 'binding') return;
  refuseInvalid(registration, object, schemaOf(registration.row).checkChanged(object, old, part));
}

/** Throws 422 with all that is wrong. */
export function refuseInvalid(registration: Registration, object: ApiObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid(registration.row, object.metadata.name ?? '', errors);
}
