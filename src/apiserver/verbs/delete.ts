/** DELETE of one object. */
import type { HttpResponse } from '../../lib/index.ts';
import { admitNamespaceDelete } from '../admission/namespaces.ts';
import { readDeleteOptions } from '../http/delete-options.ts';
import { negotiateObject } from '../http/negotiate.ts';
import { renderObject } from '../http/render.ts';
import { jsonResponse, successStatus } from '../http/respond.ts';
import { admitPriorityClassDelete } from '../registry/policies.ts';
import { aboutObject } from '../registry/storage.ts';
import { type Call, keyOfCall, nameOfCall, renderingOf } from '../call.ts';
import { removeDamaged } from './damaged.ts';
import { removeObject } from './write.ts';

/** A job's pods outlive it unless the request says otherwise, as in the first versions of its API. */
const PODS_STAY =
  'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning';

export async function remove(call: Call): Promise<HttpResponse> {
  const { registration, info } = call;
  const form = negotiateObject(call.request.headers['accept']);
  const removal = readDeleteOptions(call.request, info.query);
  if (registration.row.group === '' && registration.row.resource === 'namespaces')
    admitNamespaceDelete(nameOfCall(call));
  if (registration.row.resource === 'priorityclasses') admitPriorityClassDelete(nameOfCall(call));
  if (removal.ignoreStoreReadError === true) return removeDamaged(call, removal);
  if (registration.row.resource === 'jobs' && removal.propagation === undefined) call.warnings.push(PODS_STAY);
  const { item, gone } = await removeObject(call, keyOfCall(call), nameOfCall(call), removal);
  if (gone && registration.strategy.returnsDeleted !== true) {
    return jsonResponse(200, successStatus(aboutObject(registration.row, item.object)));
  }
  return renderObject(renderingOf(call, form), 200, item);
}
