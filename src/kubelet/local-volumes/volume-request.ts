/** Reads what a client asks of the node's volumes. Pure: every name is checked here before it becomes a path. */
import { checkDns1123Subdomain, type MakeVolumeRequest } from '../../api/index.ts';
import { MAX_VOLUME_NAME } from './limits.ts';
import { VolumeProblem } from './volume-problem.ts';

const HANDLE = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,126}[A-Za-z0-9])?$/;

/** Whether it names a volume; such a name begins with a letter or digit and has no slash, so it is safe as part of a path. */
export function isVolumeName(name: string): boolean {
  return name.length <= MAX_VOLUME_NAME && checkDns1123Subdomain(name).length === 0;
}

/** @throws VolumeProblem */
export function checkVolumeName(name: string): string {
  if (isVolumeName(name)) return name;
  throw new VolumeProblem('BadRequest', `invalid name of a volume: ${JSON.stringify(name.slice(0, MAX_VOLUME_NAME))}`);
}

export function isHandle(value: unknown): value is string {
  return typeof value === 'string' && HANDLE.test(value);
}

/** @throws VolumeProblem */
export function checkHandle(value: unknown): string {
  if (isHandle(value)) return value;
  throw new VolumeProblem('BadRequest', 'a volume needs its handle, the UID of the claim that it is made for');
}

export function isCapacity(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

/**
 * @param body as parsed from JSON
 * @throws VolumeProblem
 */
export function parseMakeRequest(body: unknown): MakeVolumeRequest {
  const { handle, capacityBytes } = (typeof body === 'object' && body !== null ? body : {}) as Partial<
    Record<keyof MakeVolumeRequest, unknown>
  >;
  if (!isCapacity(capacityBytes)) {
    throw new VolumeProblem('BadRequest', 'capacityBytes must be a whole number of bytes greater than zero');
  }
  return { handle: checkHandle(handle), capacityBytes };
}
