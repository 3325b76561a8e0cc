/**
 * Gets the image of each container start, by its pull policy, and tells of it in upstream's events and reasons
 * (pkg/kubelet/images/image_manager.go).
 *
 *   request ─► valid name? ─► present? ─► policy ─► in back-off? ─► pull ─► present
 *                  │             │          │            │           └► ErrImagePull, soon shown as ImagePullBackOff
 *          InvalidImageName  ImageInspectError  ErrImageNeverPull  ImagePullBackOff
 */
import type { Container, ImageVolumeSource, Pod } from '../../api/index.ts';
import type { Image, ImageService, RegistryAuth } from '../../cri/index.ts';
import { type Clock, errorMessage, type Logger, type Timer } from '../../lib/index.ts';
import type { ConfigSource } from '../env/config-source.ts';
import { formatDurationMs, quote } from '../go-format.ts';
import { DEFAULT_SETTINGS, type KubeletSettings } from '../settings.ts';
import type { ImageFact, ImageManager, MarkDirty, PodEvents, PodUID } from '../types.ts';
import { parseImageName, type ImageName, withDefaultTag } from './image-name.ts';
import { LOOK_AGAIN_MS, SHOW_PULL_ERROR_MS } from './limits.ts';
import { PullBackOff } from './pull-back-off.ts';
import { pullSecrets } from './pull-secrets.ts';
import { Puller } from './puller.ts';
import { matchingCredentials } from './registry-credentials.ts';

export interface ImageManagerOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly images: Pick<ImageService, 'status' | 'pull'>;
  readonly config: ConfigSource;
  readonly events: PodEvents;
  readonly markDirty: MarkDirty;
  /** Absent: the defaults. */
  readonly settings?: Pick<KubeletSettings, 'maxParallelImagePulls'>;
}

export function createImageManager(options: ImageManagerOptions): ImageManager {
  return new Manager(options);
}

/** One container's image, for one start of it. */
interface Entry {
  readonly pod: Pod;
  readonly container: Container;
  readonly attempt: number;
  fact: ImageFact;
  timer?: Timer;
}

class Manager implements ImageManager {
  readonly #options: ImageManagerOptions;
  readonly #puller: Puller;
  readonly #backOff = new PullBackOff();
  /** By pod UID, then container name. */
  readonly #entries = new Map<PodUID, Map<string, Entry>>();

  constructor(options: ImageManagerOptions) {
    this.#options = options;
    const { maxParallelImagePulls } = options.settings ?? DEFAULT_SETTINGS;
    this.#puller = new Puller(options.clock, options.images, maxParallelImagePulls);
  }

  request(pod: Pod, containerName: string, attempt: number): void {
    const container = findContainer(pod, containerName);
    if (container === undefined) return;
    const uid = pod.metadata?.uid ?? '';
    const entries = this.#entries.get(uid) ?? new Map<string, Entry>();
    const known = entries.get(containerName);
    if (known !== undefined && !this.#needsWork(known, container, attempt)) return;
    known?.timer?.cancel();
    const entry: Entry = { pod, container, attempt, fact: { state: 'pulling' } };
    this.#entries.set(uid, entries.set(containerName, entry));
    void this.#work(entry);
  }

  fact(uid: PodUID, containerName: string, attempt: number): ImageFact | undefined {
    const entry = this.#entries.get(uid)?.get(containerName);
    return entry?.attempt === attempt ? entry.fact : undefined;
  }

  async volumeImage(pod: Pod, { reference = '', pullPolicy }: ImageVolumeSource): Promise<ImageFact> {
    const container = { name: '', image: reference, ...(pullPolicy !== undefined && { imagePullPolicy: pullPolicy }) };
    try {
      return await this.#find({ pod, container, attempt: 0, fact: { state: 'pulling' } });
    } catch (error) {
      return this.#failed('ImageInspectError', errorMessage(error), LOOK_AGAIN_MS);
    }
  }

  afresh(uid: PodUID): void {
    const now = this.#options.clock.now().mono;
    this.#backOff.letThrough(uid);
    for (const entry of this.#entries.get(uid)?.values() ?? []) {
      const { fact } = entry;
      if (fact.state === 'failed' && fact.retryAt !== undefined) entry.fact = { ...fact, retryAt: now };
    }
  }

  forget(uid: PodUID): void {
    for (const entry of this.#entries.get(uid)?.values() ?? []) entry.timer?.cancel();
    this.#entries.delete(uid);
    this.#backOff.forgetPod(uid);
  }

  #needsWork(known: Entry, container: Container, attempt: number): boolean {
    if (known.attempt !== attempt || known.container.image !== container.image) return true;
    if (known.container.imagePullPolicy !== container.imagePullPolicy) return true;
    const { fact } = known;
    return fact.state === 'failed' && fact.retryAt !== undefined && fact.retryAt <= this.#options.clock.now().mono;
  }

  async #work(entry: Entry): Promise<void> {
    let fact: ImageFact;
    try {
      fact = await this.#find(entry);
    } catch (error) {
      this.#options.logger.error('getting an image failed unexpectedly', { image: entry.container.image, error });
      fact = this.#failed('ImageInspectError', errorMessage(error), LOOK_AGAIN_MS);
    }
    this.#show(entry, fact);
  }

