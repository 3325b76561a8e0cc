/** Runs `volumes give-up` on an open cluster: says what it means, asks the server for it, and waits until the claim is another one. */
import {
  EVENTS,
  GIVE_UP_ANNOTATION,
  isNotFound,
  PERSISTENT_VOLUME_CLAIMS,
  type PersistentVolumeClaim,
} from '../../api/index.ts';
import { volumeTrouble } from '../../diagnosis/index.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { clusterTime } from '../restart/cluster-time.ts';
import { Asker } from '../why/ask.ts';
import { gatherClaimInUse } from '../why/gather-volumes.ts';
import { meaningOf, whyNot } from './give-up-text.ts';
import { LOOK_MS, MAX_EVENTS } from './limits.ts';

export interface GiveUpOptions {
  readonly claim: string;
  /** False: nothing is done. */
  readonly yes: boolean;
  readonly timeoutMs: number;
}

/** @throws StatusError when the claim does not exist, or may not be read or changed */
export async function runGiveUp(session: ClusterSession, options: GiveUpOptions): Promise<ExitCode> {
  const { clock, connection, namespace, out, err } = session;
  const name = options.claim;
  const asker = new Asker(session, (await clusterTime(connection, clock)) - clock.now().wall);
  const evidence = await gatherClaimInUse(asker, name, `-n ${namespace}`);
  const trouble = volumeTrouble(evidence.claim, evidence.now);
  const refusal = whyNot(evidence, trouble);
  if (refusal !== undefined) {
    err(`pvc/${name} keeps its volume: ${refusal}\n`);
    return exitCodes.failed;
  }
  out(`${meaningOf(evidence, trouble).join('\n')}\n`);
  if (!options.yes) {
    err(`nothing was done; to do it: mendlet volumes give-up ${name} -n ${namespace} --yes\n`);
    return exitCodes.failed;
  }
  const { claim } = evidence.claim;
  return claim === undefined ? exitCodes.failed : askFor(session, claim, options);
}

async function askFor(
  session: ClusterSession,
  claim: PersistentVolumeClaim,
  { claim: name, timeoutMs }: GiveUpOptions,
): Promise<ExitCode> {
  const { client, clock, namespace, signal, out, err } = session;
  const { uid } = claim.metadata ?? {};
  const metadata = { uid, annotations: { [GIVE_UP_ANNOTATION]: claim.spec?.volumeName } };
  await client.patch(PERSISTENT_VOLUME_CLAIMS, namespace, name, 'merge', { metadata }, undefined, signal);
  const end = clock.now().mono + timeoutMs;
  for (;;) {
    const now = await claimNow(session, name);
    if (now !== undefined && now.metadata?.uid !== uid) {
      out(`pvc/${name}: the volume was given up; the claim was made anew, and gets a volume with its next pod\n`);
      return exitCodes.done;
    }
    const isRefused = now !== undefined && !now.metadata?.deletionTimestamp && !isAsked(now);
    const why = isRefused ? await refusalOf(session, name, uid) : undefined;
    if (why !== undefined) {
      err(`pvc/${name} keeps its volume: ${why}\n`);
      return exitCodes.failed;
    }
    if (clock.now().mono >= end) {
      const seconds = timeoutMs / 1000;
      err(
        `pvc/${name}: not done within ${seconds}s. It goes on by itself if somebody carries it out: "mendlet up" or "mendlet server". See "kubectl describe pvc ${name} -n ${namespace}"\n`,
      );
      return exitCodes.failed;
    }
    await clock.sleep(LOOK_MS, signal);
  }
}

function isAsked({ metadata }: PersistentVolumeClaim): boolean {
  return metadata?.annotations?.[GIVE_UP_ANNOTATION] !== undefined;
}

/** Undefined: it is being made anew just now. */
async function claimNow(
  { client, namespace, signal }: ClusterSession,
  name: string,
): Promise<PersistentVolumeClaim | undefined> {
  try {
    return await client.get(PERSISTENT_VOLUME_CLAIMS, namespace, name, signal);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The server's word, which is an event of the claim. */
async function refusalOf(
  { client, namespace, signal }: ClusterSession,
  name: string,
  uid: string | undefined,
): Promise<string | undefined> {
  const fieldSelector = `involvedObject.name=${name},involvedObject.uid=${uid ?? ''}`;
  const { items } = await client.list(EVENTS, { namespace, fieldSelector, limit: MAX_EVENTS }, signal);
  const words = items.filter(({ reason }) => reason === 'GiveUpRefused' || reason === 'GiveUpWithdrawn');
  return words.at(-1)?.message;
}
