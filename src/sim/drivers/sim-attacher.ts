/**
 * The attacher that a simulated driver brings: it attaches and detaches what VolumeAttachments ask for, by what is stored alone, so
 * that each step may be repeated. It can be down for a while.
 */
import { isDeleting, nameOf, VOLUME_ATTACHMENTS, type VolumeAttachment } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import type { Random } from '../../lib/index.ts';
import type { Store } from '../../store/index.ts';
import { People } from '../fleet/people.ts';
import { Stored } from '../fleet/stored.ts';
import type { Sim } from '../sim.ts';
import type { StorageLaws } from './storage-laws.ts';

const LOOK_EVERY_MS = 1000;
const FINALIZER = 'sim/attacher';

/** The handle of the volumes of all simulated drivers. */
export function handleOf(volume: string): string {
  return `handle of ${volume}`;
}

export interface AttacherGround {
  readonly sim: Sim;
  readonly laws: StorageLaws;
  readonly store: Store;
  readonly client: KubeClient;
}

export class SimAttacher {
  isDown = false;
  readonly #ground: AttacherGround;
  readonly #driver: string;
  readonly #random: Random;
  readonly #people: People;
  readonly #attachments: Stored<VolumeAttachment>;
  /** Names of attachments with a request under way. */
  readonly #busy = new Set<string>();

  constructor(ground: AttacherGround, driver: string) {
    const { sim, store } = ground;
    this.#ground = ground;
    this.#driver = driver;
    this.#random = sim.random.split(`attacher ${driver}`);
    this.#people = new People(ground, this.#random);
    this.#attachments = new Stored(sim, store, '/registry/volumeattachments/');
  }

  start(): void {
    this.#ground.sim.after(LOOK_EVERY_MS * (0.5 + this.#random.next()), `attacher of ${this.#driver}`, () => {
      if (!this.isDown) for (const each of this.#attachments.list()) this.#care(each);
      this.start();
    });
  }

  #care(attachment: VolumeAttachment): void {
    const { spec, status, metadata } = attachment;
    if (spec.attacher !== this.#driver || this.#busy.has(nameOf(attachment))) return;
    const handle = handleOf(spec.source.persistentVolumeName ?? '');
    const isOurs = metadata?.finalizers?.includes(FINALIZER) === true;
    const { sim, laws } = this.#ground;
    try {
      if (isDeleting(attachment)) {
        if (!isOurs) return;
        laws.detaches(handle, spec.nodeName);
        this.#patch(attachment, { metadata: { finalizers: null } });
        return;
      }
      if (!isOurs) {
        this.#patch(attachment, { metadata: { finalizers: [FINALIZER] } });
        return;
      }
      if (status?.attached === true) return;
      laws.attaches(handle, spec.nodeName);
      this.#patch(attachment, { status: { attached: true } }, 'status');
    } catch (error) {
      sim.fail(error);
    }
  }

  #patch(attachment: VolumeAttachment, patch: object, subresource?: 'status'): void {
    const name = nameOf(attachment);
    this.#busy.add(name);
    this.#people.do(async () => {
      try {
        await this.#ground.client.patch(VOLUME_ATTACHMENTS, undefined, name, 'merge', patch, subresource);
      } finally {
        this.#busy.delete(name);
      }
    });
  }
}
