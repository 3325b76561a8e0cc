/** Finds the settings of a server behind what it told another pod: a limit that is reached, a network that it does not know, its certificate. Pure. */
import type { Container, Pod } from '../../evidence/kinds.ts';
import type { ConfigEvidence, ServerBehind, ServiceEvidence } from '../../evidence/pod-evidence.ts';
import { configMapsOf } from '../configs/config-references.ts';
import { environmentOf, ofText } from '../variables/environment.ts';
import { nearSetting, type NamingText } from '../configs/near-settings.ts';
import { commandText } from '../peers/spec-peers.ts';
import { listed } from '../words/text.ts';
import { type Complaint, COMPLAINTS } from './complaints.ts';
import { certificateFault, faultText, serverCertificate } from './server-certificates.ts';

/** A rule for those who connect, which is a file of its own. */
const NO_RULE = /no pg_hba\.conf entry|pg_hba\.conf rejects/;
const OF_CERTIFICATE = /^certificate-/;
/** Values that tell no secret: sizes, numbers, networks, switches. */
const PLAIN_VALUE = /^(?:\d[\d.,/: ]{0,60}(?:[kmgtb%]{0,3}|ms|[smhd])|yes|no|on|off|true|false|unlimited)$/i;
/** Settings whose values are names, networks and words that everybody may see. */
const NAMES =
  /^(?:sentinel monitor|access-control|allow-query|allow-recursion|pool_mode|wal_level|sql_mode|ssl_protocols|SSLProtocol|\w*ssl[_-]?(?:min|max)\w*|tls[_-]\w+|min_version|AllowUsers|AllowGroups|HostKeyAlgorithms|Ciphers|MACs|KexAlgorithms|\w*ALLOWED_HOSTS|http_access|acl SSL_ports|acl|loopback_users|character_set_server|collation_server|ignore_startup_parameters|disable_functions|open_basedir|check(?:Host|IP|Email)|AuthLDAPURL|\w*search_?base|\w*base_?dn|\w*users?_(?:base|dn)|ldap_base)$/i;
const COMMENT = /^\s*(?:#|;|\/\/|--|!)/;
const MAX_LINES = 3000;

/** Whether a server's settings may tell more of these words. */
export function asksServer(lines: readonly string[], id = ''): boolean {
  return (
    OF_CERTIFICATE.test(id) ||
    lines.some(
      (line) =>
        NO_RULE.test(line) ||
        NO_DATABASE.test(line) ||
        MISSES.test(line) ||
        COMPLAINTS.some(({ said }) => said.test(line)),
    )
  );
}

/** Whether the words are a complaint of which a row says what settings it may mean. */
export function namesSetting(lines: readonly string[]): boolean {
  return lines.some((line) => COMPLAINTS.some(({ said }) => said.test(line)));
}

/** What a server says of a name that it does not have. */
const MISSES =
  /(?:unknown|no such|undefined|unrecogni[sz]ed) ["'\w]|["'\w] (?:not found|does(?:n't| not) exist|is not (?:known|defined))/i;

export interface ToldOfServer {
  readonly says: string;
  readonly object: string;
}

/** "deployment/db", "pod/db": what is edited for a server. */
export function serverObject({ owner, pod }: ServerBehind): string {
  return owner ?? `pod/${pod.metadata?.name ?? ''}`;
}

/**
 * "deployment/db behind service db has max_connections = 10 (ConfigMap db-conf, key my.cnf, line 3)"; undefined: nothing of it fits.
 *
 * @param now wall ms, by which certificates are judged
 */
export function settingBehind(
  service: ServiceEvidence,
  lines: readonly string[],
  id: string,
  now?: number,
): ToldOfServer | undefined {
  const { server } = service;
  if (server === undefined) return undefined;
  const object = serverObject(server);
  const who = `${object} behind service ${service.name}`;
  const has = OF_CERTIFICATE.test(id)
    ? certificateText(service, server, now)
    : (ruleText(server, lines) ?? databasesText(server, lines) ?? limitText(server, lines) ?? nearText(server, lines));
  return has === undefined ? undefined : { says: `${who} ${has}`, object };
}

