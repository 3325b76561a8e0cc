/** Finds the variables behind what a peer refuses: the user that it does not let in, and the TLS that it does not speak. Pure. */
import { urlPeers } from '../../../log-analysis/index.ts';
import type { Quote } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { ofText, type Variable } from '../variables/environment.ts';
import { commandText } from '../peers/spec-peers.ts';
import { hasWord, quotable } from '../words/text.ts';

export interface PeerSetting {
  readonly says: string;
  readonly quotes: readonly Quote[];
}

/** "user 'app'", 'role "app"', "for user app@10.0.0.1" */
const USER =
  /\b(?:user(?:name)?|role|login|account|principal|for)[ =:]{1,3}(?:name[ =:]{1,3})?["'`]([\w.@+-]{2,64})["'`]/gi;

/** "app", of 'password authentication failed for user "app"'; undefined: the lines name none. */
export function userRefused(lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const [found] = line.matchAll(USER);
    // "'app'@'10.0.0.8'"
    if (found !== undefined) return found[1]?.split('@')[0];
  }
  return undefined;
}

/** "the user is that of its variable DB_USER"; undefined: the line names none, or no variable alone has it. */
export function userSetting(container: ContainerFacts, line: string): PeerSetting | undefined {
  for (const [, user = ''] of line.matchAll(USER)) {
    const same = container.environment.filter(({ value }) => value.trim() === user);
    // "postgres://app:secret@db/x"
    const inUrls = container.environment.filter(({ value }) =>
      [`//${user}:`, `//${user}@`].some((part) => value.includes(part)),
    );
    const named = same.filter(({ name }) => /user|login|role|account/i.test(name));
    const [only, ...more] = named.length > 0 ? named : same.length > 0 ? same : inUrls;
    if (only === undefined || more.length > 0) continue;
    return {
      says: `the user is that of its variable ${only.name}${ofText(only)}`,
      quotes: [{ source: 'field', path: `${container.path}.${only.at}`, value: `user ${user}` }],
    };
  }
  return userRefused([line]) === undefined && UNNAMED.test(line) ? unnamedUser(container) : undefined;
}

/** A peer that lets a password or user not in, and does not say whose. */
const UNNAMED = /refuses its password or user/;
const OF_USER = /(?:^|_)(?:USER|USER_?NAME|LOGIN)$/i;
/** A name as users have them. */
const PLAIN_USER = /^[\w.@+-]{1,64}$/;

/** A right that a database does not give to the role that asks. */
const LACKS_RIGHT =
  /permission denied for (?:table|schema|database|relation|sequence|function|view)\b|command denied to user/i;
