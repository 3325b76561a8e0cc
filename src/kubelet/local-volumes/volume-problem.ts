/** Why a node does not do what it was asked to do with a volume: the status and the reason of the answer. */
import type { NodeVolumeRefusal } from '../../api/index.ts';

const STATUS: Readonly<Record<NodeVolumeRefusal, number>> = {
  BadRequest: 400,
  Conflict: 409,
  VolumeInUse: 409,
  VolumeLost: 410,
  NotEnoughSpace: 507,
  VolumesFolderAway: 503,
};

export class VolumeProblem extends Error {
  override readonly name = 'VolumeProblem';
  readonly reason: NodeVolumeRefusal;
  constructor(reason: NodeVolumeRefusal, message: string) {
    super(message);
    this.reason = reason;
  }

  /** Of the HTTP answer. */
  get status(): number {
    return STATUS[this.reason];
  }
}