  #show(entry: Entry, fact: ImageFact): void {
    const uid = entry.pod.metadata?.uid ?? '';
    if (this.#entries.get(uid)?.get(entry.container.name) !== entry) return;
    entry.fact = fact;
    if (fact.state === 'failed') this.#event(entry, 'Warning', 'Failed', `Error: ${fact.reason}`);
    if (fact.state === 'failed' && fact.reason === 'ErrImagePull') this.#showBackOffSoon(entry, fact);
    this.#options.markDirty(uid, 'image');
  }

  /** kubectl shows the error itself for a moment, then that the agent waits before it tries again. */
  #showBackOffSoon(entry: Entry, fact: ImageFact & { readonly state: 'failed' }): void {
    entry.timer = this.#options.clock.setTimer(SHOW_PULL_ERROR_MS, () => {
      const { retryAt } = fact;
      if (retryAt === undefined || retryAt <= this.#options.clock.now().mono) return;
      this.#show(entry, this.#inBackOff(entry, retryAt, fact.message));
    });
  }

  async #find(entry: Entry): Promise<ImageFact> {
    const image = entry.container.image ?? '';
    const name = parseImageName(image);
    if (name === undefined) {
      const message = `Failed to apply default image tag ${quote(image)}: couldn't parse image name ${quote(image)}: invalid reference format`;
      this.#event(entry, 'Warning', 'InspectFailed', message);
      return { state: 'failed', reason: 'InvalidImageName', message };
    }
    const wanted = withDefaultTag(image, name);
    let present: Image | undefined;
    try {
      present = await this.#options.images.status(wanted);
    } catch (error) {
      const message = `Failed to inspect image ${quote(image)}: ${errorMessage(error)}`;
      this.#event(entry, 'Warning', 'InspectFailed', message);
      return this.#failed('ImageInspectError', message, LOOK_AGAIN_MS);
    }
    return this.#byPolicy(entry, name, wanted, present);
  }

  async #byPolicy(entry: Entry, name: ImageName, wanted: string, present: Image | undefined): Promise<ImageFact> {
    const image = entry.container.image ?? '';
    const policy = entry.container.imagePullPolicy ?? defaultPolicy(name);
    if (present !== undefined && policy !== 'Always') {
      const message = `Container image ${quote(image)} already present on machine and can be accessed by the pod`;
      this.#event(entry, 'Normal', 'Pulled', message);
      return presentFact(present);
    }
    if (policy === 'Never') {
      const message = `Container image ${quote(image)} is not present with pull policy of Never`;
      this.#event(entry, 'Warning', 'ErrImageNeverPull', message);
      return this.#failed('ErrImageNeverPull', message, LOOK_AGAIN_MS);
    }
    const waiting = this.#backOff.waiting(backOffKey(entry), this.#options.clock.now().mono);
    if (waiting !== undefined) return this.#inBackOff(entry, waiting.until, waiting.message);
    return this.#pull(entry, name, wanted);
  }

  async #pull(entry: Entry, name: ImageName, wanted: string): Promise<ImageFact> {
    const { clock } = this.#options;
    const image = entry.container.image ?? '';
    const begun = clock.now().mono;
    try {
      const auths = await this.#credentials(entry, name);
      this.#event(entry, 'Normal', 'Pulling', `Pulling image ${quote(image)}`);
      const { image: pulled, pullMs } = await this.#puller.pull(wanted, auths);
      const took = `${formatDurationMs(pullMs)} (${formatDurationMs(clock.now().mono - begun)} including waiting)`;
      const message = `Successfully pulled image ${quote(image)} in ${took}. Image size: ${pulled.sizeBytes} bytes.`;
      this.#event(entry, 'Normal', 'Pulled', message);
      return presentFact(pulled);
    } catch (error) {
      const problem = errorMessage(error);
      this.#event(entry, 'Warning', 'Failed', `Failed to pull image ${quote(image)}: ${problem}`);
      const now = clock.now().mono;
      const retryAt = this.#backOff.failed(backOffKey(entry), now, problem);
      return { state: 'failed', reason: pullReason(problem), message: problem, retryAt };
    }
  }

  async #credentials(entry: Entry, name: ImageName): Promise<readonly RegistryAuth[]> {
    const { credentials, missing } = await pullSecrets(this.#options.config, entry.pod);
    if (missing.length > 0) {
      const message = `Unable to retrieve some image pull secrets (${missing.join(', ')}); attempting to pull the image may not succeed.`;
      this.#options.events.pod(entry.pod, 'Warning', 'FailedToRetrieveImagePullSecret', message);
    }
    return matchingCredentials(credentials, name);
  }

  #inBackOff(entry: Entry, until: number, problem: string): ImageFact {
    const summary = `Back-off pulling image ${quote(entry.container.image ?? '')}`;
    this.#event(entry, 'Normal', 'BackOff', summary);
    const message = `${summary}: ErrImagePull: ${problem}`;
    return { state: 'failed', reason: 'ImagePullBackOff', message, retryAt: until };
  }

  #failed(reason: string, message: string, delayMs: number): ImageFact {
    return { state: 'failed', reason, message, retryAt: this.#options.clock.now().mono + delayMs };
  }

  #event(entry: Entry, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#options.events.pod(entry.pod, type, reason, message, fieldPathOf(entry.pod, entry.container.name));
  }
}

