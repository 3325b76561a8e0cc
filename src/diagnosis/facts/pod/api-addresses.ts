/** Reads of the address of an API server which right a request needs. Pure. */
import type { RefusedRight } from './refused-right.ts';

/** A host that is an API server by its name, or any, before a path that only API servers have. */
const ADDRESS =
  /(?:https?:\/\/(?<host>[\w.-]{1,253}|\[[\da-f:]{2,45}\])(?::\d{2,5})?)?\/(?:api\/v1|apis\/(?<group>[a-z0-9.-]{1,253})\/v[a-z0-9]{1,20})\/(?<path>[\w./:-]{1,600})(?<query>\?[^\s"'<>]{0,400})?/;
const METHOD = /\b(GET|POST|PUT|PATCH|DELETE)\b/;
/** Resources of the core group that programs ask for without a namespace. */
const OF_CORE =
  /^(?:pods|nodes|namespaces|services|endpoints|configmaps|secrets|events|serviceaccounts|persistentvolumes|persistentvolumeclaims|replicationcontrollers|resourcequotas|limitranges|componentstatuses)$/;
const VERBS: Readonly<Record<string, readonly [ofAll: string, ofOne: string]>> = {
  GET: ['list', 'get'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['deletecollection', 'delete'],
};

/** The right that the request of a line needs; undefined: it has no such address. */
export function rightInAddress(line: string, account: RefusedRight['account']): RefusedRight | undefined {
  const { group = '', host = '', path = '', query = '' } = ADDRESS.exec(line)?.groups ?? {};
  const words = path
    .replace(/[.:,]+$/, '')
    .split('/')
    .filter((word) => word !== '');
  const isWhole = words[0] === 'namespaces' && words.length > 2;
  const namespace = isWhole ? words[1] : undefined;
  const [resource, name, ...rest] = isWhole ? words.slice(2) : words;
  const isServer = /^kubernetes(?:\.|$)/.test(host) || isWhole || group !== '' || OF_CORE.test(resource ?? '');
  if (resource === undefined || !isServer || rest.length > 1 || !/^[a-z][a-z0-9]{1,62}$/.test(resource))
    return undefined;
  const method = METHOD.exec(line)?.[1] ?? 'GET';
  const [ofAll, ofOne] = VERBS[method] ?? ['list', 'get'];
  const isWatch = /[?&]watch=(?:1|true)\b/i.test(query);
  return {
    account,
    verb: name !== undefined ? ofOne : isWatch ? 'watch' : ofAll,
    resource: rest.length === 0 ? resource : `${resource}/${rest[0]}`,
    group,
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
    isDerived: true,
  };
}
