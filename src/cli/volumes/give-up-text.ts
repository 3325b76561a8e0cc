/** What giving a volume up means, in words. Pure. */
import { findCondition, isLocalVolume } from '../../api/index.ts';
import type { ClaimInUse, VolumeTrouble } from '../../diagnosis/index.ts';

/** Why it is refused before the server is asked; undefined: as far as we may look, nothing speaks against it. */
export function whyNot(evidence: ClaimInUse, trouble: VolumeTrouble | undefined): string | undefined {
  const { claim, volume, volumeMissing, home, name } = evidence.claim;
  const deletion = `kubectl delete pvc ${name} -n ${evidence.namespace}`;
  if ((claim?.spec?.volumeName ?? '') === '') return 'it has none';
  if (claim?.metadata?.deletionTimestamp) return 'the claim is being deleted';
  if (volumeMissing === true)
    return `the volume does not exist any more. To make the claim anew, delete it: ${deletion}`;
  if (volume !== undefined && !isLocalVolume(volume)) return 'the volume is not a folder that mendlet made on a node';
  const isHeard = findCondition(home?.node?.status?.conditions, 'Ready') !== undefined;
  if (trouble !== undefined || !isHeard) return undefined;
  const users = evidence.pods.filter(({ spec }) => spec?.nodeName).map(({ metadata }) => metadata?.name ?? '');
  const used = users.length === 0 ? '' : `, and ${users.join(', ')} ${users.length === 1 ? 'uses' : 'use'} it`;
  return `node ${home?.name} is heard and has the data${used}. To begin with an empty volume all the same, delete the claim: ${deletion}`;
}

/** Lines without line ends. */
export function meaningOf(
  { claim: { name, claim, volume }, namespace, pods }: ClaimInUse,
  trouble: VolumeTrouble | undefined,
): readonly string[] {
  const node = trouble?.node ?? 'its node';
  const path = volume?.spec?.local?.path;
  const here = pods.filter(({ spec }) => spec?.nodeName);
  const isRetained = volume?.spec?.persistentVolumeReclaimPolicy === 'Retain';
  const state = trouble === undefined ? '' : `: node ${node} ${trouble.what}`;
  const data =
    trouble?.kind === 'folder-lost'
      ? 'what was in it is lost already'
      : `its data stays on the disk of ${node}${path === undefined ? '' : ` (${path})`}, and no pod gets it by itself any more`;
  const isSilent = trouble?.kind === 'node-lost';
  const cutOff = isSilent
    ? '; if the node still runs and is only cut off, they go on there until it is heard again'
    : '';
  return [
    `pvc/${name} (${namespace}) has volume ${claim?.spec?.volumeName ?? ''}${state}`,
    'to give it up means:',
    `  - ${data}${isRetained ? '; the volume is kept, Released, because its reclaim policy is Retain' : ''}`,
    ...(here.length === 0
      ? []
      : [`  - deleted from ${node}: ${here.map(({ metadata }) => metadata?.name ?? '').join(', ')}${cutOff}`]),
    '  - the claim is made anew, and gets a new, empty volume',
  ];
}
