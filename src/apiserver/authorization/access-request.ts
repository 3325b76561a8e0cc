/** A question to an authorizer; the user comes beside it (upstream: `authorizer.Attributes`). */
import { parseFieldSelector, SelectorError } from '../../api/index.ts';
import type { RequestInfo, ResourceRequest } from '../http/request-info.ts';

export interface ResourceAccess {
  readonly kind: 'resource';
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  /** "" for none; the same holds for the two below. */
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The restriction of a list or watch: fields that must have a value. */
  readonly fields: readonly FieldTerm[];
}

export interface FieldTerm {
  readonly field: string;
  readonly value: string;
}

export interface PathAccess {
  readonly kind: 'path';
  readonly verb: string;
  readonly path: string;
}

export type AccessRequest = ResourceAccess | PathAccess;

/** A question about a resource, with nothing but what matters. */
export function resourceAccess(
  given: Partial<ResourceAccess> & Pick<ResourceAccess, 'verb' | 'resource'>,
): ResourceAccess {
  return { kind: 'resource', group: '', subresource: '', namespace: '', name: '', fields: [], ...given };
}

/** The questions that a request must answer with yes: one, but for streams into containers. */
export function accessesOf(info: RequestInfo): readonly AccessRequest[] {
  if (info.kind === 'path') return [{ kind: 'path', verb: info.verb, path: info.path }];
  const asked = accessOf(info);
  // A stream that a browser's handshake (GET) opens does what a POST does: reading alone must not be enough (upstream
  // since 1.35: AuthorizePodWebsocketUpgradeCreatePermission, of pods alone; a node's proxy leads to the same streams).
  if (asked.verb === 'create' || !(isPodStream(info) || isNodeStream(info))) return [asked];
  return [asked, { ...asked, verb: 'create' }];
}

const podStreams: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward']);

function isPodStream({ group, resource, subresource }: ResourceRequest): boolean {
  return group === '' && resource === 'pods' && subresource !== undefined && podStreams.has(subresource);
}

/** First parts of the kubelet's paths that run something in a container, in lower case. */
const nodeStreams: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'run', 'cri']);

/** A kubelet upgrades a connection for nothing else. */
function isNodeStream({ group, resource, subresource, isUpgrade, restParts }: ResourceRequest): boolean {
  if (group !== '' || resource !== 'nodes' || subresource !== 'proxy') return false;
  return isUpgrade || nodeStreams.has((restParts[0] ?? '').toLowerCase());
}

function accessOf(info: ResourceRequest): ResourceAccess {
  const { group, resource, subresource = '', namespace = '', name } = info;
  const verb = info.verb === 'connect' || info.verb === 'other' ? verbOfMethod(info.method) : info.verb;
  const fields = verb === 'list' || verb === 'watch' || verb === 'deletecollection' ? fieldsOf(info) : [];
  const isRead = verb === 'list' || verb === 'watch';
  const named = isRead ? fields.find(({ field }) => field === 'metadata.name')?.value : undefined;
  return { kind: 'resource', verb, group, resource, subresource, namespace, name: name ?? safeName(named), fields };
}

/** The verb of a request that is passed on as it is. */
export function verbOfMethod(method: string): string {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return 'delete';
    case 'GET':
    case 'HEAD':
      return 'get';
    default:
      // No rule names it but "*".
      return method.toLowerCase();
  }
}

/** A name that no path could hold names nothing (upstream: IsValidPathSegmentName). */
function safeName(name = ''): string {
  return name === '.' || name === '..' || /[/%]/.test(name) ? '' : name;
}

/** The equalities of the field selector; none when it cannot be read: then the request itself is refused. */
function fieldsOf({ query }: ResourceRequest): readonly FieldTerm[] {
  const text = query.get('fieldSelector') ?? '';
  return text === '' ? [] : equalFields(text);
}

export function equalFields(text: string): readonly FieldTerm[] {
  try {
    return parseFieldSelector(text).filter(({ operator }) => operator === '=');
  } catch (error) {
    if (error instanceof SelectorError) return [];
    throw error;
  }
}