function limitText(server: ServerBehind, lines: readonly string[]): string | undefined {
  return limitIn(COMPLAINTS, lines, placesOf(server)) ?? unsetIn(COMPLAINTS, lines, server.pod.spec?.containers ?? []);
}

/** "sets no wal_level, which is replica then", of a server of which the complaint knows the default. */
function unsetIn(
  complaints: readonly Complaint[],
  lines: readonly string[],
  containers: readonly Container[],
): string | undefined {
  const found = complaints.find(
    ({ said, unset }) =>
      unset !== undefined &&
      lines.some((line) => said.test(line)) &&
      containers.some((spec) => unset.program.test(`${spec.image ?? ''} ${commandText(spec)}`)),
  );
  return found?.unset?.says;
}

/** What is known of complaints of these words. */
export function complaintsIn(lines: readonly string[]): readonly Complaint[] {
  return COMPLAINTS.filter(({ said, isOwn }) => isOwn !== true && lines.some((line) => said.test(line)));
}

/** "has pool_mode transaction (ConfigMap pool, key pgbouncer.ini, line 5)" @param names the settings that count */
export function settingOf(
  server: Pick<ServerBehind, 'pod' | 'configs'>,
  lines: readonly string[],
  names: readonly string[],
): string | undefined {
  const meant = complaintsIn(lines).map((each) => ({
    ...each,
    settings: each.settings.filter((name) => names.includes(name)),
  }));
  return limitIn(meant, lines, placesOf(server));
}

/** "its variable ALLOWED_HOSTS has …": the setting of a program that complains of what only its own settings make. */
export function ownLimit(
  pod: Pod,
  spec: Container,
  configs: readonly ConfigEvidence[],
  lines: readonly string[],
): string | undefined {
  const alone = { pod: { ...pod, spec: { ...pod.spec, containers: [spec] } }, configs };
  const own = COMPLAINTS.filter(({ isOwn }) => isOwn === true);
  return limitIn(own, lines, placesOf(alone)) ?? unsetIn(own, lines, [spec]);
}

