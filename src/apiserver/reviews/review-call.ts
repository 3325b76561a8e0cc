/** One question, and how its answer is written. */
import { type KubeObject, notAcceptable, type ResourceRow } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { parseBody } from '../http/body.ts';
import { negotiateObject } from '../http/negotiate.ts';
import { jsonResponse } from '../http/respond.ts';
import type { UserInfo } from '../ports.ts';
import { readObject } from '../registry/read-object.ts';
import { readWriteOptions } from '../http/write-options.ts';
import type { Asked } from '../call.ts';

/** The row of the question, and what was asked. Throws 400 for what cannot be read, 406 when only a table would do. */
// The caller names the kind of its row.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function readQuestion<T extends KubeObject>(call: Asked): { readonly row: ResourceRow; readonly asked: T } {
  const { info, request, warnings } = call;
  // An answer has no table, and no metadata worth having.
  if (negotiateObject(request.headers['accept']).as !== 'object')
    throw notAcceptable(['application/json', 'application/yaml']);
  const { row } = info;
  if (row === undefined) throw new Error(`no row for ${info.resource}`);
  // A dry run is the same: nothing is stored anyway.
  const { fieldValidation } = readWriteOptions(info.query, 'CreateOptions');
  return { row, asked: readObject(parseBody(request), { row, fieldValidation, warnings }) as unknown as T };
}

/** The question with its answer in `status`. */
export function answered(asked: KubeObject, status: object): HttpResponse {
  const { metadata = {} } = asked;
  return jsonResponse(201, { ...asked, metadata: { ...metadata, creationTimestamp: null }, status });
}

/** As the API writes a user. */
export function printUser({ name, uid, groups, extra }: UserInfo): object {
  return {
    username: name,
    ...(uid === undefined || uid === '' ? {} : { uid }),
    groups,
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
