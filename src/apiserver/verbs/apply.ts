/** PATCH of a configuration: an apply on the server (upstream: applyPatcher). It creates what does not exist yet. */
import { badRequest, hasReason, notFound } from '../../api/index.ts';
import { formatTime, type HttpResponse } from '../../lib/index.ts';
import { type ParsedBody, readBody } from '../http/body.ts';
import { negotiateObject } from '../http/negotiate.ts';
import { type ApplyOptions, readApplyOptions, type WriteOptions } from '../http/write-options.ts';
import { inSteps } from '../http/in-steps.ts';
import { MAX_WRITE_RETRIES } from '../limits.ts';
import { appliedObjectSteps, type Config, readConfig } from '../registry/apply-config.ts';
import { refuseTooLargeNew } from '../registry/kind-rules.ts';
import { type ApiObject, omit, recordOf, textOf } from '../registry/object.ts';
import { groundOf } from '../registry/owners.ts';
import { placeObject, readObject } from '../registry/read-object.ts';
import { type Call, keyOfCall, nameOfCall } from '../call.ts';
import { refuseCreation, refuseOtherUid, refuseUidOfNone } from './refuse.ts';
import { type Change, changeObject, createObject, withOtherVersions } from './write.ts';
import { answerObject } from './answer.ts';

/** `part`: which part of the object the path names. */
export async function apply(call: Call, part: Change['part'] = ''): Promise<HttpResponse> {
  const form = negotiateObject(call.request.headers['accept']);
  const options = readApplyOptions(call.info.query);
  const body = await parseConfig(call);
  const config = readConfig(body.value, call.registration.row);
  refuseTooLargeNew(call.registration, config);
  await call.server.ports.breather.pause('request');
  for (let attempt = 0; ; attempt++) {
    const changed = await changeObject(call, keyOfCall(call), {
      part,
      dryRun: options.dryRun,
      owner: 'given',
      orCreate: part === '',
      change: async (old) => {
        // Each attempt reports the problems of its own result.
        call.warnings.length = 0;
        const object = await applied(call, { config, old, options });
        reportProblems(call, options, body);
        refuseOtherUid(call, object, old);
        return object;
      },
    });
    if (changed !== undefined) return answerObject(call, form, 200, changed.item);
    if (part !== '') throw notFound(call.registration.row, nameOfCall(call));
    refuseCreation(call);
    try {
      const object = await newObject(call, { config, options, body });
      const item = await createObject(call, object, { dryRun: options.dryRun });
      return answerObject(call, form, 201, item);
    } catch (error) {
      // Another client was faster: what it made is what this is applied to.
      if (!hasReason(error, 'AlreadyExists') || attempt >= MAX_WRITE_RETRIES) throw error;
    }
  }
}

/** The body of an apply patch. @throws StatusError 400, 413 */
export function parseConfig({ request, server }: Call): Promise<ParsedBody> {
  return readBody(request, { breather: server.ports.breather, type: 'application/yaml' });
}

/** Tells of fields that the body names twice. @throws StatusError 400 when the client asked for that */
export function reportProblems(call: Call, { fieldValidation }: WriteOptions, { problems }: ParsedBody): void {
  if (problems.length === 0 || fieldValidation === 'Ignore') return;
  if (fieldValidation === 'Strict') throw badRequest(`error strict decoding YAML: ${problems.join(', ')}`);
  call.warnings.push(...problems);
}

interface Applying {
  readonly config: Config;
  readonly old: ApiObject | undefined;
  readonly options: ApplyOptions;
}

async function applied(call: Call, { config, old, options }: Applying): Promise<ApiObject> {
  const { registration, info, server } = call;
  const { subresource = '' } = info;
  const { fieldManager, force } = options;
  const writer = { name: fieldManager, subresource };
  const now = formatTime(server.ports.clock.now().wall);
  const { breather } = server.ports;
  const ground = groundOf(registration, subresource);
  const value = await withOtherVersions(registration, () =>
    inSteps(appliedObjectSteps(registration, { old, config, writer, force, now }, ground), breather),
  );
  await breather.pause('request');
  const { row } = registration;
  // The configuration has been held against the schema already; the rest of the object is stored.
  const object = readObject({ value, problems: [] }, { row, fieldValidation: 'Ignore', warnings: [] });
  return placeObject(object, row, info.namespace, info.name);
}

async function newObject(
  call: Call,
  { config, options, body }: Omit<Applying, 'old'> & { readonly body: ParsedBody },
): Promise<ApiObject> {
  call.warnings.length = 0;
  const name = nameOfCall(call);
  const { name: given, uid } = recordOf(config['metadata']);
  const object = await applied(call, { config, old: undefined, options });
  reportProblems(call, options, body);
  if (textOf(uid) !== '') refuseUidOfNone(call, textOf(uid));
  if (!given) {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  return { ...object, metadata: omit(object.metadata, 'resourceVersion') };
}