/** "user: 'shop_app'", "-U dashboard", "postgres://app@db/shop" */
const USER_IN_CODE: readonly RegExp[] = [
  /["']-U["'],\s?["']([\w.-]{1,64})["']/g,
  /\b(?:user|username|role)["']?\s?[=:]>?\s?["']([\w.-]{1,64})["']/g,
  /\b(?:psql|pg_\w{1,12})\b[^;|&\n]{0,200}? -U ?([\w.-]{1,64})/g,
  /\b(?:postgres(?:ql)?|mysql|mariadb):\/\/([\w.-]{1,64})(?::[^\s@/]{0,200})?@/g,
];

/** "it asks as shop_app": the only role of its variables or its code, of a line that names none. */
export function roleSetting(
  container: ContainerFacts,
  says: string,
  texts: readonly { readonly text: string }[],
): PeerSetting | undefined {
  if (!LACKS_RIGHT.test(says) || userRefused([says]) !== undefined) return undefined;
  const { environment, spec } = container;
  const all = [
    ...texts.map(({ text }) => text),
    commandText(spec, environment),
    ...environment.map(({ value }) => value),
  ];
  const inCode = all.flatMap((text) =>
    USER_IN_CODE.flatMap((pattern) =>
      [...text.slice(0, MAX_TEXT).matchAll(pattern)].flatMap(([, user = '']) => (user.startsWith('$') ? [] : [user])),
    ),
  );
  const variable = plainUser(container);
  const [only, ...more] = new Set(variable === undefined ? inCode : [variable]);
  return only === undefined || more.length > 0 ? undefined : { says: `it asks as role ${only}`, quotes: [] };
}

/** The user of the only variable that names one. */
export function plainUser({ environment }: Pick<ContainerFacts, 'environment'>): string | undefined {
  return userVariable(environment)?.value.trim();
}

function userVariable(environment: readonly Variable[]): Variable | undefined {
  const [only, ...more] = environment.filter(({ name, value }) => OF_USER.test(name) && PLAIN_USER.test(value.trim()));
  return more.length > 0 ? undefined : only;
}

/** "it asks as user sensor, of its variable MQTT_USER"; undefined: no variable alone names a user. */
function unnamedUser({ environment, path }: ContainerFacts): PeerSetting | undefined {
  const only = userVariable(environment);
  if (only === undefined) return undefined;
  const user = only.value.trim();
  return {
    says: `it asks as user ${user}, of its variable ${only.name}${ofText(only)}`,
    quotes: quoteOf(path, only, `user ${user}`),
  };
}

/** "DB_SSL", "PGSSLMODE", "REDIS_TLS_ENABLED" */
const OF_TLS = /(?:^|_)(?:USE_?)?(?:SSL|TLS)(?:_?(?:MODE|ENABLED?|REQUIRED?|ON))?$|SSL_?MODE$/i;
const TLS_SCHEME = /^(https|rediss|amqps|ldaps|wss|mqtts|nats\+tls|kafka\+ssl):\/\//i;
const TLS_IN_URL = /[?&;](?:sslmode|ssl|useSSL|tls|ssl-mode|sslMode|encrypt)=/i;

/**
 * "its variable DB_SSL decides on TLS", "the https:// of its variable API_URL asks for TLS"; undefined: no variable alone does.
 *
 * @param told what is told of the peer already: of several URLs that one counts whose variable or host is in it
 */
export function tlsSetting({ environment, path }: ContainerFacts, told: string): PeerSetting | undefined {
  const named = environment.filter(({ name }) => OF_TLS.test(name));
  const [only, ...more] = named;
  if (only !== undefined && more.length === 0)
    return { says: `its variable ${only.name}${ofText(only)} decides on TLS`, quotes: quoteOf(path, only, 'set') };
  if (named.length > 0) return undefined;
  const plain = /\bspeaks plainly\b/.test(told) ? plainUrl({ environment, path }, told) : undefined;
  if (plain !== undefined) return plain;
  const all = environment.flatMap((variable) => {
    const what = TLS_SCHEME.exec(variable.value)?.[0] ?? TLS_IN_URL.exec(variable.value)?.[0].slice(1);
    return what === undefined ? [] : [{ variable, what }];
  });
  const meant = all.filter(
    ({ variable }) => hasWord(told, variable.name) || urlPeers(variable.value).some(({ host }) => hasWord(told, host)),
  );
  const [url, ...others] = meant.length > 0 ? meant : all;
  if (url === undefined || others.length > 0) return undefined;
  const { variable, what } = url;
  return {
    says: `the ${what} of its variable ${variable.name}${ofText(variable)} asks for TLS`,
    quotes: quoteOf(path, variable, `has ${what}`),
  };
}

/** The only variable whose URL without TLS is of the host that is told. */
function plainUrl(
  { environment, path }: Pick<ContainerFacts, 'environment' | 'path'>,
  told: string,
): PeerSetting | undefined {
  const [only, ...more] = environment.filter(
    ({ value }) =>
      /^(?:http|ws|redis|amqp|ldap|mqtt|nats):\/\//i.test(value) &&
      urlPeers(value).some(({ host }) => hasWord(told, host)),
  );
  if (only === undefined || more.length > 0) return undefined;
  const scheme = /^\w+:\/\//.exec(only.value)?.[0] ?? '';
  return {
    says: `the ${scheme} of its variable ${only.name}${ofText(only)} asks without TLS`,
    quotes: quoteOf(path, only, `has ${scheme}`),
  };
}

/** What servers say of a connection without TLS that they want with it. */
const WANTS_TLS =
  /\bno encryption\b|\bSSL off\b|insecure transport|require_secure_transport|(?:SSL|TLS|encryption|encrypted connection|secure connection)\b.{0,40}\b(?:is |are )?(?:required|mandatory)|\b(?:requires?|must use|only accepts?) (?:an? )?(?:SSL|TLS|encrypted|secure)/i;
const NO_TLS = /^(?:disabled?|off|false|0|no|none|never)$/i;
const NO_TLS_IN_TEXT =
  /(?:[?&;\s"',{]|^)["']?((?:sslmode|ssl-mode|ssl|usessl|use_ssl|tls|encrypt)["']?\s{0,3}[=:]{1,2}>?\s{0,3}["']?(?:disabled?|off|false|no|none|0)\b)/im;

/** "it asks without TLS, as its variable PGSSLMODE is disable"; undefined: the line is not about that, or nothing of its specification says so. */
export function tlsOffSetting(
  container: ContainerFacts,
  line: string,
  files: readonly { readonly at: string; readonly text: string }[],
): PeerSetting | undefined {
  if (!WANTS_TLS.test(line)) return undefined;
  const { environment, path, spec } = container;
  for (const variable of environment) {
    const value = variable.value.trim();
    const what = OF_TLS.test(variable.name) && NO_TLS.test(value) ? value : undefined;
    const inUrl = what === undefined ? NO_TLS_IN_TEXT.exec(value.slice(0, 1000))?.[1] : undefined;
    if (what === undefined && inUrl === undefined) continue;
    const verb = what === undefined ? `has ${inUrl ?? ''}` : `is ${what}`;
    return {
      says: `it asks without TLS, as its variable ${variable.name}${ofText(variable)} ${verb}`,
      quotes: quoteOf(path, variable, what ?? inUrl ?? ''),
    };
  }
  const places = [{ at: 'command', text: commandText(spec, environment) }, ...files];
  for (const { at, text } of places) {
    const found = NO_TLS_IN_TEXT.exec(text.slice(0, MAX_TEXT))?.[1];
    if (found === undefined) continue;
    return {
      says: `it asks without TLS, as its ${at} has ${quotable(found)}`,
      quotes: [{ source: 'field', path: at === 'command' ? `${path}.command` : at, value: found }],
    };
  }
  return undefined;
}

const MAX_TEXT = 20_000;

function quoteOf(path: string, { at }: Variable, value: string): readonly Quote[] {
  return [{ source: 'field', path: `${path}.${at}`, value }];
}
