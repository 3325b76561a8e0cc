/** POST of a new object. */
import { badRequest } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { readBody } from '../http/body.ts';
import { negotiateObject } from '../http/negotiate.ts';
import { refuseTooLargeNew } from '../registry/kind-rules.ts';
import { placeObject, readObject } from '../registry/read-object.ts';
import { readWriteOptions } from '../http/write-options.ts';
import { type Call, managerOf } from '../call.ts';
import { createObject } from './write.ts';
import { answerObject } from './answer.ts';

export async function create(call: Call): Promise<HttpResponse> {
  const { info, registration, warnings } = call;
  const { row } = registration;
  const form = negotiateObject(call.request.headers['accept']);
  const { dryRun, fieldValidation } = readWriteOptions(info.query, 'CreateOptions');
  const body = await readBody(call.request, { breather: call.server.ports.breather, row });
  await call.server.ports.breather.pause('request');
  refuseTooLargeNew(registration, body.value);
  const given = readObject(body, { row, fieldValidation, warnings });
  if (given.metadata.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created');
  const object = placeObject(given, row, info.namespace, undefined);
  await call.server.ports.breather.pause('request');
  const item = await createObject(call, object, { dryRun, manager: managerOf(call) });
  return answerObject(call, form, 201, item);
}
