/** GET of one object. */
import { notFound } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { readNumber } from '../http/list-options.ts';
import { negotiateObject } from '../http/negotiate.ts';
import { type Call, keyOfCall, nameOfCall } from '../call.ts';
import { answerObject } from './answer.ts';

export async function get(call: Call): Promise<HttpResponse> {
  const form = negotiateObject(call.request.headers['accept']);
  await call.storage.fresh(readNumber(call.info.query, 'resourceVersion'));
  const item = call.storage.cache.get(keyOfCall(call));
  if (item === undefined) call.storage.refuseDamaged(keyOfCall(call));
  if (item === undefined) throw notFound(call.registration.row, nameOfCall(call));
  return answerObject(call, form, 200, item);
}
