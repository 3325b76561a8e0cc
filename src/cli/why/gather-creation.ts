/** Gathers what tells why pods of a workload are not made: its events, and what their refusals name. */
import {
  EVENTS,
  isControlledBy,
  LIMIT_RANGES,
  REPLICA_SETS,
  type ReplicaSet,
  RESOURCE_QUOTAS,
  SERVICE_ACCOUNTS,
} from '../../api/index.ts';
import {
  type Event,
  unmadeCause,
  wantsAccounts,
  wantsLimitRanges,
  wantsQuotas,
  type WorkloadEvidence,
  type WorkloadObject,
} from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { MAX_EVENTS, MAX_LISTED } from './limits.ts';

/** Objects whose events are read. */
const MAX_OBJECTS = 5;

export type Creation = Pick<WorkloadEvidence, 'events' | 'limitRanges' | 'quotas' | 'accounts'>;

/** @param sets the ReplicaSets through which a Deployment makes its pods */
export async function gatherCreation(
  asker: Asker,
  workload: WorkloadObject,
  sets: readonly ReplicaSet[],
): Promise<Creation> {
  const { namespace = 'default' } = workload.metadata ?? {};
  const events = await eventsOf(asker, [workload, ...sets.filter(({ spec }) => (spec?.replicas ?? 0) > 0)]);
  const query = { namespace, limit: MAX_LISTED };
  const [limitRanges, quotas, accounts] = await Promise.all([
    wantsLimitRanges(events) ? asker.list(`limitranges in namespace ${namespace}`, LIMIT_RANGES, query) : undefined,
    wantsQuotas(events) ? asker.listAll(`resourcequotas in namespace ${namespace}`, RESOURCE_QUOTAS, query) : undefined,
    wantsAccounts(events)
      ? asker.list('names of service accounts', SERVICE_ACCOUNTS, { ...query, metadataOnly: true })
      : undefined,
  ]);
  return {
    events,
    ...(limitRanges && { limitRanges }),
    ...(quotas && { quotas }),
    ...(accounts && { accounts: accounts.flatMap(({ metadata }) => metadata?.name ?? []) }),
  };
}

/** Why a workload has no pods at all, as its own finding says; undefined: it is not known, or they may still come. */
export async function causeOfUnmade(asker: Asker, workload: WorkloadObject): Promise<string | undefined> {
  const { namespace = 'default', name = '' } = workload.metadata ?? {};
  const all =
    workload.kind === 'Deployment'
      ? await asker.list(`replicasets of deployment/${name}`, REPLICA_SETS, { namespace, limit: MAX_LISTED })
      : [];
  const sets = all.filter((set) => isControlledBy(set, workload));
  const creation = await gatherCreation(asker, workload, sets);
  return unmadeCause({
    now: asker.now,
    workload,
    ...creation,
    pods: [],
    looked: [],
    notLookedAt: [],
    namespaceFlag: `-n ${namespace}`,
  });
}

async function eventsOf(asker: Asker, objects: readonly WorkloadObject[]): Promise<readonly Event[]> {
  const lists = await Promise.all(
    objects.slice(0, MAX_OBJECTS).map(({ kind = '', metadata }) =>
      asker.list(`events of ${kind.toLowerCase()}/${metadata?.name ?? ''}`, EVENTS, {
        namespace: metadata?.namespace,
        fieldSelector: `involvedObject.uid=${metadata?.uid ?? ''}`,
        limit: MAX_EVENTS,
      }),
    ),
  );
  return lists.flat();
}
