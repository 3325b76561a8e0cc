/** POST pods/eviction: a delete that a disruption budget may refuse. Upstream: EvictionREST. */
import {
  badRequest,
  conflict,
  isConflict,
  isNotFound,
  notFound,
  type Pod,
  POD_DISRUPTION_BUDGETS,
  type PodDisruptionBudget,
  PODS,
  setCondition,
} from '../../api/index.ts';
import { encodeText, formatTime, type HttpResponse } from '../../lib/index.ts';
import { restrictNode } from '../admission/node-restriction.ts';
import { parseBody } from '../http/body.ts';
import { readDeleteOptions } from '../http/delete-options.ts';
import { jsonResponse, successStatus } from '../http/respond.ts';
import { MAX_WRITE_RETRIES } from '../limits.ts';
import { type ApiObject, isRecord, recordOf, textOf } from '../registry/object.ts';
import { keyOf } from '../registry/registration.ts';
import { refuseOtherNamespace } from '../registry/read-object.ts';
import { readWriteOptions } from '../http/write-options.ts';
import { type Call, keyOfCall, nameOfCall } from '../call.ts';
import { listCurrent } from '../registry/read-current.ts';
import { changeObject, type Removal, removeObject } from '../verbs/write.ts';
import {
  budgetsOf,
  isPast,
  mayGoUnready,
  needsNoBudget,
  stillProcessed,
  takeDisruption,
  tooManyBudgets,
} from './disruption-budget.ts';

/** Throws 404 without such a pod, 429 when its budget has nothing left, 500 when it has several. */
export async function evict(call: Call): Promise<HttpResponse> {
  const removal = readEviction(call);
  for (let attempt = 0; ; attempt += 1) {
    const pod = await readPod(call);
    // Before anything is taken from a budget.
    await restrictNode(call, { operation: 'delete', part: 'eviction', object: pod });
    const verdict = await judge(call, pod, removal);
    // The decision holds for the pod as it was then.
    const exact = verdict.holdsForVersion && removal.resourceVersion === undefined;
    const resourceVersion = exact ? pod.metadata.resourceVersion : removal.resourceVersion;
    try {
      await tellWhyAndRemove(call, { ...removal, resourceVersion });
      return jsonResponse(201, { ...successStatus({}), details: undefined });
    } catch (error) {
      if (!exact || !isConflict(error)) throw error;
      // Not the version alone is another, but the pod.
      if (removal.uid !== undefined && (await readPod(call)).metadata.uid !== removal.uid) throw error;
      if (verdict.budget !== undefined) throw stillProcessed(verdict.budget);
      if (attempt >= MAX_WRITE_RETRIES) throw error;
    }
  }
}

function readEviction(call: Call): Removal {
  const { value } = parseBody(call.request);
  if (!isRecord(value)) throw badRequest('the body of the request must be an Eviction');
  const given = textOf(recordOf(value['metadata'])['name']);
  if (given !== '' && given !== nameOfCall(call))
    throw badRequest('name in URL does not match name in Eviction object');
  refuseOtherNamespace(recordOf(value['metadata'])['namespace'], call.info.namespace);
  const options = encodeText(JSON.stringify(recordOf(value['deleteOptions'])));
  const removal = readDeleteOptions({ ...call.request, headers: {}, body: options }, new URLSearchParams());
  return { ...removal, dryRun: removal.dryRun || readWriteOptions(call.info.query, 'CreateOptions').dryRun };
}

async function readPod(call: Call): Promise<ApiObject> {
  const item = await call.storage.read(keyOfCall(call));
  if (item === undefined) throw notFound(PODS, nameOfCall(call));
  return item.object;
}

interface Verdict {
  /** It is no longer true once the pod changes. */
  readonly holdsForVersion: boolean;
  /** The budget that let it go as unready. */
  readonly budget?: string;
}

/** Takes a disruption from the pod's budget, if it needs one. Throws 403, 429, 500. */
async function judge(call: Call, object: ApiObject, removal: Removal): Promise<Verdict> {
  const pod = object as Pod;
  if (needsNoBudget(pod)) return { holdsForVersion: !isPast(pod) };
  // If the pod or its version changed, the deletion says so: no disruption is taken for it.
  const { uid, resourceVersion } = pod.metadata ?? {};
  const isOther = removal.resourceVersion !== undefined && removal.resourceVersion !== resourceVersion;
  if (isOther || (removal.uid !== undefined && removal.uid !== uid)) return { holdsForVersion: false };
  const budgets = await listBudgets(call);
  const [budget, another] = budgetsOf(pod, budgets);
  if (another !== undefined) throw tooManyBudgets();
  if (budget === undefined) return { holdsForVersion: false };
  const name = budget.metadata?.name ?? '';
  if (mayGoUnready(pod, budget)) return { holdsForVersion: true, budget: name };
  await decrement(call, name, removal.dryRun);
  return { holdsForVersion: false };
}

async function listBudgets(call: Call): Promise<readonly PodDisruptionBudget[]> {
  return listCurrent(call.server, call.server.registry.get(POD_DISRUPTION_BUDGETS), call.info.namespace);
}

/** Each attempt decides again on the budget in the store, so that two evictions never take the same disruption. */
async function decrement(call: Call, name: string, dryRun: boolean): Promise<void> {
  const registration = call.server.registry.get(POD_DISRUPTION_BUDGETS);
  const storage = call.server.storageOf(registration);
  const budgetCall: Call = { ...call, registration, storage, warnings: [] };
  const now = formatTime(call.server.ports.clock.now().wall);
  const change = (old: ApiObject): ApiObject => ({
    ...old,
    status: takeDisruption(old, nameOfCall(call), now),
  });
  try {
    await changeObject(budgetCall, keyOf(registration, call.info.namespace, name), { part: 'status', dryRun, change });
  } catch (error) {
    // Gone meanwhile: nothing is asked for any more.
    if (!isNotFound(error)) throw error;
  }
}

/** The following end is no failure of the pod (upstream: addConditionAndDeletePod). Throws 404, 409. */
async function tellWhyAndRemove(call: Call, removal: Removal): Promise<void> {
  const { uid, resourceVersion, dryRun } = removal;
  const now = formatTime(call.server.ports.clock.now().wall);
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastTransitionTime: now,
  };
  const changed = await changeObject(call, keyOfCall(call), {
    part: 'status',
    dryRun,
    change: (old) => {
      const pod = old as Pod;
      // The deletion says what is wrong with another pod of this name; one that has ended needs no reason.
      const isOver = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
      if (isOver || (uid !== undefined && uid !== pod.metadata?.uid)) return old;
      if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion)
        throw conflict(PODS, nameOfCall(call), staleText(resourceVersion, old));
      return { ...old, status: { ...pod.status, conditions: setCondition(pod.status?.conditions, condition, now) } };
    },
  });
  // The condition itself made a new version.
  const own = changed?.kind === 'changed' && !dryRun ? changed.item.object.metadata.resourceVersion : resourceVersion;
  const exact = resourceVersion === undefined ? undefined : own;
  await removeObject(call, keyOfCall(call), nameOfCall(call), { ...removal, resourceVersion: exact });
}

function staleText(resourceVersion: string, { metadata }: ApiObject): string {
  return `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
}
