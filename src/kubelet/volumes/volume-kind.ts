/** What a kind of volume is: one row, with all that the rest of the house asks of it. */
import type { Pod, Volume } from '../../api/index.ts';
import type { Clock, FileSystem, Random } from '../../lib/index.ts';
import type { ClaimOptions } from './claimed-volume.ts';
import type { ImageVolumeOptions } from './image-volume.ts';
import type { Mounter } from './mounter.ts';
import type { ToldProblem } from './payload.ts';
import type { PayloadOptions } from './payload-source.ts';
import type { VolumePlugin } from './volume-paths.ts';

export interface VolumeSetupOptions {
  readonly fs: FileSystem;
  readonly mounter: Mounter;
  readonly clock: Clock;
  readonly random: Random;
  /** `DIR/agent`. */
  readonly rootDir: string;
  /** Where the content of files that mendlet writes comes from. */
  readonly content: PayloadOptions;
  readonly image: ImageVolumeOptions;
  readonly claims: Pick<ClaimOptions, 'client' | 'publications' | 'localVolumes' | 'events' | 'csi'>;
}

/**
 * `path`: on the host; empty: it is the image `image`. `problem`: it has what an earlier set-up wrote, and could not be brought up
 * to date.
 */
export interface SetUpVolume {
  readonly path: string;
  readonly problem?: string;
  /** Of the problem. */
  readonly told?: ToldProblem;
  readonly image?: string;
  /** The CSI driver that serves it. */
  readonly driver?: string;
  /** Its driver wants to be asked again after this. */
  readonly republishAfterMs?: number;
}

export interface VolumeToSetUp<S> {
  readonly pod: Pod;
  readonly volume: Volume;
  /** The field of the volume that names this kind. */
  readonly source: S;
  /** Its own folder below the pod's. The kinds without a `folder` have none, and must not use it. */
  readonly dir: string;
}

export interface VolumeToTearDown {
  readonly mounter: Mounter;
  /** As it was at its set-up. */
  readonly dir: string;
}

/** The fields of a pod's volume that name its kind. */
export type VolumeKindName = Exclude<keyof Volume, 'name'>;

export interface VolumeKind<N extends VolumeKindName = VolumeKindName> {
  readonly name: N;
  /** Upstream's name of the plugin without "kubernetes.io/": in metrics, and of the folder. */
  readonly plugin: string;
  /** The same, for kinds that have a folder of their own below the pod's. */
  readonly folder?: VolumePlugin;
  /** Whether its files are ours to write, also while the pod runs; containers only read them. */
  readonly isContent: boolean;
  /** Whether a set-up under way changes nothing of ours, so that nobody needs to wait for its end. */
  readonly isForeign?: boolean;
  /** Idempotent. Rejects with what upstream's FailedMount event quotes. */
  setUp(options: VolumeSetupOptions, wanted: VolumeToSetUp<NonNullable<Volume[N]>>): Promise<SetUpVolume>;
  /**
   * Undoes what unmounting and removing does not undo. Absent: that undoes all of it. It is asked with nothing but the disk known, by
   * any later agent; idempotent.
   */
  tearDown?(given: VolumeToTearDown): Promise<void>;
}
