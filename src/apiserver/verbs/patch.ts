/** PATCH: JSON patch, merge patch, strategic merge patch. A lost race without a resourceVersion of its own is decided again. */
import { invalid, invalidValue, notFound } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { negotiateObject } from '../http/negotiate.ts';
import { renderObject } from '../http/render.ts';
import { applyPatch, readPatch } from '../registry/apply-patch.ts';
import type { ApiObject } from '../registry/object.ts';
import { placeObject, readObject } from '../registry/read-object.ts';
import { readWriteOptions } from '../http/write-options.ts';
import { type Call, keyOfCall, nameOfCall, renderingOf } from '../call.ts';
import { type Change, changeObject } from './write.ts';

/** `part`: which part of the object the path names. */
export async function patch(call: Call, part: Change['part'] = ''): Promise<HttpResponse> {
  const { info, registration, warnings, request } = call;
  const { breather } = call.server.ports;
  const { row } = registration;
  const form = negotiateObject(request.headers['accept']);
  const { dryRun, fieldValidation } = readWriteOptions(info.query, 'PatchOptions');
  const given = readPatch(request, row);
  await breather.pause('request');
  const changed = await changeObject(call, keyOfCall(call), {
    part,
    dryRun,
    change: async (old) => {
      // Each attempt reports the problems of its own result.
      warnings.length = 0;
      const value = await applyPatch(given, { row, old, breather });
      await breather.pause('request');
      const object = readObject({ value, problems: given.problems }, { row, fieldValidation, warnings });
      refuseOtherUid(call, object, old);
      return placeObject(object, row, info.namespace, info.name);
    },
  });
  if (changed === undefined) throw notFound(row, nameOfCall(call));
  await breather.pause('request');
  return renderObject(renderingOf(call, form), 200, changed.item);
}

/** A PUT's uid is a precondition (409); a patch that names another one wants to change it. */
function refuseOtherUid(call: Call, { metadata }: ApiObject, old: ApiObject): void {
  const { uid } = metadata;
  if (!uid || uid === old.metadata.uid) return;
  throw invalid(call.registration.row, nameOfCall(call), [invalidValue('metadata.uid', uid, 'field is immutable')]);
}
