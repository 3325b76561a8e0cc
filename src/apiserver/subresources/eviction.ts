/** POST pods/eviction: a delete that a disruption budget could refuse; until there are budgets, a delete. */
import { badRequest } from '../../api/index.ts';
import { encodeText, type HttpResponse } from '../../lib/index.ts';
import { parseBody } from '../http/body.ts';
import { readDeleteOptions } from '../http/delete-options.ts';
import { jsonResponse, successStatus } from '../http/respond.ts';
import { isRecord, recordOf, textOf } from '../registry/object.ts';
import { type Call, isDryRun, keyOfCall, nameOfCall } from '../verbs/call.ts';
import { removeObject } from '../verbs/write.ts';

export async function evict(call: Call): Promise<HttpResponse> {
  const { value } = parseBody(call.request);
  if (!isRecord(value)) throw badRequest('the body of the request must be an Eviction');
  const given = textOf(recordOf(value['metadata'])['name']);
  const name = nameOfCall(call);
  if (given !== '' && given !== name) throw badRequest('name in URL does not match name in Eviction object');
  const options = encodeText(JSON.stringify(recordOf(value['deleteOptions'])));
  const removal = readDeleteOptions({ ...call.request, headers: {}, body: options }, new URLSearchParams());
  const dryRun = removal.dryRun || isDryRun(call.info.query);
  await removeObject(call, keyOfCall(call), name, { ...removal, dryRun });
  return jsonResponse(201, { ...successStatus({}), details: undefined });
}
