/**
 * Shows on each claim when its volume cannot be had: its node is lost, its folder is, or its disk fails. The condition of the claim
 * follows that of the node at once. Keys are claims.
 */
import {
  findCondition,
  isDeleting,
  isLocalVolume,
  isVolumeOnNode,
  nameOf,
  namespacedName,
  namespaceOf,
  NODES,
  type Node,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  uidOf,
  VOLUME_PROBLEM,
} from '../../api/index.ts';
import { referenceTo } from '../../client/index.ts';
import { formatTime } from '../../lib/index.ts';
import { type Controller, source } from '../controller.ts';
import { claimProblem, saysOtherwise } from './claim-problem.ts';
import type { GiveUpOptions } from './give-up-controller.ts';
import { isOtherNews } from './plan-give-up.ts';

/** Those of lost nodes are told by the controller that gives volumes up. */
const TOLD_ELSEWHERE: ReadonlySet<string | undefined> = new Set(['NodeLost', 'NodeGone']);

export function claimProblemController({ informers, events, clock }: Omit<GiveUpOptions, 'givenUp'>): Controller {
  const claims = informers.lister(PERSISTENT_VOLUME_CLAIMS);
  const volumes = informers.lister(PERSISTENT_VOLUMES);
  const nodes = informers.lister(NODES);
  const claimsOn = (node: Node): readonly string[] =>
    volumes
      .list()
      .filter((volume) => isLocalVolume(volume) && isVolumeOnNode(volume, node))
      .flatMap(({ spec }) => (spec?.claimRef ? [`${spec.claimRef.namespace}/${spec.claimRef.name}`] : []));
  return {
    name: 'local-volume-problem',
    sources: [
      source(PERSISTENT_VOLUME_CLAIMS, ({ object }) => (object.spec?.volumeName ? [namespacedName(object)] : [])),
      source(PERSISTENT_VOLUMES, () => []),
      source(NODES, (change) => {
        const before = change.type === 'apply' ? change.previous : undefined;
        return before === undefined || isOtherNews(before, change.object) ? claimsOn(change.object) : [];
      }),
    ],
    reconcile: async (key, context) => {
      const claim = claims.getByKey(key);
      if (claim === undefined || isDeleting(claim)) return;
      const volume = volumes.get(undefined, claim.spec?.volumeName ?? '');
      if (volume === undefined || !isLocalVolume(volume) || volume.spec?.claimRef?.uid !== uidOf(claim)) return;
      const node = nodes.list().find((each) => isVolumeOnNode(volume, each));
      const problem = claimProblem(claim, volume, node);
      if (problem === undefined || !saysOtherwise(claim, problem)) return;
      const before = findCondition(claim.status?.conditions, VOLUME_PROBLEM);
      const isChange = before?.status !== problem.status;
      const now = formatTime(clock.now().wall);
      const condition = { ...problem, lastTransitionTime: isChange ? now : (before?.lastTransitionTime ?? now) };
      await context.write({
        verb: 'patch',
        resource: PERSISTENT_VOLUME_CLAIMS,
        namespace: namespaceOf(claim),
        name: nameOf(claim),
        type: 'strategic',
        patch: { metadata: { uid: uidOf(claim) }, status: { conditions: [condition] } },
        subresource: 'status',
      });
      const reason = problem.status === 'True' ? problem.reason : before?.reason;
      if (TOLD_ELSEWHERE.has(reason)) return;
      const type = problem.status === 'True' ? 'Warning' : 'Normal';
      for (const object of [claim, volume])
        events.event(referenceTo(object), type, problem.reason ?? '', problem.message ?? '');
    },
  };
}
