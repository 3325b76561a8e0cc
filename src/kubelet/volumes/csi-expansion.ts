/** The expansion of a claim's volume by its node: what the claim and the pod are told of it. */
import {
  nameOf,
  PERSISTENT_VOLUME_CLAIMS,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
} from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import { CsiError } from '../../csi/index.ts';
import { type Clock, errorMessage, formatTime } from '../../lib/index.ts';
import { CsiVolumeError, type Published } from '../csi/csi-volumes.ts';
import {
  type ClaimPatch,
  failedPatch,
  finishedPatch,
  type Growth,
  growthOf,
  inProgressPatch,
  isFinal,
} from '../csi/expansion.ts';
import type { NotedSize } from '../csi/volume-note.ts';
import type { VolumeEvents } from '../types.ts';
import { VolumeError } from './payload.ts';

export interface ExpansionPorts {
  readonly client: KubeClient;
  readonly clock: Pick<Clock, 'now'>;
  readonly nodeName: string;
  readonly events: Pick<VolumeEvents, 'pod' | 'claim'>;
}

export interface Expandable {
  readonly pod: Pod;
  readonly volume: PersistentVolume;
  readonly claim: PersistentVolumeClaim;
}

export class CsiExpansion {
  readonly size: Growth['size'];
  readonly #ports: ExpansionPorts;
  readonly #of: Expandable;
  readonly #tells: Growth['tells'];
  #claim: PersistentVolumeClaim;

  private constructor(ports: ExpansionPorts, of: Expandable, { size, tells }: Growth) {
    this.#ports = ports;
    this.#of = of;
    this.#claim = of.claim;
    this.size = size;
    this.#tells = tells;
  }

  /** `undefined`: the node must not expand the volume. */
  static of(ports: ExpansionPorts, of: Expandable): CsiExpansion | undefined {
    const growth = growthOf(of.claim, of.volume);
    return growth && new CsiExpansion(ports, of, growth);
  }

  /** Before the driver is asked. */
  async begin(): Promise<void> {
    if (this.#tells === 'state') await this.#write(inProgressPatch(this.#claim));
  }

  /** The pod has the volume. @param noted the size that the volume is known to have on this node */
  async settle({ isExpanded, refusal }: Published, noted: NotedSize | undefined): Promise<void> {
    const { events, nodeName } = this.#ports;
    const { pod, volume, claim } = this.#of;
    const whose = `for volume "${nameOf(volume)}"`;
    if (refusal !== undefined)
      events.pod(
        pod,
        'Warning',
        'VolumeResizeFailed',
        `NodeExpandVolume.NodeExpandVolume failed ${whose} : ${refusal}`,
      );
    if (isExpanded) {
      const message = `MountVolume.NodeExpandVolume succeeded ${whose} ${nodeName}`;
      events.pod(pod, 'Normal', 'FileSystemResizeSuccessful', message);
      events.claim(claim, 'Normal', 'FileSystemResizeSuccessful', message);
    }
    // An agent that was killed before it told the claim tells it now.
    const hasSize = noted?.step === 'expanded' && noted.bytes >= this.size.bytes;
    if (hasSize && this.#tells !== 'nothing') await this.#finish();
  }

  async #finish(): Promise<void> {
    try {
      await this.#write(finishedPatch(this.#claim, this.#of.volume));
    } catch (error) {
      throw new VolumeError(`the volume has its size, and the claim cannot be told: ${errorMessage(error)}`, {
        operation: 'NodeExpandVolume.NodeExpandVolume',
        eventReason: 'VolumeResizeFailed',
      });
    }
  }

  /** The set-up has failed. @returns what is to be said beside, if the claim cannot be told */
  async failed(error: unknown): Promise<string | undefined> {
    const code = errorCode(error);
    if (code === undefined || !isFinal(code) || this.#tells !== 'state') return undefined;
    const { clock } = this.#ports;
    try {
      await this.#write(failedPatch(this.#claim, code, errorMessage(error), formatTime(clock.now().wall)));
      return undefined;
    } catch (thrown) {
      return `the claim cannot be told: ${errorMessage(thrown)}`;
    }
  }

  async #write(patch: ClaimPatch | undefined): Promise<void> {
    if (patch === undefined) return;
    const { namespace = '' } = this.#claim.metadata ?? {};
    this.#claim = await this.#ports.client.patch(
      PERSISTENT_VOLUME_CLAIMS,
      namespace,
      nameOf(this.#claim),
      'merge',
      patch,
      'status',
    );
  }
}

/** gRPC's code of an expansion that failed; undefined: something else did. */
function errorCode(error: unknown): string | undefined {
  if (!(error instanceof CsiVolumeError) || error.call !== 'expand') return undefined;
  return error.cause instanceof CsiError ? error.cause.code : undefined;
}
