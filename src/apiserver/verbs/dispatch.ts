/** From a request on a resource to the verb that answers it. */
import { methodNotAllowed, notFoundPath } from '../../api/index.ts';
import type { HttpResponse, UpgradeResponse } from '../../lib/index.ts';
import { verbOfMethod } from '../authorization/access-request.ts';
import { bind } from '../subresources/binding.ts';
import { evict } from '../subresources/eviction.ts';
import { podHistory } from '../subresources/history.ts';
import {
  nodeProxy,
  nodeProxyUpgrade,
  podLog,
  podStreamUpgrade,
  refuseWithoutUpgrade,
} from '../subresources/node-stream.ts';
import { proxyRequest, proxyUpgrade } from '../subresources/proxy.ts';
import { restartPod } from '../subresources/restart.ts';
import { getScale, patchScale, updateScale } from '../subresources/scale.ts';
import { requestToken } from '../subresources/token.ts';
import type { Call } from '../call.ts';
import { create } from './create.ts';
import { removeCollection } from './delete-collection.ts';
import { remove } from './delete.ts';
import { get } from './get.ts';
import { list } from './list.ts';
import { patch } from './patch.ts';
import { update } from './update.ts';
import { watch } from './watch.ts';
import type { Change } from './write.ts';

type Handler = (call: Call) => Promise<HttpResponse>;

/** Verbs on an object or its collection. */
const verbs: Readonly<Record<string, Handler>> = {
  get,
  list,
  watch,
  create,
  update: (call) => update(call),
  patch: (call) => patch(call),
  delete: remove,
  deletecollection: removeCollection,
};

/** Verbs that need a name in the path (true), and those that have none (false). */
const onObjects: ReadonlyMap<string, boolean> = new Map([
  ['get', true],
  ['update', true],
  ['patch', true],
  ['delete', true],
  ['create', false],
]);

/** Subresources that are a part of the object. */
function partHandlers(part: Change['part']): Readonly<Record<string, Handler>> {
  return { get, update: (call) => update(call, part), patch: (call) => patch(call, part) };
}

const status = partHandlers('status');

const scale: Readonly<Record<string, Handler>> = {
  get: getScale,
  update: updateScale,
  patch: patchScale,
};

/** By "resource/subresource", then by verb. */
const subresources: Readonly<Record<string, Readonly<Record<string, Handler>>>> = {
  'pods/status': status,
  'nodes/status': status,
  'namespaces/status': status,
  'services/status': status,
  'resourcequotas/status': status,
  'replicationcontrollers/status': status,
  'replicationcontrollers/scale': scale,
  'persistentvolumeclaims/status': status,
  'persistentvolumes/status': status,
  'deployments/status': status,
  'deployments/scale': scale,
  'replicasets/status': status,
  'replicasets/scale': scale,
  'statefulsets/status': status,
  'statefulsets/scale': scale,
  'daemonsets/status': status,
  'jobs/status': status,
  'cronjobs/status': status,
  'poddisruptionbudgets/status': status,
  'ingresses/status': status,
  'servicecidrs/status': status,
  'certificatesigningrequests/status': status,
  'podrestarts/status': status,
  'healingpolicies/status': status,
  'certificatesigningrequests/approval': partHandlers('approval'),
  'namespaces/finalize': { update: (call) => update(call, 'finalize') },
  'pods/ephemeralcontainers': partHandlers('ephemeralcontainers'),
  'pods/resize': partHandlers('resize'),
  'pods/proxy': { connect: proxyRequest },
  'services/proxy': { connect: proxyRequest },
  'pods/binding': { create: bind },
  'pods/eviction': { create: evict },
  'pods/restart': { create: restartPod },
  'pods/history': { get: podHistory },
  'pods/log': { get: podLog },
  'pods/exec': { connect: refuseWithoutUpgrade },
  'pods/attach': { connect: refuseWithoutUpgrade },
  'pods/portforward': { connect: refuseWithoutUpgrade },
  'nodes/proxy': { connect: nodeProxy },
  'serviceaccounts/token': { create: requestToken },
};

/** The subresources that may change the protocol, by "resource/subresource". */
const upgrades: Readonly<Record<string, (call: Call) => Promise<UpgradeResponse>>> = {
  'pods/exec': podStreamUpgrade,
  'pods/attach': podStreamUpgrade,
  'pods/portforward': podStreamUpgrade,
  'pods/proxy': proxyUpgrade,
  'services/proxy': proxyUpgrade,
  'nodes/proxy': nodeProxyUpgrade,
};

/** Verbs that need to know the namespace, if there are any. */
const inNamespace: ReadonlySet<string> = new Set(['create', 'deletecollection']);

/** Throws 404 for a subresource that is not served and 405 for a verb that it does not know. */
export function dispatch(call: Call): Promise<HttpResponse> {
  const { info, registration } = call;
  const { verb, subresource } = info;
  const handlers = subresource === undefined ? verbs : own(subresources, pathOf(call));
  if (handlers === undefined) throw notFoundPath();
  const handler = own(handlers, verb);
  const known = subresource !== undefined || (registration.row.verbs as readonly string[]).includes(verb);
  const misplaced = subresource === undefined && onObjects.get(verb) === (info.name === undefined);
  if (verb === 'other') throw methodNotAllowed(undefined, verb);
  if (handler === undefined || !known || misplaced) throw methodNotAllowed(registration.row, verb);
  if (registration.row.namespaced && info.namespace === undefined && inNamespace.has(verb)) {
    throw methodNotAllowed(undefined, verb);
  }
  refuseStrangeMethod(call);
  return handler(call);
}

/** The same for what asks to change its protocol. */
export function dispatchUpgrade(call: Call): Promise<UpgradeResponse> {
  const handler = own(upgrades, pathOf(call));
  if (handler === undefined) throw notFoundPath();
  refuseStrangeMethod(call);
  return handler(call);
}

function pathOf({ info, registration }: Call): string {
  const { row } = registration;
  return `${row.resource}/${info.subresource ?? ''}`;
}

/** Requests that are passed on keep their method; a stream into a container is opened by GET or POST alone. */
function refuseStrangeMethod({ info, registration }: Call): void {
  if (info.verb !== 'connect' || info.subresource === 'proxy') return;
  const row = registration.row.subresources.find(({ name }) => name === info.subresource);
  const verb = verbOfMethod(info.method);
  if (row === undefined || !(row.verbs as readonly string[]).includes(verb)) throw methodNotAllowed(undefined, verb);
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
