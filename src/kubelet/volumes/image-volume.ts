/** Image volumes: an image's files, mounted read-only by the runtime itself. */
import type { ImageVolumeSource, Pod } from '../../api/index.ts';
import type { ImageManager } from '../types.ts';
import { VolumeError } from './payload.ts';

export interface ImageVolumeOptions {
  readonly images: Pick<ImageManager, 'volumeImage'>;
  /** Why this node cannot mount images; `undefined`: it can, or the runtime will say. */
  readonly imageVolumeProblem: (subPath: boolean) => string | undefined;
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
export async function setUpImage(
  options: ImageVolumeOptions,
  pod: Pod,
  name: string,
  source: ImageVolumeSource,
): Promise<string> {
  const problem = options.imageVolumeProblem(hasSubPath(pod, name));
  if (problem !== undefined) throw new VolumeError(problem);
  const fact = await options.images.volumeImage(pod, source);
  if (fact.state === 'present') return fact.imageId;
  if (fact.state === 'failed') throw new ImageVolumeError(fact.reason, fact.message);
  throw new VolumeError('its image is being pulled');
}

function hasSubPath({ spec }: Pod, volume: string): boolean {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])]
    .flatMap(({ volumeMounts }) => volumeMounts ?? [])
    .some((mount) => mount.name === volume && ((mount.subPath ?? '') !== '' || (mount.subPathExpr ?? '') !== ''));
}

/**
 * containerd has image volumes since 2.1, and a subPath in them since 2.2; an older one says nothing and mounts something
 * else. Pure.
 */
export function imageVolumeProblem(
  runtime: { readonly runtimeName: string; readonly runtimeVersion: string } | undefined,
  subPath: boolean,
): string | undefined {
  if (runtime?.runtimeName !== 'containerd') return undefined;
  const [major = 0, minor = 0] = runtime.runtimeVersion.replace(/^v/, '').split('.').map(Number);
  const since = subPath ? 2 : 1;
  if (major > 2 || (major === 2 && minor >= since)) return undefined;
  const what = subPath ? 'a subPath of an image volume needs' : 'image volumes need';
  return `${what} containerd 2.${since} or newer; this node has ${runtime.runtimeVersion}`;
}
