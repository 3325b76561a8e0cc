/** PATCH: JSON patch, merge patch, strategic merge patch. A lost race without a resourceVersion of its own is decided again. */
import { notFound } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { negotiateObject } from '../http/negotiate.ts';
import { renderObject } from '../http/render.ts';
import { applyPatch, readPatch } from '../registry/apply-patch.ts';
import { placeObject, readObject } from '../registry/read-object.ts';
import { type Call, fieldValidationOf, isDryRun, keyOfCall, nameOfCall, renderingOf } from './call.ts';
import { type Change, changeObject } from './write.ts';

/** `part`: which part of the object the path names. */
export async function patch(call: Call, part: Change['part'] = ''): Promise<HttpResponse> {
  const { info, registration, warnings, request } = call;
  const { row } = registration;
  const form = negotiateObject(request.headers['accept']);
  const dryRun = isDryRun(info.query);
  const fieldValidation = fieldValidationOf(info.query);
  const given = readPatch(request);
  const changed = await changeObject(call, keyOfCall(call), {
    part,
    dryRun,
    change: (old) => {
      // Each attempt says anew what is wrong with its result.
      warnings.length = 0;
      const value = applyPatch(given, row, old);
      const object = readObject({ value, problems: given.problems }, { row, fieldValidation, warnings });
      return placeObject(object, row, info.namespace, info.name);
    },
  });
  if (changed === undefined) throw notFound(row, nameOfCall(call));
  return renderObject(renderingOf(call, form), 200, changed.item);
}
