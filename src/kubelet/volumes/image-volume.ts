/** Image volumes: an image's files, mounted read-only by the runtime itself. */
import type { ImageVolumeSource, Pod } from '../../api/index.ts';
import type { ImageManager } from '../types.ts';
import { VolumeError } from './payload.ts';

export interface ImageVolumeOptions {
  readonly images: Pick<ImageManager, 'volumeImage'>;
  /** Why this node cannot mount images; `undefined`: it can, or the runtime will say. */
  readonly imageVolumeProblem: () => string | undefined;
}

/** The image could not be had: its containers wait with this reason. */
export class ImageVolumeError extends VolumeError {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(`${reason}: ${message}`);
    this.reason = reason;
  }
}

/** Returns the image's id. */
export async function setUpImage(options: ImageVolumeOptions, pod: Pod, source: ImageVolumeSource): Promise<string> {
  const problem = options.imageVolumeProblem();
  if (problem !== undefined) throw new VolumeError(problem);
  const fact = await options.images.volumeImage(pod, source);
  if (fact.state === 'present') return fact.imageId;
  if (fact.state === 'failed') throw new ImageVolumeError(fact.reason, fact.message);
  throw new VolumeError('its image is being pulled');
}

/** containerd has them since 2.1; an older one would take them for a host path without a name. Pure. */
export function imageVolumeProblem(
  runtime: { readonly runtimeName: string; readonly runtimeVersion: string } | undefined,
): string | undefined {
  if (runtime?.runtimeName !== 'containerd') return undefined;
  const [major = 0, minor = 0] = runtime.runtimeVersion.replace(/^v/, '').split('.').map(Number);
  if (major > 2 || (major === 2 && minor >= 1)) return undefined;
  return `image volumes need containerd 2.1 or newer; this node has ${runtime.runtimeVersion}`;
}
