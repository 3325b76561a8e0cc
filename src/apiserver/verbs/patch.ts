/** PATCH: JSON patch, merge patch, strategic merge patch. A lost race without a resourceVersion of its own is decided again. */
import { notFound } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { negotiateObject } from '../http/negotiate.ts';
import { applyPatch, isApplyPatch, isOfMetadata, namesOwners, readPatch } from '../registry/apply-patch.ts';
import { asClientsSeeIt, bare } from '../registry/owners.ts';
import { placeObject, readObject } from '../registry/read-object.ts';
import { readWriteOptions } from '../http/write-options.ts';
import { type Call, keyOfCall, nameOfCall, writerOf } from '../call.ts';
import { apply } from './apply.ts';
import { refuseOtherUid } from './refuse.ts';
import { type Change, changeObject } from './write.ts';
import { answerObject, isFailedConversion } from './answer.ts';

/** `part`: which part of the object the path names. */
export async function patch(call: Call, part: Change['part'] = ''): Promise<HttpResponse> {
  const { info, registration, warnings, request } = call;
  if (isApplyPatch(request)) return apply(call, part);
  const { breather } = call.server.ports;
  const { row } = registration;
  const form = negotiateObject(request.headers['accept']);
  const { dryRun, fieldValidation } = readWriteOptions(info.query, 'PatchOptions');
  const given = readPatch(request, row);
  await breather.pause('request');
  const changed = await changeObject(call, keyOfCall(call), {
    part,
    dryRun,
    owner: writerOf(call),
    isOfMetadata: isOfMetadata(given),
    change: async (old, { row }) => {
      // Each attempt reports the problems of its own result.
      warnings.length = 0;
      const value = await applyPatch(given, {
        row,
        old: namesOwners(given) ? asClientsSeeIt(old) : bare(old),
        breather,
      });
      await breather.pause('request');
      const object = readObject({ value, problems: given.problems }, { row, fieldValidation, warnings });
      refuseOtherUid(call, object, old);
      return placeObject(object, row, info.namespace, info.name);
    },
  });
  if (changed === undefined) throw notFound(row, nameOfCall(call));
  await breather.pause('request');
  return answerObject(call, form, 200, changed.item).catch((error: unknown) => {
    if (!isOfMetadata(given) || !isFailedConversion(call, error)) throw error;
    // The change is made: its metadata are what can be said of the object.
    warnings.push(error.message);
    return answerObject(call, { as: 'metadata', version: 'v1' }, 200, changed.item);
  });
}
