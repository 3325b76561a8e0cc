/** What keeps the volume of a claim from its pods, as a condition of the claim. Pure. */
import {
  findCondition,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimCondition,
  VOLUME_DISK_PROBLEM,
  VOLUME_PROBLEM,
} from '../../api/index.ts';
import { isFolderLost, nodeNameOf, whereabouts } from './plan-give-up.ts';

type Problem = Pick<PersistentVolumeClaimCondition, 'type' | 'status' | 'reason' | 'message'>;

/**
 * Its condition; undefined: it needs none, because nothing is wrong and nothing was.
 * @param node undefined: there is none with the volume's host name
 */
export function claimProblem(
  { status }: PersistentVolumeClaim,
  volume: PersistentVolume,
  node: Node | undefined,
): Problem | undefined {
  const problem = problemOf(volume, node);
  if (problem !== undefined) return { type: VOLUME_PROBLEM, status: 'True', ...problem };
  if (findCondition(status?.conditions, VOLUME_PROBLEM) === undefined) return undefined;
  return {
    type: VOLUME_PROBLEM,
    status: 'False',
    reason: 'VolumeWorks',
    message: 'the volume is there, and its disk works',
  };
}

function problemOf(volume: PersistentVolume, node: Node | undefined): Pick<Problem, 'reason' | 'message'> | undefined {
  const host = nodeNameOf(volume, node);
  switch (whereabouts(volume, node)) {
    case 'heard':
      return undefined;
    case 'silent':
      return { reason: 'NodeLost', message: `node "${host}", which has the volume on its disk, is not heard of` };
    case 'gone':
      return {
        reason: 'NodeGone',
        message: `node "${host}", which has the volume on its disk, does not exist any more`,
      };
    case 'damaged': {
      if (isFolderLost(volume, node))
        return { reason: 'VolumeLost', message: `the folder of the volume is not on node "${host}" any more` };
      const { reason = VOLUME_DISK_PROBLEM, message = '' } =
        findCondition(node?.status?.conditions, VOLUME_DISK_PROBLEM) ?? {};
      return { reason, message: `node "${host}": ${message}` };
    }
  }
}

/** Whether the claim says something else already, or nothing. */
export function saysOtherwise({ status }: PersistentVolumeClaim, problem: Problem): boolean {
  const before = findCondition(status?.conditions, VOLUME_PROBLEM);
  return before?.status !== problem.status || before.reason !== problem.reason || before.message !== problem.message;
}
