/** POST serviceaccounts/NAME/token: a token for a service account, bound to a pod, a secret or a node when asked. */
import {
  badRequest,
  type BoundObjectReference,
  conflict,
  forbidden,
  internalError,
  invalid,
  NODES,
  notFound,
  type CSIDriver,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  PODS,
  type ResourceRow,
  SECRETS,
  SERVICE_ACCOUNTS,
} from '../../api/index.ts';
import { formatTime, type HttpResponse } from '../../lib/index.ts';
import { problemOfNodeToken } from '../admission/node-restriction.ts';
import { nodeOfUser } from '../authorization/node-authorizer.ts';
import { parseBody } from '../http/body.ts';
import { jsonResponse } from '../http/respond.ts';
import type { ApiObject } from '../registry/object.ts';
import { readObject } from '../registry/read-object.ts';
import { completeSpec, planToken, type TokenBinding, validateTokenSpec } from '../tokens/plan-token.ts';
import type { ObjectClaim } from '../tokens/token-signer.ts';
import { readWriteOptions } from '../http/write-options.ts';
import { type Call, nameOfCall } from '../call.ts';
import { readCurrent } from '../registry/read-current.ts';

const KIND = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' } as const;
const ROW = { ...SERVICE_ACCOUNTS, ...KIND } as ResourceRow;

export async function requestToken(call: Call): Promise<HttpResponse> {
  const { server, info, warnings } = call;
  const { namespace = '' } = info;
  const name = nameOfCall(call);
  const { dryRun, fieldValidation } = readWriteOptions(info.query, 'CreateOptions');
  const given = readObject(parseBody(call.request), { row: ROW, fieldValidation, warnings });
  refuseOtherPlace(given, namespace, name);
  const account = await readCurrent(server, 'serviceaccounts', namespace, name);
  if (account === undefined) throw notFound(SERVICE_ACCOUNTS, name);
  const spec = completeSpec(given);
  const errors = validateTokenSpec(spec);
  if (errors.length > 0) throw invalid(KIND, '', errors);
  const bound = await readBound(call, spec.boundObjectRef ?? undefined);
  await restrictNode(call, bound, spec.audiences, spec.boundObjectRef?.uid ?? '');
  if (server.tokens === undefined) throw internalError('this server has no key for tokens');
  const plan = planToken({
    namespace,
    account: claimOf(account),
    bound: bound.claims,
    audiences: spec.audiences,
    expirationSeconds: spec.expirationSeconds,
    wall: server.ports.clock.now().wall,
    id: server.ports.random.uuid(),
  });
  const token = dryRun ? '' : await server.tokens.sign(plan.claims);
  return jsonResponse(201, {
    kind: KIND.kind,
    apiVersion: `${KIND.group}/${KIND.version}`,
    metadata: { name, namespace, creationTimestamp: formatTime(server.ports.clock.now().wall) },
    spec,
    status: { token, expirationTimestamp: formatTime(plan.expiresAt) },
  });
}

function refuseOtherPlace({ metadata }: ApiObject, namespace: string, name: string): void {
  if (metadata.name && metadata.name !== name) {
    throw badRequest(
      `requested token name ${JSON.stringify(metadata.name)} does not match the service account name ${JSON.stringify(name)}`,
    );
  }
  if (metadata.namespace && metadata.namespace !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

interface Bound {
  readonly pod: Pod | undefined;
  readonly claims: TokenBinding;
}

async function readBound({ server, info }: Call, reference: BoundObjectReference | undefined): Promise<Bound> {
  if (reference === undefined) return { pod: undefined, claims: {} };
  const { kind = '', apiVersion = 'v1', name = '', uid = '' } = reference;
  const row = apiVersion === 'v1' ? [PODS, SECRETS, NODES].find((entry) => entry.kind === kind) : undefined;
  if (row === undefined)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(info.name)} to object of type ${apiVersion}, Kind=${kind}`,
    );
  const object = await readCurrent(server, row.resource, row.namespaced ? info.namespace : undefined, name);
  if (object === undefined) throw notFound(row, name);
  if (uid !== '' && uid !== object.metadata.uid) {
    const text = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict(row, name, text);
  }
  const claim = claimOf(object);
  if (row === SECRETS) return { pod: undefined, claims: { secret: claim } };
  if (row === NODES) return { pod: undefined, claims: { node: claim } };
  const pod = object as Pod;
  if (pod.spec?.serviceAccountName !== info.name) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(info.name)} to pod running with different serviceaccount name.`,
    );
  }
  const nodeName = pod.spec?.nodeName ?? '';
  const node = nodeName === '' ? undefined : await readCurrent(server, 'nodes', undefined, nodeName);
  return { pod, claims: { pod: claim, ...(node === undefined ? {} : { node: claimOf(node) }) } };
}

/** A kubelet gets tokens for the pods that are bound to it, for the audiences that those name, and for nothing else. */
async function restrictNode(call: Call, { pod }: Bound, audiences: readonly string[], uid: string): Promise<void> {
  const node = nodeOfUser(call.user);
  if (node === undefined) return;
  const ofDrivers = pod === undefined ? [] : await audiencesOfDrivers(call, pod);
  const problem = problemOfNodeToken(node, pod, { audiences, uid, ofDrivers });
  if (problem !== undefined) throw forbidden(SERVICE_ACCOUNTS, nameOfCall(call), problem);
}

/** The audiences that the CSI drivers of the pod's volumes ask for (upstream: ServiceAccountNodeAudienceRestriction). */
async function audiencesOfDrivers({ server }: Call, pod: Pod): Promise<readonly string[]> {
  const names = new Set<string>();
  const { name: podName = '', namespace } = pod.metadata ?? {};
  for (const { name, csi, persistentVolumeClaim, ephemeral } of pod.spec?.volumes ?? []) {
    if (csi !== undefined) names.add(csi.driver);
    const claimName = persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${podName}-${name}`);
    if (claimName === undefined) continue;
    const claim = (await readCurrent(server, 'persistentvolumeclaims', namespace, claimName)) as
      | PersistentVolumeClaim
      | undefined;
    const volumeName = claim?.spec?.volumeName ?? '';
    if (volumeName === '') continue;
    const volume = (await readCurrent(server, 'persistentvolumes', undefined, volumeName)) as
      | PersistentVolume
      | undefined;
    if (volume?.spec?.csi !== undefined) names.add(volume.spec.csi.driver);
  }
  const audiences: string[] = [];
  for (const driver of names) {
    const found = (await readCurrent(server, 'csidrivers', undefined, driver, 'storage.k8s.io')) as
      | CSIDriver
      | undefined;
    audiences.push(...(found?.spec.tokenRequests ?? []).map(({ audience }) => audience));
  }
  return audiences;
}

function claimOf({ metadata }: ApiObject): ObjectClaim {
  return { name: metadata.name ?? '', uid: metadata.uid ?? '' };
}
