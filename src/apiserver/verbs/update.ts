/** PUT: replaces an object, or (for the kinds that allow it) creates it. */
import { badRequest } from '../../api/index.ts';
import type { HttpResponse } from '../../lib/index.ts';
import { readBody } from '../http/body.ts';
import { negotiateObject } from '../http/negotiate.ts';
import { omit } from '../registry/object.ts';
import { placeObject, readObject } from '../registry/read-object.ts';
import { readWriteOptions } from '../http/write-options.ts';
import { type Call, keyOfCall, managerOf, writerOf } from '../call.ts';
import { restoreDamaged } from './damaged.ts';
import { refuseCreation } from './refuse.ts';
import { type Change, changeObject, createObject } from './write.ts';
import { answerObject } from './answer.ts';

/** `part`: which part of the object the path names. */
export async function update(call: Call, part: Change['part'] = ''): Promise<HttpResponse> {
  const { info, registration, warnings } = call;
  const { row } = registration;
  const form = negotiateObject(call.request.headers['accept']);
  const { dryRun, fieldValidation } = readWriteOptions(info.query, 'UpdateOptions');
  const body = await readBody(call.request, { breather: call.server.ports.breather, row });
  await call.server.ports.breather.pause('request');
  const given = readObject(body, { row, fieldValidation, warnings });
  if (!given.metadata.name) throw badRequest('name is required');
  const object = placeObject(given, row, info.namespace, info.name);
  if (part === '') {
    const restored = await restoreDamaged(call, object, dryRun);
    if (restored !== undefined) return answerObject(call, form, 200, restored);
  }
  await call.server.ports.breather.pause('request');
  const changed = await changeObject(call, keyOfCall(call), {
    part,
    dryRun,
    owner: writerOf(call),
    change: () => object,
  });
  if (changed !== undefined) return answerObject(call, form, 200, changed.item);
  // The request was authorized as a change; creating is another right.
  refuseCreation(call);
  const metadata = omit(object.metadata, 'resourceVersion', 'uid');
  const item = await createObject(call, { ...object, metadata }, { dryRun, manager: managerOf(call) });
  return answerObject(call, form, 201, item);
}
