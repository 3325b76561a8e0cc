/**
 * Bootstrap tokens: short secrets in kube-system with which a machine may join (upstream: the bootstrap token authenticator
 * and its token cleaner). Pure.
 */
import type { Secret } from './types.gen.ts';

export const BOOTSTRAP_TOKEN_TYPE = 'bootstrap.kubernetes.io/token';
export const BOOTSTRAP_TOKEN_NAMESPACE = 'kube-system';
export const BOOTSTRAP_USER_PREFIX = 'system:bootstrap:';
/** The group of all users with such a token. */
export const BOOTSTRAP_GROUP = 'system:bootstrappers';
/** The group that new nodes' tokens carry, as kubeadm gives it: bindings let it ask for a node's certificate. */
export const NODE_BOOTSTRAP_GROUP = 'system:bootstrappers:kubeadm:default-node-token';

const NAME_PREFIX = 'bootstrap-token-';
const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** A token's two halves; undefined for a text that is none. */
export function parseBootstrapToken(token: string): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] = TOKEN.exec(token) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

/** The name of the secret that stands for the token with this id. */
export function bootstrapSecretName(id: string): string {
  return `${NAME_PREFIX}${id}`;
}

/** When a token ends, wall ms; undefined: never. 'unreadable' for a time that is none: it has ended. */
export function bootstrapTokenEnd(secret: Secret): number | undefined | 'unreadable' {
  const text = field(secret, 'expiration');
  if (text === '') return undefined;
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text);
  const at = isTime ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? 'unreadable' : at;
}

export type BootstrapVerdict =
  | { readonly ok: true; readonly id: string; readonly groups: readonly string[] }
  /** For administrators of tokens, not for the client that presents one. */
  | { readonly ok: false; readonly reason: string };

/** Whether the secret of a token admits its bearer at `wall` (ms). `found`: the secret of that name, if there is any. */
export function checkBootstrapToken(
  token: { readonly id: string; readonly secret: string },
  found: Secret | undefined,
  wall: number,
): BootstrapVerdict {
  const refuse = (reason: string): BootstrapVerdict => ({ ok: false, reason: `bootstrap token ${token.id} ${reason}` });
  if (found === undefined || found.metadata?.deletionTimestamp !== undefined) return refuse('is not there');
  if (found.type !== BOOTSTRAP_TOKEN_TYPE) return refuse(`is of type ${JSON.stringify(found.type)}`);
  const isSame = sameText(field(found, 'token-secret'), token.secret);
  if (!isSame || field(found, 'token-id') !== token.id) return refuse('has another secret');
  const end = bootstrapTokenEnd(found);
  if (end === 'unreadable') return refuse('has an expiration that is no time');
  if (end !== undefined && end <= wall) return refuse('has expired');
  if (field(found, 'usage-bootstrap-authentication') !== 'true') return refuse('is not for authentication');
  const extra = field(found, 'auth-extra-groups')
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '');
  const strange = extra.find((group) => !EXTRA_GROUP.test(group));
  if (strange !== undefined)
    return refuse(`has the group ${JSON.stringify(strange)}, which does not begin with ${BOOTSTRAP_GROUP}:`);
  return { ok: true, id: token.id, groups: [...new Set([BOOTSTRAP_GROUP, ...extra])].toSorted() };
}

export interface NewBootstrapToken {
  /** Six and sixteen characters of a-z and 0-9. */
  readonly id: string;
  readonly secret: string;
  /** RFC 3339; absent: it never ends. */
  readonly expiration?: string;
  readonly description?: string;
  readonly groups?: readonly string[];
}

/** The secret of a new token that admits its bearer. */
export function bootstrapTokenSecret(token: NewBootstrapToken): Secret {
  const { id, secret, expiration, description, groups = [NODE_BOOTSTRAP_GROUP] } = token;
  const data = {
    'token-id': id,
    'token-secret': secret,
    'usage-bootstrap-authentication': 'true',
    'auth-extra-groups': groups.join(','),
    ...(expiration === undefined ? {} : { expiration }),
    ...(description === undefined ? {} : { description }),
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: BOOTSTRAP_TOKEN_NAMESPACE, name: bootstrapSecretName(id) },
    type: BOOTSTRAP_TOKEN_TYPE,
    data: Object.fromEntries(Object.entries(data).map(([name, text]) => [name, Buffer.from(text).toString('base64')])),
  };
}

function field(secret: Secret, name: string): string {
  const { data = {} } = secret;
  return Object.hasOwn(data, name) ? Buffer.from(data[name] ?? '', 'base64').toString('utf8') : '';
}

/** Takes the same time however much of it was right. */
function sameText(left: string, right: string): boolean {
  let difference = left.length ^ right.length;
  for (let at = 0; at < right.length; at += 1) difference |= (left.charCodeAt(at) || 0) ^ right.charCodeAt(at);
  return difference === 0;
}