/** "has max_connections 10 (ConfigMap db-conf, key my.cnf, line 3)" */
function limitIn(
  complaints: readonly Complaint[],
  lines: readonly string[],
  places: readonly Place[],
): string | undefined {
  const names = complaints.filter(({ said }) => lines.some((line) => said.test(line))).flatMap((each) => each.settings);
  for (const name of names) {
    const words = name.split(/[-_. ]/).join('[-_. ]');
    const pattern = new RegExp(
      String.raw`(?:^|[\s"'.-])((?:\w{1,30}[._-])?${words})["']?(?:\s{0,4}[:=]\s{0,4}|\s{1,8})["']?([^\n"';]{1,80})`,
      'i',
    );
    for (const { at, text } of places) {
      const [, setting, value = ''] = pattern.exec(text) ?? [];
      if (setting === undefined) continue;
      const plain =
        value
          .trim()
          .split(/\s+(?=--|#)/)[0]
          ?.split(/\s(?=-)/)[0]
          // What a URL of LDAP asks for is no part of its base.
          ?.split(/(?<=^ldaps?:.*)\?/)[0]
          ?.trim() ?? '';
      // HAProxy's times without a unit are ms.
      const unit = /^timeout /i.test(setting) && /^\d{1,9}$/.test(plain) ? ', which are ms, as there is no unit,' : '';
      return `has ${setting}${PLAIN_VALUE.test(plain) || NAMES.test(setting) ? ` ${plain}` : ''}${unit} (${at})`;
    }
  }
  return undefined;
}

interface Place {
  readonly at: string;
  readonly text: string;
}

/** Its commands, its variables and the lines of its files. */
function placesOf({ pod, configs = [] }: Pick<ServerBehind, 'pod' | 'configs'>): readonly Place[] {
  return (pod.spec?.containers ?? []).flatMap((spec) => {
    const environment = environmentOf(spec, configs);
    return [
      { at: 'its command', text: commandText(spec, environment) },
      ...environment.map((variable) => ({
        at: `its variable ${variable.name}${ofText(variable)}`,
        text: `${variable.name}=${variable.value.slice(0, 200)}`,
      })),
      ...filesOf({ pod, configs }, spec).flatMap(({ name, key, text }) =>
        text
          .split('\n')
          .slice(0, MAX_LINES)
          .flatMap((line, index): readonly Place[] =>
            COMMENT.test(line)
              ? []
              : [{ at: `ConfigMap ${name}, key ${key}, line ${index + 1}`, text: line.slice(0, 500) }],
          ),
      ),
    ];
  });
}

interface File {
  readonly name: string;
  readonly key: string;
  readonly text: string;
}

function filesOf({ pod, configs = [] }: Pick<ServerBehind, 'pod' | 'configs'>, spec: Container): readonly File[] {
  const used = new Set(configMapsOf(pod, [spec]).map(({ name }) => name));
  return configs
    .filter(({ kind, name }) => kind === 'ConfigMap' && used.has(name))
    .flatMap(({ name, texts = {} }) => Object.entries(texts).map(([key, text]) => ({ name, key, text })));
}

/** The file that lacks a rule for the one who connects. */
function ruleText(server: ServerBehind, lines: readonly string[]): string | undefined {
  if (!lines.some((line) => NO_RULE.test(line))) return undefined;
  const all = (server.pod.spec?.containers ?? []).flatMap((spec) => filesOf(server, spec));
  const file = all.find(({ key }) => /pg_hba/.test(key));
  return file === undefined ? undefined : `has its rules of ConfigMap ${file.name}, key ${file.key}`;
}

/** What a pooler says of a database that it does not pass on. */
const NO_DATABASE = /\bno such database:? "?[\w-]{1,63}/i;
const MAX_DATABASES = 4;

/** The databases that a pooler knows instead. */
function databasesText(server: ServerBehind, lines: readonly string[]): string | undefined {
  if (!lines.some((line) => NO_DATABASE.test(line))) return undefined;
  const files = (server.pod.spec?.containers ?? []).flatMap((spec) => filesOf(server, spec));
  for (const { name, key, text } of files) {
    const own = text.split('\n').slice(0, MAX_LINES);
    const from = own.findIndex((line) => /^\s*\[databases\]/i.test(line));
    if (from === -1) continue;
    const after = own.slice(from + 1);
    const end = after.findIndex((line) => /^\s*\[/.test(line));
    const section = end === -1 ? after : after.slice(0, end);
    const known = section.flatMap((line) => /^\s*([\w*.-]{1,63})\s*=/.exec(line)?.[1] ?? []);
    if (known.length === 0 || known.length > MAX_DATABASES) continue;
    return `has ${known.length === 1 ? 'the database' : 'the databases'} ${listed(known)} (ConfigMap ${name}, key ${key}, line ${from + 2})`;
  }
  return undefined;
}

/** The name that its files define instead. */
function nearText(server: ServerBehind, lines: readonly string[]): string | undefined {
  const files = (server.pod.spec?.containers ?? []).flatMap((spec) => filesOf(server, spec));
  const texts = files.map(
    ({ name, key, text }): NamingText => ({ says: `ConfigMap ${name}, key ${key}`, text, isList: false }),
  );
  for (const line of lines) {
    const near = nearSetting(line, texts);
    if (near !== undefined) return `has ${near.name} instead (${near.from.says}, line ${near.line})`;
  }
  return undefined;
}

/** The Secret that it has its certificate from, and what is wrong with that. */
function certificateText(service: ServiceEvidence, server: ServerBehind, now: number | undefined): string | undefined {
  const found = serverCertificate(server);
  if (found === undefined) return undefined;
  const { secret, mountPath, facts } = found;
  const text = facts && now !== undefined ? faultText(facts, certificateFault(facts, service, now)) : '';
  return `has its certificate of Secret ${secret}, at ${mountPath}${text === '' ? '' : `, ${text}`}`;
}
