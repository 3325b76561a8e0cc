/**
 * Normalizes answers, so that those of two servers can be compared: values that differ between requests become a word in
 * parentheses.
 */
import type { Answer, Json } from './call.ts';

const MAX_ERRORS = 2;
const MAX_MESSAGE = 140;
const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const TOKEN_VOLUME = /kube-api-access-[a-z0-9]{5}/g;

interface Loose {
  kind?: string;
  metadata?: Json;
  spec?: { [field: string]: unknown; ports?: Json[]; clusterIPs?: string[] };
  status?: { [field: string]: unknown; conditions?: Json[] };
}

/** The answered object, steadied. @param sent what it answers */
export function steady(answer: Answer, sent: Json): Json {
  const text = answer.text.replaceAll(TOKEN_VOLUME, 'kube-api-access-(random)');
  let object = JSON.parse(text) as Loose;
  const uid = object.metadata?.['uid'];
  if (typeof uid === 'string' && uid !== '') object = JSON.parse(text.replaceAll(uid, '(uid)')) as Loose;
  const asked = sent as Loose;
  steadyMeta(object, asked);
  if (object.kind === 'Service') steadyService(object, asked);
  const { status } = object;
  if (status?.['lastPhaseTransitionTime']) status['lastPhaseTransitionTime'] = '(now)';
  for (const [position, condition] of (status?.conditions ?? []).entries()) {
    const time = condition['lastTransitionTime'];
    if (time && time !== asked.status?.conditions?.[position]?.['lastTransitionTime'])
      condition['lastTransitionTime'] = '(now)';
  }
  return object as Json;
}

function steadyMeta({ metadata = {} }: Loose, asked: Loose): void {
  if (metadata['creationTimestamp']) metadata['creationTimestamp'] = '(now)';
  for (const name of ['managedFields', 'resourceVersion']) if (metadata[name]) metadata[name] = '(server)';
  if (metadata['name'] !== asked.metadata?.['name']) metadata['name'] = '(generated)';
}

function steadyService({ spec = {} }: Loose, asked: Loose): void {
  if (spec['clusterIP'] && spec['clusterIP'] !== 'None') spec['clusterIP'] = '(allocated)';
  if (spec.clusterIPs && spec.clusterIPs[0] !== 'None') spec.clusterIPs = spec.clusterIPs.map(() => '(allocated)');
  const health = spec['healthCheckNodePort'];
  if (health && health !== asked.spec?.['healthCheckNodePort']) spec['healthCheckNodePort'] = '(allocated)';
  for (const [position, port] of (spec.ports ?? []).entries()) {
    if (port['nodePort'] && port['nodePort'] !== asked.spec?.ports?.[position]?.['nodePort'])
      port['nodePort'] = '(allocated)';
  }
}

export interface Refusal {
  /** [field, reason, message] of the first ones. */
  readonly errors: readonly (readonly [string | null, string | null, string | undefined])[];
  readonly more?: number;
}

/** A refusal without causes has one error with a null field and the answer's own reason. */
export function refusalOf(body: Json): Refusal {
  const status = body as {
    readonly reason?: string;
    readonly message?: string;
    readonly details?: { readonly causes?: readonly { field?: string; reason?: string; message?: string }[] };
  };
  const causes = status.details?.causes ?? [];
  if (causes.length === 0) return { errors: [[null, status.reason ?? null, short(status.message)]] };
  const errors = causes
    .slice(0, MAX_ERRORS)
    .map(({ field, reason, message }) => [field ?? null, reason ?? null, short(message)] as const);
  return causes.length > MAX_ERRORS ? { errors, more: causes.length - MAX_ERRORS } : { errors };
}

function short(message: string | undefined): string | undefined {
  const steadied = message?.replaceAll(UID, '(uid)');
  return steadied !== undefined && steadied.length > MAX_MESSAGE ? `${steadied.slice(0, MAX_MESSAGE)}…` : steadied;
}