function presentFact(image: Image): ImageFact {
  const { id, uid, username } = image;
  const user = { ...(uid !== undefined && { uid }), ...(username !== undefined && { username }) };
  return { state: 'present', imageId: id, ...(Object.keys(user).length > 0 && { user }) };
}

/** The API server's defaulting fills the policy in; a static pod may come without. */
function defaultPolicy(name: ImageName): string {
  return name.digest === undefined && (name.tag ?? 'latest') === 'latest' ? 'Always' : 'IfNotPresent';
}

/** CRI runtimes begin their text with these words (cri-api errors). */
function pullReason(problem: string): string {
  if (problem.includes('RegistryUnavailable')) return 'RegistryUnavailable';
  return problem.includes('SignatureValidationFailed') ? 'SignatureValidationFailed' : 'ErrImagePull';
}

function backOffKey(entry: Entry): string {
  return `${entry.pod.metadata?.uid ?? ''}_${entry.container.image ?? ''}`;
}

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

function findContainer(pod: Pod, name: string): Container | undefined {
  for (const list of LISTS) {
    const found = pod.spec?.[list]?.find((each) => each.name === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `undefined`: it is about no container, but about a volume. */
function fieldPathOf(pod: Pod, name: string): string | undefined {
  if (name === '') return undefined;
  const list = LISTS.find((each) => pod.spec?.[each]?.some((container) => container.name === name));
  return `spec.${list ?? 'containers'}{${name}}`;
}
