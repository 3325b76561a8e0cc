/** POST pods/binding (and POST bindings): gives a pod its node (upstream: BindingREST). */
import {
  badRequest,
  conflict,
  invalid,
  notSupported,
  type Pod,
  PODS,
  required,
  setCondition,
  type Status,
} from '../../api/index.ts';
import { formatTime, type HttpResponse } from '../../lib/index.ts';
import { refuseBadSegment } from '../http/bad-segment.ts';
import { parseBody } from '../http/body.ts';
import { jsonResponse } from '../http/respond.ts';
import { type ApiObject, isRecord, recordOf, textOf } from '../registry/object.ts';
import { refuseOtherNamespace } from '../registry/read-object.ts';
import { keyOf } from '../registry/registration.ts';
import { readWriteOptions } from '../http/write-options.ts';
import type { Call } from '../call.ts';
import { changeObject } from '../verbs/write.ts';

const created: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

/** `call` is on the pods' registration; the pod's name is in the path or in the body. */
export async function bind(call: Call): Promise<HttpResponse> {
  const { value } = parseBody(call.request);
  if (!isRecord(value)) throw badRequest('the body of the request must be a Binding');
  const metadata = recordOf(value['metadata']);
  const name = call.info.resource === 'bindings' ? textOf(metadata['name']) : (call.info.name ?? '');
  if (name === '') throw badRequest('name is required');
  refuseBadSegment('Name', name);
  const given = textOf(metadata['name']);
  if (given !== '' && given !== name) {
    throw badRequest(`name in URL does not match name in Binding object: ${name} != ${given}`);
  }
  refuseOtherNamespace(metadata['namespace'], call.info.namespace);
  const nodeName = readTarget(value, name);
  const now = formatTime(call.server.ports.clock.now().wall);
  await changeObject(call, keyOf(call.registration, call.info.namespace, name), {
    part: 'binding',
    dryRun: readWriteOptions(call.info.query, 'CreateOptions').dryRun,
    change: (old) => bound(old, nodeName, metadata, now),
  });
  return jsonResponse(201, created);
}

function readTarget(binding: Readonly<Record<string, unknown>>, name: string): string {
  const target = recordOf(binding['target']);
  const kind = textOf(target['kind']);
  const errors = [
    ...(kind === '' || kind === 'Node' ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])]),
    ...(textOf(target['name']) === '' ? [required('target.name')] : []),
  ];
  if (errors.length > 0) throw invalid({ group: '', kind: 'Binding' }, name, errors);
  return textOf(target['name']);
}

function bound(old: ApiObject, nodeName: string, metadata: Readonly<Record<string, unknown>>, now: string): ApiObject {
  const pod = old as Pod;
  const name = pod.metadata?.name ?? '';
  if (metadata['uid'] && metadata['uid'] !== pod.metadata?.uid) {
    const text = `Precondition failed: UID in precondition: ${textOf(metadata['uid'])}, UID in object meta: ${pod.metadata?.uid}`;
    throw conflict(PODS, name, text);
  }
  if (pod.metadata?.deletionTimestamp !== undefined) {
    throw conflict(
      { group: '', resource: 'pods/binding' },
      name,
      `pod ${name} is being deleted, cannot be assigned to a host`,
    );
  }
  if (pod.spec?.nodeName) {
    const text = `pod ${name} is already assigned to node "${pod.spec.nodeName}"`;
    throw conflict({ group: '', resource: 'pods/binding' }, name, text);
  }
  if ((pod.spec?.schedulingGates ?? []).length > 0) {
    throw conflict({ group: '', resource: 'pods/binding' }, name, `pod ${name} has non-empty .spec.schedulingGates`);
  }
  const conditions = setCondition(
    pod.status?.conditions,
    { type: 'PodScheduled', status: 'True', lastTransitionTime: now },
    now,
  );
  // It has its node: the nomination is fulfilled or void.
  const { nominatedNodeName: _, ...status } = pod.status ?? {};
  const annotations = {
    ...pod.metadata?.annotations,
    ...(recordOf(metadata['annotations']) as Record<string, string>),
  };
  return {
    ...old,
    metadata: { ...old.metadata, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
    spec: { ...pod.spec, nodeName },
    status: { ...status, conditions },
  };
}
