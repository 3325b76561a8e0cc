/** DELETE of one object. */
import type { HttpResponse } from '../../lib/index.ts';
import { readDeleteOptions } from '../http/delete-options.ts';
import { negotiateObject } from '../http/negotiate.ts';
import { jsonResponse, successStatus } from '../http/respond.ts';
import { aboutObject } from '../registry/storage.ts';
import { type Call, keyOfCall, nameOfCall } from '../call.ts';
import { answerObject, isFailedConversion } from './answer.ts';
import { removeDamaged } from './damaged.ts';
import { removeObject } from './write.ts';

export async function remove(call: Call): Promise<HttpResponse> {
  const { registration, info } = call;
  const form = negotiateObject(call.request.headers['accept']);
  const removal = readDeleteOptions(call.request, info.query);
  const { strategy } = registration;
  strategy.refuseDelete?.(nameOfCall(call));
  if (removal.ignoreStoreReadError === true) return removeDamaged(call, removal);
  if (strategy.deleteWarning !== undefined && removal.propagation === undefined)
    call.warnings.push(strategy.deleteWarning);
  const { item, gone } = await removeObject(call, keyOfCall(call), nameOfCall(call), removal);
  if (gone && strategy.returnsDeleted !== true) {
    return jsonResponse(200, successStatus(aboutObject(registration.row, item.object)));
  }
  return answerObject(call, form, 200, item).catch((error: unknown) => {
    if (!isFailedConversion(call, error)) throw error;
    // It is deleted, or is being: what it was cannot be said.
    call.warnings.push(error.message);
    return jsonResponse(200, successStatus(aboutObject(registration.row, item.object)));
  });
}
