/** POST pods/eviction: a delete that a disruption budget could refuse; until there are budgets, a delete. */
import { badRequest, type Pod, setCondition } from '../../api/index.ts';
import { encodeText, formatTime, type HttpResponse } from '../../lib/index.ts';
import { parseBody } from '../http/body.ts';
import { readDeleteOptions } from '../http/delete-options.ts';
import { jsonResponse, successStatus } from '../http/respond.ts';
import { isRecord, recordOf, textOf } from '../registry/object.ts';
import { type Call, isDryRun, keyOfCall, nameOfCall } from '../verbs/call.ts';
import { changeObject, type Removal, removeObject } from '../verbs/write.ts';

/** What follows is no failure of the pod (upstream: addConditionAndDeletePod). Throws 404, 409. */
async function tellWhy(call: Call, { uid, dryRun }: Removal): Promise<void> {
  const now = formatTime(call.server.clock.now().wall);
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    lastTransitionTime: now,
  };
  await changeObject(call, keyOfCall(call), {
    part: 'status',
    dryRun,
    change: (old) => {
      const pod = old as Pod;
      // The deletion says what is wrong with another pod of this name; one that has ended needs no reason.
      const isOver = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
      if (isOver || (uid !== undefined && uid !== pod.metadata?.uid)) return old;
      return { ...old, status: { ...pod.status, conditions: setCondition(pod.status?.conditions, condition, now) } };
    },
  });
}

export async function evict(call: Call): Promise<HttpResponse> {
  const { value } = parseBody(call.request);
  if (!isRecord(value)) throw badRequest('the body of the request must be an Eviction');
  const given = textOf(recordOf(value['metadata'])['name']);
  const name = nameOfCall(call);
  if (given !== '' && given !== name) throw badRequest('name in URL does not match name in Eviction object');
  const options = encodeText(JSON.stringify(recordOf(value['deleteOptions'])));
  const removal = readDeleteOptions({ ...call.request, headers: {}, body: options }, new URLSearchParams());
  const dryRun = removal.dryRun || isDryRun(call.info.query);
  await tellWhy(call, { ...removal, dryRun });
  await removeObject(call, keyOfCall(call), name, { ...removal, dryRun });
  return jsonResponse(201, { ...successStatus({}), details: undefined });
}
