/** The address and the headers of a target, with what Secrets hold. Their values appear nowhere but in requests. */
import {
  isNotFound,
  hasReason,
  NOTIFICATION_SECRET,
  problemsOfHeader,
  problemsOfUrl,
  type ResolvedSecretRef,
  type ResolvedTarget,
  type ResolvedText,
  type Secret,
  SECRET_FOR_NOTIFICATIONS,
} from '../../api/index.ts';

/** Rejects with the server's StatusError. */
export type ReadSecret = (namespace: string, name: string) => Promise<Secret>;

export type TargetValues =
  | {
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** What of these must not be quoted, in whole or in part. */
      readonly secrets: readonly string[];
    }
  | { readonly problem: string };

/** Rejects with ConnectionErrors, and with StatusErrors that say nothing of the Secret itself. */
export async function targetValues(target: ResolvedTarget, read: ReadSecret): Promise<TargetValues> {
  const url = await valueOf(target.url, read, problemsOfUrl);
  if ('problem' in url) return url;
  const headers: Record<string, string> = {};
  const secrets = 'secret' in target.url ? [url.value, ...pathsOf(url.value)] : [];
  for (const { name, value } of target.headers) {
    const found = await valueOf(value, read, problemsOfHeader);
    if ('problem' in found) return found;
    headers[name] = found.value;
    if ('secret' in value) secrets.push(found.value, ...found.value.split(/[ =,;]/));
  }
  return { url: url.value, headers, secrets: secrets.flatMap(echoesOf) };
}

/** The forms in which a server may say again what it was sent. */
function echoesOf(secret: string): readonly string[] {
  const encoded = encodeURIComponent(secret);
  return [
    secret,
    ...(encoded === secret ? [] : [encoded]),
    ...(/^[\u0020-\u007e]{4,}$/.test(secret) ? [btoa(secret)] : []),
  ];
}

/** The parts of an address that may be its secret. */
function pathsOf(text: string): readonly string[] {
  const { pathname, search } = new URL(text);
  return [`${pathname}${search}`, ...pathname.split('/'), ...search.split(/[?&=]/)];
}

type Value = { readonly value: string } | { readonly problem: string };

async function valueOf(
  given: ResolvedText,
  read: ReadSecret,
  check: (text: string) => readonly string[],
): Promise<Value> {
  if ('text' in given) return { value: given.text };
  const { secret } = given;
  const name = `Secret ${secret.namespace}/${secret.name}`;
  const found = await secretOf(secret, read);
  if (typeof found === 'string') return { problem: `${name} ${found}` };
  if (!isOffered(found))
    return {
      problem: `${name} may not be used: it must have the name ${NOTIFICATION_SECRET}, or the label ${SECRET_FOR_NOTIFICATIONS}=true`,
    };
  const value = textOf(found.data?.[secret.key]);
  if (value === undefined) return { problem: `${name} has no text in key "${secret.key}"` };
  const [problem] = check(value);
  return problem === undefined ? { value } : { problem: `${name}, key "${secret.key}": ${problem}` };
}

async function secretOf({ namespace, name }: ResolvedSecretRef, read: ReadSecret): Promise<Secret | string> {
  try {
    return await read(namespace, name);
  } catch (error) {
    if (isNotFound(error)) return 'does not exist';
    if (hasReason(error, 'Forbidden')) return 'may not be read by the controller of notifications';
    throw error;
  }
}

/** Whoever may write a Notification need not be one who may read Secrets: its owner says that it may be sent. */
function isOffered({ metadata }: Secret): boolean {
  return metadata?.name === NOTIFICATION_SECRET || metadata?.labels?.[SECRET_FOR_NOTIFICATIONS] === 'true';
}

/** The text without the newline that files end with. */
function textOf(base64: string | undefined): string | undefined {
  if (base64 === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
}
